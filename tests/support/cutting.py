"""A proxy that cuts connections: what a bad network does, where and when the test says."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

Limits = tuple[int | None, int | None]  # bytes of the request and of the answer that get through; None: all


@dataclass
class Cutter:
    """Passes each connection on to a port, or answers itself, until it cuts it."""

    cut: Callable[[int], Limits]  # by the connection's number
    target: int | None
    answer: bytes
    seen: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Look after one connection."""
        number, self.seen = self.seen, self.seen + 1
        if self.target is None:
            await reader.read(65536)
            writer.write(self.answer)
            await writer.drain()
            writer.close()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self.target)
        up, down = self.cut(number)
        tasks = [asyncio.create_task(_pass(reader, back, up)), asyncio.create_task(_pass(there, writer, down))]
        await asyncio.wait(
            tasks, return_when=asyncio.FIRST_COMPLETED if (up, down) != (None, None) else "ALL_COMPLETED"
        )
        for task in tasks:
            task.cancel()
        for each in (writer, back):
            each.transport.abort()  # without a good-bye


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int | None) -> None:
    with suppress(OSError):
        while most is None or most > 0:
            content = await reader.read(65536 if most is None else min(65536, most))
            if not content:
                writer.write_eof()
                break
            writer.write(content)
            await writer.drain()
            most = None if most is None else most - len(content)


@contextmanager
def cutting(cut: Callable[[int], Limits], target: int | None, answer: bytes = b"") -> Iterator[tuple[str, Cutter]]:
    """The proxy's address, and the proxy."""
    loop, ready, found = asyncio.new_event_loop(), threading.Event(), Cutter(cut, target, answer)
    ports: list[int] = []
    stop = asyncio.Event()

    async def run() -> None:
        async with await asyncio.start_server(found.serve, "127.0.0.1", 0) as server:
            ports.append(server.sockets[0].getsockname()[1])
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    ready.wait()
    try:
        yield f"http://127.0.0.1:{ports[0]}", found
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
