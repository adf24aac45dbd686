"""Labelled classes: the benchmarks rank what a user's comparison ranks, and give the same scores."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import moss
from moss.engine.ranking.score import pair_scores
from moss.intake import collect

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "sample_submissions" / "java-library" / "submissions" / "ada" / "Main.java"
sys.path.append(str(ROOT / "benchmarks"))

from labelled import make_case  # noqa: E402


@pytest.mark.parametrize("sample", ["java-library", "python-textstats", "essays"])
def test_scores_are_those_of_a_comparison(sample, tmp_path):
    folder = ROOT / "sample_submissions" / sample
    (tmp_path / "zoe").mkdir()
    (tmp_path / "zoe" / "Main.java").write_text(in_escapes(PROGRAM))
    given, base = [folder / "submissions", tmp_path], [folder / "starter"]
    report = moss.compare(given, base=base, settings=moss.Settings(jobs=1, show=1))
    case = make_case(collect(given, [], base).submissions, "auto")
    assert case.names == [record.id for record in report.submissions]
    found, ranking = pair_scores(case.views()), report.ranking
    assert by_pair(found.a, found.b, found.values) == by_pair(ranking.a, ranking.b, ranking.score)


def in_escapes(file):
    """A Java program that only its compiler can read."""
    return "".join(sign if sign.isspace() else f"\\u{ord(sign):04x}" for sign in file.read_text())


def by_pair(a, b, scores):
    return dict(zip(zip(a.tolist(), b.tolist(), strict=True), scores.tolist(), strict=True))
