"""The scores of all pairs that share anything, as a file: a class of thousands has millions of them.

    {"pairs": 3, "width": 2} newline, all first bytes of column a, all second bytes of it, the same of b and the steps

`a` and `b` are places in the report's list of submissions, numbers of `width` bytes, the lowest first. Scores are in
millionths, and each stands as the step down from the one before it, the first from 1,000,000. The best pair comes
first, so steps are small: of their three bytes hardly any but the first are not 0.

>>> ranking = Ranking(np.array([0, 2]), np.array([1, 0]), np.array([0.75, 0.5]))
>>> content = zlib.decompress(pack_ranking(ranking), GZIP)
>>> content[:27], unpack_ranking(content)
(b'{"pairs": 2, "width": 1}\\n\\x00\\x02', Ranking(a=array([0, 2]), b=array([1, 0]), score=array([0.75, 0.5 ])))
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moss.model import Ranking

RANKING = "ranking.bin.gz"
"""The file of a report's folder with all scores."""

EARLIER_RANKINGS = "ranking.json.gz", "ranking.json"
"""Its names in earlier versions, which wrote JSON."""

GZIP = 16 + zlib.MAX_WBITS  # as zlib calls the format
_MILLION = 1_000_000
_STEP = 3  # bytes of a step


def pack_ranking(ranking: Ranking) -> bytes:
    """The ranking as gzip, in which only runs of a byte are looked for: all else is rare, and takes long to find."""
    largest = max(int(column.max(initial=1)) for column in (ranking.a, ranking.b))
    width = -(-largest.bit_length() // 8)
    scores = np.rint(_MILLION * ranking.score).astype(np.int64)
    steps = np.append(_MILLION, scores[:-1]) - scores
    head = json.dumps({"pairs": len(ranking), "width": width}).encode() + b"\n"
    packer = zlib.compressobj(1, zlib.DEFLATED, GZIP, strategy=zlib.Z_RLE)
    parts = head, *(_planes(column, width) for column in (ranking.a, ranking.b)), _planes(steps, _STEP)
    return b"".join([*map(packer.compress, parts), packer.flush()])


def unpack_ranking(content: bytes) -> Ranking:
    """The ranking in the unpacked content of such a file; ValueError if it has none."""
    line, _, columns = content.partition(b"\n")
    pairs, width = _head(line)
    if len(columns) != pairs * (2 * width + _STEP):
        raise ValueError("columns of another length")
    planes = np.frombuffer(columns, np.uint8).reshape(2 * width + _STEP, pairs)
    a, b, steps = map(_numbers, (planes[:width], planes[width : 2 * width], planes[2 * width :]))
    return Ranking(a, b, (_MILLION - np.cumsum(steps)) % (1 << 8 * _STEP) / _MILLION)


def _head(line: bytes) -> tuple[int, int]:
    head = json.loads(line)
    found = [head.get(name) for name in ("pairs", "width")] if isinstance(head, dict) else [None]
    match found:
        case [int(pairs), int(width)] if pairs >= 0 and 1 <= width <= 4:
            return pairs, width
    raise ValueError("no head")


def _planes(numbers: NDArray[np.integer[Any]], width: int) -> bytes:
    """The lowest bytes of all numbers, then their second bytes, and so on."""
    places = numbers.astype("<i8", copy=False).view(np.uint8).reshape(-1, 8)
    return b"".join([places[:, place].tobytes() for place in range(width)])


def _numbers(planes: NDArray[np.uint8]) -> NDArray[np.int64]:
    found = np.zeros(planes.shape[1], np.int64)
    for place, plane in enumerate(planes):
        found |= plane.astype(np.int64) << 8 * place
    return found
