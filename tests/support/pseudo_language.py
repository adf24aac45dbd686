"""A made-up language that puts brackets around every message, to find what was not marked for translation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo

ROOT = Path(__file__).parents[2]
LANGUAGE = "qps"
OPEN, CLOSE = "⟦", "⟧"
KEYWORDS = {
    "_": None,
    "gettext": None,
    "marked": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "Plural": (1, 2),
}
METHODS = [
    ("moss/cli/commands.py", "moss.cli.commands:extract"),
    ("moss/**.py", "python"),
    ("frontends/**.py", "python"),
    ("templates/**.html", "jinja2.ext:babel_extract"),
]
OPTIONS = {"templates/**.html": {"trimmed": "true"}}


@cache
def messages_of_source() -> Catalog:
    """All marked messages, as `pybabel extract` finds them."""
    found = Catalog()
    for file, line, message, _, context in extract_from_dir(ROOT, METHODS, OPTIONS, KEYWORDS):
        found.add(message, locations=[(file, line)], context=context)
    return found


def write_catalogue(folder: Path) -> Path:
    """Write the catalogue of the made-up language below a folder of catalogues, and return that folder."""
    bracketed = Catalog(locale="en", fuzzy=False)
    for message in messages_of_source():
        if message.id:
            texts = message.id if isinstance(message.id, tuple) else (message.id,)
            strange = tuple(f"{OPEN}{text}{CLOSE}" for text in texts)
            bracketed.add(message.id, strange if isinstance(message.id, tuple) else strange[0], context=message.context)
    target = folder / LANGUAGE / "LC_MESSAGES" / "moss.mo"
    target.parent.mkdir(parents=True)
    with target.open("wb") as file:
        write_mo(file, bracketed)
    return folder


SHOWN = ("aria-label", "title", "placeholder", "alt", "data-label")
"""Attributes whose words people read or hear."""

_NOT_OURS = {"bdi", "code", "kbd", "pre", "script", "style"}  # names, code, keys
_VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "wbr", "source", "track"}


class _Reader(HTMLParser):
    """Collects the words of a page that stand outside of all brackets; a message may go on over several elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.depth = 0
        self.inside: list[str] = []  # open elements that are not ours to translate, and everything within

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at the attributes, and whether the element is ours."""
        given = dict(attrs)
        for name in SHOWN:
            if not self.inside and given.get("translate") != "no":
                self.found += outside(given.get(name) or "")
        if tag in _VOID:
            return
        if self.inside or tag in _NOT_OURS or given.get("translate") == "no":
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Leave an element that is not ours."""
        if tag in self.inside:
            while self.inside.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Follow the brackets through the text."""
        if not self.inside:
            words, self.depth = _walk(data, self.depth)
            self.found += words


def _walk(text: str, depth: int) -> tuple[list[str], int]:
    """The words outside of brackets, if the text begins so deep inside of them, and how deep its end is."""
    left = []
    for letter in text:
        if letter == OPEN:
            depth += 1
        elif letter == CLOSE:
            depth -= 1
        left.append(letter if depth == 0 and letter not in OPEN + CLOSE else " ")
    return [word for word in "".join(left).split() if any(letter.isalpha() for letter in word)], depth


def outside(text: str) -> list[str]:
    """The words of a text that stand outside of all brackets."""
    return _walk(text, 0)[0]


def unmarked(page: str, allowed: Iterator[str] | set[str] = frozenset()) -> list[str]:
    """The words of a page that no message brought, except the name of the program and those that are allowed."""
    reader = _Reader()
    reader.feed(page)
    known = {"moss", *allowed}
    return [word for word in reader.found if word not in known]
