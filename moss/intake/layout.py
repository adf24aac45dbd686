"""How entries lie in folders: what stands at the top, and what merely wraps it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from moss.intake.entries import Entry


def children(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The entries by the first component of their paths, sorted by it, without what is ignored at the top."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        top, below, _ = entry.path.partition("/")
        if top and not entry.nameless and (below or not entry.ignored):
            found.setdefault(top, []).append(entry)
    return dict(sorted(found.items()))


def is_folder(name: str, entries: Sequence[Entry]) -> bool:
    """Whether a child is a folder rather than a single file."""
    return any(entry.path != name or (entry.chunks is None and not entry.refusal) for entry in entries)


def wrapping(entries: Sequence[Entry], least: int) -> str:
    """The path, ending in a slash, of the folders that merely wrap what an archive holds, or nothing.

    A folder wraps when nothing stands beside it; the innermost one must hold at least `least` children, else it is
    itself the content. Only one folder is taken off when a single child is enough.
    """
    top, best = "", ""
    inside = list(entries)
    while True:
        held = children(inside)
        if top and len(held) >= least:
            best = top
        name = next(iter(held), "")
        if len(held) != 1 or not is_folder(name, held[name]) or (least == 1 and top):
            return best
        top += name + "/"
        inside = below(inside, name + "/")


def below(entries: Iterable[Entry], folder: str) -> list[Entry]:
    """The entries inside a folder whose path ends in a slash, with paths relative to it; all, if there is no path."""
    if not folder:
        return list(entries)
    return [replace(entry, path=entry.path.removeprefix(folder)) for entry in entries if entry.path.startswith(folder)]
