"""The spool: the bytes of one conversation on disk, in a file without a name.

Nobody else can open such a file, and it is gone once the conversation ends, however it ends.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType

from moss.wire.commands import FileHeader
from moss.wire.request import SentFile

CHUNK = 64 * 1024


class SpoolError(Exception):
    """The disk is full, or the spool's share of it is used up."""


class SpoolRoom:
    """The room on disk that all conversations share."""

    def __init__(self, size: int) -> None:
        self._free = size

    def take(self, size: int) -> None:
        """Reserve `size` bytes; raises SpoolError if there are not enough."""
        if size > self._free:
            raise SpoolError("all clients together have sent too much")
        self._free -= size

    def give_back(self, size: int) -> None:
        """Return `size` bytes."""
        self._free += size


class Spool:
    """The files that were sent, one after another in one file; each ends where the next one begins."""

    def __init__(self, room: SpoolRoom, folder: Path | None = None) -> None:
        self._room = room
        self._file = TemporaryFile(dir=folder, buffering=CHUNK)  # noqa: SIM115 - closed with the spool
        self._lock = threading.Lock()
        self._begun: list[tuple[FileHeader, int]] = []
        self.size = 0

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Delete everything."""
        if not self._file.closed:
            self._room.give_back(self.size)
            with self._lock:
                self._file.close()

    def __len__(self) -> int:
        return len(self._begun)

    def begin(self, header: FileHeader) -> None:
        """Start a new file, to which the following content belongs."""
        self._begun.append((header, self.size))

    async def write(self, content: bytes) -> None:
        """Add content to the last file."""
        at = self.size
        self._room.take(len(content))
        self.size += len(content)
        try:
            await asyncio.to_thread(self._write, at, content)
        except (OSError, ValueError) as error:
            raise SpoolError("the disk takes no more") from error

    def _write(self, at: int, content: bytes) -> None:
        with self._lock:
            self._file.seek(at)
            self._file.write(content)

    def files(self) -> list[SentFile]:
        """All files that are not empty, in the order in which they came."""
        starts = [start for _, start in self._begun] + [self.size]
        return [
            SentFile(header.name, header.program, header.language, end - start, partial(self._chunks, start, end))
            for (header, start), end in zip(self._begun, starts[1:], strict=True)
            if end > start
        ]

    def _chunks(self, start: int, end: int) -> Iterator[bytes]:
        for at in range(start, end, CHUNK):
            with self._lock:
                self._file.seek(at)
                chunk = self._file.read(min(CHUNK, end - at))
            yield chunk
