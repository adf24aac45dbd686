"""A disguise changes nothing in the structure channel, and an edit that matters does.

For each language, a folder of its name in `normalisation` holds `original`; `disguised`, which is the same program with
other names, layout, comments and literals; `operators`, in which two operators or signs are others; and `statements`,
in which two statements stand in the other order. Adding a language is adding these files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frontends import by_name, for_path
from moss.model import Channel, Codes

SAMPLES = sorted(path for path in (Path(__file__).parent / "normalisation").iterdir() if path.is_dir())


@pytest.fixture(params=SAMPLES, ids=lambda folder: folder.name)
def sample(request: pytest.FixtureRequest) -> dict[str, Path]:
    """The files of one language, by what they are."""
    return {path.stem: path for path in request.param.iterdir()}


def codes(path: Path, channel: Channel = Channel.STRUCTURE) -> Codes:
    """The codes of a file, read by the front end that its folder names."""
    return by_name(path.parent.name).scan(path.read_text(encoding="utf-8"))[channel].codes


def test_ending_names_the_language(sample: dict[str, Path]) -> None:
    assert for_path(sample["original"].name) is by_name(sample["original"].parent.name)


def test_disguise_changes_no_code(sample: dict[str, Path]) -> None:
    original, disguised = codes(sample["original"]), codes(sample["disguised"])
    assert len(original) > 20
    assert np.array_equal(original, disguised)


def test_disguise_changes_the_words(sample: dict[str, Path]) -> None:
    original, disguised = (set(codes(sample[name], Channel.TEXT).tolist()) for name in ("original", "disguised"))
    assert len(original - disguised) > 5


def test_other_operators_are_another_program(sample: dict[str, Path]) -> None:
    assert not np.array_equal(codes(sample["original"]), codes(sample["operators"]))


def test_other_order_is_another_program(sample: dict[str, Path]) -> None:
    original, statements = codes(sample["original"]), codes(sample["statements"])
    assert np.array_equal(np.sort(original), np.sort(statements))
    assert not np.array_equal(original, statements)
