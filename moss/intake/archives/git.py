"""Git repositories: their objects and names as data, and the files of the newest commit where there is no work tree.

Objects are read (by dulwich) in a process of their own: no hook, filter or setting of a student's repository is ever
run, and a repository that borrows objects from another one on the disk does not get them.

A work tree needs no more than its files, which lie beside `.git`. Of bundles and bare repositories, the files of the
newest commit are the entries. Each repository leaves an entry `.git` that leads to its history
(`moss.intake.archives.commits`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from moss.intake.entries import GIT_FOLDER, Entry, Repository, UnreadableError, without_extra
from moss.intake.limits import MIB, IntakeRun, human_size
from moss.intake.sandbox import Refused, read_isolated
from moss.messages import gettext as _

if TYPE_CHECKING:
    from dulwich.object_store import MemoryObjectStore
    from dulwich.objects import Commit

LARGEST = 256 * MIB
LARGEST_WITH_HISTORY = 64 * MIB  # of a repository that is read only for its history
_SYMBOLIC = b"ref: "
_BUNDLE = "bundle"
_NEEDED = ("HEAD", "packed-refs", "refs/", "objects/")

Result = TypeVar("Result")
_PLAIN_FILES = (0o100644, 0o100755, 0o100664)

# A repository without a work tree is these files and folders; what else lies beside them is not git's.
_REPOSITORY = frozenset(("HEAD", "objects"))
_REFERENCES = frozenset(("refs", "packed-refs"))
_GITS_OWN = _REPOSITORY | _REFERENCES | frozenset((
    "COMMIT_EDITMSG", "FETCH_HEAD", "ORIG_HEAD", "branches", "config", "description", "hooks", "index", "info", "lfs",
    "logs", "modules", "shallow", "worktrees",
))  # fmt: skip


class RepositoryFiles(NamedTuple):
    """The files of a repository, or a bundle as the only one, one after the other, and where each begins and ends."""

    content: bytes
    spans: tuple[tuple[str, int, int], ...]

    @classmethod
    def of_bundle(cls, content: bytes) -> RepositoryFiles:
        """A bundle."""
        return cls(content, ((_BUNDLE, 0, len(content)),))

    def files(self) -> dict[str, bytes]:
        """The files by their paths."""
        return {path: self.content[start:end] for path, start, end in self.spans}


class OpenedRepository(NamedTuple):
    """All objects of a repository, and the commits that names stand for."""

    store: MemoryObjectStore
    references: Mapping[Any, Any]

    def newest(self) -> Commit:
        """The commit that `HEAD` stands for, or else the newest that any branch does; raises UnreadableError."""
        named = self.references.values() if b"HEAD" not in self.references else [self.references[b"HEAD"]]
        commits = [commit for name in named if (commit := self.commit(name))]
        if not commits:
            raise UnreadableError(_("a git repository without a commit"))
        return max(commits, key=committed_at)

    def commit(self, name: bytes) -> Commit | None:
        """The commit of this name, which may be a tag's, if it is there."""
        from dulwich.objects import Commit, ObjectID, Tag, valid_hexsha

        if not valid_hexsha(name):  # another name, as `refs/remotes/origin/HEAD` stands for
            return None
        try:
            found = self.store[ObjectID(name)]
            while isinstance(found, Tag):
                found = self.store[found.object[1]]
        except KeyError:
            return None
        return found if isinstance(found, Commit) else None


def committed_at(commit: Commit) -> tuple[int, bytes]:
    """A key that sorts commits by their dates; those that have none come first."""
    return commit.commit_time or 0, commit.id


def gather_files(inside: Iterable[Entry], above: int, most: int = LARGEST) -> RepositoryFiles:
    """The files of a repository; so many characters of each path lead to it. Raises UnreadableError if they are more
    than `most` bytes."""
    content = bytearray()
    spans = []
    for entry in inside:
        path = entry.path[above:]
        if entry.chunks is None or not path.startswith(_NEEDED):
            continue
        start = len(content)
        for chunk in entry.chunks():
            content += chunk
            if len(content) > most:
                raise UnreadableError(_("a git repository of more than %(limit)s, not read", limit=human_size(most)))
        spans.append((path, start, len(content)))
    return RepositoryFiles(bytes(content), tuple(spans))


def read_repository(read: Callable[[OpenedRepository], Result], files: RepositoryFiles) -> Result:
    """The result of `read` for a repository; raises UnreadableError, whatever hostile bytes lead the library to."""
    try:
        return read(_open(files.files()))
    except (UnreadableError, MemoryError, RecursionError):
        raise
    except ModuleNotFoundError as missing:
        raise without_extra(_("a git repository"), missing) from None
    except Exception as error:  # whatever hostile bytes lead the library to
        raise UnreadableError(_("a damaged git repository (%(error)s), not read", error=type(error).__name__)) from None


def _open(files: Mapping[str, bytes]) -> OpenedRepository:
    from dulwich.object_store import MemoryObjectStore

    store = MemoryObjectStore()
    if _BUNDLE in files:
        return OpenedRepository(store, _unbundle(store, files[_BUNDLE]))
    for path, content in sorted(files.items()):
        _add_objects(store, path, content)
    return OpenedRepository(store, _references(files))


def _unbundle(store: MemoryObjectStore, content: bytes) -> dict[Any, Any]:
    from dulwich.bundle import read_bundle

    with read_bundle(BytesIO(content)) as bundle:
        if bundle.prerequisites:
            raise UnreadableError(_("a git bundle that only adds to another one, so files are missing from it"))
        bundle.store_objects(store)
        return dict(bundle.references)


def _add_objects(store: MemoryObjectStore, path: str, content: bytes) -> None:
    from dulwich.objects import ShaFile

    if path.startswith("objects/pack/") and path.endswith(".pack"):
        file, commit, _abort = store.add_pack()
        file.write(content)
        commit()
    elif path.startswith("objects/") and len(path) == len("objects/aa/") + 38:
        store.add_object(ShaFile.from_file(BytesIO(content)))


def _references(files: Mapping[str, bytes]) -> dict[bytes, bytes]:
    """The commits that names stand for; `HEAD` only if it leads to one."""
    found: dict[bytes, bytes] = {}
    for line in files.get("packed-refs", b"").splitlines():
        if not line.startswith((b"#", b"^")) and b" " in line:
            commit, name = line.split(b" ", 1)
            found[name.strip()] = commit
    found |= {path.encode(): content.strip() for path, content in files.items() if path.startswith("refs/")}
    head = files.get("HEAD", b"").strip()
    target = found.get(head.removeprefix(_SYMBOLIC)) if head.startswith(_SYMBOLIC) else head
    return {**found, b"HEAD": target} if target else found


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
