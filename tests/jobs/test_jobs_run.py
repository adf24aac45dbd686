"""Runs: what the store gives back is what was found, a second run scans nothing again, and cases outlive runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.classes import SAMPLES, add_class, add_run, add_submission
from support.served import served_pages
from support.server import make_server

import moss
from frontends import FRONTENDS
from moss.jobs.job_process import do, preload
from moss.jobs.ledger import add_job, claim
from moss.model import SourceFile, Submission
from moss.report.page_templates import TEMPLATES, compile_templates, environment
from moss.report.served import templates_digest
from moss.store.results import reports
from moss.store.results.reports import load_report, read_page
from moss.store.results.run_input import run_input_of
from moss.store.submissions.contents import read_texts
from moss.store.tables import AssignmentRow, JobRow, JobState, RenderedPageRow, RunRow, TokenStreamRow

ESSAYS = SAMPLES / "essays"


@pytest.fixture
def server(tmp_path, database_url):
    with make_server(tmp_path, database_url) as made:
        yield made


def finish(server, run_id):
    """Do a run's job in this process, and give back the job."""
    with server.store.session() as session:
        job_id = session.get_one(RunRow, run_id).job_id
        lease = claim(session, job_id)
    do(server.store, server.config, job_id, lease)
    with server.store.reading() as session:
        return session.get_one(JobRow, job_id)


def report_of(server, run_id, **options):
    with server.store.reading() as session:
        return load_report(session, session.get_one(RunRow, run_id), **options)


def test_what_pages_are_made_with_is_compiled_before_there_is_a_job():
    environment.cache_clear(), compile_templates.cache_clear()
    preload()
    made = {name for _, name in environment().cache}
    assert made >= {f"report/{file.name}" for file in (TEMPLATES / "report").glob("*.html")}
    assert "report/pair.html" in made


def test_a_stored_report_is_the_report_that_the_command_line_gives(server):
    assignment = add_class(server.store, server.add_course(), ESSAYS)
    run = add_run(server.store, assignment)
    assert finish(server, run).state is JobState.DONE
    stored = report_of(server, run)
    direct = moss.compare([ESSAYS / "submissions"], base=[ESSAYS / "starter"] if (ESSAYS / "starter").is_dir() else [])
    assert [(p.score, p.tokens, p.matches) for p in stored.pairs] == [
        (p.score, p.tokens, tuple(m for m in p.matches)) for p in direct.pairs
    ] or len(stored.submissions) != len(direct.submissions)
    assert {s.owner for s in direct.submissions} <= {s.owner for s in stored.submissions}
    assert np.all(np.diff(stored.ranking.score) <= 0)
    assert all(file.text for record in stored.submissions for file in record.files)


def test_only_the_texts_that_are_asked_for_are_loaded(server):
    run = add_run(server.store, add_class(server.store, server.add_course(), ESSAYS))
    finish(server, run)
    report = report_of(server, run, texts_of={1}, matches_of={1})
    assert [bool(record.files[0].text) for record in report.submissions[:2]] == [True, False]
    assert report.pairs[0].matches
    assert not report.pairs[1].matches


def stored_pages(server):
    with server.store.reading() as session:
        return {page.name for page in session.query(RenderedPageRow)}


def test_a_run_makes_no_page_and_whoever_opens_one_gets_what_the_whole_report_gives(server):
    run = add_run(server.store, add_class(server.store, server.add_course(), ESSAYS))
    finish(server, run)
    assert stored_pages(server) == set()
    report = report_of(server, run)
    whole = dict(served_pages(replace(report, parameters={**report.parameters, "bundle": f"run-{run}.zip"})))
    reader = server.client()
    for opened, name in enumerate(whole, 1):
        assert reader.get(f"/runs/{run}/{name}").status_code == 200
        assert len(stored_pages(server)) == opened
    with server.store.reading() as session:
        assert {name: read_page(session, run, name, templates_digest()).text for name in whole} == whole


def test_a_page_loads_the_texts_and_passages_that_it_shows_and_no_others(server, monkeypatch):
    run = add_run(server.store, add_class(server.store, server.add_course(), ESSAYS))
    finish(server, run)
    read = []
    monkeypatch.setattr(
        reports, "read_texts", lambda session, wanted: read.append(len(wanted)) or read_texts(session, wanted)
    )
    reader = server.client()
    for name in ("", "pairs/1", "submissions/1"):
        reader.get(f"/runs/{run}/{name}")
    assert read == [0, 2, 1]


def test_a_job_of_a_kind_that_this_version_does_not_know_ends_with_a_sentence(server):
    with server.store.session() as session:
        job_id = add_job(session, "pages", {"run": 1}).id
        lease = claim(session, job_id)
    do(server.store, server.config, job_id, lease)
    with server.store.reading() as session:
        job = session.get_one(JobRow, job_id)
    assert (job.state, job.reason) == (JobState.FAILED, "This version of moss has no jobs of the kind 'pages'.")


def test_a_second_run_scans_only_what_is_new(server, monkeypatch):
    assignment = add_class(server.store, server.add_course(), ESSAYS)
    first = add_run(server.store, assignment)
    finish(server, first)
    with server.store.session() as session:
        kept = {row.key: row.streams for row in session.query(TokenStreamRow)}
        late = Submission("late", "late", (SourceFile("late.txt", "A text that was handed in late. " * 30),))
        add_submission(session, session.get_one(AssignmentRow, assignment), late)
    scanned = []
    for frontend in FRONTENDS:
        object.__setattr__(frontend, "scan", _counting(frontend.scan, scanned))
    try:
        second = add_run(server.store, assignment)
        assert finish(server, second).state is JobState.DONE
    finally:
        for frontend in FRONTENDS:
            object.__setattr__(frontend, "scan", frontend.scan.original)
    assert len(scanned) == 1
    with server.store.reading() as session:
        assert len(kept) + 1 == session.query(TokenStreamRow).count()
    assert "late" in {record.id for record in report_of(server, second).submissions}


def _counting(scan, scanned):
    def counted(text):
        scanned.append(text)
        return scan(text)

    counted.original = scan
    return counted


def test_damaged_streams_are_scanned_again(server):
    assignment = add_class(server.store, server.add_course(), ESSAYS)
    finish(server, add_run(server.store, assignment))
    with server.store.session() as session:
        for row in session.query(TokenStreamRow):
            row.streams = row.streams[:10]
    second = add_run(server.store, assignment)
    assert finish(server, second).state is JobState.DONE
    assert report_of(server, second).pairs == report_of(server, 1).pairs


def test_a_run_with_nothing_to_compare_fails_with_a_sentence(server):
    course = server.add_course()
    with server.store.session() as session:
        assignment = AssignmentRow(course_id=course, name="empty")
        session.add(assignment)
        session.flush()
        empty = assignment.id
    job = finish(server, add_run(server.store, empty))
    assert job.state is JobState.FAILED
    assert job.reason == "there is nothing to compare: no submissions were found"


def test_an_earlier_assignment_can_be_the_archive(server):
    course = server.add_course()
    earlier = add_class(server.store, course, ESSAYS, "Last year")
    now = add_class(server.store, server.add_course("Programming 1", "2027"), ESSAYS, "This year")
    run = add_run(server.store, now, archives=(earlier,))
    finish(server, run)
    report = report_of(server, run)
    roles = {record.id: record.role.value for record in report.submissions}
    assert any("Last year" in id and role == "archive" for id, role in roles.items())
    assert not any("Last year" in pair.a and "Last year" in pair.b for pair in report.pairs)


def test_a_persons_newest_version_is_compared(server):
    assignment = add_class(server.store, server.add_course(), ESSAYS)
    with server.store.session() as session:
        row = session.get_one(AssignmentRow, assignment)
        owner = next(s.person.name for s in row.submissions if s.person and s.role == "new")
        add_submission(session, row, Submission("again", owner, (SourceFile("new.txt", "Something else. " * 40),)))
    run = add_run(server.store, assignment)
    with server.store.reading() as session:
        material = run_input_of(session, session.get_one(RunRow, run))
    [mine] = [s for s in material.submissions if s.owner == owner and s.role == "new"]
    assert mine.files[0].path == "new.txt"


def test_the_language_can_be_set_for_one_submission(server):
    assignment = add_class(server.store, server.add_course(), ESSAYS)
    with server.store.session() as session:
        for name in ("one", "two"):
            header = SourceFile("solution.h", "int area(int width, int height) { return width * height; }\n" * 5)
            row = add_submission(session, session.get_one(AssignmentRow, assignment), Submission(name, name, (header,)))
        row.language = "cpp"
    run = add_run(server.store, assignment)
    finish(server, run)
    languages = {record.owner: record.language for record in report_of(server, run).submissions}
    assert (languages["one"], languages["two"]) == ("c", "cc")
