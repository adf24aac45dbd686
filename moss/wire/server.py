"""The server of the MOSS protocol: many conversations at a time, none of which can hold up another."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from moss.wire.conversation import Conversation
from moss.wire.draft import Draft
from moss.wire.limits import NO_LIMITS_GIVEN, WireLimits
from moss.wire.office import Office
from moss.wire.spool import Room, Spool

log = logging.getLogger(__name__)

PORT = 7690
_BACKLOG = 512


async def serve_wire(
    host: str,
    port: int,
    office: Office,
    limits: WireLimits = NO_LIMITS_GIVEN,
    stop: asyncio.Event | None = None,
    *,
    folder: Path | None = None,
    listening: Callable[[int], None] = lambda port: None,
) -> None:
    """Serve until told to stop. What is being sent lies in `folder` meanwhile (the system's one for temporary files);
    `listening` is told the port once clients can connect, which is another one if it was 0."""
    reception = Reception(office, limits, folder)
    server = await asyncio.start_server(reception.receive, host, port, limit=limits.line_bytes, backlog=_BACKLOG)
    listening(server.sockets[0].getsockname()[1])
    await _serve(server, reception, stop or asyncio.Event())


async def serve_socket(
    listening: socket.socket, office: Office, limits: WireLimits, stop: asyncio.Event, folder: Path | None = None
) -> None:
    """The same for clients of a socket that somebody else has opened."""
    reception = Reception(office, limits, folder)
    server = await asyncio.start_server(reception.receive, sock=listening, limit=limits.line_bytes, backlog=_BACKLOG)
    await _serve(server, reception, stop)


async def _serve(server: asyncio.Server, reception: Reception, stop: asyncio.Event) -> None:
    try:
        await stop.wait()
    finally:
        server.close()
        await reception.close()


class Reception:
    """Receives clients: lets them in while there is room, lets them wait, and turns away who is too many."""

    def __init__(self, office: Office, limits: WireLimits, folder: Path | None) -> None:
        self.office = office
        self.limits = limits
        self.folder = folder
        self._room = Room(limits.spool_bytes)
        self._seats = asyncio.Semaphore(limits.conversations)
        self._present: Counter[str] = Counter()  # by address
        self._tasks: set[asyncio.Task[None]] = set()

    async def receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Look after one client until it is gone."""
        task = asyncio.current_task()
        assert task is not None
        address = str((writer.get_extra_info("peername") or ["unknown"])[0])
        self._tasks.add(task)
        self._present[address] += 1
        try:
            if self._has_room(address):
                await self._converse(reader, writer)
            else:
                log.warning("turned away a client: too many are here already")
        except asyncio.CancelledError:  # it ends here: asyncio would tell of it as an accident
            log.info("broke off a conversation, because the server stops")
        except Exception:
            log.exception("a conversation failed")
        finally:
            writer.transport.abort()  # everything said is already under way
            self._present -= Counter([address])
            self._tasks.discard(task)

    def _has_room(self, address: str) -> bool:
        most, each = self.limits.conversations + self.limits.waiting, self.limits.per_address
        return self._present.total() <= most and (each is None or self._present[address] <= each)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _prepare(writer)
        async with self._seats:  # who waits sends no more than a buffer full
            with Spool(self._room, self.folder) as spool:
                await Conversation(reader, writer, self.office, self.limits, spool, Draft(self.limits)).hold()

    async def close(self) -> None:
        """End all conversations; those that soon end by themselves may."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=self.limits.stop_seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


def _prepare(writer: asyncio.StreamWriter) -> None:
    """Answers leave at once and in full, and a client whose machine is gone is noticed."""
    writer.transport.set_write_buffer_limits(high=0)
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
