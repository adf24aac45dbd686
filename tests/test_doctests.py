"""Every example (`>>>`) in docstrings and comments of the program prints what it says."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROMPT = re.compile(r"^[ \t#]*>>> ", re.MULTILINE)
COMMENTS = re.compile(r"(?:^[ \t]*#.*\n)+", re.MULTILINE)
MODULES = [
    path
    for package in ("moss", "frontends")
    for path in sorted((ROOT / package).rglob("*.py"))
    if PROMPT.search(path.read_text())
]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Each string that stands alone, as docstrings do: its first line, and its text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Each block of lines with nothing but a comment: its first line, and its text without the signs."""
    for block in COMMENTS.finditer(source):
        lines = (re.sub(r"^[ \t]*# ?", "", line) for line in block[0].splitlines())
        yield source.count("\n", 0, block.start()) + 1, "\n".join(lines) + "\n"


def examples(path: Path) -> list[doctest.DocTest]:
    """The examples of a module, those of one string or comment together, with the module's names to use."""
    source = path.read_text()
    names = vars(importlib.import_module(module_name(path)))
    parser = doctest.DocTestParser()
    texts = [*strings(source), *comments(source)]
    return [
        parser.get_doctest(text, dict(names), f"{module_name(path)}:{line}", str(path), line - 1)
        for line, text in texts
        if PROMPT.search(text)
    ]


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_examples_print_what_they_say(path):
    found = examples(path)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    printed: list[str] = []
    for example in found:
        runner.run(example, out=printed.append)
    assert not runner.failures, "".join(printed)
    assert runner.tries == len(PROMPT.findall(path.read_text())), "an example stands where none is looked for"


def test_there_are_examples():
    assert MODULES
