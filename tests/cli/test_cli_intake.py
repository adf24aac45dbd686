"""`moss intake show`, `--layout`, `--versions`, and the table's names."""

import json
import re

import pytest
from click.testing import CliRunner

from moss.cli import main

PROGRAM = "".join(f"def {{name}}{n}(a, b):\n    return a * {n} + b\n\n\n" for n in range(12))


@pytest.fixture
def run():
    return lambda *args: CliRunner().invoke(main, [str(arg) for arg in args])


@pytest.fixture
def autolab(tmp_path):
    """Jane's second version is Bob's program, her first is Carol's."""
    root = tmp_path / "hw1"
    root.mkdir()
    for name, text in {
        "jane@school.edu_1_hw1.py": "carol", "jane@school.edu_2_hw1.py": "bob", "bob@school.edu_1_hw1.py": "bob",
        "carol@school.edu_1_hw1.py": "carol",
    }.items():  # fmt: skip
        (root / name).write_text(PROGRAM.format(name=text) + f"import {text}\n" * 9)
    (root / "index.html").write_text("<p>the platform's</p>")
    return root


def test_show_says_what_is_recognised_and_why(run, autolab):
    result = run("intake", "show", autolab)
    assert result.exit_code == 0
    assert f"{autolab}: a download from Autolab, because 4 of 4 names have the form of Autolab." in result.stdout
    assert "jane@school.edu   1 (older)" in result.stdout
    assert "3 students, 3 submissions, 1 older version." in result.stdout
    assert "index.html: the platform's own file, no student's work" in result.stderr


def test_show_as_json(run, autolab):
    found = json.loads(run("intake", "show", "--json", autolab).stdout)
    assert [each["layout"] for each in found["downloads"]] == ["autolab"]
    jane = [each for each in found["submissions"] if each["owner"] == "jane@school.edu"]
    assert [(each["version"], each["older"], each["files"]) for each in jane] == [
        ("1", True, ["hw1.py"]),
        ("2", False, ["hw1.py"]),
    ]
    assert [each["path"] for each in found["problems"]] == ["index.html"]


def test_show_says_what_an_unrecognised_class_could_be(run, tmp_path):
    for name in ("ada_1_2_a.py", "bob_3_4_a.py", "carol.py"):
        (tmp_path / name).write_text("x")
    result = run("intake", "show", tmp_path)
    assert "an ordinary folder or archive; each folder, archive or file in it is a submission." in result.stdout
    assert "2 of 3 names could be of Canvas, too few to be sure: --layout canvas" in result.stdout


def test_wrong_usage_is_one_sentence(run, tmp_path, autolab):
    assert (
        run("intake", "show", tmp_path / "nowhere").stderr == f"moss: no such file or folder: {tmp_path / 'nowhere'}\n"
    )
    result = run("intake", "show", "--layout", "sakai", autolab)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "fits --layout sakai" in result.stderr
    assert (
        "unknown layout 'kanvas'; the layouts are auto, none, moodle"
        in run("compare", "--layout", "kanvas", autolab).stderr
    )


def pairs(result):
    return [(pair["a"], pair["b"]) for pair in json.loads(result.stdout)["pairs"] if pair["score"] > 0.9]


def test_the_newest_version_is_compared_and_older_ones_are_told_of(run, autolab):
    result = run("compare", "--no-cache", "--json", "-", "--quiet", autolab)
    assert pairs(result) == [("bob@school.edu", "jane@school.edu")]
    report = json.loads(result.stdout)
    assert {each["owner"]: each["version"] for each in report["submissions"]}["jane@school.edu"] == "2"
    told = {problem["path"]: problem["reason"] for problem in report["problems"]}
    assert "1 is not compared, because there is a newer one (jane@school.edu: 1)" in told["older versions"]


def test_with_all_versions_none_is_a_pair_with_another_of_its_owner(run, autolab):
    result = run("compare", "--no-cache", "--json", "-", "--quiet", "--versions", "all", autolab)
    assert sorted(pairs(result)) == [
        ("bob@school.edu", "jane@school.edu version 2"),
        ("carol@school.edu", "jane@school.edu version 1"),
    ]
    owners = {each["id"]: each["owner"] for each in json.loads(result.stdout)["submissions"]}
    assert all(owners[pair["a"]] != owners[pair["b"]] for pair in json.loads(result.stdout)["pairs"])


def test_without_a_layout_names_are_not_read(run, autolab):
    result = run("compare", "--no-cache", "--json", "-", "--quiet", "--layout", "none", autolab)
    assert len(json.loads(result.stdout)["submissions"]) == 5


def test_the_table_prints_students(run, tmp_path):
    for number, student in enumerate(("Ada Byron", "Bo Li")):
        folder = tmp_path / f"{student}_{number}_assignsubmission_file_"
        folder.mkdir()
        (folder / "hw1.py").write_text(PROGRAM.format(name="f"))
    result = run("compare", "--no-cache", tmp_path)
    assert "Ada Byron" in result.stdout
    assert "assignsubmission" not in result.stdout


def test_accounts_in_a_platforms_paths_and_in_programs_are_hidden_with_the_names(run, tmp_path):
    for account, name in {"zx81": "Doe, Jane", "qw34": "Roe, Al"}.items():
        folder = tmp_path / f"{name}({account})" / "Submission attachment(s)"
        folder.mkdir(parents=True)
        (folder / "hw1.py").write_text(f"# by {account}\n" + PROGRAM.format(name="f"))
        (folder.parent / "timestamp.txt").write_text("20251003220500000")
    shown = run("compare", "--no-cache", "--json", "-", "--quiet", "--anonymize", tmp_path).stdout
    assert not re.search("zx81|qw34|jane|roe|2025-10-03T22", shown, re.IGNORECASE)
    shown = run("compare", "--no-cache", "--json", "-", "--quiet", tmp_path).stdout
    assert {each["account"]: each["handed_in"] for each in json.loads(shown)["submissions"]} == dict.fromkeys(
        ("zx81", "qw34"), "2025-10-03T22:05:00"
    )
