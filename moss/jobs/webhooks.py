"""Webhooks: send a signed message to an address that an instructor entered.

Instructors are not operators: an address inside the operator's network is refused, unless the operator allows it. The
name is looked up once, and the connection goes to exactly the address that was found and checked, so it cannot lead
elsewhere a moment later. Redirections are not followed.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import ipaddress
import json
import socket
import ssl
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from moss.messages import gettext as _
from moss.version import __version__

SIGNATURE = "X-Moss-Signature"
_PATIENCE = 10  # seconds for each step
_ALTOGETHER = 30
_UNICAST = ipaddress.ip_network("2000::/3")  # all IPv6 addresses that are assigned to anybody; the rest are private
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)  # stands before an IPv4 address, to which packets from any network are then sent


class WebhookError(Exception):
    """A message that could not be delivered; the message says why, in one sentence."""


def check_webhook(url: str) -> None:
    """Raise WebhookError unless this is an address of the web."""
    _parsed(url)


def _parsed(url: str) -> SplitResult:
    try:
        parsed = urlsplit(url)
        port = parsed.port
    except ValueError:
        parsed, port = SplitResult("", "", "", "", ""), None
    plain = url.isascii() and url.isprintable() and " " not in url
    if parsed.scheme not in ("http", "https") or not parsed.hostname or port == 0 or not plain:
        raise WebhookError(_("The webhook’s address must begin with http:// or https:// and name a host."))
    if parsed.username is not None:
        raise WebhookError(_("The webhook’s address must not contain a password."))
    return parsed


def signature(body: bytes, secret: str) -> str:
    """The signature of a message, which the receiver compares with the header."""
    return f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"


def post_signed(url: str, message: Mapping[str, Any], secret: str, *, private: bool = False) -> None:
    """Deliver a message as JSON; raises WebhookError unless the receiver confirms it."""
    parsed = _parsed(url)
    address = _address(parsed, private)
    body = json.dumps(message).encode()
    headers = {"Content-Type": "application/json", "User-Agent": f"moss/{__version__}"}
    headers |= {SIGNATURE: signature(body, secret)}
    target = (parsed.path or "/") + (f"?{parsed.query}" if parsed.query else "")
    try:
        status = _post(parsed, address, target, body, headers)
    except (OSError, http.client.HTTPException) as error:
        words = " ".join(str(error).split()) or type(error).__name__
        raise WebhookError(_("%(host)s can’t be reached: %(why)s.", host=parsed.hostname, why=words)) from None
    if not 200 <= status < 300:
        raise WebhookError(_("%(host)s answered with status %(status)s.", host=parsed.hostname, status=status))


def _address(parsed: SplitResult, private: bool) -> str:
    """The IP address of the host; raises WebhookError if any of its addresses is forbidden."""
    try:
        found = socket.getaddrinfo(parsed.hostname, parsed.port or 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise WebhookError(_("There is no host %(host)s.", host=parsed.hostname)) from None
    addresses = [str(entry[4][0]) for entry in found]
    if not private and not all(map(_is_public, addresses)):
        raise WebhookError(
            _("%(host)s leads to a private address, which this server does not call.", host=parsed.hostname)
        )
    return addresses[0]


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast
    inner = address.ipv4_mapped or address.sixtofour
    if inner is not None:
        return _is_public(str(inner))
    return address in _UNICAST and address.is_global and int(address) >> 32 & 0xFFFF_FFFF not in _ISATAP


def _post(parsed: SplitResult, address: str, target: str, body: bytes, headers: Mapping[str, str]) -> int:
    with _connected(parsed, address) as sock:
        end = threading.Timer(_ALTOGETHER, _hang_up, (sock,))  # for a receiver that answers one byte at a time
        end.daemon = True
        end.start()
        try:
            connection = http.client.HTTPConnection(parsed.netloc, timeout=_PATIENCE)
            connection.sock = sock
            connection.request("POST", target, body, dict(headers))
            return connection.getresponse().status
        finally:
            end.cancel()


def _connected(parsed: SplitResult, address: str) -> socket.socket:
    secure = parsed.scheme == "https"
    sock = socket.create_connection((address, parsed.port or (443 if secure else 80)), _PATIENCE)
    return ssl.create_default_context().wrap_socket(sock, server_hostname=parsed.hostname) if secure else sock


def _hang_up(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it may be over already
        sock.shutdown(socket.SHUT_RDWR)
