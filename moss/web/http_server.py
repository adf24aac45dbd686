"""The HTTP server: waitress, with limits on clients that have not logged in.

Without logging in, a client can tie up two resources: connections, and room for the bytes it sends. So the headers of a
request have a deadline, and its body must arrive faster than the slowest network; a stranger may send no more than a
form needs; an address may have only so many connections, and when there are too many, the one that has been idle or
unfinished for longest is closed, so that a new complete request is always answered. `/health` has a thread of its own,
so that monitoring gets an answer even when all other threads are busy.
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
_LET_IN = 64  # connections accepted in one go before others are served
_SPARE = 2 * _LET_IN  # descriptors in waitress' map that are not connections, or are about to be closed
_FILES = 200  # descriptors for all else: database, temporary files, processes
_TOO_LARGE = "That is larger than this server accepts from whoever is not logged in, or than an upload may be."
_NO_ROOM = "There is no room on this server's disk to receive that. Try again later, or tell the administrator."
_SORRY = b"Too many connections are busy. Try again in a moment.\n"
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s" % (len(_SORRY), _SORRY)
)

Knows = Callable[[Mapping[str, str]], bool]
"""Tells whether the headers of a request, with names such as `COOKIE`, belong to somebody with an account."""


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """The most that a client may use, before and after it is known who it is."""

    connections: int = 1000
    per_address: int | None = 100  # None behind a proxy, which is a single address and has to limit its clients itself
    stranger_bytes: int = 64 * 1024  # the largest body from a stranger
    body_bytes: int = 528 * 1024 * 1024  # the largest body from somebody with an account
    header_seconds: float = 15.0
    idle_seconds: int = 60  # between two requests
    body_seconds: float = 30.0  # plus a second for each `slowest` bytes received
    slowest: int = 2048
    look_every: int = 2  # seconds between two searches for clients that are too slow


def make_http_server(
    app: Any, host: str, port: int, threads: int, limits: HttpLimits, knows: Knows, **options: Any
) -> Any:
    """The server, already bound to its port; call `run` to serve. OSError or ValueError if it cannot bind there."""
    allow_open_files(limits.connections + _SPARE + _FILES)
    adjusted = Adjustments(
        host=host, port=port, threads=threads, ident="moss",
        connection_limit=limits.connections + _SPARE,  # never reached: a connection is closed before that
        channel_timeout=limits.idle_seconds, cleanup_interval=limits.look_every,
        asyncore_use_poll=True,  # `select` cannot watch this many
        inbuf_overflow=2 * 1024 * 1024,  # a chunk of an upload stays in memory
        log_socket_errors=False,  # clients that disconnect would fill the log
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
    """The answer to a request that cannot be received because the disk is full."""

    code, reason = 507, "Insufficient Storage"


class Dispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]
    """The threads that answer requests, and one that answers only `/health`."""

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
    """Reads a request; the size allowed for its body is decided once its headers are complete."""

    def __init__(self, adjusted: Any, limits: HttpLimits, knows: Knows) -> None:
        super().__init__(adjusted)
        self.adj: Any = adjusted
        self.limits, self.knows = limits, knows
        self.began = time.time()

    def parse_header(self, header_plus: bytes) -> None:
        """Read the headers, and allow a large body only to somebody with an account."""
        super().parse_header(header_plus)
        if (self.chunked or self.content_length > self.limits.stranger_bytes) and not self.knows(self.headers):
            self.adj = copy.copy(self.adj)
            self.adj.max_request_body_size = self.limits.stranger_bytes

    def received(self, data: bytes) -> int:
        """Read more bytes, and return how many of them were taken."""
        try:
            taken = super().received(data)
        except OSError:  # a large body is stored on the disk, which may be full
            self.error, self.completed = StorageFullError(_NO_ROOM), True
            return len(data)
        if isinstance(self.error, RequestEntityTooLarge):
            self.error.body = _TOO_LARGE
        return int(taken)

    def is_too_slow(self, now: float) -> bool:
        """Whether the request has taken longer than the limits allow."""
        if not self.headers_finished:
            return now > self.began + self.limits.header_seconds
        seconds = self.limits.body_seconds + int(self.body_bytes_received) / self.limits.slowest
        return now > self.began + seconds


class LimitedChannel(HTTPChannel):  # type: ignore[misc]
    """A connection of which the server knows the network and whether it may be closed."""

    @cached_property
    def network(self) -> str:
        """The network that the connection comes from, as limits count it."""
        return network(self.addr[0])

    def parser_class(self, adjusted: Any) -> Parser:
        """The parser for the next request."""
        return Parser(adjusted, self.server.limits, self.server.knows)

    @property
    def may_go(self) -> bool:
        """Whether it may be closed: no complete request waits for an answer, and no answer is being sent."""
        return not self.requests and not self.total_outbufs_len and not self.will_close

    def drop(self) -> None:
        """Have the connection closed, with the bytes that have come, in the next round of the loop.

        Not at once: the operating system could give its number to a new connection, and the loop would then apply to
        that one the events that it has just read for this one."""
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
        """Accept many waiting connections at once, so that a crowd does not hold up the one that came last."""
        for _ in range(_LET_IN):
            super().handle_accept()
            if not self._came:
                return

    def accept(self) -> Any:
        """The next waiting connection; None if there is none."""
        found = super().accept()
        self._came = found is not None
        return found

    def set_socket_options(self, connection: socket.socket) -> None:
        """Prepare a new connection; OSError if there is no room for it."""
        super().set_socket_options(connection)
        if not self._make_room(network(connection.getpeername()[0])):
            with connection:
                connection.send(_BUSY)
            raise OSError("there are too many connections, and all are busy")

    def _make_room(self, address: str) -> bool:
        """Close the connection that has been silent longest, if there are too many; False if all are being served."""
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
        """Close connections that are idle or too slow; called every few seconds."""
        super().maintenance(now)
        for channel in list(self.active_channels.values()):
            request = channel.request
            if channel.may_go and request is not None and request.is_too_slow(now):
                channel.drop()
