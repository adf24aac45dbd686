"""Folders on disk as entries: every file below, folder by folder, in the order of their names.

Nothing is opened here, so a pipe or a device that lies about cannot block the walk. Links are followed only to
ordinary files inside the folder that was given.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial

from moss.intake.archives.git import LARGEST_WITH_HISTORY, RepositoryFiles, gather_files
from moss.intake.entries import CHUNK, GIT_FOLDER, NOT_A_FILE, Entry, UnreadableError, too_many_entries
from moss.intake.ignored import ignored_file, ignored_folder
from moss.intake.limits import Choice, IntakeRun, Limits
from moss.intake.names import displayable
from moss.messages import gettext as _

_REPOSITORY_FILES = 100_000  # of git's own that are looked at


def walk(root: str, run: IntakeRun) -> Iterator[Entry]:
    """All entries below a folder in a fixed order, never more than the run's limit allows."""
    real_root = os.path.realpath(root)
    pending = [("", _listing(root))]
    while pending:
        prefix, listing = pending.pop()
        if isinstance(listing, str):
            yield Entry(prefix.rstrip("/"), refusal=listing)
            continue
        if not listing:
            yield Entry(prefix.rstrip("/"))
        deeper = []
        for item in listing:
            if not run.may_look():
                yield Entry("", refusal=too_many_entries(run.limits.entries))
                return
            path = prefix + displayable(item.name)
            if not item.is_dir(follow_symlinks=False):
                yield _file_entry(item, path, real_root, run.choice)
                continue
            below = _listing(item.path)
            if reason := run.choice.refusal(path, _ignored(item.name, listing, below)):
                repository = partial(_repository, item.path) if item.name == GIT_FOLDER else None
                yield Entry(path, refusal=reason, ignored=True, folder=True, repository=repository)
            else:
                deeper.append((path + "/", below))
        pending.extend(reversed(deeper))


def _repository(folder: str) -> RepositoryFiles:
    own = IntakeRun(Limits(entries=_REPOSITORY_FILES))  # git's files are nobody's work, and count for no limit of it
    return gather_files(walk(folder, own), 0, LARGEST_WITH_HISTORY)


def _ignored(name: str, listing: list[os.DirEntry[str]], below: list[os.DirEntry[str]] | str) -> str:
    inside = below if isinstance(below, list) else []
    return ignored_folder(name, lambda: [item.name for item in listing], [item.name for item in inside])


def _listing(folder: str) -> list[os.DirEntry[str]] | str:
    try:
        with os.scandir(folder) as items:
            return sorted(items, key=lambda item: item.name)
    except OSError as error:
        return cannot_read(error)


def _file_entry(item: os.DirEntry[str], path: str, real_root: str, choice: Choice) -> Entry:
    if reason := choice.refusal(path, ignored_file(item.name)):
        return Entry(path, refusal=reason, ignored=True)
    if item.is_symlink() and (reason := _link_refusal(item.path, real_root)):
        return Entry(path, refusal=reason)
    if not item.is_file():
        return Entry(path, refusal=_(NOT_A_FILE))
    return Entry(path, file_chunks(item.path))


def _link_refusal(path: str, real_root: str) -> str:
    target = os.path.realpath(path)
    if not os.path.exists(target):
        return _("a broken link")
    if not target.startswith(os.path.join(real_root, "")):
        return _("refused, because it is a link to a place outside the folder")
    return _("refused, because it is a link to a folder") if os.path.isdir(target) else ""


def file_chunks(path: str) -> Callable[[], Iterator[bytes]]:
    """How to read a file on disk piece by piece; raises UnreadableError when the system refuses."""

    def chunks() -> Iterator[bytes]:
        try:
            with open(path, "rb", buffering=0) as file:
                while chunk := file.read(CHUNK):
                    yield chunk
        except OSError as error:
            raise UnreadableError(cannot_read(error)) from None

    return chunks


def cannot_read(error: OSError) -> str:
    """The system's reason as a sentence."""
    return _("cannot be read: %(why)s", why=(error.strerror or "input/output error").lower())
