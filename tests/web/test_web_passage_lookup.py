"""Who else has it: found over all years by a question, and only where the reader may look."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select, update
from support.classes import SAMPLES, add_class, add_run

import frontends
from moss.jobs.handlers import passage_index
from moss.jobs.ledger import add_job
from moss.jobs.worker import add_daily_jobs
from moss.store.submissions.fingerprints import contents_to_index, count_behind
from moss.store.tables import ContentRow, FingerprintRow, JobRow, JobState, LogLineRow, MembershipRow, TokenStreamRow


@pytest.fixture
def two_years(reported):
    """The essays again, handed in by others in a second course, which the instructor may see and the assistant not."""
    second = reported.add_course("Programming 1", "2027")
    assignment = add_class(reported.store, second, SAMPLES / "essays", "Essay, next year")
    add_run(reported.store, assignment)
    with reported.store.session() as session:
        session.query(MembershipRow).filter_by(course_id=second, user_id=reported.id_of("assistant")).delete()
        for each in (1, assignment):
            add_job(session, "index", {"assignment": each})
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
        before = session.query(FingerprintRow).count()
        assert before > 100
        assert not contents_to_index(session, 1)
        add_job(session, "index", {"assignment": 1})
    two_years.work()
    with two_years.store.reading() as session:
        assert session.query(FingerprintRow).count() == before


def test_the_lines_shown_are_those_that_have_it(two_years):
    page = two_years.client().get("/runs/1/pairs/1/passages/1/elsewhere").text
    asked, shown = re.findall(r'<pre class="excerpt"[^>]*>(.*?)</pre>', page, re.DOTALL)[:2]
    first = next(line for line in asked.splitlines() if len(line) > 30)
    assert first.strip() in shown


def test_damaged_streams_are_nobodys_passage_and_no_accident(two_years):
    with two_years.store.session() as session:
        for row in session.query(TokenStreamRow):
            row.streams = row.streams[:10]
    for path in ("/runs/1/pairs/1/passages/1/elsewhere", "/runs/1/submissions/1/elsewhere"):
        answer = two_years.client().get(path)
        assert answer.status_code == 200
        assert "next year" not in answer.text


PASSAGE = "/runs/1/pairs/1/passages/1/elsewhere"
BEHIND = "read by an earlier version of moss"


@pytest.fixture
def raised(monkeypatch):
    """Raises a version, as a new program would."""

    def change(number):
        monkeypatch.setattr(f"moss.version.{number}", 99)
        frontends.version_of.cache_clear()

    yield change
    monkeypatch.undo()
    frontends.version_of.cache_clear()


def age(server):
    """Let all fingerprints be such as other rules would have made."""
    with server.store.session() as session:
        session.execute(update(FingerprintRow).values(hash=FingerprintRow.hash / 2))


def start_worker(server):
    with server.store.session() as session:
        add_daily_jobs(session)
    server.work()


def kinds(server) -> list[str]:
    with server.store.reading() as session:
        return list(session.scalars(select(JobRow.kind).where(JobRow.kind == "reindex")))


def stored(server):
    """All streams and fingerprints, without the keys that depend on rules."""
    with server.store.reading() as session:
        streams = session.execute(select(TokenStreamRow.content_id, TokenStreamRow.streams)).all()
        prints = session.execute(select(FingerprintRow.content_id, FingerprintRow.layer, FingerprintRow.hash)).all()
        return sorted(map(tuple, streams)), sorted(map(tuple, prints))


@pytest.mark.parametrize("number", ["SCAN_VERSION", "HASH_VERSION"])
def test_what_earlier_rules_made_is_made_anew_by_itself(two_years, raised, number):
    before = stored(two_years)
    age(two_years)
    raised(number)
    page = two_years.client().get(PASSAGE).text
    assert BEHIND in page
    assert "next year" not in page
    assert BEHIND in two_years.client().get("/runs/1/submissions/1/elsewhere").text
    start_worker(two_years)
    page = two_years.client().get(PASSAGE).text
    assert BEHIND not in page
    assert "next year" in page
    assert stored(two_years) == before
    start_worker(two_years)
    assert kinds(two_years) == ["reindex"]


def test_by_the_same_rules_nothing_is_made_anew(two_years):
    start_worker(two_years)
    assert kinds(two_years) == []
    assert BEHIND not in two_years.client().get(PASSAGE).text


def test_streams_by_earlier_rules_make_no_fingerprints_by_todays(two_years, raised):
    raised("SCAN_VERSION")
    with two_years.store.session() as session:
        behind = count_behind(session)
        add_job(session, "index", {"assignment": 1})
    two_years.work()
    with two_years.store.reading() as session:
        assert count_behind(session) == behind > 0


def test_other_jobs_need_not_wait_until_all_is_read(two_years, raised, monkeypatch):
    monkeypatch.setattr("moss.jobs.handlers.passage_index._TEXTS_IN_A_JOB", 5)
    raised("SCAN_VERSION")
    with two_years.store.reading() as session:
        texts = count_behind(session)
    start_worker(two_years)
    assert len(kinds(two_years)) == -(-texts // 5) > 1
    with two_years.store.reading() as session:
        assert count_behind(session) == 0


def test_what_was_broken_off_goes_on(two_years, raised, monkeypatch):
    before = stored(two_years)
    raised("SCAN_VERSION")
    monkeypatch.setattr("moss.jobs.handlers.passage_index._TEXTS_AT_ONCE", 3)
    with monkeypatch.context() as patch:
        calls, whole = iter(range(100)), passage_index._read_again
        patch.setattr(passage_index, "_read_again", lambda *given: 1 / 0 if next(calls) else whole(*given))
        start_worker(two_years)
    with two_years.store.session() as session:
        left = count_behind(session)
        assert 0 < left < len({content for content, _ in before[0]})
        job = session.scalars(select(JobRow).filter_by(kind="reindex")).one()
        assert job.state is JobState.QUEUED
        job.not_before = None
    two_years.work()
    assert stored(two_years) == before


def test_what_cannot_be_read_again_is_told_and_found_after_the_next_run(two_years, raised):
    with two_years.store.session() as session:
        for row in session.query(TokenStreamRow):
            row.streams = row.streams[:10]
    raised("SCAN_VERSION")
    start_worker(two_years)
    with two_years.store.reading() as session:
        assert (
            "could not be read again" in session.scalars(select(LogLineRow.text).order_by(LogLineRow.id.desc())).first()
        )
        assert session.query(FingerprintRow).count() == 0
        assert session.query(ContentRow).filter(ContentRow.indexed_scan.is_not(None)).count() == 0
    for assignment in (1, 2):
        add_run(two_years.store, assignment)
    two_years.work()
    assert "next year" in two_years.client().get(PASSAGE).text


def test_a_run_makes_those_of_its_own_texts_anew(two_years, raised):
    age(two_years)
    raised("SCAN_VERSION")
    for assignment in (1, 2):
        add_run(two_years.store, assignment)
    two_years.work()
    page = two_years.client().get(PASSAGE).text
    assert BEHIND not in page
    assert "next year" in page
