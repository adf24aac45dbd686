"""Programs pasted into documents: which paragraphs are lines of code.

A line is code if it ends, begins or assigns as programs do. Paragraphs in a typewriter font are a listing if half of
their lines are code; others only if there are at least four lines in a row and nearly all are, with marks of a language
or the signs that programs have: to read an essay as a program costs more than to read a program as an essay, because
its words are compared either way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moss.intake.documents.paragraphs import Paragraph

CODE = "code"  # a program in a language that its text does not tell

_FEWEST = 4  # lines of a listing that no font gives away
_MONOSPACED_SHARE, _SHARE = 0.5, 0.8  # of its lines that are code

_CODE_LINE = re.compile(
    r".*[;{}]\s*(//.*|/\*.*|\#.*)?$"
    r"|\s*[}\])]"
    r"|\s*(?:#include|#define|#!|//|/\*|\*/|@\w+|import \w|from [\w.]+ import )"
    r"|\s*(?:async def|def|class|for|while|if|elif|switch|with|try|except|else|finally|case)\b.*[:({)]\s*(#.*)?$"
    r"|\s*[\w.]+(?:\[[^\]]*\])*\s*(?:[-+*/%|&^]|<<|>>|:)?=(?!=)\s*\S"
    r"|\s*(?:(?:await|yield|return|throw|raise|new|print)\b\s*)?[\w.]+\(.*\)\s*$"
    r"|\s*(?:return|break|continue|pass|raise|yield)\b[^.]*$",
)
_TELLS = (
    ("python", re.compile(r"^\s*(?:def \w+\(.*\).*:|from [\w.]+ import |elif .*:|class \w+.*:)\s*", re.MULTILINE)),
    ("java", re.compile(r"\b(?:public|private|protected) (?:static |final )*[\w<>\[\]]+ \w+\(|System\.out\.", 0)),
    ("csharp", re.compile(r"^\s*using System|Console\.Write|\bnamespace \w+", re.MULTILINE)),
    ("cc", re.compile(r"\bstd::|^\s*#include <\w+>\s*$|\bcout\s*<<|\btemplate\s*<", re.MULTILINE)),
    ("c", re.compile(r"^\s*#include\s*[<\"]\w+\.h[>\"]|\bprintf\(|\bmalloc\(", re.MULTILINE)),
    ("javascript", re.compile(r"\bfunction\b.*\{|=>|\bconsole\.log\(|\b(?:const|let) \w+ =", 0)),
)


def mark_listings(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """The paragraphs, each run of code lines among them as one paragraph in its language."""
    for (_, _, _, likely), found in groupby(paragraphs, key=_neighbourhood):
        run = list(found)
        yield from [_listing(run)] if likely and _is_listing(run) else run


def _neighbourhood(paragraph: Paragraph) -> tuple[str, int, bool, bool]:
    """Equal for paragraphs that may be lines of one listing."""
    likely = paragraph.monospaced or _code_share([paragraph]) >= _SHARE
    return paragraph.kind, paragraph.page, paragraph.monospaced, likely


def _is_listing(run: Sequence[Paragraph]) -> bool:
    if run[0].language == CODE:
        return True
    share = _code_share(run)
    if run[0].monospaced:
        return share >= _MONOSPACED_SHARE
    from frontends.selection import looks_like_program

    text = "\n".join(paragraph.text for paragraph in run)
    return (
        text.count("\n") + 1 >= _FEWEST
        and share >= _SHARE
        and (language_of_listing(text) != CODE or looks_like_program(text))
    )


def _code_share(run: Sequence[Paragraph]) -> float:
    lines = [line for paragraph in run for line in paragraph.text.split("\n") if line.strip()]
    return sum(bool(_CODE_LINE.match(line)) for line in lines) / max(1, len(lines))


def _listing(run: Sequence[Paragraph]) -> Paragraph:
    text = "\n".join(paragraph.text for paragraph in run)
    return replace(run[0], text=text, language=language_of_listing(text))


def language_of_listing(text: str) -> str:
    """The language whose marks the program bears, or just that it is code."""
    return next((language for language, tell in _TELLS if tell.search(text)), CODE)
