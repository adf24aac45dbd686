"""The table of Pygments lexers is right, and what they find becomes tokens by our rules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES, string_to_tokentype

from frontends import FRONTENDS, Frontend, by_name
from frontends.languages.pygmented import ROWS, PygmentsLanguage
from frontends.lexing.lexer_adapter import Paint, colours
from moss.model import Channel

MOSS_NAMES = """
c cc java ml pascal ada lisp scheme haskell fortran ascii vhdl perl matlab python mips prolog spice vb csharp modula2
a8086 javascript plsql verilog
"""
MOSS_ALIASES = {"c++": "cc", "cpp": "cc", "c#": "csharp", "cs": "csharp", "js": "javascript", "py": "python"}
EVERY_ROW = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def tokens(name: str, text: str) -> list[str]:
    """The tokens of the structure channel as they stand in the text."""
    stream = by_name(name).scan(text)[Channel.STRUCTURE]
    return [text[start:end] for start, end in zip(stream.start, stream.end, strict=True)]


def same(name: str, a: str, b: str) -> bool:
    """Whether two texts have the same structure in a language."""
    one, other = (by_name(name).scan(text)[Channel.STRUCTURE].codes for text in (a, b))
    return np.array_equal(one, other)


@EVERY_ROW
def test_lexer_exists_under_its_alias(row: PygmentsLanguage) -> None:
    assert row.lexer in get_lexer_by_name(row.lexer).aliases


@EVERY_ROW
def test_peculiar_token_types_exist(row: PygmentsLanguage) -> None:
    assert all(string_to_tokentype(name) in STANDARD_TYPES for name in f"{row.kept} {row.names}".split())


@EVERY_ROW
def test_runs_in_isolation_and_says_who_reads_it(row: PygmentsLanguage) -> None:
    frontend = by_name(row.name)
    assert frontend.isolated
    assert frontend.scanner == f"Pygments ({row.lexer})"


def test_every_language_of_moss_has_its_name() -> None:
    names = {frontend.name for frontend in FRONTENDS}
    assert set(MOSS_NAMES.split()) <= names
    assert len(MOSS_NAMES.split()) == 25


@pytest.mark.parametrize(
    ("alias", "name"), [*MOSS_ALIASES.items(), ("schema", "scheme"), ("hcl2", "hcl"), ("tcl", "tcl")]
)
def test_what_users_of_moss_write_is_understood(alias: str, name: str) -> None:
    assert by_name(alias).name == name


def test_importing_front_ends_does_not_import_pygments() -> None:
    program = "import frontends, sys; print(any(name.startswith('pygments') for name in sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_signs_are_single_characters_and_comments_are_gone() -> None:
    assert tokens("haskell", "f x = x >= 1 -- no") == ["f", "x", "=", "x", ">", "=", "1"]


def test_a_name_with_signs_in_it_is_one_name() -> None:
    assert tokens("scheme", "(define my-list 'x)") == ["(", "define", "my-list", "'x", ")"]
    assert same("scheme", "(define my-list 1)", "(define other 2)")


def test_pieces_of_a_string_or_number_are_one() -> None:
    assert tokens("haskell", 'a = "x\\ny"') == ["a", "=", '"x\\ny"']
    assert tokens("sql", "SELECT 1.5") == ["SELECT", "1.5"]


def test_keywords_are_the_same_in_any_case() -> None:
    assert same("sql", "SELECT a FROM b", "select x from y")


def test_what_a_lexer_does_not_understand_stays() -> None:
    assert tokens("vhdl", "?? ok") == ["?", "?", "ok"]


def test_offsets_are_those_of_the_original() -> None:
    assert tokens("lua", "lo\u200bcal ä = 'x'") == ["lo\u200bcal", "ä", "=", "'x'"]


def test_a_lexer_that_loses_its_place_is_refused() -> None:
    with pytest.raises(ValueError, match="place"):
        colours(10, [(5, 9, Paint.NAME), (3, 4, Paint.NAME)])
    with pytest.raises(ValueError, match="place"):
        colours(10, [(5, 11, Paint.NAME)])


def test_unpainted_stretches_are_plain() -> None:
    assert colours(5, [(1, 3, Paint.STRING)]).tolist() == [0, 4, 4, 0, 0]
    assert colours(2, []).tolist() == [0, 0]


@pytest.mark.parametrize("frontend", [by_name(row.name) for row in ROWS], ids=lambda frontend: frontend.name)
def test_structure_and_text_come_from_one_scan(frontend: Frontend) -> None:
    scanned = frontend.scan("begin alpha = beta + 12 end")
    assert set(scanned) == {Channel.STRUCTURE, Channel.TEXT}
    assert len(scanned[Channel.TEXT]) == 5


@EVERY_ROW
def test_has_samples(row: PygmentsLanguage) -> None:
    assert (Path(__file__).parent / "normalisation" / row.name).is_dir()
