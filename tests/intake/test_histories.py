"""Git histories: which commit first had each line, in repositories of any shape, within limits, and nothing is run."""

import json
import shutil
import subprocess
import tarfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.repositories import Change, make_repository, zip_folder

from moss.intake import collect
from moss.intake.archives import commits
from moss.intake.archives.commits import RepositoryHistory, as_table, keys_of, numbered_lines, origins_in
from moss.model import Commit, LineOrigin

ONE = "import sys\n\ndef first():\n    return 1\n"
TWO = "\ndef second(values):\n    total = sum(values)\n    return total\n"
CHANGES = [Change({"a.py": ONE}), Change({"a.py": ONE + TWO}, day=3, message="More\n\nof it")]


def submission(path: Path, name="ada"):
    """The submission of this name in a class, and the reasons of its problems."""
    found = collect([path])
    [one] = [each for each in found.submissions if each.id == name]
    return one, {problem.path: problem.reason for problem in found.problems}


def origins(one, path="a.py"):
    return next(file.origins for file in one.files if file.path == path)


def work_tree(folder: Path) -> Path:
    make_repository(folder / "class" / "ada", CHANGES)
    return folder / "class"


def packed_work_tree(folder: Path) -> Path:
    make_repository(folder / "class" / "ada", CHANGES, packed=True)
    return folder / "class"


def bare(folder: Path) -> Path:
    make_repository(folder / "class" / "ada.git", CHANGES, bare=True)
    return folder / "class"


def bundled(folder: Path) -> Path:
    (folder / "class").mkdir()
    make_repository(folder / "repository", CHANGES).bundle(folder / "class" / "ada.bundle")
    return folder / "class"


def zipped(folder: Path) -> Path:
    (folder / "class").mkdir()
    make_repository(folder / "ada", CHANGES)
    (folder / "class" / "ada.zip").write_bytes(zip_folder(folder / "ada"))
    return folder / "class"


def zipped_class(folder: Path) -> Path:
    (folder / "class.zip").write_bytes(zip_folder(zipped(folder)))
    return folder / "class.zip"


def class_in_a_tape(folder: Path) -> Path:
    for name in ("ada", "bob"):
        make_repository(folder / "class" / name, CHANGES)
    with tarfile.open(folder / "class.tgz", "w:gz") as archive:
        archive.add(folder / "class", "class")
    return folder / "class.tgz"


SHAPES = [work_tree, packed_work_tree, bare, bundled, zipped, zipped_class, class_in_a_tape]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_every_line_has_its_first_commit_whatever_the_repository_comes_in(shape, tmp_path):
    one, _ = submission(shape(tmp_path))
    assert origins(one) == (LineOrigin(1, 1), LineOrigin(6, 2))
    assert one.history.count == 2
    assert not one.history.cut
    assert [commit.subject for commit in one.history.commits] == ["work", "More"]
    assert one.history.commits[1].time == "2026-02-28T07:13:20+01:00"
    assert {(commit.author, commit.mail) for commit in one.history.commits} == {("Ada Lovelace", "ada@example.org")}


def test_no_repository_no_history(tmp_path):
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "a.py").write_text(ONE)
    one, _ = submission(tmp_path / "class")
    assert one.history is None
    assert origins(one) == ()


def test_starter_code_has_no_history(tmp_path):
    make_repository(tmp_path / "base", CHANGES)
    found = collect([], base=[tmp_path / "base"])
    assert found.submissions[0].history is None


def test_what_was_moved_indented_or_renamed_keeps_its_date(tmp_path):
    moved = "class Box:\n" + "".join(f"    {line}\n" if line else "\n" for line in TWO.split("\n")[:-1])
    changes = [Change({"a.py": ONE + TWO}), Change({"b.py": moved, "a.py": ONE}, day=1)]
    make_repository(tmp_path / "class" / "ada", changes)
    one, _ = submission(tmp_path / "class")
    assert origins(one, "b.py") == (LineOrigin(1, 2), LineOrigin(3, 1))


def test_what_is_in_no_commit_says_so(tmp_path):
    made = make_repository(tmp_path / "class" / "ada", CHANGES)
    (made.path / "a.py").write_text(ONE + TWO + "\nprint(second([1, 2]), first())\nsys.exit(0)\n")
    one, _ = submission(tmp_path / "class")
    assert origins(one)[-1] == LineOrigin(10, 0)


def test_another_branch_counts_and_a_merge_brings_nothing_of_its_own(tmp_path):
    changes = [
        Change({"a.py": ONE}),
        Change({"a.py": ONE, "b.py": TWO}, day=2, message="branch", parents=[0]),
        Change({"a.py": ONE + "x = 1\ny = 2\n"}, day=3, message="main", parents=[0]),
        Change({"a.py": ONE + "x = 1\ny = 2\n", "b.py": TWO}, day=4, message="merge", parents=[2, 1]),
    ]
    make_repository(tmp_path / "class" / "ada", changes)
    one, _ = submission(tmp_path / "class")
    assert [commit.subject for commit in one.history.commits] == ["work", "branch", "main"]
    assert one.history.count == 4


def test_parents_come_first_whatever_the_dates_say(tmp_path):
    changes = [Change({"a.py": ONE}, day=9, message="old"), Change({"a.py": ONE + TWO}, day=1, message="new")]
    make_repository(tmp_path / "class" / "ada", changes)
    one, _ = submission(tmp_path / "class")
    assert [commit.subject for commit in one.history.commits] == ["old", "new"]


def test_two_dates_that_differ_are_both_kept(tmp_path):
    make_repository(tmp_path / "class" / "ada", [Change({"a.py": ONE}, day=1, committed=8)])
    one, _ = submission(tmp_path / "class")
    assert (one.history.commits[0].time[:10], one.history.commits[0].committed[:10]) == ("2026-02-26", "2026-03-05")


def test_a_shallow_clone_says_that_it_is_cut(tmp_path):
    made = make_repository(tmp_path / "full", CHANGES)
    (tmp_path / "class").mkdir()
    command = ["git", "clone", "-q", "--depth", "1", f"file://{made.path}", str(tmp_path / "class" / "ada")]
    subprocess.run(command, check=True, capture_output=True)
    one, _ = submission(tmp_path / "class")
    assert one.history.cut
    assert [commit.subject for commit in one.history.commits] == ["More"]


def test_a_notebook_has_the_dates_of_its_cells(tmp_path):
    def notebook(*sources):
        return json.dumps({"cells": [{"cell_type": "code", "source": [source]} for source in sources], "nbformat": 4})

    changes = [Change({"n.ipynb": notebook(ONE)}), Change({"n.ipynb": notebook(ONE, TWO)}, day=1)]
    make_repository(tmp_path / "class" / "ada", changes)
    one, _ = submission(tmp_path / "class")
    assert [origin.commit for origin in origins(one, "n.ipynb")] == [1, 2]


def test_a_repository_in_a_repository_dates_its_own_files(tmp_path):
    outer = make_repository(tmp_path / "class" / "ada", CHANGES)
    make_repository(outer.path / "lib", [Change({"b.py": TWO}, author="Bob <b@example.org>")])
    one, _ = submission(tmp_path / "class")
    by = {path: {one.history.commits[o.commit - 1].author for o in origins(one, path)} for path in ("a.py", "lib/b.py")}
    assert by == {"a.py": {"Ada Lovelace"}, "lib/b.py": {"Bob"}}
    assert one.history.count == 3


@pytest.mark.parametrize(("limit", "most", "reason"), [
    ("COMMITS", 1, "it has more than 1 commits"),
    ("OBJECTS", 1, "it has more than 1 versions of files and folders"),
    ("TEXT", 60, "its versions are larger than 60 bytes in total"),
])  # fmt: skip
@pytest.mark.usefixtures("forking")
def test_a_history_beyond_the_limits_is_not_read_and_the_work_is(limit, most, reason, tmp_path, monkeypatch):
    monkeypatch.setattr(commits, limit, most)
    one, problems = submission(work_tree(tmp_path))
    assert one.history is None
    assert [file.path for file in one.files] == ["a.py"]
    assert problems["ada/.git"] == f"hidden folder, ignored; its history was not read: {reason}"


def test_a_damaged_repository_costs_its_history_only(tmp_path):
    folder = work_tree(tmp_path)
    for file in (folder / "ada" / ".git" / "objects").rglob("??????????*"):
        file.chmod(0o644)
        file.write_bytes(b"nonsense")
    one, problems = submission(folder)
    assert [file.text for file in one.files] == [ONE + TWO]
    assert "its history was not read: a damaged git repository" in problems["ada/.git"]


def test_links_in_a_repository_lead_nowhere(tmp_path):
    """A student cannot show somebody else's commits by linking to where these are on the teacher's disk."""
    secret = make_repository(tmp_path / "elsewhere", [Change({"a.py": ONE}, author="Teacher <t@example.org>")])
    folder = work_tree(tmp_path)
    own = folder / "ada" / ".git"
    shutil.rmtree(own / "objects")
    (own / "objects").symlink_to(secret.path / ".git" / "objects")
    (own / "refs" / "heads" / "master").write_bytes(secret.ids[0] + b"\n")
    one, problems = submission(folder)
    assert one.history is None
    assert "its history was not read" in problems["ada/.git"]


def test_borrowed_objects_are_not_fetched(tmp_path):
    secret = make_repository(tmp_path / "elsewhere", [Change({"a.py": ONE}, author="Teacher <t@example.org>")])
    folder = work_tree(tmp_path)
    own = folder / "ada" / ".git"
    (own / "objects" / "info").mkdir(exist_ok=True)
    (own / "objects" / "info" / "alternates").write_text(str(secret.path / ".git" / "objects"))
    (own / "refs" / "heads" / "master").write_bytes(secret.ids[0] + b"\n")
    one, _ = submission(folder)
    assert one.history is None


def test_odd_names_and_dates_are_shown_as_they_can_be(tmp_path):
    changes = [
        Change({"a.py": ONE}, author="No mail at all", day=10**12),
        Change({"a.py": ONE + TWO}, author="\x00<x\udcff".encode("utf-8", "replace").decode() + "y>", day=1),
    ]
    make_repository(tmp_path / "class" / "ada", changes)
    one, _ = submission(tmp_path / "class")
    first, second = one.history.commits
    assert first.author.startswith("No mail at all")
    assert (first.mail, first.time) == ("", "")
    assert "\0" not in second.author + second.mail


lines = st.sampled_from(["a = 1", "b = 2", "c = 3", "  d(a)", "}", "", "e"])
texts = st.lists(lines, max_size=12).map(lambda some: "".join(f"{line}\n" for line in some))


def counted(text):
    return [
        (number, " ".join(line.split()))
        for number, line in enumerate(text.split("\n"), 1)
        if any(map(str.isalnum, line))
    ]


def neighbours(text):
    words = ["^", *(line for _, line in counted(text)), "^"]
    return set(pairwise(words)) if len(words) > 2 else set()


@settings(max_examples=200)
@given(st.lists(texts, min_size=1, max_size=6), texts)
def test_a_line_is_dated_by_the_first_version_that_has_it_beside_a_neighbour(versions, text):
    firsts: dict[int, int] = {}
    for number, version in enumerate(versions):
        for key in keys_of(version):
            firsts.setdefault(key, number)
    history = RepositoryHistory.made([Commit(str(n), "") for n in range(len(versions))], firsts, False)
    found = dict(origins_in(numbered_lines(text), history))
    words = ["^", *(line for _, line in counted(text)), "^"]
    for place, (number, _) in enumerate(counted(text), 1):
        beside = {(words[place - 1], words[place]), (words[place], words[place + 1])}
        assert found[number] == next((n for n, version in enumerate(versions) if beside & neighbours(version)), None)


@given(st.lists(st.integers(0, 3), max_size=12))
def test_a_table_says_the_commit_of_every_line(commits):
    table = as_table(list(enumerate(commits, 1)))
    spread = {}
    for origin, after in pairwise([*table, LineOrigin(len(commits) + 1, 0)]):
        spread |= dict.fromkeys(range(origin.line, after.line), origin.commit)
    assert spread == dict(enumerate(commits, 1))
    assert all(a.commit != b.commit for a, b in pairwise(table))
