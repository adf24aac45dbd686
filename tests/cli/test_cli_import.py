"""`moss import` writes what `moss compare` writes, of another tool's result, and says so."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.foreign_results import jplag_6, zipped

from moss.cli import main


@pytest.fixture
def result(tmp_path):
    return str(zipped(jplag_6(), tmp_path / "result.jplag"))


def run(*arguments):
    return CliRunner().invoke(main, ["import", *arguments])


def test_the_table_has_the_tools_figures_and_says_whose_they_are(result):
    done = run(result)
    assert done.exit_code == 0
    assert "85%  Ada Lovelace" in done.stdout
    assert "a result of JPlag.\nThe score is JPlag's average similarity" in done.stdout
    assert "others" not in done.stdout
    assert "eve: JPlag did not compare it: too small" in done.stderr


def test_the_guides_transcript_is_what_moss_prints(result, tmp_path, monkeypatch):
    guide = (Path(__file__).parents[2] / "docs" / "moving-from-other-tools.md").read_text()
    [(typed, printed)] = re.findall(r"test_cli_import.py -->\n```console\n\$ (.*)\n(.*)\n```", guide)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, typed.split()[1:])
    assert printed in done.stderr.splitlines()


def test_all_outputs(result, tmp_path):
    done = run(result, "-o", str(tmp_path / "report"), "--json", str(tmp_path / "r.json"), "--csv", "-", "--quiet")
    assert done.exit_code == 0
    assert (tmp_path / "report" / "pairs" / "0001.html").exists()
    assert json.loads((tmp_path / "r.json").read_text())["imported"]["version"] == "6.2.0"
    assert next(iter(csv.DictReader(io.StringIO(done.stdout))))["a"] == "Ada Lovelace"


def test_evidence_is_not_made_of_what_moss_did_not_find(result, tmp_path):
    run(result, "-o", str(tmp_path / "report"), "--quiet")
    done = CliRunner().invoke(main, ["evidence", str(tmp_path / "report"), "ada", "bob"])
    assert done.exit_code == 2
    assert "was imported from JPlag, and evidence can only show what moss found itself" in done.stderr


def test_a_mistake_is_one_sentence(tmp_path):
    done = run(str(tmp_path / "gone.jplag"))
    assert done.exit_code == 2
    assert done.stderr == f"moss: {tmp_path / 'gone.jplag'} cannot be imported: there is no such file or folder\n"
    assert run(str(tmp_path), "--open").exit_code == 2
