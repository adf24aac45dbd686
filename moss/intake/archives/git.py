"""Git repositories without a work tree: bundles and bare repositories, read as the files of their newest commit.

Objects are read as data (dulwich), in a process of their own: no hook, filter or setting of a student's repository is
ever run. A work tree needs none of this, because its files lie beside `.git`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from moss.intake.entries import Entry, UnreadableError, without_extra
from moss.intake.limits import MIB, IntakeRun, human_size
from moss.intake.sandbox import Refused, read_isolated

if TYPE_CHECKING:
    from dulwich.object_store import MemoryObjectStore
    from dulwich.objects import Commit

_LARGEST = 256 * MIB
_SYMBOLIC = b"ref: "
_PLAIN_FILES = (0o100644, 0o100755, 0o100664)

# A repository without a work tree is these files and folders; what else lies beside them is not git's.
_REPOSITORY = frozenset(("HEAD", "objects"))
_REFERENCES = frozenset(("refs", "packed-refs"))
_GITS_OWN = _REPOSITORY | _REFERENCES | frozenset((
    "COMMIT_EDITMSG", "FETCH_HEAD", "ORIG_HEAD", "branches", "config", "description", "hooks", "index", "info", "lfs",
    "logs", "modules", "shallow", "worktrees",
))  # fmt: skip


class RepositoryFiles(NamedTuple):
    """The files of a bare repository one after the other, and where each begins and ends."""

    content: bytes
    spans: tuple[tuple[str, int, int], ...]

    def files(self) -> dict[str, bytes]:
        """The files by their paths."""
        return {path: self.content[start:end] for path, start, end in self.spans}


class CommittedFile(NamedTuple):
    """A file of the newest commit, or why it is not read."""

    path: bytes
    content: bytes
    refusal: str = ""


def files_in_bundle(content: bytes) -> list[CommittedFile]:
    """The files of the newest commit of a bundle; raises UnreadableError."""
    from dulwich.bundle import read_bundle
    from dulwich.object_store import MemoryObjectStore

    store = MemoryObjectStore()
    with read_bundle(BytesIO(content)) as bundle:
        if bundle.prerequisites:
            raise UnreadableError("a git bundle that continues another one, so its files are not in it")
        bundle.store_objects(store)
        return list(_newest_files(store, dict(bundle.references)))


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


def _checked_out(root: str, inside: Iterable[Entry], run: IntakeRun, above: int) -> Iterator[Entry]:
    """The files of a repository as entries below `root`; so many characters of each path lead to the repository."""
    name = root.rstrip("/")
    try:
        files = _files(inside, above)
    except UnreadableError as refused:
        yield Entry(name, refusal=refused.reason)
        return
    (found,) = read_isolated(_files_in_repository, [files], "a git repository", jobs=run.jobs)
    if isinstance(found, Refused):
        yield Entry(name, refusal=found.reason)
        return
    for file in found:
        yield _committed_entry(root, file)


def _committed_entry(root: str, file: CommittedFile) -> Entry:
    """A file of a commit as an entry below a folder."""
    from moss.intake.archives.unpackers import member_entry

    entry = member_entry(file.path.decode("utf-8", "replace"), file.content, file.refusal)
    return replace(entry, path=root + entry.path)


def _files(inside: Iterable[Entry], above: int) -> RepositoryFiles:
    content = bytearray()
    spans = []
    for entry in inside:
        path = entry.path[above:]
        if entry.chunks is None or not path.startswith(("HEAD", "packed-refs", "refs/", "objects/")):
            continue
        start = len(content)
        for chunk in entry.chunks():
            content += chunk
            if len(content) > _LARGEST:
                raise UnreadableError(f"a git repository of more than {human_size(_LARGEST)}, not read")
        spans.append((path, start, len(content)))
    return RepositoryFiles(bytes(content), tuple(spans))


def _files_in_repository(repository: RepositoryFiles) -> list[CommittedFile]:
    """The files of the newest commit; raises UnreadableError."""
    try:
        from dulwich.object_store import MemoryObjectStore

        files = repository.files()
        store = MemoryObjectStore()
        for path, content in sorted(files.items()):
            _add_objects(store, path, content)
        return list(_newest_files(store, _references(files)))
    except (UnreadableError, MemoryError, RecursionError):
        raise
    except ModuleNotFoundError as missing:
        raise without_extra("a git repository", missing) from None
    except Exception as error:  # the library raises whatever hostile bytes lead it to
        raise UnreadableError(f"a damaged git repository ({type(error).__name__}), not read") from None


def _add_objects(store: MemoryObjectStore, path: str, content: bytes) -> None:
    from dulwich.objects import ShaFile

    if path.startswith("objects/pack/") and path.endswith(".pack"):
        file, commit, _ = store.add_pack()
        file.write(content)
        commit()
    elif path.startswith("objects/") and len(path) == len("objects/aa/") + 38:
        store.add_object(ShaFile.from_file(BytesIO(content)))


def _references(files: Mapping[str, bytes]) -> dict[bytes, bytes]:
    """The commits that names stand for; `HEAD` only if it leads to one."""
    found: dict[bytes, bytes] = {}
    for line in files.get("packed-refs", b"").splitlines():
        if not line.startswith((b"#", b"^")) and b" " in line:
            commit, _, name = line.partition(b" ")
            found[name.strip()] = commit
    found |= {path.encode(): content.strip() for path, content in files.items() if path.startswith("refs/")}
    head = files.get("HEAD", b"").strip()
    target = found.get(head.removeprefix(_SYMBOLIC)) if head.startswith(_SYMBOLIC) else head
    return {**found, b"HEAD": target} if target else found


def _newest_files(store: MemoryObjectStore, references: Mapping[Any, Any]) -> Iterator[CommittedFile]:
    from dulwich.object_store import iter_tree_contents

    for entry in iter_tree_contents(store, _newest(store, references).tree):
        if entry.mode in _PLAIN_FILES:
            yield CommittedFile(entry.path, store[entry.sha].as_raw_string())
        else:
            yield CommittedFile(entry.path, b"", "a link or another repository, not followed")


def _newest(store: MemoryObjectStore, references: Mapping[Any, Any]) -> Commit:
    """The commit that `HEAD` stands for, or else the newest that any branch does."""
    named = [references[b"HEAD"]] if b"HEAD" in references else list(references.values())
    commits = [commit for name in named if (commit := _commit(store, name))]
    if not commits:
        raise UnreadableError("a git repository without a commit")
    return max(commits, key=lambda commit: (commit.commit_time, commit.id))


def _commit(store: MemoryObjectStore, name: bytes) -> Commit | None:
    from dulwich.objects import Commit, ObjectID, Tag

    try:
        found = store[ObjectID(name)]
        while isinstance(found, Tag):
            found = store[found.object[1]]
    except KeyError:
        return None
    return found if isinstance(found, Commit) else None
