"""Compressed files as streams of bytes, and where in them reading can begin.

A `.gz` of a crawler is a chain of members, one for each record, so reading can begin at any of them: a worker looks for
the first after the place where its part begins. Everything else that is compressed is read from the beginning.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, cast

from moss.corpus.errors import CorpusError
from moss.corpus.places import opened_file
from moss.intake.limits import MIB
from moss.messages import gettext
from moss.shipped import how_to_install

COMPRESSED = (".gz", ".zst")
_CHUNK = 256 * 1024
_UNPACKED = 4 * MIB  # at a time
_FRAME = 4096
_MAGIC = b"\x1f\x8b\x08"


class TruncatedError(ValueError):
    """A compressed file that is damaged or ends too early."""


class _GzipMember:
    """Unpacks one member; what follows it is `rest`."""

    def __init__(self) -> None:
        self._unpacker = zlib.decompressobj(wbits=31)

    def unpack(self, packed: bytes) -> bytes:
        """Some of the content; raises TruncatedError if it is damaged."""
        try:
            return self._unpacker.decompress(packed, _UNPACKED)
        except zlib.error:
            raise TruncatedError(gettext("its compression is damaged")) from None

    @property
    def eof(self) -> bool:
        """Whether the member has ended."""
        return self._unpacker.eof

    @property
    def rest(self) -> bytes:
        """The bytes that were given but not unpacked."""
        return self._unpacker.unused_data if self.eof else self._unpacker.unconsumed_tail


class _ZstandardFrame:
    """Unpacks one frame of Zstandard likewise, of which a little is taken at a time: it may unpack to very much."""

    def __init__(self) -> None:
        import zstandard

        self._unpacker, self._errors = zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError
        self._left = b""

    def unpack(self, packed: bytes) -> bytes:
        """Some of the content; raises TruncatedError if it is damaged."""
        self._left = packed[_FRAME:]
        try:
            return self._unpacker.decompress(packed[:_FRAME])
        except self._errors:
            raise TruncatedError(gettext("its compression is damaged")) from None

    @property
    def eof(self) -> bool:
        """Whether the frame has ended."""
        return self._unpacker.eof

    @property
    def rest(self) -> bytes:
        """The bytes that were given but not unpacked."""
        return (self._unpacker.unused_data if self.eof else b"") + self._left


class InflatedMembers(io.RawIOBase):
    """The content of a chain of compressed members from a place on, or of the one there."""

    def __init__(
        self,
        file: IO[bytes],
        first: int = 0,
        *,
        alone: bool = False,
        member: Callable[[], _GzipMember | _ZstandardFrame] = _GzipMember,
    ) -> None:
        super().__init__()
        self._file, self._alone, self._new = file, alone, member
        self._packed = self._content = b""
        self._unpacker = member()
        self._fetched = first  # the place behind what was fetched
        self._inside = False  # a member
        self.ended = False
        file.seek(first)

    @property
    def place(self) -> int:
        """The place behind what was unpacked."""
        return self._fetched - len(self._packed)

    def readable(self) -> bool:
        """Whether it can be read, which it can."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill a buffer with some of what comes next; nothing at the end."""
        view = memoryview(cast(bytearray, buffer))
        while not self._content and not self.ended:
            self._unpack()
        count = min(len(view), len(self._content))
        view[:count] = self._content[:count]
        self._content = self._content[count:]
        return count

    def _unpack(self) -> None:
        if not self._packed:
            self._packed = self._file.read(_CHUNK)
            self._fetched += len(self._packed)
        if not self._inside:
            self._packed = self._packed.lstrip(b"\0")  # with which some writers fill up
            if not self._packed:
                self._packed = self._file.read(_CHUNK)
                self._fetched += len(self._packed)
                self.ended = not self._packed
                return
            self._inside = True
        exhausted = not self._packed  # the unpacker may still hold something back
        self._content = self._unpacker.unpack(self._packed)
        if exhausted and not self._content and not self._unpacker.eof:
            raise TruncatedError(gettext("it ends in the middle of a compressed record"))
        self._packed = self._unpacker.rest
        if self._unpacker.eof:
            self._unpacker, self._inside, self.ended = self._new(), False, self._alone


def first_member(file: IO[bytes], start: int, end: int, begins: bytes) -> int | None:
    """The place of the first gzip member from `start` on, and before `end`, whose content begins so."""
    place = start
    while place < end:
        file.seek(place)
        block = file.read(_CHUNK)
        at = block.find(_MAGIC)
        while at >= 0 and place + at < end:
            if _content_begins(block[at:] if len(block) - at >= 1024 else _at(file, place + at), begins):
                return place + at
            at = block.find(_MAGIC, at + 1)
        if len(block) < _CHUNK:
            return None
        place += len(block) - len(_MAGIC) + 1
    return None


def _at(file: IO[bytes], place: int) -> bytes:
    file.seek(place)
    return file.read(4096)


def _content_begins(packed: bytes, begins: bytes) -> bool:
    try:
        return zlib.decompressobj(wbits=31).decompress(packed[:4096], len(begins)).startswith(begins)
    except zlib.error:
        return False


@contextmanager
def inflated(path: str) -> Iterator[IO[bytes]]:
    """A file's content from the beginning, unpacked if its name says that it is packed."""
    with opened_file(path) as file:
        lower = path.lower()
        if lower.endswith(".gz"):
            yield io.BufferedReader(InflatedMembers(file), MIB)
        elif lower.endswith(".zst"):
            _needs_zstandard()
            yield io.BufferedReader(InflatedMembers(file, member=_ZstandardFrame), MIB)
        else:
            yield file


def _needs_zstandard() -> None:
    try:
        import zstandard  # noqa: F401
    except ModuleNotFoundError:
        raise CorpusError(gettext(".zst files need more: %(install)s", install=how_to_install("crawl"))) from None


def without_compression(name: str) -> str:
    """A name, in lower case, without the ending that says that the file is compressed."""
    lower = name.lower()
    return next((lower.removesuffix(ending) for ending in COMPRESSED if lower.endswith(ending)), lower)
