"""Streams are kept for years under a number that says which front ends made them: other streams, another number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

import pygments
import pytest

from frontends import FRONTENDS, Frontend
from moss.model import Channel
from moss.version import SCAN_VERSION

SAMPLES = Path(__file__).parent / "normalisation"
ODD = "naïve \\u0061b Ѕсоре\u200b 'x' \"y\" // z\r\n# 0x1F /* 你好 */ <b>1.5e3</b> ﬁ\x00 {a_b: $c} `d` -- e\n"
ODD += "in\\\nt <% \\u0069\\u0066\\u0020(x) \\u007b ᎡꓐᛕхӀ æ\u2028// f\u2028g"

OUTPUT = {2: "8bb807afe4a1970a", 3: "8bb807afe4a1970a", 4: "72a88899a36efa5d", 5: "0dd4b042b076cbef"}
"""What all front ends make of the samples, by SCAN_VERSION. If it has changed, raise the number and add a line here;
if only the samples have, correct the line."""

PYGMENTS_OUTPUT = {
    (2, "2.21.0"): "6916d3f320457a0f",
    (3, "2.21.0"): "bd7ea473d6a36aec",
    (4, "2.21.0"): "bd7ea473d6a36aec",
    (5, "2.21.0"): "bd7ea473d6a36aec",
}
"""The same for the front ends that use Pygments, by its version too."""


def texts(frontend: Frontend) -> Iterator[str]:
    """What a front end is tried on: its own samples, or all programs if it has none, and a line of oddities."""
    own = SAMPLES / frontend.name
    for path in sorted(own.iterdir() if own.is_dir() else SAMPLES.glob("*/original.*")):
        yield path.read_text(encoding="utf-8")
    yield ODD


def output(frontends: Iterable[Frontend]) -> str:
    """A digest of all their streams."""
    digest = sha256()
    for frontend in sorted(frontends, key=lambda frontend: frontend.name):
        for text in texts(frontend):
            tokens = frontend.scan(text)
            for channel in sorted({frontend.channel, Channel.TEXT}):
                stream = tokens[channel]
                digest.update(f"{frontend.name} {channel} {len(stream)}\n".encode())
                digest.update(stream.codes.astype("<u8").tobytes())
                digest.update(stream.start.astype("<i8").tobytes() + stream.end.astype("<i8").tobytes())
    return digest.hexdigest()[:16]


def test_the_version_was_raised_if_the_output_changed() -> None:
    assert OUTPUT.get(SCAN_VERSION) == output(frontend for frontend in FRONTENDS if not frontend.isolated)


def test_the_version_was_raised_if_the_output_of_pygments_changed_by_us() -> None:
    expected = PYGMENTS_OUTPUT.get((SCAN_VERSION, pygments.__version__))
    if expected is None and any(version == SCAN_VERSION for version, _ in PYGMENTS_OUTPUT):
        pytest.skip(f"what Pygments {pygments.__version__} gives is not written down, and its version is in every key")
    assert expected == output(frontend for frontend in FRONTENDS if frontend.isolated)
