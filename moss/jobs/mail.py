"""Mail: send one message to one user, through the mail server that the settings name."""

from __future__ import annotations

import ipaddress
import smtplib
import ssl
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import SplitResult, unquote, urlsplit

from moss.config import Config

_PATIENCE = 20  # seconds for each step


class MailError(Exception):
    """A mail that could not be sent; the message says why, in words that end a sentence."""


def send_mail(config: Config, name: str, address: str, subject: str, text: str) -> None:
    """Send a mail; raises MailError."""
    message = _message(config, name, address, subject, text)
    server = urlsplit(config.mail_url)
    try:
        with _connected(server) as connection:
            _log_in(connection, server)
            connection.send_message(message)
    except (OSError, smtplib.SMTPException, ssl.SSLError) as error:
        words = " ".join(str(error).split())
        raise MailError(f"the mail server {server.hostname} says: {words}") from None


def _message(config: Config, name: str, address: str, subject: str, text: str) -> EmailMessage:
    message = EmailMessage()
    user, _, domain = address.rpartition("@")
    message["From"] = config.mail_from
    message["To"] = Address(" ".join(name.split()), user, domain)
    message["Subject"] = " ".join(subject.split())
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=config.mail_from.rpartition("@")[2].strip("> ") or None)
    message["Auto-Submitted"] = "auto-generated"  # so that no automatic reply comes back
    message.set_content(text)
    return message


def _connected(server: SplitResult) -> smtplib.SMTP:
    """A connection to the mail server, encrypted if the server supports it."""
    host = server.hostname or "localhost"
    context = _context(host)
    if server.scheme == "smtps":
        return smtplib.SMTP_SSL(host, server.port or 465, timeout=_PATIENCE, context=context)
    connection = smtplib.SMTP(host, server.port or 25, timeout=_PATIENCE)
    connection.ehlo_or_helo_if_needed()
    if connection.has_extn("starttls"):
        connection.starttls(context=context)
        connection.ehlo()
    return connection


def _context(host: str) -> ssl.SSLContext:
    """The settings of encryption. A server on this machine may sign its own certificate: nobody can listen in
    between."""
    context = ssl.create_default_context()
    if _is_this_machine(host):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _log_in(connection: smtplib.SMTP, server: SplitResult) -> None:
    if server.username is None:
        return
    encrypted = isinstance(connection.sock, ssl.SSLSocket)
    if not encrypted and not _is_this_machine(server.hostname or "localhost"):
        raise MailError(f"the mail server {server.hostname} offers no encryption, so the password was not sent")
    connection.login(unquote(server.username), unquote(server.password or ""))
