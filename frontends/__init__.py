"""Front ends: one small module per language or format, each turning text into token streams.

A front end is a value (`Frontend`) that holds a function; `FRONTENDS` lists all of ours, and nothing else registers
anything here. Other packages may bring more (`frontends.plugins`). docs/frontends.md shows how to add one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import PurePosixPath
from unicodedata import unidata_version

import numpy as np

from frontends import plugins
from frontends.frontend import Frontend, Thresholds
from frontends.languages import (
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
from frontends.languages.generic import DATA, GENERIC, TEXT
from frontends.languages.html import HTML
from frontends.lexing.scanner import LexiconScanner
from frontends.normalise.folding import rewritten
from frontends.normalise.words import WordScanner
from moss import version
from moss.messages import gettext
from moss.model import Channel, Codes, Offsets, Tokens

__all__ = [
    "DATA",
    "FRONTENDS",
    "GENERIC",
    "HTML",
    "TEXT",
    "Frontend",
    "Thresholds",
    "UnknownLanguageError",
    "as_compiled",
    "by_name",
    "every_frontend",
    "for_path",
    "origin_of",
    "scan_all",
    "version_of",
    "word_codes",
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

        near = get_close_matches(name.lower(), sorted({**_names(), **_other_names()}), n=1)
        super().__init__(
            gettext(
                "unknown language %(name)r: did you mean %(near)s? `moss languages` lists them all",
                name=name,
                near=near[0],
            )
            if near
            else gettext("unknown language %(name)r: `moss languages` lists them all", name=name)
        )


@cache
def _names() -> dict[str, Frontend]:
    return {name: frontend for frontend in FRONTENDS for name in (*frontend.aliases, frontend.name)}


@cache
def _endings() -> dict[str, Frontend]:
    return {ending: frontend for frontend in FRONTENDS for ending in frontend.endings}


@cache
def _other_names() -> dict[str, Frontend]:
    return {name: frontend for frontend in _others() for name in (*frontend.aliases, frontend.name)}


@cache
def _other_endings() -> dict[str, Frontend]:
    return {ending: frontend for frontend in _others() for ending in frontend.endings}


def _others() -> tuple[Frontend, ...]:
    return tuple(frontend for plugin in plugins.load(FRONTENDS) for frontend in plugin.frontends)


def every_frontend() -> tuple[Frontend, ...]:
    """All front ends: ours and those of other packages."""
    return FRONTENDS + _others()


def by_name(name: str) -> Frontend:
    """The front end of this name or alias, in any case."""
    found = _names().get(name.lower()) or _other_names().get(name.lower())
    if found is None:
        raise UnknownLanguageError(name)
    return found


def for_path(path: str) -> Frontend | None:
    """The front end that the file's ending names, in any case; the content is never guessed at."""
    ending = PurePosixPath(path).suffix.lower()
    return _endings().get(ending) or (_other_endings().get(ending) if ending else None)


def origin_of(frontend: Frontend) -> str:
    """Name and version of the package that a front end comes from; empty for ours."""
    return next((plugin.package for plugin in plugins.loaded() if frontend in plugin.frontends), "")


def scan_all(frontend: Frontend, texts: Sequence[str]) -> list[Tokens]:
    """The tokens of each text, as `frontend.scan` gives them; faster where a front end can read many texts at once."""
    if isinstance(frontend.scan, LexiconScanner | WordScanner):
        return frontend.scan.all(texts)
    return [frontend.scan(text) for text in texts]


def word_codes(frontend: Frontend, texts: Sequence[str]) -> tuple[Codes, Offsets]:
    """The codes of the text channel of all texts, one after another, and how many each text has."""
    if isinstance(frontend.scan, WordScanner):
        return frontend.scan.codes(texts)
    found = [tokens[Channel.TEXT].codes for tokens in scan_all(frontend, texts)]
    return np.concatenate([np.zeros(0, np.uint64), *found]), np.array([*map(len, found)], np.int64)


def as_compiled(frontend: Frontend, text: str) -> str:
    """The text as the language's compiler reads it, each character at its place in the original; places of characters
    that the compiler joins or drops have NULs."""
    scan = frontend.scan
    return rewritten(text, scan.lexicon.first).in_place(len(text)) if isinstance(scan, LexiconScanner) else text


@cache
def version_of(frontend: Frontend) -> str:
    """Everything that a front end's output depends on besides the text: our version numbers, Unicode's tables,
    Pygments' lexers, and the package that it comes from."""
    lexers = _pygments_version() if frontend in pygmented.FRONTENDS else "none"
    ours = f"{version.SCAN_VERSION}.{version.HASH_VERSION}, Unicode {unidata_version}, Pygments {lexers}"
    return f"{ours}, {package}" if (package := origin_of(frontend)) else ours


def _pygments_version() -> str:
    from pygments import __version__

    return str(__version__)
