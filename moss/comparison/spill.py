"""The spill: scanned submissions of a large class in a file instead of in memory.

With a memory budget, batches of scanned submissions that no longer fit into their part of it are written to a temporary
file without a name and mapped from there: they are arrays like any others, but the system may take their memory back at
any time. Ranking reads them once, and aligning needs those of the shown pairs only.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from moss.comparison.scanned_files import ScannedBatch

_SHARE = 8  # an eighth of the budget is for scanned submissions; the rest is for ranking and the program itself


@dataclass
class Spill:
    """Takes batches, and writes those beyond its share of `budget` bytes into a file."""

    budget: int
    held: int = 0  # bytes in memory
    spilled: int = 0  # bytes in the file
    _file: IO[bytes] | None = None
    _windows: list[mmap.mmap] = field(default_factory=list)

    def take(self, batch: ScannedBatch) -> ScannedBatch:
        """The batch, with its arrays in memory if there is room, else in the file."""
        size = batch.size
        if self.held + size <= self.budget // _SHARE:
            self.held += size
            return batch
        return self._write(batch, size)

    def _write(self, batch: ScannedBatch, size: int) -> ScannedBatch:
        if self._file is None:
            from tempfile import TemporaryFile  # which takes a while to import

            self._file = TemporaryFile(prefix="moss-")  # noqa: SIM115 - it is closed by `close`
        start = self.spilled
        places: list[int] = []

        def write(array: NDArray[Any]) -> NDArray[Any]:
            assert self._file is not None
            places.append(self.spilled - start)
            self._file.write(np.ascontiguousarray(array).data)
            filling = -array.nbytes % 8  # so that all begin at a multiple of eight
            self._file.write(bytes(filling))
            self.spilled += array.nbytes + filling
            return array

        batch.replaced(write)
        filling = -self.spilled % mmap.ALLOCATIONGRANULARITY  # windows begin at such places only
        self._file.write(bytes(filling))
        self.spilled += filling
        self._file.flush()
        window = mmap.mmap(self._file.fileno(), self.spilled - start, access=mmap.ACCESS_READ, offset=start)
        self._windows.append(window)
        place = iter(places)
        return batch.replaced(lambda array: np.frombuffer(window, array.dtype, array.size, next(place)))

    def close(self) -> None:
        """Take no more; batches that were taken stay until they are no longer used."""
        if self._file is not None:
            self._file.close()

    def forget(self) -> None:
        """Give back the memory of pages of the file that were read, which are read again when needed, and memory that
        the program has freed without giving it back."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for window in self._windows:
                window.madvise(mmap.MADV_DONTNEED)
        if self._windows and sys.platform.startswith("linux"):
            with suppress(OSError, AttributeError):  # other C libraries do so without being told
                ctypes.CDLL(None).malloc_trim(0)
