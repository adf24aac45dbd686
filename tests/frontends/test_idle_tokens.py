"""Tokens that say nothing are left out: a copy that is full of them keeps the structure of its original."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontends import by_name, scan_all
from moss.model import Channel, TokenStream
from moss.report.code.syntax_classes import tokens_of

BRACES = ("c", "cc", "java", "csharp", "php")
PROGRAM = "int f(int a) {\n  int b = a;\n  if (a) {\n    b = 1;\n  }\n  while (b) b--;\n  return b;\n}\n"


def structure(text: str, language: str = "c") -> TokenStream:
    """The structure of a text."""
    return by_name(language).scan(f"<?php {text}" if language == "php" else text)[Channel.STRUCTURE]


def codes(text: str, language: str = "c") -> list[int]:
    """The codes of a text's structure."""
    return structure(text, language).codes.tolist()


@pytest.mark.parametrize("language", BRACES)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r";", ";;"),
        (r";", "; ;/* */;"),
        (r"\}", "};"),
        (r"\{", "{;"),
        (r"(\w[^;{}\n]*;)\n", r"{ \1 }\n"),
        (r"(\w[^;{}\n]*;)\n", r"{{ \1; };}\n"),
    ],
)
def test_what_says_nothing_changes_no_code(language: str, old: str, new: str) -> None:
    assert codes(re.sub(old, new, PROGRAM), language) == codes(PROGRAM, language)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("if (a) { b; }", "if (a) b;"),
        ("if (a) { b; c; }", "if (a) b; c;"),
        ("while (a); b;", "while (a) b;"),
        ("a; { b; c; }", "a; b; c;"),
        ("f(this); a", "f(); a"),
    ],
)
def test_what_says_something_stays(one: str, other: str) -> None:
    assert codes(one) != codes(other)


@pytest.mark.parametrize(
    ("language", "point", "own"),
    [
        *((language, ".", "this") for language in ("java", "csharp", "kotlin", "scala")),
        ("swift", ".", "self"),
        ("cc", "->", "this"),
    ],
)
def test_members_are_the_same_with_and_without_the_object_itself(language: str, point: str, own: str) -> None:
    assert codes(f"{own}{point}a = f({own} {point} b)", language) == codes("a = f(b)", language)
    assert codes(f"return {own}; a{point}b", language) != codes(f"return; a{point}b", language)


PYTHON = "def f(a):\n    b = g(\n        a,\n        'x'\n    )\n    return b\n"


@pytest.mark.parametrize("text", ['"""It adds."""', "'It adds.'", "r'''It\nadds.'''", '"a"; "b"'])
def test_strings_on_lines_of_their_own_are_comments(text: str) -> None:
    full = "".join(f"{line}\n{'    ' * (number < 7)}{text}\n" for number, line in enumerate(["x = 1", "y = (2)", "z"]))
    assert codes(full, "python") == codes("x = 1\ny = (2)\nz\n", "python")
    assert codes(f"{text}\n{PYTHON}", "python") == codes(PYTHON, "python")


@pytest.mark.parametrize(
    "text", ["f(\n'a'\n)", "x = \\\n'a'\n", "return 'a'\n", "'a'.join(x)\n", "x: 'A'\n", "[\n'a'\n'b'\n]"]
)
def test_strings_in_statements_stay(text: str) -> None:
    assert len(structure(text, "python")) == len(structure(text.replace("'a'", "a"), "python"))


def test_what_the_preprocessor_never_reads_is_a_comment() -> None:
    dead = "#if 0\nint dead;\n#if X\n#define b {\n#else\nint more;\n#endif\n#endif\n"
    assert codes(PROGRAM.replace("\n", f"\n{dead}")) == codes(PROGRAM)
    assert codes(f"#if 0\nint dead;\n#else\n{PROGRAM}") == codes(PROGRAM)
    assert codes(f"# if 01\n{PROGRAM}#endif") != codes(PROGRAM)


PIECES = (
    *(
        "this",
        "self",
        ".",
        "->",
        "{",
        "}",
        ";",
        "; ",
        "{;}",
        "(",
        ")",
        "[",
        "]",
        "x",
        "\n",
        "\\\n",
        "// c\n",
        "é",
        "名",
    ),
    *("\n'd'\n", '\n"""d"""\n', "'", "#if 0\n", "#endif\n", "#define w }\n", "w", "\n#define ", "\u200b", "\ufb01"),
)


@pytest.mark.parametrize("language", [*BRACES, "python", "kotlin", "swift"])
@given(texts=st.lists(st.lists(st.sampled_from(PIECES)).map("".join), min_size=1, max_size=3))
def test_texts_are_read_alike_alone_and_together_and_on_pages(language: str, texts: list[str]) -> None:
    alone = [by_name(language).scan(text)[Channel.STRUCTURE] for text in texts]
    together = [tokens[Channel.STRUCTURE] for tokens in scan_all(by_name(language), texts)]
    pages = [tokens_of(language, text, Channel.STRUCTURE) for text in texts]
    spans = [(one.start.tolist(), one.end.tolist()) for one in alone]
    assert [one.codes.tolist() for one in together] == [one.codes.tolist() for one in alone]
    assert [(one.start.tolist(), one.end.tolist()) for one in together] == spans
    assert [(one.start.tolist(), one.end.tolist()) for one in pages if one is not None] == spans
