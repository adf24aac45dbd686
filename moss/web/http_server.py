"""The HTTP server: waitress, with limits for those whom nobody knows yet.

Before anybody has logged in, a client can hold two things of the server: connections, and room for what it sends. So a
request has so much time for its headers, and a body must not come slower than any network; a stranger sends no more
than a form has; one address has so many connections, and the oldest that is idle or unfinished makes room for a new
one, so that whoever asks at once is always heard. `/health` has a thread of its own: who watches the server must learn
that all others are busy.
"""

from __future__ import annotations

import copy
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import MultiSocketServer, TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher
from waitress.utilities import Error, RequestEntityTooLarge

from moss.processes.pool import allow_open_files
from moss.web.request.limits import network

HEALTH = "/health"
_LET_IN = 64  # connections that are taken before others are served
_SPARE = 2 * _LET_IN  # descriptors in waitress' map that are no connections, or are about to be closed
_FILES = 200  # descriptors for all else: database, temporary files, processes
_TOO_LARGE = "That is larger than this server accepts from whoever is not logged in, or than an upload may be."
_NO_ROOM = "There is no room on this server's disk to receive that. Try again later, or tell the administrator."
_SORRY = b"Too many connections are busy. Try again in a moment.\n"
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s" % (len(_SORRY), _SORRY)
)

Knows = Callable[[Mapping[str, str]], bool]
"""Whether the headers of a request, as `COOKIE`, are those of somebody who has an account."""


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """The most that a client gets before anybody knows who it is, and after."""

    connections: int = 1000
    per_address: int | None = 100  # None behind a proxy, which is one address: it is the proxy's to limit
    stranger_bytes: int = 64 * 1024  # of a request's body
    body_bytes: int = 528 * 1024 * 1024  # from somebody who is known
    header_seconds: float = 15.0
    idle_seconds: int = 60  # between two requests
    body_seconds: float = 30.0  # and a second more for each `slowest` bytes that have come
    slowest: int = 2048
    look_every: int = 2  # seconds between two looks for those who are too slow


def make_http_server(
    app: Any, host: str, port: int, threads: int, limits: HttpLimits, knows: Knows, **options: Any
) -> Any:
    """The server, with its port taken; `run` serves. Raises OSError or ValueError if there is no such place."""
    allow_open_files(limits.connections + _SPARE + _FILES)
    adjusted = Adjustments(
        host=host, port=port, threads=threads, ident="moss",
        connection_limit=limits.connections + _SPARE,  # never reached: room is made before
        channel_timeout=limits.idle_seconds, cleanup_interval=limits.look_every,
        asyncore_use_poll=True,  # `select` cannot watch so many
        inbuf_overflow=2 * 1024 * 1024,  # a chunk of an upload stays in memory
        log_socket_errors=False,  # or whoever comes and goes fills the log
        max_request_body_size=limits.body_bytes, **options,
    )  # fmt: skip
    dispatcher, sockets = Dispatcher(threads), {}  # type: ignore[var-annotated]
    servers = [
        HttpServer(app, sockets, dispatcher=dispatcher, adj=adjusted, sockinfo=place, limits=limits, knows=knows)
        for place in adjusted.listen
    ]
    if len(servers) == 1:
        return servers[0]
    places = [(server.effective_host, server.effective_port) for server in servers]
    return MultiSocketServer(sockets, adjusted, places, dispatcher, servers[0].log_info)


class StorageFullError(Error):  # type: ignore[misc]
    """The answer to what cannot be received, because the disk is full."""

    code, reason = 507, "Insufficient Storage"


class Dispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]
    """The threads that answer, and one that answers `/health` alone."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self.set_thread_count(threads)
        self.watched = ThreadedTaskDispatcher()
        self.watched.set_thread_count(1)

    def add_task(self, task: Any) -> None:
        """Let a thread answer the first request of a channel."""
        if getattr(task.requests[0], "path", "") == HEALTH:
            self.watched.add_task(task)
        else:
            super().add_task(task)

    def shutdown(self, cancel_pending: bool = True, timeout: int = 5) -> bool:
        """End all threads."""
        self.watched.shutdown(cancel_pending, timeout)
        return bool(super().shutdown(cancel_pending, timeout))


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """Reads a request; how much it may bring is decided when its headers are there."""

    def __init__(self, adjusted: Any, limits: HttpLimits, knows: Knows) -> None:
        super().__init__(adjusted)
        self.adj: Any = adjusted
        self.limits, self.knows = limits, knows
        self.began = time.time()

    def parse_header(self, header_plus: bytes) -> None:
        """Read the headers, and allow a large body to those only who are known."""
        super().parse_header(header_plus)
        if (self.chunked or self.content_length > self.limits.stranger_bytes) and not self.knows(self.headers):
            self.adj = copy.copy(self.adj)
            self.adj.max_request_body_size = self.limits.stranger_bytes

    def received(self, data: bytes) -> int:
        """Read on; how many of these bytes were taken."""
        try:
            taken = super().received(data)
        except OSError:  # a large body is laid down on the disk, which may be full
            self.error, self.completed = StorageFullError(_NO_ROOM), True
            return len(data)
        if isinstance(self.error, RequestEntityTooLarge):
            self.error.body = _TOO_LARGE
        return int(taken)

    def is_too_slow(self, now: float) -> bool:
        """Whether its time is over."""
        if not self.headers_finished:
            return now > self.began + self.limits.header_seconds
        seconds = self.limits.body_seconds + int(self.body_bytes_received) / self.limits.slowest
        return now > self.began + seconds


class LimitedChannel(HTTPChannel):  # type: ignore[misc]
    """One connection."""

    @cached_property
    def network(self) -> str:
        """Whose it is."""
        return network(self.addr[0])

    def parser_class(self, adjusted: Any) -> Parser:
        """What reads the next request."""
        return Parser(adjusted, self.server.limits, self.server.knows)

    @property
    def may_go(self) -> bool:
        """Whether nothing is under way for it but the reading of a request that is not complete."""
        return not self.requests and not self.total_outbufs_len and not self.will_close

    def drop(self) -> None:
        """Let it be closed, with what has come. Not now: its number could at once be that of another connection, of
        which the loop would then believe what it has just heard of this one."""
        self.will_close = True
        if self.request is not None:
            self.request.close()


class HttpServer(TcpWSGIServer):  # type: ignore[misc]
    """A listening socket and its connections."""

    channel_class = LimitedChannel

    def __init__(self, *given: Any, limits: HttpLimits, knows: Knows, **options: Any) -> None:
        self.limits, self.knows = limits, knows
        super().__init__(*given, **options)

    def handle_accept(self) -> None:
        """Take those who wait to be let in: many at once, or a crowd of them holds up who came last."""
        for _ in range(_LET_IN):
            super().handle_accept()
            if not self._came:
                return

    def accept(self) -> Any:
        """The next connection that waits; None if there is none."""
        found = super().accept()
        self._came = found is not None
        return found

    def set_socket_options(self, connection: socket.socket) -> None:
        """Prepare a connection that has just come; there must be room for it. Raises OSError if there is none."""
        super().set_socket_options(connection)
        if not self._make_room(network(connection.getpeername()[0])):
            with connection:
                connection.send(_BUSY)
            raise OSError("there are too many connections, and all are busy")

    def _make_room(self, address: str) -> bool:
        """Drop whoever has been silent for longest, if there are too many; False if all are being served."""
        everybody = [channel for channel in self.active_channels.values() if not channel.will_close]
        neighbours = [channel for channel in everybody if channel.network == address]
        if self.limits.per_address is not None and len(neighbours) >= self.limits.per_address:
            crowd = neighbours
        elif len(everybody) >= self.limits.connections:
            crowd = everybody
        else:
            return True
        leaving = min((channel for channel in crowd if channel.may_go), key=lambda c: c.last_activity, default=None)
        if leaving is not None:
            leaving.drop()
        return leaving is not None

    def maintenance(self, now: float) -> None:
        """Close what is idle or too slow; called every few seconds."""
        super().maintenance(now)
        for channel in list(self.active_channels.values()):
            request = channel.request
            if channel.may_go and request is not None and request.is_too_slow(now):
                channel.drop()
