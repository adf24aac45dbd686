"""`moss compare` on a system that is no Unix: tried on this one, without all that Windows has not."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from moss.cli.commands import UNIX_ONLY

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_submissions" / "java-library"
BARE = ROOT / "tests" / "support" / "without_unix"
PERL = "my %seen;\nwhile (<STDIN>) { $seen{lc $_}++ for split / +/; }\nprint qq($_ $seen{$_}) for sort keys %seen;\n"
WORLD = "Łukasz 李"  # what no encoding of old Windows can write
OLD = {"PYTHONIOENCODING": "cp1252", "PYTHONWARNDEFAULTENCODING": "1", "PYTHONWARNINGS": "error::EncodingWarning"}


def moss(*arguments, bare=False, cwd=None, **environment):
    """What a command gives, with or without Unix."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MOSS_")}
    more = {"PYTHONPATH": str(BARE), **OLD} if bare else {}
    command = [sys.executable, "-m", "moss", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, env=clean | more | environment, cwd=cwd, check=False)


@pytest.fixture(scope="module")
def submissions(tmp_path_factory):
    """A class with a name in two foreign scripts, and one with a lexer that runs in processes of its own."""
    folder = tmp_path_factory.mktemp("class") / "submissions"
    shutil.copytree(SAMPLE / "submissions", folder)
    shutil.copytree(folder / "tove", folder / WORLD)
    for number in range(3):
        (folder / f"perl{number}").mkdir()
        (folder / f"perl{number}" / "count.pl").write_text(PERL * (number + 1), encoding="utf-8")
    return folder


MOMENT = rb"\d{4}-\d\d-\d\d[T ][\d:]+(\+00:00)?|\d+ [A-Z][a-z]+( \d{4})?, \d\d:\d\d"  # for programs, and in words


def compared(submissions, folder, **options):
    """The report as JSON, the files that were written, and what was printed."""
    folder.mkdir()
    targets = ["--json", folder / "r.json", "--csv", folder / "r.csv", "--scores", folder / "s.csv"]
    cache = ["--cache", folder.with_name(f"{folder.name}-cache")]
    given = ["-j", "3", "-n", "20", "-b", SAMPLE / "starter", "-o", folder / "report"]
    asked = ["compare", *given, *targets, *cache, submissions]
    done = moss(*asked, **options)
    assert done.returncode == 0, done.stderr.decode()
    report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    del report["created"]
    files = {
        str(path.relative_to(folder)): re.sub(MOMENT, b"", path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }
    return report, files, done.stdout


def test_a_class_is_compared_as_on_unix(submissions, tmp_path):
    processes = tmp_path / "processes"
    expected, files, table = compared(submissions, tmp_path / "unix")
    found, bare_files, bare_table = compared(submissions, tmp_path / "bare", bare=True, PROCESSES=str(processes))
    assert found == expected
    assert sorted(bare_files) == sorted(files)
    assert {name for name in files if files[name] != bare_files[name]} <= {"r.json", "report/report.json"}
    assert bare_table == table.decode().encode("cp1252", "replace")
    assert b"?ukasz ?" in bare_table
    assert len(processes.read_text().split()) > 3  # several were started, and not by forking


def test_what_a_program_reads_is_utf_8_everywhere(submissions):
    asked = ("compare", "--quiet", "--no-cache", "-j", "1", "--csv", "-", submissions)
    bare, unix = moss(*asked, bare=True), moss(*asked)
    assert bare.returncode == 0, bare.stderr.decode()
    assert bare.stdout == unix.stdout
    assert WORLD in bare.stdout.decode("utf-8")


@pytest.mark.parametrize(
    "arguments", [("corpus", "list"), ("serve",), ("worker",), ("compare", "-a", "corpus:x", SAMPLE / "submissions")]
)
def test_what_needs_unix_says_so(tmp_path, arguments):
    done = moss(*arguments, bare=True, cwd=tmp_path, MOSS_DATA=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.decode() == "Error: this needs Linux or macOS; on Windows, use it inside WSL\n"


def test_nothing_is_there_that_is_said_to_be_missing():
    """Or the tests above would try nothing."""
    for name in UNIX_ONLY:
        tried = [sys.executable, "-c", f"import {name}"]
        done = subprocess.run(tried, env=os.environ | {"PYTHONPATH": str(BARE)}, capture_output=True, check=False)
        assert b"ModuleNotFoundError" in done.stderr
