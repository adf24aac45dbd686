"""The examples in docs/frontends.md work as printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from moss.model import Channel, Codes

PAGE = Path(__file__).parents[2] / "docs" / "frontends.md"

SQUARE = 'to square :side ; four sides\n repeat 4 [ forward :side right 90.0 ]\n make "done |a b|\nend'
DISGUISED = 'TO Box :n\nRepeat 7 [forward :n right 1]\n\nmake "x |other \\| text| ; comment\nend'
OTHER = SQUARE.replace("right", "left")


@pytest.fixture(scope="module")
def examples() -> list[dict[str, Any]]:
    """What each Python example of the page defines."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    namespaces: list[dict[str, Any]] = []
    for block in blocks:
        namespace: dict[str, Any] = {}
        exec(block, namespace)
        namespaces.append(namespace)
    return namespaces


def test_the_table_reads_its_language(examples: list[dict[str, Any]]) -> None:
    (frontend,) = examples[0]["FRONTENDS"]

    def structure(text: str) -> Codes:
        return frontend.scan(text)[Channel.STRUCTURE].codes  # type: ignore[no-any-return]

    assert np.array_equal(structure(SQUARE), structure(DISGUISED))
    assert not np.array_equal(structure(SQUARE), structure(OTHER))


def test_the_row_reads_its_language(examples: list[dict[str, Any]]) -> None:
    scan = examples[1]["scan"]
    one, other = (scan(text)[Channel.STRUCTURE].codes for text in ("let x = 1 # a", "let  y=22"))
    assert np.array_equal(one, other)
    assert len(one) == 4


def test_the_page_has_no_other_examples(examples: list[dict[str, Any]]) -> None:
    assert len(examples) == 2
