"""Options for courses with habits: lists of files, settings in a repository, CI."""

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.programs import HONEST_JAVA, LEDGER, write_class

from moss.cli import main
from moss.cli.about import manual_page

ROOT = Path(__file__).parents[2]
COPIES = {"alice": {"Ledger.java": LEDGER}, "mallory": {"Bank.java": LEDGER}}


@pytest.fixture
def hw1(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_class(tmp_path / "hw1", HONEST_JAVA | COPIES)


def invoke(*arguments, **given):
    return CliRunner().invoke(main, ["compare", "--no-cache", *map(str, arguments)], **given)


def report_of(*arguments, **given):
    result = invoke("--json", "-", *arguments, **given)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def owners(report):
    return {each["owner"] for each in report["submissions"] if each["files"]}


# Which files.


@pytest.mark.parametrize("separator", ["\n", "\0"])
def test_paths_come_from_standard_input(hw1, separator):
    names = separator.join(str(path) for path in sorted(hw1.glob("*/*.java")))
    assert owners(report_of("-d", "--files-from", "-", input=names)) == {path.name for path in hw1.iterdir()}


def test_a_list_that_cannot_be_read_is_one_sentence(hw1):
    result = invoke("--files-from", "nowhere.txt")
    assert result.exit_code == 2
    assert "nowhere.txt cannot be read" in result.output


def test_mossignore_excludes_and_the_command_line_has_the_last_word(hw1):
    (hw1 / ".mossignore").write_text("# not compared\nBank.java\n")
    paths = {f["path"] for s in report_of(hw1)["submissions"] for f in s["files"]}
    assert "Bank.java" not in paths
    paths = {f["path"] for s in report_of(hw1, "--include", "Bank.java")["submissions"] for f in s["files"]}
    assert "Bank.java" in paths


def test_a_students_own_mossignore_hides_nothing(hw1):
    (hw1 / "mallory" / ".mossignore").write_text("*\n")
    assert "mallory" in owners(report_of(hw1))


def test_one_folder_of_each_submission_is_read(tmp_path):
    class_ = write_class(tmp_path / "c", {n: {"src/A.java": LEDGER, "lib/B.java": LEDGER[::-1]} for n in "ab"})
    (class_ / "late").mkdir()
    (class_ / "late" / "A.java").write_text(LEDGER)
    report = report_of(class_, "--subdirectory", "src")
    assert {f["path"] for s in report["submissions"] for f in s["files"]} == {"src/A.java"}
    reasons = {p["path"]: p["reason"] for p in report["problems"]}
    assert "no readable file in src" in reasons["late"]
    assert reasons["a"] == "1 file outside src, not compared"


def test_an_encoding_that_somebody_names_is_tried_first(tmp_path):
    text = "привет как дела сегодня хорошо " * 20
    for name in "ab":
        (tmp_path / f"{name}.txt").write_bytes(text.encode("koi8-r"))
    report = report_of(tmp_path / "a.txt", tmp_path / "b.txt", "--encoding", "koi8-r", "--output", tmp_path / "report")
    assert report["parameters"]["encoding"] == "koi8-r"
    assert (
        "привет"
        in json.loads(gzip.decompress((tmp_path / "report" / "sources.json.gz").read_bytes()))["a.txt"]["a.txt"]
    )


def test_an_unknown_encoding_is_one_sentence(hw1):
    result = invoke(hw1, "--encoding", "klingon")
    assert result.exit_code == 2
    assert "unknown encoding 'klingon'" in result.output


# Settings in a repository.


def test_a_settings_file_gives_options_and_paths(hw1):
    course = hw1.parent / "course"
    course.mkdir()
    settings = ['paths = ["../hw1"]', 'language = "java"', "show = 1", 'max-file-size = "1MB"']
    (course / "moss.toml").write_text("\n".join(["[compare]", *settings]))
    report = report_of("--config", course / "moss.toml")
    assert report["parameters"]["language"] == "java"
    assert report["parameters"]["limits"]["file_bytes"] == 2**20
    assert len(report["pairs"]) == 1
    assert len(report_of("--config", course / "moss.toml", "-n", 2)["pairs"]) == 2


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[compare]\nlanguag = 'c'\n", "unknown setting 'languag'"),
        ("[other]\n", "has no table [compare]"),
        ("[compare\n", "is not a TOML file"),
        ("[compare]\nshow = [1]\n", "show must be a single value"),
        ("[compare]\nshow = 'many'\n", "'many' is not a valid integer"),
    ],
)
def test_a_wrong_settings_file_is_one_sentence(hw1, content, sentence):
    Path("moss.toml").write_text(content)
    result = invoke(hw1, "--config", "moss.toml")
    assert result.exit_code == 2
    assert sentence in result.output
    assert invoke(hw1, "--config", "missing.toml").exit_code == 2


# What is shown, and what fails.


def test_pairs_below_the_threshold_are_ranked_but_not_shown(hw1):
    every, some = report_of(hw1), report_of(hw1, "--threshold", 0.9)
    assert [p["score"] for p in some["pairs"]] == [p["score"] for p in every["pairs"] if p["score"] >= 0.9]
    assert 0 < len(some["pairs"]) < len(every["pairs"])


def test_a_pair_above_the_limit_fails(hw1):
    assert invoke(hw1, "--fail-above", 0.95).exit_code == 1
    assert "1 pair with a score of 0.95 or more" in invoke(hw1, "--fail-above", 0.95).stderr
    (hw1 / "mallory" / "Bank.java").write_text("class Bank {}\n")
    assert invoke(hw1, "--fail-above", 0.95).exit_code == 0


def test_sarif_names_both_places(hw1):
    assert invoke(hw1, "--sarif", "found.sarif", "--threshold", 0.9).exit_code == 0
    (result,) = json.loads(Path("found.sarif").read_text())["runs"][0]["results"]
    places = [result["locations"][0], result["relatedLocations"][0]]
    found = [place["physicalLocation"] for place in places]
    assert [p["artifactLocation"]["uri"] for p in found] == [
        (hw1 / "alice" / "Ledger.java").as_posix(), (hw1 / "mallory" / "Bank.java").as_posix()
    ]  # fmt: skip
    assert found[0]["region"] == found[1]["region"]
    assert found[0]["region"]["endLine"] > found[0]["region"]["startLine"] >= 1


def test_annotations_cannot_be_broken_out_of(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_class(Path("c"), {"a,b": {"A.java": LEDGER}, "100%": {"A.java": LEDGER}})
    result = invoke("c", "--github")
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("::")]
    assert line.startswith("::error file=c/100%25/A.java,line=1,endLine=")


def test_open_needs_a_place(hw1):
    result = invoke(hw1, "--open")
    assert result.exit_code == 2
    assert "-o DIR" in result.output


# Completion and manual.


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shells_script_completes_moss(shell):
    result = CliRunner().invoke(main, ["completion", shell])
    assert result.exit_code == 0
    assert "_MOSS_COMPLETE" in result.stdout


def test_the_manual_page_is_the_help_of_today():
    page = (ROOT / "docs" / "moss.1").read_text()
    assert page == manual_page(main), "run: moss manual > docs/moss.1"


def test_help_for_an_administrators_command_needs_no_server(tmp_path):
    result = CliRunner().invoke(main, ["admin", "--data", str(tmp_path / "none"), "list-users", "--help"])
    assert result.exit_code == 0
    assert "List the accounts" in result.stdout
