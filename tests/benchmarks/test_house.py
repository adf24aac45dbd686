"""The signs of the house: what must stay as benchmarks/house.py counts it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

import house  # noqa: E402


def test_no_module_is_named_by_a_gerund():
    assert house.gerunds(ROOT) == []


def test_every_public_type_has_a_name_of_its_own():
    assert house.repeated_types(ROOT) == {}


def test_no_small_module_has_a_single_importer():
    assert house.lonely(ROOT) == []


def test_docstrings_can_be_understood_by_themselves():
    assert [place for places in house.forbidden(ROOT).values() for place in places] == []


def test_the_table_is_printed_with_the_ways_through_the_program(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["house.py"])
    house.main()
    printed = capsys.readouterr().out
    ways = r"(?s)\| modules \| \d+ \|.* compare -o \| \d{2,} in \d+ \|.* of an upload \| \d{2,} in \d+ \|"
    assert re.search(ways, printed), printed


@pytest.fixture
def crooked(tmp_path):
    """A program with one of each thing that is counted."""
    for path, text in {
        "moss/keeping.py": 'from moss.store import small\n\nclass Found:\n    """What is kept."""\n',
        "moss/store/__init__.py": '"""The store."""\n',
        "moss/store/small.py": '"""The same as above."""\n\nclass Found:\n    pass\n',
        "frontends/languages/small.py": "",
        "frontends/__init__.py": "from frontends.languages.small import x\n",
        "frontends/winnowing.py": '"""Sameness."""\n',
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_what_is_crooked_is_counted(crooked):
    assert house.gerunds(crooked) == ["moss/keeping.py"]
    assert house.repeated_types(crooked) == {"Found": ["moss/keeping.py", "moss/store/small.py"]}
    assert house.lonely(crooked) == ["moss/store/small.py"]
    assert {words: len(found) for words, found in house.forbidden(crooked).items()} == {"The same": 1, "What": 1}
    assert house.touched(crooked, "figure") == "–"
