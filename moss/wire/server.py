"""The server of the MOSS protocol: many conversations at a time, none of which can delay another."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from moss.wire.conversation import Conversation
from moss.wire.request import NO_WIRE_LIMITS_GIVEN, Backend, RequestDraft, WireLimits
from moss.wire.spool import Spool, SpoolRoom

log = logging.getLogger(__name__)

PORT = 7690
_BACKLOG = 512
_TRIES, _PER_YIELD = (
    7,
    3,
)  # checks whether a client can make room, and how many of them within the time after which one must
_AT_THE_DOOR = 100  # clients that may wait for room
_TELL_EVERY = 60.0  # seconds between two log lines about clients that were turned away


async def serve_wire(
    host: str,
    port: int,
    backend: Backend,
    limits: WireLimits = NO_WIRE_LIMITS_GIVEN,
    stop: asyncio.Event | None = None,
    *,
    folder: Path | None = None,
    listening: Callable[[int], None] = lambda port: None,
) -> None:
    """Serve until told to stop. Files that are being sent are in `folder` (by default the system's folder for temporary
    files). `listening` is called with the port once clients can connect, which tells the chosen port if it was 0."""
    limiter = ConnectionLimiter(backend, limits, folder)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(limiter.protocol, host, port, backlog=_BACKLOG)
    listening(server.sockets[0].getsockname()[1])
    await _serve(server, limiter, stop or asyncio.Event())


async def serve_socket(
    listening: socket.socket, backend: Backend, limits: WireLimits, stop: asyncio.Event, folder: Path | None = None
) -> None:
    """Serve the clients of a listening socket until told to stop."""
    limiter = ConnectionLimiter(backend, limits, folder)
    server = await asyncio.get_running_loop().create_server(limiter.protocol, sock=listening, backlog=_BACKLOG)
    await _serve(server, limiter, stop)


async def _serve(server: asyncio.Server, limiter: ConnectionLimiter, stop: asyncio.Event) -> None:
    try:
        await stop.wait()
    finally:
        server.close()
        await limiter.close()


class ClientReader(asyncio.StreamReader):
    """A stream from a client that knows whether anything has come."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.heard, self.arrived = False, asyncio.get_running_loop().time()

    def feed_data(self, data: Any) -> None:
        """Take what has come."""
        self.heard = True
        super().feed_data(data)


class ConnectionLimiter:
    """Receives clients: admits them while there is room, lets some wait, and turns the others away."""

    def __init__(self, backend: Backend, limits: WireLimits, folder: Path | None) -> None:
        self.backend = backend
        self.limits = limits
        self.folder = folder
        self._room = SpoolRoom(limits.spool_bytes)
        self._seats = asyncio.Semaphore(limits.conversations)
        self._present: Counter[str] = Counter()  # clients by address
        self._seated: set[Conversation] = set()
        self._waiting = 0  # clients that wait for a seat
        self._turned_away, self._tell_again = 0, 0.0
        self._usher: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def protocol(self) -> asyncio.StreamReaderProtocol:
        """The protocol object for the next connection."""
        ear = ClientReader(limit=self.limits.line_bytes)
        return asyncio.StreamReaderProtocol(ear, lambda _, writer: self.receive(ear, writer))

    async def receive(self, reader: ClientReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client until it is gone."""
        task = asyncio.current_task()
        assert task is not None
        address = str((writer.get_extra_info("peername") or ["unknown"])[0])
        self._tasks.add(task)
        self._present[address] += 1
        try:
            if await self._is_let_in(reader, address):
                await self._converse(reader, writer, address)
            else:
                self._note_turned_away()
                await self._turn_away(writer)
        except asyncio.CancelledError:  # not raised again, because asyncio would log it as an error
            log.info("broke off a conversation, because the server stops")
        except Exception:
            log.exception("a conversation failed")
        finally:
            writer.transport.abort()  # everything we said is already on its way
            self._present -= Counter([address])
            self._tasks.discard(task)

    async def _is_let_in(self, reader: ClientReader, address: str) -> bool:
        """Whether there is room for one more. A client that has sent something gets the place of one that has not."""
        for _ in range(_TRIES):
            most, each = self.limits.conversations + self.limits.waiting, self.limits.per_address
            too_many_here = each is not None and self._present[address] > each
            if not too_many_here and self._present.total() <= most:
                return True
            if reader.heard and self._make_room(address if too_many_here else None):
                return True
            if self._present.total() > most + _AT_THE_DOOR:
                return False
            await asyncio.sleep(self.limits.yield_seconds / _PER_YIELD)
        return False

    def _make_room(self, address: str | None) -> bool:
        """End the conversation that has been silent for longest: at this address, or at the address with the most."""
        here = [each for each in self._seated if address in (None, each.address)]
        silent = [each for each in here if each.silence >= self.limits.yield_seconds]
        leaving = max(silent, key=lambda each: (self._present[each.address], each.silence), default=None)
        if leaving is not None:
            self._seated.discard(leaving)
            leaving.make_room()
        return leaving is not None

    def _note_turned_away(self) -> None:
        """Tell the operator now and then, because a line for each client would fill the log."""
        self._turned_away += 1
        now = asyncio.get_running_loop().time()
        if now >= self._tell_again:
            log.warning("too many clients are here; %d were turned away since this was last told", self._turned_away)
            self._turned_away, self._tell_again = 0, now + _TELL_EVERY

    async def _turn_away(self, writer: asyncio.StreamWriter) -> None:
        """Send the reason, in the one line that a client can read."""
        with suppress(OSError):
            writer.write(b"Error: too many clients are here already; please try again later\n")
            async with asyncio.timeout(self.limits.grace_seconds):
                await writer.drain()
                writer.write_eof()

    async def _converse(self, reader: ClientReader, writer: asyncio.StreamWriter, address: str) -> None:
        _prepare(writer)
        async with self._seat():  # a client that waits sends no more than one buffer
            with Spool(self._room, self.folder) as spool:
                draft = RequestDraft(self.limits)
                conversation = Conversation(reader, writer, self.backend, self.limits, spool, draft, address)
                if not reader.heard:  # it has also been silent while it waited
                    conversation.last_heard = reader.arrived
                self._seated.add(conversation)
                try:
                    await conversation.hold()
                finally:
                    self._seated.discard(conversation)

    @asynccontextmanager
    async def _seat(self) -> AsyncIterator[None]:
        """One of the seats. While a client waits for one, silent clients are asked to leave theirs."""
        self._waiting += 1
        if self._seats.locked() and (self._usher is None or self._usher.done()):
            self._usher = asyncio.create_task(self._show_out())
        try:
            await self._seats.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._seats.release()

    async def _show_out(self) -> None:
        while self._waiting:
            for _ in range(self._waiting):
                if not self._make_room(None):
                    break
            await asyncio.sleep(self.limits.yield_seconds / _PER_YIELD)

    async def close(self) -> None:
        """End all conversations; those that are about to end get a little time."""
        if self._usher is not None:
            self._usher.cancel()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=self.limits.stop_seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


def _prepare(writer: asyncio.StreamWriter) -> None:
    """Set up a connection so that answers leave at once and in full, and a client whose machine is gone is noticed."""
    writer.transport.set_write_buffer_limits(high=0)
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
