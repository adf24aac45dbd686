"""docs/walkthrough.md: what it prints is what the program prints, and the modules that it names exist."""

from __future__ import annotations

import re
from pathlib import Path

from support.page_examples import run, with_results

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "walkthrough.md"


def test_the_values_are_those_of_the_program(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = PAGE.read_text()
    examples, printed = run(PAGE)
    assert len(examples) == len(re.findall("^>>> ", text, re.MULTILINE)) > 40
    assert with_results(text, examples, printed) == text


def test_every_module_that_is_named_exists():
    named = re.findall(r"`((?:moss|frontends|templates|tests)/[\w/.]+)`", PAGE.read_text())
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).exists()] == []
