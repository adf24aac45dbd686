"""In a made-up language that brackets every message, nothing on a report's pages is left without brackets but what
students wrote, names, files and the program's own terms."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from support.pseudo_language import LANGUAGE, unmarked, write_catalogue

import moss
from moss.messages import load, using
from moss.model import Baseline, Problem, Reasons
from moss.report.evidence.document import EvidenceRequest, Provenance, _render
from moss.report.page_templates import DiskLinks, environment
from moss.report.pages.cluster import render_cluster
from moss.report.pages.overview import render_overview
from moss.report.pages.pair import render_pair
from moss.report.pages.submission import render_submission
from moss.report.served import ServedLinks, state_badge

SAMPLE = Path(__file__).parents[2] / "sample_submissions" / "java-library"
LINKS = DiskLinks("../")
NOT_WORDS = {"Java", "UTC", "utf-8", "SHA-256", "total", "U+200B", "ascii"}
DIGEST = re.compile(r"[0-9a-f]{64}")


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    return load(LANGUAGE, write_catalogue(tmp_path_factory.mktemp("catalogues")))


@cache
def report():
    settings = moss.Settings(jobs=1, comment="1")
    made = moss.compare(
        [SAMPLE / "submissions"], base=[SAMPLE / "starter"], archive=[SAMPLE / "archive"], settings=settings
    )
    return replace(made, problems=(Problem("1", "2"),), version="1")


def left(made_up, render):
    """The words of a page that no message brought."""
    with using(made_up):
        page = render()
    names = {record.id for record in report().submissions} | {
        file.path for r in report().submissions for file in r.files
    }
    found = (word.rstrip(",.;") for word in unmarked(page))
    return [word for word in found if word not in NOT_WORDS | names and not DIGEST.fullmatch(word) and "/" not in word]


@pytest.mark.parametrize(
    "baseline",
    [
        None,
        Baseline(225, 0.02, 0.3, 0.99, 0.999),
        Baseline(225, 0.5, 0.9, 1.0, 1.0),
        Baseline(225, 0.02, 0.3, 0.2, 0.5, expected=0.1),
        Baseline(3, 0.02, 0.1, 0.99, 0.99),
    ],
)
@pytest.mark.parametrize("links", [DiskLinks(), ServedLinks()], ids=["disk", "served"])
def test_the_overview_is_marked(made_up, baseline, links):
    shown = replace(report(), baseline=baseline) if baseline else report()
    assert left(made_up, lambda: render_overview(shown, links)) == []


def test_an_overview_without_pairs_is_marked(made_up):
    assert left(made_up, lambda: render_overview(replace(report(), pairs=(), clusters=()), DiskLinks())) == []


@cache
def timed():
    """The report with times, some by the platform, some by commits or files, and two sections."""
    times = (
        {"handed_in": "2025-10-03T22:05:00"},
        {"handed_in": "2025-10-04T01:00:00"},
        {"dated": "2025-10-05T08:00:00"},
    )
    records = [replace(r, section=str(i % 2), **times[i % 3]) for i, r in enumerate(report().submissions)]
    return replace(report(), submissions=tuple(records), parameters={**report().parameters, "cluster": 0.2})


@pytest.mark.parametrize("links", [DiskLinks("../"), ServedLinks("../")], ids=["disk", "served"])
def test_clusters_times_and_the_timeline_are_marked(made_up, links):
    for shown in (report(), timed()):
        for number in range(1, len(shown.clusters) + 1):
            assert left(made_up, lambda shown=shown, number=number: render_cluster(shown, number, links)) == []
    assert left(made_up, lambda: render_overview(timed(), links)) == []
    assert left(made_up, lambda: render_pair(timed(), 1, links)) == []
    assert left(made_up, lambda: render_submission(timed(), 1, links)) == []


@pytest.mark.parametrize("number", [1, 3, 4, 100])
def test_a_pair_s_page_is_marked(made_up, number):
    assert left(made_up, lambda: render_pair(report(), number, LINKS)) == []


def test_a_pair_s_page_that_stands_alone_or_knows_no_reasons_is_marked(made_up):
    older = replace(report(), pairs=tuple(replace(pair, reasons=Reasons()) for pair in report().pairs))
    assert left(made_up, lambda: render_pair(older, 1, ServedLinks(lone=True))) == []


@pytest.mark.parametrize("number", [1, 20])
def test_a_submission_s_page_is_marked(made_up, number):
    assert left(made_up, lambda: render_submission(report(), number, LINKS)) == []


@pytest.mark.parametrize("links", [LINKS, ServedLinks("../")], ids=["disk", "served"])
def test_a_page_that_could_not_be_made_is_marked(made_up, links):
    template = environment().get_template("report/failed.html")
    values = {"report": report(), "links": links, "record": None, "reason": "1"}
    assert left(made_up, lambda: template.render(pair=report().pairs[0], **values)) == []


def test_states_are_marked(made_up):
    for state in ("unreviewed", "suspicious", "confirmed", "dismissed"):
        assert left(made_up, lambda state=state: state_badge(state)) == []


@pytest.mark.parametrize("number", [1, 3, 4])
@pytest.mark.parametrize("anonymous", [False, True])
def test_evidence_is_marked(made_up, number, anonymous):
    case = EvidenceRequest(
        report(), number, note="1", anonymous=anonymous, name_others=not anonymous,
        made=datetime(2030, 1, 2, tzinfo=UTC), provenance=Provenance("1", "2", 3, "4", ""),
    )  # fmt: skip
    found = left(made_up, lambda: _render(case))
    assert [word for word in found if not re.fullmatch(r"student\d?", word)] == []
