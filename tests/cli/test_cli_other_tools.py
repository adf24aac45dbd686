"""What users of other tools type first: the result, or one sentence with our spelling."""

import re
import shlex
import shutil
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.programs import HONEST_JAVA, LEDGER, write_class

from moss.cli import main
from moss.cli.other_tools import FOREIGN_OPTIONS

ROOT = Path(__file__).parents[2]
COPIES = {"alice": {"Ledger.java": LEDGER}, "mallory": {"Bank.java": LEDGER}}
GUIDE = (ROOT / "docs" / "moving-from-other-tools.md").read_text()
TRANSCRIPTS = re.findall(r"^## (\S+)\n\n<!--[^\n]*-->\n```console\n(.*?)```", GUIDE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def in_class(tmp_path, monkeypatch):
    write_class(tmp_path, HONEST_JAVA | COPIES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOSS_CACHE", str(tmp_path.parent / "cache"))
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


def first_pair(result):
    assert result.exit_code == 0, result.output
    return set(re.findall(r"[A-Za-z]+", result.stdout.splitlines()[1]))


def test_a_user_of_moss_needs_no_command(in_class):
    files = sorted(map(str, Path().glob("*/*.java")))
    assert {"alice", "mallory"} <= first_pair(run("-l", "java", "-x", "-d", *files))


@pytest.mark.parametrize("given", [["."], ["run", "."]])
def test_a_path_or_another_tools_command_compares(in_class, given):
    assert {"alice", "mallory"} <= first_pair(run(*given))


def test_what_is_neither_a_command_nor_a_path_is_told(in_class):
    result = run("comapre", ".")
    assert result.exit_code == 2
    assert "No such command 'comapre'" in result.output


@pytest.mark.parametrize("option", sorted({name for each in FOREIGN_OPTIONS for name in each.spellings}))
def test_an_option_of_another_tool_is_answered_with_ours(in_class, option):
    result = run("compare", ".", option, "x")
    assert result.exit_code == 2
    assert f"there is no option {option} here" in result.output
    assert "Traceback" not in result.output


def test_our_spellings_are_options_that_exist():
    ours = {name for option in main.get_command(None, "compare").params for name in option.opts}
    for each in FOREIGN_OPTIONS:
        assert set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", each.ours)) <= ours, each
        assert not set(each.spellings) & ours, each


def expanded(word):
    return sorted(map(str, Path().glob(word))) if "*" in word else [word]


def test_the_guide_has_a_transcript_for_each_tool():
    assert [tool for tool, _ in TRANSCRIPTS] == re.findall(r"^## (\S+)$", GUIDE, re.MULTILINE)


@pytest.mark.parametrize(("tool", "transcript"), TRANSCRIPTS, ids=[tool for tool, _ in TRANSCRIPTS])
def test_the_guides_transcripts_are_what_moss_prints(tool, transcript, tmp_path, monkeypatch):
    """Each output's first line is in the guide; a shell would have put file names in the place of `*`."""
    for name in ("submissions", "starter", "archive"):
        shutil.copytree(ROOT / "sample_submissions" / "python-textstats" / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOSS_CACHE", str(tmp_path / "cache"))
    for typed, printed in re.findall(r"^\$ moss (.*)\n(.*)$", transcript, re.MULTILINE):
        result = run(*(name for word in shlex.split(typed) for name in expanded(word)))
        assert printed in result.output.splitlines(), (typed, result.output)
        assert result.exit_code == (2 if printed.startswith("Error") else 0)


@pytest.mark.parametrize("wrapping", ["", "project/"])
def test_whoever_names_each_students_archive_is_told_to_name_the_folder(tmp_path, wrapping):
    """Each is a class for the command line; wrapped, all of them are by one student, and nothing can be compared."""
    archives = [tmp_path / f"{name}.zip" for name in ("ann", "bo", "cy")]
    for number, path in enumerate(archives):
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr(f"{wrapping}main.py", "".join(f"def f{n}(a):\n    return a + {n}\n" for n in range(9)))
            if not wrapping:
                packed.writestr(f"own{number}.py", f"print({number})\n")
    told = CliRunner().invoke(main, ["compare", "--quiet", *map(str, archives)])
    note = f"if each path is one submission, name the folder they are in: moss compare {tmp_path}"
    assert note in told.stderr
    done = CliRunner().invoke(main, ["compare", "--quiet", str(tmp_path)])
    assert done.exit_code == 0
    assert "name the folder" not in done.stderr
    assert re.search(r"ann +\d+% +bo ", done.stdout)
