"""`moss cache`, and what `moss compare` keeps."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from support.programs import HONEST_JAVA, LEDGER, write_class

from moss.cli import main


@pytest.fixture
def hw1(tmp_path):
    return str(write_class(tmp_path / "hw1", {**HONEST_JAVA, "bob": {"A.java": LEDGER}}))


def invoke(*arguments):
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_second_run_prints_the_same(hw1, tmp_path):
    kept = tmp_path / "kept"
    first = invoke("compare", "--quiet", "-j", 1, "--cache", kept, hw1)
    assert "1 entry," in invoke("cache", "show", "--cache", kept)
    assert invoke("compare", "--quiet", "-j", 1, "--cache", kept, hw1) == first
    assert invoke("compare", "--quiet", "-j", 1, "--no-cache", hw1) == first


def test_without_a_cache_nothing_is_kept(hw1):
    invoke("compare", "--quiet", "-j", 1, "--no-cache", hw1)
    assert ": 0 entries" in invoke("cache", "show")


def test_it_is_pruned_and_cleared(hw1):
    invoke("compare", "--quiet", "-j", 1, hw1)
    assert invoke("cache", "prune", "--max", "100MB").startswith("1 entry left")
    assert invoke("cache", "clear") == "The cache is empty.\n"
    assert ": 0 entries" in invoke("cache", "show")


def test_a_file_that_cannot_be_opened_is_one_sentence(tmp_path):
    (tmp_path / "moss.sqlite3").mkdir()
    result = CliRunner().invoke(main, ["cache", "show", "--cache", str(tmp_path)])
    assert result.exit_code == 2
    assert result.stderr.startswith("moss: the cache cannot be used")
