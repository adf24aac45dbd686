"""Human languages of texts, by two letters of ISO 639-1: `en`, `de`, `ja`."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from moss.corpus.errors import CorpusError
from moss.messages import gettext
from moss.shipped import how_to_install

_ENOUGH = 1000  # characters that are looked at: no text needs more, and the time grows with them
_LEAST = 20  # characters without which nothing can be told
_CODE = re.compile(r"([A-Za-z]{2})(?:[-_][A-Za-z0-9]+)*")


def tongue_of(text: str) -> str:
    """The language that a text is written in; nothing for a text that is too short to tell. Raises CorpusError if what
    tells it is not installed."""
    beginning = " ".join(text[: 4 * _ENOUGH].split())[:_ENOUGH]
    return str(_detector().classify(beginning)[0]) if len(beginning) >= _LEAST else ""


def can_tell() -> bool:
    """Whether what tells languages is installed."""
    try:
        _detector()
    except CorpusError:
        return False
    return True


@cache
def _detector() -> Any:
    try:
        import py3langid
    except ModuleNotFoundError:
        raise CorpusError(
            gettext("detecting languages needs more: %(install)s", install=how_to_install("crawl"))
        ) from None
    return py3langid


def tongue_code(name: object) -> str:
    """The code of a human language that a record names (`en`, `en-GB`); nothing for anything else."""
    found = _CODE.fullmatch(name.strip()) if isinstance(name, str) else None
    return found[1].lower() if found else ""


def checked_tongues(names: tuple[str, ...]) -> tuple[str, ...]:
    """The codes that a user asks for; raises CorpusError for one that is no code of a language that can be told."""
    known = {str(code) for code, _ in _detector().rank("any")} if names else set()
    for name in names:
        if name not in known:
            raise CorpusError(
                gettext(
                    "%(name)r is not the code of a language that can be detected: %(known)s",
                    name=name,
                    known=", ".join(sorted(known)),
                )
            )
    return names
