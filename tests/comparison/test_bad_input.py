"""Whatever is handed in, the run ends with status 0 or 2, says in a sentence what is wrong, and compares the rest."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.programs import HONEST_JAVA, LEDGER, MAZE, notebook, write_class

from moss.cli import main

COPIES = {"alice": {"Ledger.java": LEDGER}, "mallory": {"Ledger.java": LEDGER}}


def run(*arguments):
    result = CliRunner().invoke(main, ["compare", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.stderr
    return result


def refusal(*arguments):
    """The one sentence with which a run is refused, behind the reasons why files could not be read."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    *reasons, sentence = result.stderr.splitlines()
    assert all(re.match("moss: .+: .+", reason) for reason in reasons), result.stderr
    assert sentence.startswith("moss: ")
    return sentence.removeprefix("moss: ")


def report_of(*arguments):
    """The report of a run that is done, and what it said on standard error."""
    result = run("--json", "-", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout), result.stderr


def check_copies_found(report):
    best = report["pairs"][0]
    assert (best["a"], best["b"], best["share_a"], best["share_b"]) == ("alice", "mallory", 1, 1)


def problems(report):
    return {problem["path"]: problem["reason"] for problem in report["problems"]}


def statuses(report):
    return {
        f"{submission['id']}/{file['path']}": file["status"]
        for submission in report["submissions"]
        for file in submission["files"]
    }


def make_zip(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def zip_with_way_out():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../../evil.java", LEDGER)
        archive.writestr("good.java", MAZE)
    return buffer.getvalue()


# What cannot be a comparison at all.


def test_no_paths():
    result = run()
    assert result.exit_code == 2
    assert "nothing to compare" in result.stderr


def test_an_empty_folder(tmp_path):
    assert "nothing to compare" in refusal(tmp_path)


def test_one_submission(tmp_path):
    folder = write_class(tmp_path / "hw1", {"alice": COPIES["alice"]})
    assert "only one submission, alice, can be read" in refusal(folder)


def test_one_submission_and_its_archived_version(tmp_path):
    new = write_class(tmp_path / "new", {"alice": COPIES["alice"]})
    old = write_class(tmp_path / "old", {"alice": COPIES["alice"]})
    result = run(new, "-a", old)
    assert result.exit_code == 2, "the same owner twice makes no pair"


def test_archives_alone(tmp_path):
    new = write_class(tmp_path / "new", {"empty": {"a.java": ""}})
    old = write_class(tmp_path / "old", COPIES)
    result = run(new, "-a", old, "--json", "-")
    assert result.exit_code in (0, 2)
    if result.exit_code == 0:
        assert json.loads(result.stdout)["pairs"] == []


@pytest.mark.parametrize("content", ["", " \n\t\r\n", "\ufeff", "\0\0\0"], ids=["empty", "blank", "mark", "nul"])
def test_files_with_nothing_in_them(tmp_path, content):
    folder = write_class(tmp_path / "hw1", {name: {"Main.java": content} for name in ("alice", "bob", "carol")})
    result = run(folder, "--json", "-")
    assert result.exit_code in (0, 2)
    assert result.exit_code == 2 or json.loads(result.stdout)["pairs"] == []


@pytest.mark.parametrize("content", ["", " \n\t\r\n"], ids=["empty", "blank"])
def test_an_empty_file_beside_others(tmp_path, content):
    report, _ = report_of(write_class(tmp_path / "hw1", COPIES | {"eve": {"Main.java": content}}))
    check_copies_found(report)
    assert all("eve" not in (pair["a"], pair["b"]) for pair in report["pairs"])


def test_a_path_that_is_not_there(tmp_path):
    assert "no such file or folder" in refusal(tmp_path / "nowhere")


@pytest.mark.parametrize("option", ["-b", "-a"])
def test_a_base_or_archive_that_is_not_there(tmp_path, option):
    folder = write_class(tmp_path / "hw1", COPIES)
    assert "no such file or folder" in refusal(folder, option, tmp_path / "nowhere")


def test_a_device(tmp_path):
    report, stderr = report_of(
        *(write_class(tmp_path / "hw1", COPIES) / n / "Ledger.java" for n in COPIES), "/dev/zero"
    )
    assert any("zero" in path for path in problems(report))
    assert "/dev/zero" in stderr


def test_a_device_alone():
    assert "nothing to compare" in refusal("/dev/zero")


def test_an_unknown_language(tmp_path):
    sentence = refusal("-l", "pyhton", write_class(tmp_path / "hw1", COPIES))
    assert "pyhton" in sentence
    assert "did you mean python?" in sentence


@pytest.mark.parametrize(
    "wrong",
    [
        ("-n", "-1"), ("-m", "-5"), ("-m", "1"), ("-j", "0"), ("-j", "-2"), ("--noise", "0"), ("--noise", "-3"),
        ("--guarantee", "-1"), ("--noise", "20", "--guarantee", "10"), ("--deadline", "0"), ("--deadline", "-1"),
        ("--cluster", "1.5"), ("--cluster", "nan"), ("--deadline", "nan"), ("--max-files", "0"), ("--max-ratio", "-1"),
        ("--max-depth", "0"), ("--max-file-size", "0"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_number_that_cannot_be(tmp_path, wrong):
    sentence = refusal(*wrong, write_class(tmp_path / "hw1", COPIES))
    assert any(option.lstrip("-") in sentence for option in wrong if option.startswith("--")) or "must be" in sentence


@pytest.mark.parametrize(
    "wrong", [("-n", "many"), ("--noise", "2.5"), ("--max-file-size", "huge"), ("--frobnicate",), ("-j",)], ids=" ".join
)
def test_wrong_usage(tmp_path, wrong):
    result = run(write_class(tmp_path / "hw1", COPIES), *wrong)
    assert result.exit_code == 2
    assert "Error: " in result.stderr


# Where nothing can be written.


def test_an_output_folder_that_is_a_file(tmp_path):
    folder, output = write_class(tmp_path / "hw1", COPIES), tmp_path / "report"
    output.write_text("mine")
    assert "it is a file" in refusal(folder, "-o", output)
    assert output.read_text() == "mine"


def test_an_output_folder_below_a_file(tmp_path):
    folder = write_class(tmp_path / "hw1", COPIES)
    (tmp_path / "file").write_text("mine")
    assert "cannot" in refusal(folder, "-o", tmp_path / "file" / "report")


@pytest.mark.parametrize("option", ["--json", "--csv", "--scores"])
def test_a_file_in_a_folder_that_is_not_there(tmp_path, option):
    target = tmp_path / "nowhere" / "out"
    sentence = refusal(write_class(tmp_path / "hw1", COPIES), option, target)
    assert str(target) in sentence
    assert "no such file or directory" in sentence


@pytest.mark.parametrize("option", ["--json", "--csv", "--scores"])
def test_a_file_that_is_a_folder(tmp_path, option):
    (tmp_path / "out").mkdir()
    assert "cannot write" in refusal(write_class(tmp_path / "hw1", COPIES), option, tmp_path / "out")
    assert list(tmp_path.glob(".*")) == []


def test_a_full_disk(tmp_path):
    folder = write_class(tmp_path / "hw1", COPIES)
    command = [sys.executable, "-m", "moss", "compare", str(folder), "--json", "-"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_reader_that_leaves(tmp_path):
    folder = write_class(tmp_path / "hw1", COPIES)
    script = f"{sys.executable} -m moss compare --json - {folder} | head -c 1 > {tmp_path}/out"
    done = subprocess.run(["bash", "-c", script], stderr=subprocess.PIPE, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


# Files that cannot be read, or only in a lesser way: the others are compared.

BROKEN = {
    "a binary": ("Main.java", bytes(range(256)) * 40),
    "a class file": ("Main.java", b"\xca\xfe\xba\xbe\0\0\0\x34" + bytes(range(200))),
    "a broken zip": ("work.zip", b"PK\x03\x04" + b"not a zip at all" * 20),
    "a truncated zip": ("work.zip", make_zip(**{"A.java": LEDGER * 20})[:300]),
    "a zip bomb": ("bomb.zip", make_zip(**{"A.java": b"\0" * 40_000_000})),
    "a nested zip bomb": ("bomb.zip", make_zip(**{"inner.zip": make_zip(**{"A.java": b" " * 15_000_000})})),
    "a zip with a way out": ("work.zip", zip_with_way_out()),
    "a broken notebook": ("work.ipynb", '{"cells": [{"cell_type": "code", "source": ['),
    "a notebook that is a list": ("work.ipynb", "[1, 2, 3]"),
    "a notebook nested deeply": ("work.ipynb", "[" * 100_000),
    "a notebook with a number for a source": ("work.ipynb", '{"cells": [{"cell_type": "code", "source": 7}]}'),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_a_problem_and_costs_nobody_else(tmp_path, kind):
    name, content = BROKEN[kind]
    folder = write_class(tmp_path / "hw1", COPIES | {"eve": {name: content, "Honest.java": MAZE}})
    report, stderr = report_of(folder)
    check_copies_found(report)
    assert [path for path in problems(report) if path.startswith(f"eve/{name}")], report["problems"]
    assert f"eve/{name}" in stderr
    assert statuses(report)["eve/Honest.java"] == "ok"


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_by_itself(tmp_path, kind):
    name, content = BROKEN[kind]
    report, _ = report_of(write_class(tmp_path / "hw1", COPIES | {"eve": {name: content}}))
    check_copies_found(report)
    assert [path for path in problems(report) if path.startswith("eve")], report["problems"]
    assert "eve" in {submission["id"] for submission in report["submissions"]}


def test_nothing_is_written_outside(tmp_path):
    folder = write_class(tmp_path / "a" / "b" / "hw1", COPIES | {"eve": {"work.zip": zip_with_way_out()}})
    report_of(folder)
    assert not list(tmp_path.rglob("evil.java"))


ODD = {
    "one line of 1 MB": "int x = 1; " * 90_000,
    "one word of 1 MB": "x" * 1_000_000,
    "one line of 1 MB of quotes": "\"'" * 500_000,
    "1 MB of backslashes": '"' + "\\" * 1_000_000,
    "1 MB of comment starts": "/*" * 500_000,
    "100,000 nested brackets": "(" * 100_000 + ")" * 100_000,
    "100,000 nested braces": "class A {" + "{[<" * 100_000,
    "invalid UTF-8": MAZE.encode().replace(b"\n", b"\xff\xc0\x80\n"),
    "half a character": b"class A { /* \xe2\x82",
    "surrogates": b"class A { String s = " + b"\xed\xa0\x80" * 30,
    "20,000 digits": "1" * 20_000,
    "no-characters": "\ufffe\uffff" * 1000,
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("ending", ["java", "py"])
def test_odd_text_is_read(tmp_path, kind, ending):
    report, _ = report_of(write_class(tmp_path / "hw1", COPIES | {"eve": {f"Odd.{ending}": ODD[kind]}}), "-j", "1")
    check_copies_found(report)
    assert statuses(report)[f"eve/Odd.{ending}"] == "ok"


def test_two_odd_texts_are_a_pair(tmp_path):
    text = ODD["100,000 nested brackets"]
    folder = write_class(tmp_path / "hw1", {"alice": {"A.java": text}, "mallory": {"A.java": text}})
    report, _ = report_of(folder)
    check_copies_found(report)


def test_what_is_no_file(tmp_path):
    folder = write_class(tmp_path / "hw1", COPIES | {"eve": {"Honest.java": MAZE}})
    eve = folder / "eve"
    (eve / "dangling.java").symlink_to("nowhere.java")
    (eve / "outside.java").symlink_to("/etc/passwd")
    (eve / "loop").symlink_to(eve)
    (eve / "self.java").symlink_to("self.java")
    os.mkfifo(eve / "pipe.java")
    report, stderr = report_of(folder)
    check_copies_found(report)
    expected = {f"eve/{name}" for name in ("dangling.java", "outside.java", "loop", "self.java", "pipe.java")}
    assert expected <= problems(report).keys()
    assert all(path in stderr for path in expected)
    assert "root:" not in json.dumps(report)


def test_a_submission_that_is_no_file(tmp_path):
    folder = write_class(tmp_path / "hw1", COPIES)
    (folder / "eve.java").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.java")
    report, _ = report_of(folder)
    check_copies_found(report)
    assert {"eve.java", "pipe.java"} <= problems(report).keys()


def test_the_same_file_twice(tmp_path):
    alice, mallory = (write_class(tmp_path / "hw1", COPIES) / name / "Ledger.java" for name in COPIES)
    report, _ = report_of(alice, mallory, alice, Path(os.path.relpath(alice)))
    assert len(report["submissions"]) == 2
    assert len(report["pairs"]) == 1


def test_the_same_folder_twice(tmp_path):
    folder = write_class(tmp_path / "hw1", COPIES)
    report, _ = report_of(folder, f"{folder}/")
    assert [submission["id"] for submission in report["submissions"]] == ["alice", "mallory"]


def test_a_submission_that_is_base_too(tmp_path):
    folder = write_class(tmp_path / "hw1", COPIES)
    report, _ = report_of(folder, "-b", folder / "alice")
    assert report["pairs"] == []


NAMES = {
    "newline": "two\nlines",
    "escape sequence": "\x1b[2J\x1b]0;owned\x07",
    "emoji": "👩‍💻 Zoë",
    "very long": "n" * 250,
    "markup": "<script>alert(1)</script>".replace("/", "∕"),
    "quotes": "a\"b'c`d$(e)",
    "formula": "=cmd|calc!A1",
    "blanks": "  name  ",
    "rich markup": "[bold red]x[/]".replace("/", "∕"),
    "percent": "100%s%n",
    "right to left": "abc\u202etxt",
}


@pytest.mark.parametrize("kind", NAMES)
def test_a_name_of_any_kind(tmp_path, kind):
    name = NAMES[kind]
    folder = write_class(
        tmp_path / "hw1", HONEST_JAVA | {name: {"A.java": LEDGER}, "zz": {f"{name[:200]}.java": LEDGER}}
    )
    result = run(folder, "-o", tmp_path / "out", "--csv", tmp_path / "out.csv", "--scores", tmp_path / "scores.csv")
    assert result.exit_code == 0
    assert not set(result.output) & set("\x1b\x07\u202e"), "nothing may steer the terminal"
    report, _ = report_of(folder)
    best = report["pairs"][0]
    assert {best["a"], best["b"]} == {name, "zz"}
    assert best["share_a"] == 1


def test_a_name_that_is_no_unicode(tmp_path):
    folder = write_class(tmp_path / "hw1", COPIES)
    os.makedirs(os.fsencode(folder) + b"/\xff\xfe")
    with open(os.fsencode(folder) + b"/\xff\xfe/\xe9.java", "w") as file:
        file.write(MAZE)
    report, _ = report_of(folder, "-o", tmp_path / "out")
    check_copies_found(report)
    assert len(report["submissions"]) == 3


# Scanners of others that take for ever: https://github.com/pygments/pygments/issues/3247

ENDLESS = {"ml": ("work.ml", "1" * 60_000), "perl": ("work.pl", "<" * 60_000)}


def test_scanners_that_take_for_ever(tmp_path):
    hostile = {kind: {name: text, "Honest.java": MAZE} for kind, (name, text) in ENDLESS.items()}
    report, stderr = report_of("--deadline", "1", write_class(tmp_path / "hw1", COPIES | hostile))
    shares = {(pair["a"], pair["b"]): pair["share_a"] for pair in report["pairs"]}
    assert shares["alice", "mallory"] == 1
    assert ("ml", "perl") in shares
    for kind, (name, _) in ENDLESS.items():
        assert statuses(report)[f"{kind}/{name}"] == "fallback"
        assert statuses(report)[f"{kind}/Honest.java"] == "ok"
        told = problems(report)[f"{kind}/{name}"]
        assert re.match(f"the {kind} scanner (used up the submission's computing time|took longer)", told)
        assert f"{kind}/{name}" in stderr


def test_base_code_that_takes_for_ever(tmp_path):
    (tmp_path / "base.ml").write_text(ENDLESS["ml"][1])
    folder = write_class(tmp_path / "hw1", COPIES)
    report, _ = report_of("--deadline", "1", "-b", tmp_path / "base.ml", folder)
    check_copies_found(report)
    assert any("base.ml" in path for path in problems(report))


def test_a_notebook_in_a_language_that_nobody_knows(tmp_path):
    files = {"work.ipynb": notebook(LEDGER, language="klingon")}
    report, _ = report_of(write_class(tmp_path / "hw1", COPIES | {"eve": files, "zoe": files}))
    assert {("alice", "mallory"), ("eve", "zoe")} <= {(pair["a"], pair["b"]) for pair in report["pairs"]}
