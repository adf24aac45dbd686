"""In the sample classes what was copied ranks above what was not."""

import csv
from functools import cache
from pathlib import Path

import pytest

import moss

SAMPLES = Path(__file__).parents[2] / "sample_submissions"
CLASSES = ("java-library", "python-textstats", "essays")
HEAVY = ("restructured", "transitive")  # disguises beyond what is asked for here


def truth(name):
    with (SAMPLES / name / "truth.csv").open(encoding="utf-8", newline="") as file:
        return {frozenset((row["a"], row["b"])): (int(row["label"]), row["kind"]) for row in csv.DictReader(file)}


@cache
def report_of(name):
    folder = SAMPLES / name
    archive = [folder / "archive"] if (folder / "archive").is_dir() else []
    return moss.compare([folder / "submissions"], base=[folder / "starter"], archive=archive)


def ranked(name):
    """Every pair that shares anything, best first."""
    report = report_of(name)
    ids = [submission.id for submission in report.submissions]
    return [frozenset((ids[a], ids[b])) for a, b in zip(report.ranking.a, report.ranking.b, strict=True)]


@pytest.mark.parametrize("name", CLASSES)
def test_every_copy_ranks_above_all_honest_work(name):
    order, known = ranked(name), truth(name)
    best_honest = next(i for i, pair in enumerate(order) if known.get(pair, (0, ""))[0] == 0)
    ranks = {
        " – ".join(sorted(pair)): order.index(pair) if pair in order else len(order)
        for pair, (label, kind) in known.items()
        if label == 1 and kind not in HEAVY
    }
    too_low = {pair: rank + 1 for pair, rank in ranks.items() if rank > best_honest}
    assert not too_low, f"below {sorted(order[best_honest])}, which rank {best_honest + 1}"


@pytest.mark.parametrize("name", CLASSES[:2])
def test_even_a_heavy_disguise_ranks_among_the_first(name):
    order, known = ranked(name), truth(name)
    copied = sum(label for label, _ in known.values())
    for pair, (label, kind) in known.items():
        if label == 1 and kind in HEAVY:
            assert order.index(pair) < 2 * copied, sorted(pair)


@pytest.mark.parametrize("name", CLASSES)
def test_two_of_the_archive_are_never_a_pair(name):
    archived = {submission.id for submission in report_of(name).submissions if submission.role == "archive"}
    assert bool(archived) == (name != "essays")
    assert not [pair for pair in ranked(name) if pair <= archived]
    assert not [pair for pair in report_of(name).pairs if {pair.a, pair.b} <= archived]


@pytest.mark.parametrize("name", CLASSES)
def test_nothing_is_a_problem(name):
    assert report_of(name).problems == ()


def test_a_verbatim_copy_is_all_of_it():
    for name, a, b in (("java-library", "ada", "emeka"), ("python-textstats", "aiko", "jonas")):
        [pair] = [pair for pair in report_of(name).pairs if {pair.a, pair.b} == {a, b}]
        assert min(pair.share_a, pair.share_b) > 0.98


def test_the_comments_of_another_are_found_in_the_text():
    [pair] = [pair for pair in report_of("python-textstats").pairs if {pair.a, pair.b} == {"hiro", "quentin"}]
    assert "text" in {match.channel for match in pair.matches}


@pytest.mark.parametrize("name", CLASSES)
def test_clusters_hold_copies_only(name):
    copied = {pair for pair, (label, _) in truth(name).items() if label == 1}
    people = {frozenset((a, b)) for cluster in report_of(name).clusters for a in cluster for b in cluster if a < b}
    related = copied | {one ^ other for one in copied for other in copied if len(one & other) == 1}
    assert people <= related
