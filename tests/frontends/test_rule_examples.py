"""The examples beside the rules of scanners are true.

A comment `# SOURCE → KINDS` says what a scanner makes of a source (⏎ is the end of a line): a comment, a string, a
number, a name, a keyword, or a sign, which stands for itself.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from frontends import FRONTENDS
from frontends.lexing.scanner import LexicalRule, Lexicon, LexiconScanner, TokenKind, lexemes

ROOT = Path(__file__).parents[2]
LANGUAGES = ROOT / "frontends" / "languages"
SHARED = ROOT / "frontends" / "lexing" / "lexical_rules.py"
EXAMPLE = re.compile(r"(?:^|  )[ ]*# (\S.*?) → (.+)$")


class Example(NamedTuple):
    lexicon: Lexicon
    source: str
    kinds: str


def assigned(source: str) -> list[tuple[int, str]]:
    """The last line and the name of each value of a module."""
    return [
        (node.end_lineno or 0, node.targets[0].id)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    ]


def examples(path: Path) -> Iterator[Example]:
    """The examples of a module, each with the lexicon (or the shared rule) that it stands in or before."""
    text = path.read_text()
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    values = [(line, getattr(module, name)) for line, name in assigned(text)]
    owners = [(line, each) for line, each in values if isinstance(each, Lexicon | LexicalRule)]
    if path != SHARED:
        owners = [(line, each) for line, each in owners if isinstance(each, Lexicon)]
    for number, line in enumerate(text.splitlines(), 1):
        if (found := EXAMPLE.search(line)) is not None:
            owner = next(each for last, each in owners if last >= number)
            lexicon = owner if isinstance(owner, Lexicon) else Lexicon("any", frozenset(), (owner,))
            yield Example(lexicon, found[1].replace("⏎", "\n"), found[2])


def kinds(lexicon: Lexicon, source: str) -> str:
    text = lexicon.fold(source).text
    found = lexemes(lexicon, text)
    return " ".join(
        text[start:end] if kind == TokenKind.SIGN else TokenKind(kind).name.lower()
        for kind, start, end in zip(*found, strict=True)
    )


EXAMPLES = {path.stem: list(examples(path)) for path in (*sorted(LANGUAGES.glob("*.py")), SHARED)}
OWN = sorted({frontend.scan.lexicon.vocabulary for frontend in FRONTENDS if isinstance(frontend.scan, LexiconScanner)})


@pytest.mark.parametrize("name", [name for name, found in EXAMPLES.items() if found])
def test_examples_are_read_as_they_say(name):
    for lexicon, source, expected in EXAMPLES[name]:
        assert kinds(lexicon, source) == expected, source


@pytest.mark.parametrize("vocabulary", OWN)
def test_every_rule_of_a_language_has_an_example_that_needs_it(vocabulary):
    """Without the rule, some example of its language would be read otherwise; shared rules have theirs beside them."""
    found = [each for found in EXAMPLES.values() for each in found if each.lexicon.vocabulary == vocabulary]
    shared = {each.lexicon.rules[0] for each in EXAMPLES[SHARED.stem]}
    rules = {rule for each in found for rule in each.lexicon.rules} - shared
    for rule in rules:
        assert any(kinds(without(each.lexicon, rule), each.source) != each.kinds for each in found), rule


def without(lexicon: Lexicon, rule: LexicalRule) -> Lexicon:
    return replace(lexicon, rules=tuple(other for other in lexicon.rules if other != rule))
