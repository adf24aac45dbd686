"""Entries: the files and folders of a source, before any of them is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from moss.messages import gettext as _
from moss.messages import marked, number
from moss.shipped import extra_with, how_to_install

if TYPE_CHECKING:
    from moss.intake.archives.repository import RepositoryFiles

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
