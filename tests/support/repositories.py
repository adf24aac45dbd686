"""Git repositories for tests, written object by object, so that names and dates are whatever a test says."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dulwich.bundle import create_bundle_from_repo, write_bundle
from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import Repo

DAY = 86_400
START = 1_772_000_000  # 2026-02-25


@dataclass(frozen=True)
class Change:
    """A commit to be made: the files after it, who made it, and when."""

    files: Mapping[str, str | bytes]
    author: str = "Ada Lovelace <ada@example.org>"
    day: float = 0
    committed: float | None = None
    message: str = "work"
    parents: Sequence[int] | None = None  # places of earlier changes; the one before, if nothing is said


@dataclass
class Repository:
    """A repository with these changes."""

    path: Path
    ids: list[bytes] = field(default_factory=list)

    def bundle(self, file: Path) -> Path:
        """The repository as a bundle."""
        repo = Repo(str(self.path))
        with create_bundle_from_repo(repo) as made, open(file, "wb") as target:
            write_bundle(target, made)
        repo.close()
        return file


def make_repository(path: Path, changes: Sequence[Change], *, bare: bool = False, packed: bool = False) -> Repository:
    """A repository, with the files of its last change beside it unless it is bare."""
    path.mkdir(parents=True, exist_ok=True)
    repo = Repo.init_bare(str(path)) if bare else Repo.init(str(path))
    made = Repository(path)
    for change in changes:
        before = made.ids[-1:] if change.parents is None else [made.ids[place] for place in change.parents]
        made.ids.append(_commit(repo, change, before))
    if made.ids:
        repo.refs[b"refs/heads/master"] = made.ids[-1]
        repo.refs.set_symbolic_ref(b"HEAD", b"refs/heads/master")
    if packed:
        repo.object_store.pack_loose_objects()
    repo.close()
    for name, content in changes[-1].files.items() if changes and not bare else ():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return made


def zip_folder(folder: Path) -> bytes:
    """A folder, hidden files and all, as a zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder).as_posix())
    return buffer.getvalue()


def _commit(repo: Repo, change: Change, parents: Sequence[bytes]) -> bytes:
    made = Commit()
    made.tree, made.parents = _tree(repo, change.files), list(parents)
    made.author = made.committer = change.author.encode()
    made.author_time = int(START + DAY * change.day)
    made.commit_time = made.author_time if change.committed is None else int(START + DAY * change.committed)
    made.author_timezone = made.commit_timezone = 3600
    made.message = change.message.encode()
    repo.object_store.add_object(made)
    return made.id


def _tree(repo: Repo, files: Mapping[str, str | bytes]) -> bytes:
    tree = Tree()
    folders: dict[str, dict[str, str | bytes]] = {}
    for path, content in files.items():
        folder, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(folder, {})[rest] = content
            continue
        blob = Blob.from_string(content.encode() if isinstance(content, str) else content)
        repo.object_store.add_object(blob)
        tree.add(path.encode(), 0o100644, blob.id)
    for folder, inside in folders.items():
        tree.add(folder.encode(), 0o040000, _tree(repo, inside))
    repo.object_store.add_object(tree)
    return tree.id
