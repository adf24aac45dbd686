import os
import socket

import pytest

from moss.intake import IntakeError, Limits, collect
from moss.model import Role


def test_each_child_of_a_folder_is_a_submission(tree, layout):
    root = tree({"bob/src/B.java": "b", "alice/A.java": "a", "alice/x/y/Z.java": "z", "carol.py": "c"})
    intake = collect([root])
    assert layout(intake) == {"alice": ["A.java", "x/y/Z.java"], "bob": ["src/B.java"], "carol.py": ["carol.py"]}
    assert [s.owner for s in intake.submissions] == ["alice", "bob", "carol"]
    assert intake.problems == ()


def test_who_has_a_name_of_which_nothing_can_be_seen_is_named_by_its_characters(tree):
    blank = tree(
        {" /main.py": "{}", "  /main.py": "{}", "\u200b/main.py": "{}", "\u00a0.py": "{}", "a b/main.py": "{}"}
    )
    owners = {s.owner for s in collect([blank]).submissions}
    assert owners == {"U+0020", "U+0020 U+0020", "U+200B", "U+00A0", "a b"}


def test_digest_is_of_the_bytes_as_handed_in(tree):
    import hashlib

    root = tree({"alice/a.py": b"\xef\xbb\xbfx\r\n"})
    file = collect([root]).submissions[0].files[0]
    assert (file.text, file.digest) == ("x\r\n", hashlib.sha256(b"\xef\xbb\xbfx\r\n").hexdigest())


def test_files_given_are_submissions_with_as_much_path_as_needed(tree, layout):
    root = tree({"alice/main.py": "a", "bob/main.py": "b", "bob/other.py": "c"})
    paths = [root / "bob/main.py", root / "alice/main.py", root / "bob/other.py"]
    intake = collect(paths)
    assert list(layout(intake)) == ["bob/main.py", "alice/main.py", "other.py"]
    assert [s.owner for s in intake.submissions] == ["bob/main.py", "alice/main.py", "other"]


def test_a_single_file_is_its_writers_unless_two_would_become_one(tree):
    """The ending is no part of a name, but nobody is joined with somebody else by leaving it out."""
    files = ["ann.py", "ann.java", "bob.py", "carol/main.py", "carol.cpp", "dan.lee", "eve.PDF.txt", "zoe.ipynb"]
    found = {s.id: s.owner for s in collect([tree(dict.fromkeys(files, "{}"))]).submissions}
    assert found == {
        "ann.py": "ann.py", "ann.java": "ann.java", "bob.py": "bob", "carol": "carol", "carol.cpp": "carol.cpp",
        "dan.lee": "dan.lee", "eve.PDF.txt": "eve.PDF", "zoe.ipynb": "zoe",
    }  # fmt: skip


def test_with_directory_files_of_one_directory_are_one_submission(tree, layout):
    root = tree({"alice/A.java": "a", "alice/B.java": "b", "bob/A.java": "c"})
    files = sorted(root.glob("*/*.java"))
    intake = collect([*files, files[0]], directory=True)
    assert layout(intake) == {"alice": ["A.java", "B.java"], "bob": ["A.java"]}


def test_with_directory_equal_last_components_stay_different_owners(tree, layout):
    root = tree({"alice/src/A.java": "a", "bob/src/A.java": "b"})
    intake = collect(sorted(root.glob("*/*/*.java")), directory=True)
    assert list(layout(intake)) == ["alice/src", "bob/src"]
    assert len({s.owner for s in intake.submissions}) == 2


def test_with_directory_a_folder_still_means_its_children(tree, layout):
    assert list(layout(collect([tree({"alice/A.java": "a", "bob/A.java": "b"})], directory=True))) == ["alice", "bob"]


def test_relative_paths_with_directory(tree, layout, monkeypatch):
    root = tree({"A.java": "a", "B.java": "b"}, "alice")
    monkeypatch.chdir(root)
    assert layout(collect(["A.java", "./B.java"], directory=True)) == {"alice": ["A.java", "B.java"]}


def test_roles_and_unique_ids_across_years(tree, layout, reasons):
    new = tree({"alice/a.py": "1", "team1/a.py": "2"}, "2024")
    old = tree({"alice/a.py": "3", "team1/a.py": "4"}, "2023")
    intake = collect([new], archive=[old])
    assert [(s.id, s.role) for s in intake.submissions] == [
        ("2024/alice", Role.NEW), ("2024/team1", Role.NEW), ("2023/alice", Role.ARCHIVE), ("2023/team1", Role.ARCHIVE),
    ]  # fmt: skip
    owners = {s.id: s.owner for s in intake.submissions}
    assert owners["2024/alice"] == owners["2023/alice"] == "alice"
    assert owners["2024/team1"] != owners["2023/team1"]
    assert f"1 of its students (alice) is in {new} too" in reasons(intake)[str(old)]


def test_equal_folders_of_equal_folders(tree, layout, reasons):
    one, two = tree({"hw1/alice/a.py": "1"}, "2024") / "hw1", tree({"hw1/alice/a.py": "2"}, "2023") / "hw1"
    intake = collect([one, two])
    assert list(layout(intake)) == ["2024/hw1/alice", "2023/hw1/alice"]
    assert str(two) in reasons(intake)


def test_a_folder_and_an_archive_of_one_name_in_one_place(tree, zipped, layout):
    intake = collect([tree({"alice/a.py": "1", "alice.zip": zipped([("b.py", b"2")])})])
    assert layout(intake) == {"alice": ["a.py"], "alice (2)": ["b.py"]}


def test_base_is_one_submission_for_each_path(tree, zipped, layout):
    base = tree({"a/x.py": "x", "y.py": "y"}, "base")
    packed = tree({"starter.zip": zipped([("s/z.py", "z")])}, "packed") / "starter.zip"
    intake = collect([tree({"alice/a.py": "a"})], base=[base, packed, base / "y.py"])
    handed_out = [s for s in intake.submissions if s.role is Role.BASE]
    assert [[f.path for f in s.files] for s in handed_out] == [["a/x.py", "y.py"], ["s/z.py"], ["y.py"]]
    assert len({s.id for s in intake.submissions}) == 4


def test_a_missing_path_is_wrong_usage():
    with pytest.raises(IntakeError, match=r"^no such file or folder: /nowhere/at/all$"):
        collect(["/nowhere/at/all"])


def test_a_name_no_system_allows_is_wrong_usage():
    with pytest.raises(IntakeError, match="no such file"):
        collect(["a\0b"])


def test_an_empty_folder_has_no_submissions(tree):
    intake = collect([tree({})])
    assert (intake.submissions, intake.problems) == ((), ())


def test_an_empty_folder_or_archive_beside_others_is_a_problem(tree, zipped, reasons):
    root = tree({"class/ann/a.py": "x", "absent.zip": zipped([]), "hidden.zip": zipped([(".DS_Store", b"x")])}, "all")
    (root / "none").mkdir()
    intake = collect([root / "class", root / "none"], archive=[root / "absent.zip", root / "hidden.zip"])
    nothing = "empty, so there is nothing to compare"
    assert reasons(intake) == {
        "none": nothing, "absent.zip": nothing, "hidden.zip/.DS_Store": "hidden file, ignored",
    }  # fmt: skip


def test_whoever_has_no_readable_file_still_appears(tree, reasons):
    root = tree({"bob/b.py": "b", "carol/prog.class": b"\xca\xfe\xba\xbe\0\0\0\x34", "dan/.git/config": "x"})
    (root / "alice").mkdir()
    intake = collect([root])
    assert [(s.id, len(s.files)) for s in intake.submissions] == [("alice", 0), ("bob", 1), ("carol", 0), ("dan", 0)]
    assert {path for path, reason in reasons(intake).items() if reason == "no readable file"} == {
        "alice",
        "carol",
        "dan",
    }
    carol = intake.submissions[2]
    assert [(p.path, p.reason) for p in carol.skipped] == [("prog.class", reasons(intake)["carol/prog.class"])]


@pytest.mark.parametrize("content", ["", " \n\t\r\n", "\ufeff"], ids=["empty", "blank", "mark"])
def test_who_has_only_empty_files_has_none_and_is_told_why(tree, reasons, content):
    intake = collect([tree({"bob/b.py": "b", "bob/__init__.py": content, "eve/e.py": content, "lone.py": content})])
    found = {s.id: (s.owner, len(s.files)) for s in intake.submissions}
    assert found == {"bob": ("bob", 2), "eve": ("eve", 0), "lone.py": ("lone", 0)}
    assert {path for path, reason in reasons(intake).items() if reason.startswith("an empty file")} == {
        "eve/e.py",
        "lone.py",
    }
    assert [problem.path for problem in intake.problems] == ["eve/e.py", "eve", "lone.py"], "said once of a lone file"
    assert [problem.path for problem in intake.submissions[1].skipped] == ["e.py"]


def test_pipes_and_sockets_are_never_opened(tree, reasons):
    root = tree({"alice/a.py": "a"})
    os.mkfifo(root / "alice/pipe.py")
    os.mkfifo(root / "bob")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(root / "alice/s"))
        intake = collect([root, root / "bob"])
    assert {"alice/pipe.py", "alice/s", "bob", str(root / "bob")} <= set(reasons(intake))


def test_links_are_followed_only_to_files_inside(tree, layout, reasons):
    root = tree({"alice/a.py": "a", "alice/deep/b.py": "b"})
    outside = tree({"secret.txt": "s"}, "hw1-outside")
    (root / "alice/in.py").symlink_to(root / "alice/a.py")
    (root / "alice/out.txt").symlink_to(outside / "secret.txt")
    (root / "alice/loop").symlink_to(root / "alice")
    (root / "alice/self").symlink_to("self")
    intake = collect([root])
    assert layout(intake) == {"alice": ["a.py", "deep/b.py", "in.py"]}
    assert "outside the folder" in reasons(intake)["alice/out.txt"]
    assert "link to a folder" in reasons(intake)["alice/loop"]
    assert "a broken link" in reasons(intake)["alice/self"]


def test_a_file_the_system_refuses_is_a_problem(tree, reasons, monkeypatch):
    root = tree({"alice/a.py": "a", "alice/b.py": "b"})
    real_open = open

    def refusing(path, *args, **kwargs):
        if str(path).endswith("a.py"):
            raise PermissionError(13, "Permission denied")
        return real_open(path, *args, **kwargs)

    monkeypatch.setattr("builtins.open", refusing)
    intake = collect([root])
    assert reasons(intake) == {"alice/a.py": "cannot be read: permission denied"}
    assert [f.path for f in intake.submissions[0].files] == ["b.py"]


def test_undecodable_names_are_displayable(tmp_path):
    folder = os.fsencode(tmp_path) + b"/hw/al\xffice"
    os.makedirs(folder)
    for name in (b"a\xfe.py", b"a\xfd.py"):
        with open(folder + b"/" + name, "wb") as file:
            file.write(b"x")
    submission = collect([tmp_path / "hw"]).submissions[0]
    assert submission.id.encode() == "al\ufffdice".encode()
    assert [f.path for f in submission.files] == ["a\ufffd.py", "a\ufffd (2).py"]


def test_names_keep_their_normal_form(tree, layout):
    intake = collect([tree({"e\u0301ve/a.py": "x", "\u00e9ve/a.py": "y"})])
    assert sorted(layout(intake)) == ["e\u0301ve", "\u00e9ve"]


def test_limits_on_files_submissions_and_the_whole_run(tree, reasons):
    root = tree({"alice/a.py": "x" * 50, "alice/big.py": "x" * 101, "bob/1.py": "x" * 90, "bob/2.py": "x" * 90})
    intake = collect([root], limits=Limits(file_bytes=100, submission_bytes=150))
    assert [[f.path for f in s.files] for s in intake.submissions] == [["a.py"], ["1.py"]]
    assert reasons(intake) == {
        "alice/big.py": "larger than the limit of 100 bytes for one file",
        "bob/2.py": "not read, because the submission is larger than the limit of 150 bytes",
    }
    assert "all submissions together" in reasons(collect([root], limits=Limits(total_bytes=160)))["bob/1.py"]


def test_limit_on_entries(tree, reasons):
    intake = collect([tree({f"s{i}/a.py": "x" for i in range(5)})], limits=Limits(entries=7))
    assert sum(len(s.files) for s in intake.submissions) == 2
    assert "limit of 7 files" in reasons(intake)["hw1"]


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "9"])
def test_limits_are_positive_whole_numbers(value):
    with pytest.raises(IntakeError, match="the limit ratio must be a whole number of at least 1"):
        Limits(ratio=value)


def test_progress_counts_files(tree):
    seen = []
    collect([tree({f"s{i}.py": "x" for i in range(250)})], progress=seen.append)
    assert seen == [100, 200, 250]


def test_two_roots_are_told_apart_in_problems(tree, reasons):
    one, two = tree({"a/x.bin": b"\0\1\2\3"}, "one"), tree({"a/x.bin": b"\0\1\2\3"}, "two")
    assert {"one/a/x.bin", "two/a/x.bin"} <= set(reasons(collect([one, two])))
