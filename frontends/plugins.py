"""Front ends of other packages, which name them in their entry points:

    [project.entry-points."moss.frontends"]
    logo = "moss_logo:FRONTENDS"

Nothing of them is imported until somebody asks for a name or an ending that is none of ours. They may add to ours, but
not take their places. A scanner that was not built by `frontends.lexing.scanner` is not trusted: it runs where it
can be killed, and what it gives is looked at before anybody relies on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frontends.frontend import Frontend
from frontends.lexing.scanner import LexiconScanner
from frontends.normalise.words import WordScanner
from moss.entry_points import FRONTENDS, entry_points, package_of
from moss.model import Channel, Tokens

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class PluginError(Exception):
    """The front ends of a package cannot be used; the message is one sentence that names it."""


class Plugin(NamedTuple):
    """The front ends of one package."""

    package: str  # name and version
    frontends: tuple[Frontend, ...]


_loaded: list[Plugin] = []  # empty until `load` was called, if there are any


def loaded() -> tuple[Plugin, ...]:
    """The packages whose front ends have been imported so far."""
    return tuple(_loaded)


@cache
def load(ours: tuple[Frontend, ...]) -> tuple[Plugin, ...]:
    """Import the front ends of all packages; raises PluginError if one cannot be used beside `ours`."""
    taken = {word: "moss" for frontend in ours for word in _words(frontend)}
    found: list[Plugin] = []
    for point in entry_points(FRONTENDS):
        package = package_of(point)
        frontends = tuple(map(_guarded, _import(point, package)))
        for word in (word for frontend in frontends for word in _words(frontend)):
            if word in taken:
                raise PluginError(f"{package} would read {word}, which {taken[word]} does already: uninstall it")
            taken[word] = package
        found.append(Plugin(package, frontends))
    _loaded[:] = found
    return tuple(found)


def _words(frontend: Frontend) -> Iterator[str]:
    """The names, aliases and endings of a front end, each once."""
    yield from dict.fromkeys((frontend.name, *frontend.aliases, *frontend.endings))


def _import(point: EntryPoint, package: str) -> tuple[Frontend, ...]:
    try:
        value = point.load()
    except Exception as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise PluginError(f"the front ends of {package} cannot be loaded ({why}): mend or uninstall it") from None
    found = (value,) if isinstance(value, Frontend) else tuple(value) if isinstance(value, Iterable) else ()
    if not found or not all(isinstance(each, Frontend) for each in found):
        raise PluginError(f"{package} has no front ends where it says, in {point.value}: mend or uninstall it")
    for frontend in found:
        wrong = [word for word in _words(frontend) if word != word.lower() or not word.strip()]
        wrong += [ending for ending in frontend.endings if not ending.startswith(".")]
        if wrong:
            raise PluginError(
                f"{package} has the front end {frontend.name!r} with {wrong[0]!r}: "
                "names and endings are in lower case, and endings begin with a point"
            )
    return found


def _guarded(frontend: Frontend) -> Frontend:
    if isinstance(frontend.scan, LexiconScanner | WordScanner):
        return frontend
    return replace(frontend, scan=CheckedScan(frontend.scan, frontend.channel), isolated=True)


@dataclass(frozen=True, slots=True)
class CheckedScan:
    """A scanner of another package, which fails unless its tokens have the right form."""

    scan: Callable[[str], Tokens]
    channel: Channel

    def __call__(self, text: str) -> Tokens:
        """The tokens of a text; raises ValueError if they have not the right form."""
        tokens = self.scan(text)
        if not {self.channel, Channel.TEXT} <= set(tokens):
            raise ValueError(f"a scanner must give the channels {self.channel} and {Channel.TEXT}")
        for stream in tokens.values():
            edges = np.stack([stream.start, stream.end], axis=1).ravel()
            inside = not len(edges) or (edges[0] >= 0 and edges[-1] <= len(text))
            if stream.codes.dtype != np.uint64 or not inside or (np.diff(edges) < 0).any():
                raise ValueError("a scanner's tokens must have codes of 64 bits, and be in order inside the text")
        return tokens
