"""Who else has it: found over all years by a question, and only where the reader may look."""

from __future__ import annotations

import re

import pytest
from support.classes import SAMPLES, add_class, add_run

from moss.jobs.ledger import add_job
from moss.store.fingerprints import contents_to_index
from moss.store.tables import Fingerprint, Kept, Membership, Run


@pytest.fixture
def two_years(reported):
    """The essays again, handed in by others in a second course, which the instructor may see and the assistant not."""
    second = reported.add_course("Programming 1", "2027")
    assignment = add_class(reported.store, second, SAMPLES / "essays", "Essay, next year")
    run = add_run(reported.store, assignment)
    with reported.store.session() as session:
        session.query(Membership).filter_by(course_id=second, user_id=reported.id_of("assistant")).delete()
        reported.rung.append(session.get_one(Run, run).job_id)
        for each in (1, assignment):
            reported.rung.append(add_job(session, "index", {"assignment": each}).id)
    reported.work()
    return reported


def test_a_passage_is_found_in_another_year(two_years):
    page = two_years.client().get("/runs/1/pairs/1/passages/1/elsewhere").text
    assert "Essay, next year" in page
    assert "Show the lines" in page


def test_what_a_reader_may_not_see_is_not_found(two_years):
    page = two_years.client("assistant").get("/runs/1/pairs/1/passages/1/elsewhere").text
    assert "next year" not in page
    assert two_years.client("stranger").get("/runs/1/pairs/1/passages/1/elsewhere").status_code == 404


def test_a_whole_submission_is_found_in_another_year(two_years):
    page = two_years.client().get("/runs/1/submissions/1/elsewhere").text
    assert "Essay, next year" in page
    assert "100%" in page


def test_what_is_not_there_is_not_found(two_years):
    instructor = two_years.client()
    for path in ("/runs/1/pairs/1/passages/99/elsewhere", "/runs/1/pairs/99/passages/1/elsewhere",
                 "/runs/1/submissions/99/elsewhere"):  # fmt: skip
        assert instructor.get(path).status_code == 404


def test_the_pages_of_a_report_lead_there(two_years):
    assert "/runs/1/pairs/1/passages/1/elsewhere" in two_years.client().get("/runs/1/pairs/1").text


def test_indexing_again_adds_nothing(two_years):
    with two_years.store.session() as session:
        before = session.query(Fingerprint).count()
        assert before > 100
        assert not contents_to_index(session, 1)
        two_years.rung.append(add_job(session, "index", {"assignment": 1}).id)
    two_years.work()
    with two_years.store.reading() as session:
        assert session.query(Fingerprint).count() == before


def test_the_lines_shown_are_those_that_have_it(two_years):
    page = two_years.client().get("/runs/1/pairs/1/passages/1/elsewhere").text
    asked, shown = re.findall(r'<pre class="excerpt"[^>]*>(.*?)</pre>', page, re.DOTALL)[:2]
    first = next(line for line in asked.splitlines() if len(line) > 30)
    assert first.strip() in shown


def test_damaged_streams_are_nobodys_passage_and_no_accident(two_years):
    with two_years.store.session() as session:
        for row in session.query(Kept):
            row.streams = row.streams[:10]
    for path in ("/runs/1/pairs/1/passages/1/elsewhere", "/runs/1/submissions/1/elsewhere"):
        answer = two_years.client().get(path)
        assert answer.status_code == 200
        assert "next year" not in answer.text
