from datetime import datetime

import pytest

from moss.intake import collect


@pytest.fixture
def owners():
    return lambda intake: {s.id: s.owner for s in intake.submissions}


def test_moodle_folders(tree, owners):
    names = ["Ada Lovelace_123456_assignsubmission_file_", "Alan Turing_123457_assignsubmission_file"]
    assert owners(collect([tree({f"{name}/hw1.py": name for name in names})])) == {
        names[0]: "Ada Lovelace",
        names[1]: "Alan Turing",
    }


def test_moodle_flat_files_of_one_owner_are_one_submission(tree, zipped, layout, owners):
    prefix = "_123456_assignsubmission_"
    intake = collect([tree({
        f"Ada Lovelace{prefix}file_hw1.zip": zipped([("hw1/A.java", b"a")]),
        f"Ada Lovelace{prefix}onlinetext_onlinetext.html": "<p>hi",
        "Alan Turing_9_assignsubmission_file_hw1.zip": zipped([("hw1/B.java", b"b")]),
    })])  # fmt: skip
    assert layout(intake) == {"Ada Lovelace": ["hw1.zip/hw1/A.java", "onlinetext.html"], "Alan Turing": ["B.java"]}
    assert owners(intake) == {"Ada Lovelace": "Ada Lovelace", "Alan Turing": "Alan Turing"}


def test_namesakes_are_told_apart_by_their_numbers(tree, owners):
    intake = collect([tree({"Li Wei_1_assignsubmission_file_/a.py": "a", "Li Wei_2_assignsubmission_file_/a.py": "b"})])
    assert sorted(owners(intake).values()) == ["Li Wei_1", "Li Wei_2"]
    intake = collect([tree({"weili_11_5_a.py": "a", "weili_12_6_a.py": "b"}, "canvas")])
    assert owners(intake) == {"weili_11": "weili_11", "weili_12": "weili_12"}


def test_canvas(tree, layout, owners):
    intake = collect([tree({
        "lovelaceada_12345_67890_hw1.py": "1", "lovelaceada_LATE_12345_67891_util-2.py": "2",
        "turingalan_12346_67892_hw1.py": "3",
    })])  # fmt: skip
    assert layout(intake) == {"lovelaceada": ["hw1.py", "util-2.py"], "turingalan": ["hw1.py"]}
    assert owners(intake) == {"lovelaceada": "lovelaceada", "turingalan": "turingalan"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_an_export_holds_twice_is_kept_twice(tmp_path, zipped, layout):
    (tmp_path / "c.zip").write_bytes(zipped([("ada_1_2_a.py", b"a"), ("ada_1_2_a.py", b"b"), ("bob_3_4_a.py", b"c")]))
    assert layout(collect([tmp_path / "c.zip"])) == {"ada": ["a.py", "a (2).py"], "bob": ["a.py"]}


def test_one_file_like_canvas_proves_nothing(tree, owners):
    assert list(owners(collect([tree({"report_2024_01_final.py": "x"})]))) == ["report_2024_01_final.py"]


def test_an_ordinary_class_with_a_few_strange_names_is_untouched(tree, owners):
    names = ["week_1_2_a.py", "week_1_3_b.py", *(f"student{i}.py" for i in range(5))]
    assert sorted(owners(collect([tree(dict.fromkeys(names, "x"))]))) == sorted(names)


def test_one_that_does_not_fit_is_an_ordinary_child(tree, owners):
    files = {f"person{chr(97 + i)}_{i}_9_a.py": "x" for i in range(19)} | {"late one.py": "y"}
    intake = collect([tree(files)])
    assert owners(intake)["late one.py"] == "late one"
    assert "persona" in owners(intake)


def test_gradescope(tree, owners, reasons):
    metadata = """---
submission_101:
  :submitters:
  - :name: Ada Lovelace
    :sid: '1'
    :email: ada@example.edu
  :created_at: 2024-01-31 10:20:30.000000000 Z
  :results:
    tests:
    - :name: test one
submission_102:
  :submitters:
  - :name: "Grace \\"G\\" Hopper"
    :email: grace@example.edu
  - :name: 'Bob O''Neil'
    :email: bob@example.edu
submission_104:
  :submitters:
  - :name: Li Wei
    :email: li1@example.edu
submission_105:
  :submitters:
  - :name: Li Wei
    :email: li2@example.edu
"""
    files = {f"submission_{n}/a.py": str(n) for n in range(101, 106)} | {"submission_metadata.yml": metadata}
    intake = collect([tree(files)])
    assert owners(intake) == {
        "submission_101": "Ada Lovelace",
        "submission_102": 'Bob O\'Neil, Grace "G" Hopper',
        "submission_103": "submission_103",
        "submission_104": "Li Wei (li1@example.edu)",
        "submission_105": "Li Wei (li2@example.edu)",
    }
    assert "list of students" in reasons(intake)["submission_metadata.yml"]


@pytest.mark.parametrize("metadata", ["", "\0\0", "submission_1:\n  :submitters: [", "- :name: x\n:name:\n" * 3])
def test_broken_gradescope_metadata_leaves_the_folders_names(tree, owners, metadata):
    files = {"submission_1/a.py": "a", "submission_2/a.py": "b", "submission_metadata.yml": metadata}
    assert {k: v for k, v in owners(collect([tree(files)])).items() if k != "submission_metadata.yml"} == {
        "submission_1": "submission_1",
        "submission_2": "submission_2",
    }


def test_blackboard(tree, layout, reasons):
    first, second = "2024-01-31-10-20-30", "2024-02-01-00-00-00"
    intake = collect([tree({
        f"HW1_alovelace_attempt_{first}.txt": "Name: Ada", f"HW1_alovelace_attempt_{first}_Main.java": "a",
        f"HW1_alovelace_attempt_{second}_Main.java": "b",
        f"HW1_a_turing_attempt_{first}_Main.java": "c", f"HW1_b_turing_attempt_{first}.txt": "typed in",
    })])  # fmt: skip
    assert layout(intake) == {
        "a_turing": ["Main.java"],
        f"alovelace {first}": ["Main.java"],
        f"alovelace {second}": ["Main.java"],
        "b_turing": [f"HW1_b_turing_attempt_{first}.txt"],
    }
    assert [s.owner for s in intake.submissions] == ["a_turing", "alovelace", "alovelace", "b_turing"]
    assert intake.submissions[1].time == datetime(2024, 1, 31, 10, 20, 30)
    assert intake.submissions[1].version == first
    assert list(reasons(intake)) == [f"HW1_alovelace_attempt_{first}.txt"]


def test_an_impossible_time_is_no_time(tree):
    submission = collect([tree({"HW1_ada_attempt_2024-99-31-10-20-30_a.py": "x"})]).submissions[0]
    assert (submission.owner, submission.time) == ("ada", None)


def test_github_classroom(tree, owners):
    names = ["lab-1-ada", "lab-1-al-turing", "lab-1-grace"]
    assert owners(collect([tree({f"{name}/a.py": name for name in names})])) == {
        "lab-1-ada": "ada",
        "lab-1-al-turing": "al-turing",
        "lab-1-grace": "grace",
    }


@pytest.mark.parametrize(
    "names",
    [
        ["de-vries", "de-jong", "de-boer"],  # a common name is no assignment
        ["lab-1-ada", "lab-1-bob"],  # too few
        ["lab-1-ada", "lab-1-bob", "lab-1-cyd", "carol"],  # not all
        ["project-1", "project-2", "project-3"],  # numbers are no accounts
    ],
)
def test_no_letters_are_lost_without_certainty(tree, owners, names):
    assert owners(collect([tree({f"{name}/a.py": "x" for name in names})])) == {name: name for name in names}


def test_an_export_in_a_zip(tmp_path, zipped, layout):
    content = zipped([("x/lovelaceada_1_2_a.py", b"a"), ("x/turingalan_3_4_b.py", b"b")])
    (tmp_path / "submissions.zip").write_bytes(content)
    assert layout(collect([tmp_path / "submissions.zip"])) == {"lovelaceada": ["a.py"], "turingalan": ["b.py"]}
