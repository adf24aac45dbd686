"""Inflating compressed data while watching how much comes out of how little.

Bytes are counted where they are read and where they come out; what an archive says about its sizes plays no part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, BinaryIO

from moss.intake.entries import CHUNK, UnreadableError
from moss.intake.limits import human_size
from moss.messages import gettext as _

HARMLESS = 1024 * 1024  # a small file may compress as well as it likes


class Metered:
    """A binary file that counts the bytes read from it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.consumed = 0

    def read(self, size: int = -1) -> bytes:
        content = self._file.read(size)
        self.consumed += len(content)
        return content

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        """Leave the file open: it belongs to the caller."""


def within_ratio(chunks: Iterator[bytes], meter: Metered, ratio: int) -> Iterator[bytes]:
    """Pass chunks on; raise UnreadableError once they outgrow, by the ratio, the bytes that were read for them."""
    before = meter.consumed
    produced = 0
    for chunk in chunks:
        produced += len(chunk)
        _check_ratio(produced, meter.consumed - before, ratio)
        yield chunk


def _check_ratio(produced: int, consumed: int, ratio: int) -> None:
    if produced > HARMLESS and produced > ratio * max(1, consumed):
        raise UnreadableError(_("refused, because it unpacks to more than %(n)s times its size", n=ratio))


class Inflated:
    """The content of a compressed stream at any offset, cheapest when asked for in order."""

    def __init__(self, file: BinaryIO, decompress: Callable[[Metered], IO[bytes]], ratio: int, most: int) -> None:
        self._file, self._decompress, self._ratio, self._most = file, decompress, ratio, most
        self._rewind()

    def _rewind(self) -> None:
        self._file.seek(0)
        self._meter = Metered(self._file)
        self._stream = self._decompress(self._meter)
        self._position = 0

    def at(self, offset: int, size: int) -> bytes:
        """The bytes from an offset on, fewer only at the end; raises UnreadableError."""
        if offset < self._position:
            self._rewind()
        while self._position < offset:
            if not self._read(min(CHUNK, offset - self._position)):
                return b""
        pieces = []
        while size and (piece := self._read(min(CHUNK, size))):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _read(self, size: int) -> bytes:
        try:
            piece = self._stream.read(size)
        except Exception:  # the three decompressors raise a dozen kinds of error on hostile bytes
            raise UnreadableError(_("the compressed archive is damaged or cut off")) from None
        self._position += len(piece)
        _check_ratio(self._position, self._meter.consumed, self._ratio)
        if self._position > self._most:
            raise UnreadableError(
                _(
                    "not read further, because it unpacks to more than the limit of %(limit)s",
                    limit=human_size(self._most),
                )
            )
        return piece


class Plain:
    """The content of an uncompressed file at any offset."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def at(self, offset: int, size: int) -> bytes:
        """The bytes from an offset on, fewer only at the end; raises UnreadableError."""
        try:
            self._file.seek(offset)
            return self._file.read(size)
        except (OSError, OverflowError, ValueError):
            raise UnreadableError(_("the archive is damaged or cut off")) from None
