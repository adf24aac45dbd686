"""Git repositories without a work tree: bundles and bare repositories, read as the files of their newest commit.

A work tree needs none of this, because its files lie beside `.git`. Each repository leaves an entry `.git` that leads
to its history (`moss.intake.archives.commits`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from moss.intake.archives.repository import OpenedRepository, RepositoryFiles, gather_files, read_repository
from moss.intake.entries import GIT_FOLDER, Entry, Repository, UnreadableError
from moss.intake.limits import IntakeRun
from moss.intake.sandbox import Refused, read_isolated
from moss.messages import gettext as _

_PLAIN_FILES = (0o100644, 0o100755, 0o100664)

# A repository without a work tree is these files and folders; what else lies beside them is not git's.
_REPOSITORY = frozenset(("HEAD", "objects"))
_REFERENCES = frozenset(("refs", "packed-refs"))
_GITS_OWN = _REPOSITORY | _REFERENCES | frozenset((
    "COMMIT_EDITMSG", "FETCH_HEAD", "ORIG_HEAD", "branches", "config", "description", "hooks", "index", "info", "lfs",
    "logs", "modules", "shallow", "worktrees",
))  # fmt: skip


class CommittedFile(NamedTuple):
    """A file of the newest commit, or why it is not read."""

    path: bytes
    content: bytes
    refusal: str = ""


def newest_files(repository: RepositoryFiles) -> list[CommittedFile]:
    """The files of the newest commit of a repository or bundle; raises UnreadableError."""
    return read_repository(lambda opened: list(_newest_files(opened)), repository)


def _newest_files(repository: OpenedRepository) -> Iterator[CommittedFile]:
    from dulwich.object_store import iter_tree_contents

    for entry in iter_tree_contents(repository.store, repository.newest().tree):
        if entry.mode in _PLAIN_FILES:
            yield CommittedFile(entry.path, repository.store[entry.sha].as_raw_string())
        else:
            yield CommittedFile(entry.path, b"", _("a link or another repository, not followed"))


def check_out(entries: list[Entry], run: IntakeRun) -> list[Entry]:
    """The entries, with the files of its newest commit in the place of each bare repository."""
    roots = _bare_roots(entries)
    for root in roots:
        inside = [entry for entry in entries if _is_gits_own(entry.path, root)]
        outside = [entry for entry in entries if not _is_gits_own(entry.path, root)]
        plain = _plain_root(root, entries)
        moved = [replace(each, path=plain + each.path[len(root) :]) for each in outside if each.path.startswith(root)]
        others = [entry for entry in outside if not entry.path.startswith(root)]
        entries = [*others, *moved, *_checked_out(plain, inside, run, len(root))]
    return entries


def _is_gits_own(path: str, root: str) -> bool:
    return path.startswith(root) and path[len(root) :].partition("/")[0] in _GITS_OWN


def _plain_root(root: str, entries: Iterable[Entry]) -> str:
    """The folder without the ending that repositories have, `ada/` for `ada.git/`, unless there is such a folder."""
    plain = root.removesuffix(".git/") + "/"
    if not root.endswith(".git/") or plain in ("/", "//") or plain.endswith("//"):
        return root
    return root if any(f"{entry.path}/".startswith(plain) for entry in entries) else plain


def _bare_roots(entries: Iterable[Entry]) -> list[str]:
    """The paths, each empty or ending in a slash, of folders that are bare repositories."""
    paths = [entry.path for entry in entries]
    heads = [path.removesuffix("HEAD") for path in paths if path == "HEAD" or path.endswith("/HEAD")]
    return [root for root in heads if _is_repository(root, paths)]


def _is_repository(root: str, paths: Iterable[str]) -> bool:
    inside = {path[len(root) :].partition("/")[0] for path in paths if path.startswith(root)}
    return inside >= _REPOSITORY and not inside.isdisjoint(_REFERENCES)


def _checked_out(root: str, inside: list[Entry], run: IntakeRun, above: int) -> Iterator[Entry]:
    """The files of a repository as entries below `root`; so many characters of each path lead to the repository."""
    name = root.rstrip("/")
    try:
        files = gather_files(inside, above)
    except UnreadableError as refused:
        yield Entry(name, refusal=refused.reason)
        return
    (found,) = read_isolated(newest_files, [files], _("a git repository"), jobs=run.jobs)
    if isinstance(found, Refused):
        yield Entry(name, refusal=found.reason)
        return
    for file in found:
        yield _committed_entry(root, file)
    yield history_entry(root, partial(gather_files, inside, above))


def history_entry(root: str, repository: Repository) -> Entry:
    """The entry below a folder that leads to a repository's history, and is no file."""
    return Entry(root + GIT_FOLDER, ignored=True, repository=repository)


def _committed_entry(root: str, file: CommittedFile) -> Entry:
    """A file of a commit as an entry below a folder."""
    from moss.intake.archives.unpackers import member_entry

    entry = member_entry(file.path.decode("utf-8", "replace"), file.content, file.refusal)
    return replace(entry, path=root + entry.path)
