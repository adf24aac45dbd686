"""Pages as a server stores them: compressed in pieces between their slots, which are sent without being unpacked.

A page that goes to a browser as gzip is put together from the pieces as they are stored and from the slots' contents,
which are the only bytes that are compressed for each reader. That works because each piece was compressed by itself and
ends at a whole byte. gzip ends with a checksum of everything: that of a stored piece is known, and continued over the
pieces before it as `_continued` says.

    [["", CHECKSUM, LENGTH, PACKED LENGTH], ["head", …], …] newline, pieces

The first line says what is before each piece: a slot's name, or nothing. A page's **states** (`state-N`, as many as the
overview has pairs in the page itself) are not cut out, because so many small pieces would be twice as large: whoever
sends an overview fills them first (`with_states`), for all readers at once.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

_SLOT = re.compile(r"<!--moss:slot ((?!state-)[a-z]+(?:-\d+)?)-->")
_STATE = re.compile(r"<!--moss:slot state-(\d+)-->")
_LEVEL = 6
_HEADER = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"  # gzip, without a name or a time
_END = b"\x03\0"  # the empty block with which deflated data end
_OVERVIEWS = 16  # overviews with their states filled in that are held in memory


@dataclass(frozen=True, slots=True)
class PackedPiece:
    """A part of a page without slots, and the slot before it."""

    slot: str  # empty before the first piece
    checksum: int
    length: int
    deflated: bytes

    @classmethod
    def of(cls, slot: str, text: str) -> PackedPiece:
        """A piece with this text."""
        content = text.encode()
        return cls(slot, zlib.crc32(content), len(content), _deflated(content))

    @property
    def text(self) -> str:
        """The text of the piece."""
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(self.deflated).decode()


@dataclass(frozen=True, slots=True)
class PackedPage:
    """A page with its slots, to be filled when it is sent."""

    pieces: tuple[PackedPiece, ...]

    @classmethod
    def of(cls, page: str) -> PackedPage:
        """A rendered page, packed."""
        first, *rest = _SLOT.split(page)
        named = zip(rest[::2], rest[1::2], strict=True)
        return cls((PackedPiece.of("", first), *(PackedPiece.of(slot, text) for slot, text in named)))

    @classmethod
    def from_bytes(cls, stored: bytes) -> PackedPage | None:
        """A page from its stored form; None if that is of an earlier version."""
        if not stored.startswith(b"["):
            return None
        line, _, packed = stored.partition(b"\n")
        pieces, start = [], 0
        for slot, checksum, length, size in json.loads(line):
            pieces.append(PackedPiece(slot, checksum, length, packed[start : start + size]))
            start += size
        return cls(tuple(pieces))

    def to_bytes(self) -> bytes:
        """The page as it is stored."""
        listed = [[piece.slot, piece.checksum, piece.length, len(piece.deflated)] for piece in self.pieces]
        return b"\n".join([json.dumps(listed).encode(), b"".join(piece.deflated for piece in self.pieces)])

    @property
    def slots(self) -> Iterator[str]:
        """The names of the slots, apart from states."""
        return (piece.slot for piece in self.pieces if piece.slot)

    @property
    def text(self) -> str:
        """The page as it was rendered, with the marks of its slots."""
        return "".join(f"<!--moss:slot {p.slot}-->{p.text}" if p.slot else p.text for p in self.pieces)

    def filled(self, contents: Mapping[str, str]) -> str:
        """The page with its slots filled by name; slots without content disappear."""
        return "".join(contents.get(piece.slot, "") + piece.text for piece in self.pieces)

    def gzipped(self, contents: Mapping[str, str]) -> bytes:
        """The filled page as gzip."""
        parts, checksum, length = [_HEADER], 0, 0
        for piece in self.pieces:
            if content := contents.get(piece.slot, "").encode():
                parts.append(_deflated(content))
                checksum, length = zlib.crc32(content, checksum), length + len(content)
            parts.append(piece.deflated)
            checksum, length = _continued(checksum, piece), length + piece.length
        return b"".join([*parts, _END, struct.pack("<II", checksum, length & 0xFFFFFFFF)])


@lru_cache(maxsize=_OVERVIEWS)
def with_states(page: PackedPage, states: tuple[tuple[int, str], ...]) -> PackedPage:
    """An overview with the states of pairs filled in by their numbers; a pair without one has none."""
    by_number = dict(states)
    filled = (_STATE.sub(lambda found: by_number.get(int(found[1]), ""), piece.text) for piece in page.pieces)
    return PackedPage(tuple(map(PackedPiece.of, (piece.slot for piece in page.pieces), filled)))


def _deflated(content: bytes) -> bytes:
    """The content as deflated data that refer to nothing before them, and that others can follow."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush(zlib.Z_FULL_FLUSH)


def _continued(checksum: int, piece: PackedPiece) -> int:
    """The checksum of some bytes, continued over a piece that follows them, by the piece's own checksum.

    CRC-32 is linear but for a constant: two contents of one length change any checksum by the same difference, so what
    zeros do to it tells what the piece does. Zeros need not be unpacked.
    """
    if not piece.length:
        return checksum
    zeros = bytes(piece.length)
    return zlib.crc32(zeros, checksum) ^ zlib.crc32(zeros) ^ piece.checksum
