"""Git repositories without a work tree are read as the files of their newest commit, and nothing of them is run."""

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import Repo
from hypothesis import given
from hypothesis import strategies as st

from moss.intake import collect
from moss.intake.archives.git import check_out
from moss.intake.entries import Entry
from moss.intake.limits import IntakeRun, Limits

OLD, NEW = b"print('draft')\n", b"for i in range(10):\n    print(i)\n"


def bare(path: Path, *states: dict[bytes, bytes], packed: bool = False) -> Path:
    """A bare repository in which the states were committed one after the other."""
    path.mkdir(parents=True)
    repository = Repo.init_bare(str(path))
    parents: list[bytes] = []
    for number, files in enumerate(states):
        tree = Tree()
        for name, content in files.items():
            blob = Blob.from_string(content)
            repository.object_store.add_object(blob)
            tree.add(name, 0o100644, blob.id)
        repository.object_store.add_object(tree)
        commit = Commit()
        commit.tree, commit.parents, commit.message = tree.id, parents, b"work"
        commit.author = commit.committer = b"Ada <ada@example.org>"
        commit.author_time = commit.commit_time = 1_700_000_000 + number
        commit.author_timezone = commit.commit_timezone = 0
        repository.object_store.add_object(commit)
        parents = [commit.id]
    if parents:
        repository.refs[b"refs/heads/master"] = parents[0]
    if packed:
        repository.object_store.pack_loose_objects()
        repository.refs.pack_refs(all=True)
    (path / "hooks").mkdir(exist_ok=True)
    (path / "hooks" / "pre-commit.sample").write_text("#!/bin/sh\n# the sample that every repository has\n" * 20)
    repository.close()
    return path


def bundle(repository: Path, file: Path) -> None:
    from dulwich.bundle import create_bundle_from_repo, write_bundle

    repo = Repo(str(repository))
    with create_bundle_from_repo(repo) as made, open(file, "wb") as target:
        write_bundle(target, made)
    repo.close()


def texts(intake):
    return {(s.owner, f.path): f.text.encode() for s in intake.submissions for f in s.files}


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_a_bare_repository_is_one_submission_in_its_newest_state(tmp_path, packed):
    bare(tmp_path / "class" / "ada.git", {b"a.py": OLD}, {b"a.py": NEW, b"b.py": OLD}, packed=packed)
    bare(tmp_path / "class" / "bob.git", {b"a.py": NEW}, packed=packed)
    found = collect([tmp_path / "class"])
    assert texts(found) == {("ada", "a.py"): NEW, ("ada", "b.py"): OLD, ("bob", "a.py"): NEW}


def test_repositories_in_an_archive_are_read_too(tmp_path):
    bare(tmp_path / "class" / "ada.git", {b"a.py": NEW})
    bare(tmp_path / "class" / "bob.git", {b"a.py": OLD})
    shutil.make_archive(str(tmp_path / "class"), "zip", tmp_path / "class")
    assert texts(collect([tmp_path / "class.zip"])) == {("ada", "a.py"): NEW, ("bob", "a.py"): OLD}


def test_a_bundle_is_one_submission_in_its_newest_state(tmp_path):
    (tmp_path / "class").mkdir()
    for name, content in (("ada", NEW), ("bob", OLD)):
        repository = bare(tmp_path / f"{name}.git", {b"a.py": OLD}, {b"a.py": content})
        bundle(repository, tmp_path / "class" / f"{name}.bundle")
    assert texts(collect([tmp_path / "class"])) == {("ada", "a.py"): NEW, ("bob", "a.py"): OLD}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed: apt-get install git")
def test_what_git_itself_writes_is_read(tmp_path):
    work = tmp_path / "work"
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-C", str(work)]
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    (work / "a.py").write_bytes(NEW)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "work"], check=True)
    (tmp_path / "class").mkdir()
    subprocess.run([*git, "bundle", "create", "-q", str(tmp_path / "class" / "ada.bundle"), "HEAD"], check=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(tmp_path / "class" / "bob.git")], check=True)
    assert texts(collect([tmp_path / "class"])) == {("ada", "a.py"): NEW, ("bob", "a.py"): NEW}


def test_what_cannot_be_read_is_listed(tmp_path):
    bare(tmp_path / "class" / "empty.git")
    damaged = bare(tmp_path / "class" / "damaged.git", {b"a.py": NEW})
    for file in (damaged / "objects").rglob("??????????*"):
        file.chmod(0o644)
        file.write_bytes(b"nonsense")
    (tmp_path / "class" / "cut.bundle").write_bytes(b"# v2 git bundle\nnonsense")
    bare(tmp_path / "class" / "well.git", {b"a.py": NEW})
    found = collect([tmp_path / "class"])
    assert texts(found) == {("well", "a.py"): NEW}
    listed = [problem for problem in found.problems if "readable" not in problem.reason]
    reasons = {problem.path.rpartition("/")[2]: problem.reason for problem in listed}
    assert reasons["empty"] == "a git repository without a commit"
    assert "damaged git repository" in reasons["damaged"]
    assert "damaged git repository" in reasons["cut.bundle"]


def test_a_bomb_in_a_bundle_is_bounded(tmp_path):
    (tmp_path / "class").mkdir()
    bundle(bare(tmp_path / "a.git", {b"a.py": b"x" * 40_000_000}), tmp_path / "class" / "a.bundle")
    found = collect([tmp_path / "class"], limits=Limits(ratio=20))
    assert any("unpacks to more than 20 times its size" in problem.reason for problem in found.problems)


def test_a_folder_that_merely_has_such_names_is_left_alone(tmp_path):
    for name in ("HEAD", "objects/a.py", "notes.txt"):
        path = tmp_path / "class" / "ada" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(NEW)
    assert {path for _, path in texts(collect([tmp_path / "class"]))} == {"HEAD", "objects/a.py", "notes.txt"}


names = st.lists(st.sampled_from(["HEAD", "config", "objects", "refs", "a", "packed-refs"]), min_size=1, max_size=3)


@given(st.lists(names.map("/".join), max_size=12, unique=True))
def test_no_entry_disappears_without_a_word(paths):
    """Entries outside of repositories stay as they are, and a repository leaves at least one entry."""
    entries = [Entry(path, lambda: iter([b"ref: refs/heads/none\n"])) for path in paths]
    after = check_out(list(entries), IntakeRun(Limits(), jobs=1))
    gone = [entry for entry in entries if entry not in after]
    assert not gone or any(entry.refusal for entry in after)


def test_a_zip_of_one_repository_is_one_submission(tmp_path):
    bare(tmp_path / "ada.git", {b"a.py": NEW})
    (tmp_path / "class").mkdir()
    with zipfile.ZipFile(tmp_path / "class" / "ada.zip", "w") as archive:
        for path in (tmp_path / "ada.git").rglob("*"):
            archive.write(path, path.relative_to(tmp_path))
    assert texts(collect([tmp_path / "class"])) == {("ada", "a.py"): NEW}
