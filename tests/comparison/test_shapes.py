"""Shapes that are made to be hard on the engine: the work they give stays near that of an ordinary class.

What is counted is work, not time: pair entries that are summed up, seeds that are tried. benchmarks/shapes.py measures
the same in seconds and megabytes, at full size.
"""

from __future__ import annotations

import numpy as np
import pytest
from support.programs import HONEST_JAVA, LEDGER

from moss.comparison import compare_submissions
from moss.engine import alignment
from moss.engine.ranking import candidates
from moss.engine.ranking.bags import together
from moss.engine.ranking.postings import make_postings
from moss.intake import Intake
from moss.model import SourceFile, Submission
from moss.settings import Settings

ONE = Settings(jobs=1, show=10)


def class_of(texts):
    named = [(f"s{n:04}", text) for n, text in enumerate(texts)]
    return Intake(tuple(Submission(name, name, (SourceFile("A.java", text),)) for name, text in named), ())


@pytest.fixture
def work(monkeypatch):
    """How many pair entries were made, columns of matrices multiplied, and seeds tried."""
    done = {"entries": 0, "columns": 0, "seeds": 0}
    entries, matrix, runs = candidates._Entries.of, candidates._Matrix.__init__, alignment.maximal_runs

    def counted_entries(self, first, end):
        keys, weights = entries(self, first, end)
        done["entries"] += len(keys)
        return keys, weights

    def counted_matrix(self, lists, groups, weight, count):
        done["columns"] += len(groups)
        matrix(self, lists, groups, weight, count)

    def counted_runs(a, b, places, *others):
        done["seeds"] += len(places[0])
        return runs(a, b, places, *others)

    monkeypatch.setattr(candidates._Entries, "of", counted_entries)
    monkeypatch.setattr(candidates._Matrix, "__init__", counted_matrix)
    monkeypatch.setattr(alignment, "maximal_runs", counted_runs)
    return done


def honest():
    return [text for files in HONEST_JAVA.values() for text in files.values()]


def test_one_kgram_thousands_of_times(work):
    compare_submissions(class_of([*honest(), "x = x + 1;\n" * 20_000, "x = x + 1;\n" * 30_000]), ONE, {})
    assert work["seeds"] < 200_000  # of a billion places × places
    report = compare_submissions(class_of(["x = x + 1;\n" * 20_000, "x = x + 1;\n" * 20_000]), ONE, {})
    assert report.pairs[0].share_a == report.pairs[0].share_b == 1


def test_hundreds_of_identical_submissions(work):
    report = compare_submissions(class_of([LEDGER] * 300), ONE, {})
    assert len(report.ranking) == 300 * 299 // 2
    assert set(report.ranking.score.tolist()) == {1.0}
    assert work["entries"] == 0
    assert work["columns"] <= 5  # in each view all have the same: one list


def test_a_template_that_nobody_declared(work):
    texts = [f"{LEDGER}\nclass Own{n} {{ int f{n}(int a) {{ return a * {n}; }} }}\n" for n in range(200)]
    compare_submissions(class_of(texts), ONE, {})
    once = dict(work)
    compare_submissions(class_of([text + LEDGER for text in texts]), ONE, {})
    seams = 2 * len(texts)  # fingerprints that reach from one copy of the template into the next
    assert work["entries"] - once["entries"] <= once["entries"] + seams  # twice as much of it costs no more
    assert work["columns"] - once["columns"] <= once["columns"] + 10
    assert once["columns"] < 40  # of hundreds of fingerprints that all have


def test_what_too_many_have_is_in_no_list():
    traces = [np.array([n, 7, 8], np.uint64) << np.uint64(40) for n in range(100, 140)]
    lists, authors = make_postings([together(traces)], np.arange(40), 10)
    assert len(lists.documents) == len(authors) == 0
    assert lists.alone.tolist() == [1] * 40
    lists, authors = make_postings([together(traces)], np.arange(40))
    assert authors.tolist() == [40, 40]
