"""Entries: the files and folders of a source, before any of them is read, and how they lie in each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from moss.messages import gettext as _
from moss.messages import marked, number
from moss.shipped import extra_with, how_to_install

if TYPE_CHECKING:
    from moss.intake.archives.git import RepositoryFiles

CHUNK = 64 * 1024
GIT_FOLDER = ".git"

Repository = Callable[[], "RepositoryFiles"]
"""A git repository that can be read; raises UnreadableError."""

NO_NAME = marked("refused, because it has no name")
NOT_A_FILE = marked("a pipe, socket or device, never opened")


class UnreadableError(Exception):
    """Why one file cannot be read, in one sentence."""

    def __init__(self, reason: str, *, binary: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.binary = binary


def too_many_entries(limit: int) -> str:
    """Why the rest of a folder or an archive is not read."""
    return _("only partly read, because the limit of %(limit)s files was reached", limit=number(limit))


def without_extra(what: str, missing: ModuleNotFoundError) -> UnreadableError:
    """Why something is not read of which the library is not installed, and how to install that."""
    extra = extra_with(missing.name or "")
    if extra is None:
        raise missing
    return UnreadableError(_("%(what)s, not read; to read it: %(how)s", what=what, how=how_to_install(extra)))


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that may be read; or, with a `refusal`, one that never is; or, with neither, a folder.

    The path is relative to the folder or archive, safe, displayable and written with forward slashes; the empty path
    stands for the folder or archive itself.
    """

    path: str
    chunks: Callable[[], Iterator[bytes]] | None = None
    refusal: str = ""
    folder: bool = False  # it stands for all that is in a folder
    ignored: bool = False  # not handed in on purpose, so its absence says nothing about a submission
    nameless: bool = False  # its name was refused, so its path says nothing about where it belongs
    position: int = 0  # where reading must go to; archives are fastest read in this order
    claimed: int = 0  # the size it claims to have
    modified: datetime | None = None  # as an archive says; in UTC, or without a zone
    repository: Repository | None = None  # whose history belongs to the files beside it


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
