"""The thermometers of the historical pages: `tm_0_42.gif` is a bar in the first colour, 42 of 100 long.

A GIF's pixels are compressed; by telling the decoder again and again to forget what it has learned, they can be written
as they are, which is all that a bar of this size needs.
"""

from __future__ import annotations

import re
from functools import lru_cache

from moss.report.classic.text import COLOURS

WIDTH, HEIGHT = 50, 12

_NAME = re.compile(r"tm_([0-4])_([0-9]|[1-9][0-9]|100)\.gif")
_CLEAR, _END = 4, 5  # the codes after the four colours
_BACKGROUND, _FRAME = "FFFFFF", "808080"


@lru_cache(maxsize=505)
def bitmap(name: str) -> bytes | None:
    """The picture of this name, or None if there is none."""
    found = _NAME.fullmatch(name)
    return gif(COLOURS[int(found[1])], int(found[2])) if found else None


def gif(colour: str, percent: int) -> bytes:
    """A framed bar of which so much is filled."""
    palette = bytes.fromhex(_BACKGROUND + _FRAME + colour + colour)
    size = WIDTH.to_bytes(2, "little") + HEIGHT.to_bytes(2, "little")
    screen = b"GIF89a" + size + b"\x91\0\0" + palette  # a palette of four colours
    image = b"," + bytes(4) + size + b"\0\x02" + _blocks(_packed(_pixels(percent))) + b"\0"
    return screen + image + b";"


def _pixels(percent: int) -> list[int]:
    filled = round((WIDTH - 2) * percent / 100)
    edge = [1] * WIDTH
    inner = [1] + [2] * filled + [0] * (WIDTH - 2 - filled) + [1]
    return edge + inner * (HEIGHT - 2) + edge


def _packed(pixels: list[int]) -> bytes:
    """Codes of three bits each, lowest first; after two pixels all is forgotten, before codes would need a fourth."""
    codes = [code for at in range(0, len(pixels), 2) for code in (_CLEAR, *pixels[at : at + 2])] + [_END]
    bits = sum(code << 3 * place for place, code in enumerate(codes))
    return bits.to_bytes(-(-3 * len(codes) // 8), "little")


def _blocks(content: bytes) -> bytes:
    return b"".join(
        bytes([len(block)]) + block for block in (content[i : i + 255] for i in range(0, len(content), 255))
    )
