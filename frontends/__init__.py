"""Front ends: one small module per language or format, each turning text into token streams.

A front end is a value (`Frontend`) that holds a function; `FRONTENDS` lists them all, and nothing else registers
anything. docs/frontends.md shows how to add one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import PurePosixPath
from unicodedata import unidata_version

from frontends import (
    assembly,
    c,
    csharp,
    fortran,
    generic,
    go,
    html,
    java,
    javascript,
    kotlin,
    php,
    pygmented,
    python,
    ruby,
    rust,
    scala,
    spice,
    swift,
)
from frontends.folding import rewritten
from frontends.frontend import Frontend, Thresholds
from frontends.generic import GENERIC, TEXT
from frontends.html import HTML
from frontends.scanner import LexiconScanner
from frontends.words import WordScanner
from moss import version
from moss.model import Tokens

__all__ = [
    "FRONTENDS",
    "GENERIC",
    "HTML",
    "TEXT",
    "Frontend",
    "Thresholds",
    "UnknownLanguageError",
    "as_compiled",
    "by_name",
    "for_path",
    "scan_all",
    "version_of",
]

FRONTENDS: tuple[Frontend, ...] = (
    *java.FRONTENDS,
    *c.FRONTENDS,
    *csharp.FRONTENDS,
    *go.FRONTENDS,
    *kotlin.FRONTENDS,
    *rust.FRONTENDS,
    *scala.FRONTENDS,
    *swift.FRONTENDS,
    *python.FRONTENDS,
    *javascript.FRONTENDS,
    *php.FRONTENDS,
    *ruby.FRONTENDS,
    *html.FRONTENDS,
    *fortran.FRONTENDS,
    *assembly.FRONTENDS,
    *spice.FRONTENDS,
    *pygmented.FRONTENDS,
    *generic.FRONTENDS,
)


class UnknownLanguageError(ValueError):
    """No front end has this name; the message says which name was meant, perhaps."""

    def __init__(self, name: str) -> None:
        from difflib import get_close_matches  # which takes a while to import

        near = get_close_matches(name.lower(), sorted(_names()), n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        super().__init__(f"unknown language {name!r}: {hint}`moss languages` lists them all")


@cache
def _names() -> dict[str, Frontend]:
    return {name: frontend for frontend in FRONTENDS for name in (*frontend.aliases, frontend.name)}


@cache
def _endings() -> dict[str, Frontend]:
    return {ending: frontend for frontend in FRONTENDS for ending in frontend.endings}


def by_name(name: str) -> Frontend:
    """The front end of this name or alias, in any case."""
    try:
        return _names()[name.lower()]
    except KeyError:
        raise UnknownLanguageError(name) from None


def for_path(path: str) -> Frontend | None:
    """The front end that the file's ending names, in any case; the content is never guessed at."""
    return _endings().get(PurePosixPath(path).suffix.lower())


def scan_all(frontend: Frontend, texts: Sequence[str]) -> list[Tokens]:
    """The tokens of each text, as `frontend.scan` gives them; where a front end can read many at once, in less time."""
    if isinstance(frontend.scan, LexiconScanner | WordScanner):
        return frontend.scan.all(texts)
    return [frontend.scan(text) for text in texts]


def as_compiled(frontend: Frontend, text: str) -> str:
    """The text as the language's compiler reads it, each character in its place; where several stood for one, or for
    none, NULs are left."""
    scan = frontend.scan
    return rewritten(text, scan.lexicon.first).in_place(len(text)) if isinstance(scan, LexiconScanner) else text


@cache
def version_of(frontend: Frontend) -> str:
    """All that a front end's output depends on besides the text: our numbers, Unicode's tables, Pygments' lexers."""
    lexers = _pygments_version() if frontend in pygmented.FRONTENDS else "none"
    return f"{version.SCAN_VERSION}.{version.HASH_VERSION}, Unicode {unidata_version}, Pygments {lexers}"


def _pygments_version() -> str:
    from pygments import __version__

    return str(__version__)
