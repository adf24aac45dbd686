"""A git repository or bundle as bytes, and its objects and names.

Objects are read as data (dulwich), in a process of their own: no hook, filter or setting of a student's repository is
ever run, and a repository that borrows objects from another one on the disk does not get them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from moss.intake.entries import Entry, UnreadableError, without_extra
from moss.intake.limits import MIB, human_size
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
