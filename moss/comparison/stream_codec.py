"""The codec of token streams: the streams of a file as few bytes for any store, and back.

    "moss", 1       what this is, and the version of the format
    checksum        CRC-32 of all behind it
    body, by zlib:
        size        of the description
        description JSON: how the file was read and, for each part, its language, spans and streams
        streams     for each its codes, the gap before each token, and the length of each token

Numbers are little-endian; codes have 8 bytes, gaps and lengths as few as the largest needs, which the description
says. On 1,000 programs of 8.5 kB a plain dump of the arrays takes 34 kB each, gaps and lengths bring that to 22 kB, and
zlib at its fastest to 6.5 kB, for 0.2 ms to write and 0.07 ms to read: so it is always used, and no table of codes.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moss.comparison.scanned_files import FileStreams, PartStreams, ScannedFile
from moss.model import Channel, Offsets, Status, TokenStream

_FORMAT = b"moss\x01"
_HEAD = struct.Struct("<5sI")
_SIZE = struct.Struct("<I")
_WIDTHS = ("<u1", "<u2", "<u4", "<i8")  # of gaps and lengths; no text is so long that it needs the last


class DamagedError(ValueError):
    """These bytes are no packed streams, or of another version, or damaged."""


def pack(streams: FileStreams) -> bytes:
    """A file's streams as bytes."""
    arrays: list[bytes] = []
    parts = [_describe_part(part, arrays) for part in streams.parts]
    description = json.dumps(asdict(streams.file) | {"parts": parts}, separators=(",", ":")).encode()
    body = zlib.compress(b"".join([_SIZE.pack(len(description)), description, *arrays]), 1)
    return _HEAD.pack(_FORMAT, zlib.crc32(body)) + body


def _describe_part(part: PartStreams, arrays: list[bytes]) -> Mapping[str, Any]:
    """A part for the JSON description; the numbers of its streams are appended to `arrays`."""
    described = [_describe_stream(channel, stream, arrays) for channel, stream in part.tokens.items()]
    return {"language": part.language, "spans": part.spans, "streams": described}


def _describe_stream(channel: Channel, stream: TokenStream, arrays: list[bytes]) -> tuple[str, int, str, str]:
    gaps, lengths = stream.start.copy(), stream.end - stream.start
    gaps[1:] -= stream.end[:-1]
    widths = _width(gaps), _width(lengths)
    arrays += (
        stream.codes.astype("<u8").tobytes(),
        gaps.astype(widths[0]).tobytes(),
        lengths.astype(widths[1]).tobytes(),
    )
    return channel, len(stream), *widths


def _width(values: Offsets) -> str:
    """The narrowest of the widths that holds all values."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    return next(width for width in _WIDTHS if np.iinfo(width).min <= low and high <= np.iinfo(width).max)


def unpack(packed: bytes) -> FileStreams:
    """The streams that were packed; raises DamagedError if they cannot be read."""
    try:
        kind, checksum = _HEAD.unpack_from(packed)
        body = memoryview(packed)[_HEAD.size :]
        if kind != _FORMAT or checksum != zlib.crc32(body):
            raise DamagedError("these are no token streams, or not as they were written")
        return _unpack(zlib.decompress(body))
    except (ValueError, KeyError, TypeError, struct.error, zlib.error) as error:
        raise DamagedError(f"token streams cannot be read: {error}") from error


def _unpack(body: bytes) -> FileStreams:
    (size,) = _SIZE.unpack_from(body)
    arrays = _Arrays(body, _SIZE.size + size)
    plain = json.loads(body[_SIZE.size : arrays.place])
    file = ScannedFile(plain["language"], plain["tokens"], Status(plain["status"]), plain["reason"])
    parts = tuple(
        PartStreams(
            part["language"],
            tuple((start, end) for start, end in part["spans"]),
            {Channel(channel): arrays.stream(*shape) for channel, *shape in part["streams"]},
        )
        for part in plain["parts"]
    )
    if arrays.place != len(body):
        raise DamagedError("something stands behind the last stream")
    return FileStreams(file, parts)


class _Arrays:
    """Reads one array after another."""

    def __init__(self, body: bytes, place: int) -> None:
        self.body, self.place = body, place

    def stream(self, count: int, gap_width: str, length_width: str) -> TokenStream:
        codes = self._take("<u8", count).astype(np.uint64)
        gaps, lengths = (self._take(width, count).astype(np.int64) for width in (gap_width, length_width))
        end = np.cumsum(gaps + lengths)
        return TokenStream(codes, end - lengths, end)

    def _take(self, width: str, count: int) -> NDArray[Any]:
        if width not in (*_WIDTHS, "<u8"):
            raise DamagedError("numbers of an unknown width")
        values = np.frombuffer(self.body, width, count, self.place)
        self.place += values.nbytes
        return values
