"""Erasing a person: nothing of them is left anywhere, and everything of the others works as before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import func, select
from support.chatbot import ANSWERS, STUDENT, add_run_with_answers
from support.classes import add_run
from support.keeping import add_full_course, bytes_of, hand_in, places_of, program
from support.served import served_pages
from support.server import make_server

from moss.jobs.handlers.deletion import erase
from moss.jobs.ledger import claim
from moss.model import Role
from moss.report.served import templates_digest
from moss.report.words.references import fold_references
from moss.store.deletion.erasure import people_named, traces_of
from moss.store.results.reports import load_report, read_page
from moss.store.results.review_queue import ranks_to_review
from moss.store.tables import (
    AssignmentRow,
    CaseEventRow,
    CaseRow,
    ContentRow,
    CourseArchiveRow,
    JobRow,
    JobState,
    MatchRow,
    PairRow,
    PersonRow,
    RenderedPageRow,
    RunEntryRow,
    RunRow,
    ShareLinkRow,
    SubmissionRow,
    UploadPartRow,
    UploadRow,
)
from moss.web.actions.reports import bundle_name

ANN = ["Ann Quill", "annslineofcode"]


@pytest.fixture
def server(tmp_path, database_url):
    with make_server(tmp_path, database_url) as made:
        yield made


def person(session, name="Ann Quill"):
    return session.scalars(select(PersonRow).filter_by(name=name)).one()


def erased(server, name="Ann Quill"):
    with server.store.session() as session:
        return erase(session, person(session, name))


def report_of(server, run_id):
    with server.store.reading() as session:
        return load_report(session, session.get_one(RunRow, run_id))


def test_nothing_of_an_erased_person_is_left_in_any_table(server):
    add_full_course(server)
    assert {place.split(".")[0] for place in places_of(server.store, ANN)} >= {
        "people", "submissions", "contents", "entries", "matches", "pages", "case_events", "log_lines", "share_links",
        "uploads",
    }  # fmt: skip
    erased(server)
    assert places_of(server.store, ANN) == []
    server.work()
    assert places_of(server.store, ANN) == []


def test_nothing_of_an_erased_person_is_left_on_the_disk(tmp_path):
    with make_server(tmp_path) as server:
        add_full_course(server)
        with server.store.session() as session:
            text = session.scalars(select(ContentRow).where(ContentRow.id == 1)).one()
            needles = [b"Ann Quill", text.digest.encode(), bytes(text.packed)[-200:]]
            session.add(CaseEventRow(case_id=2, author="x", kind="note", note="Ann Quill " * 3000))
        assert all(needle in bytes_of(server.store) for needle in needles)
        erased(server)
        server.work()
        left = bytes_of(server.store)
        assert [needle for needle in needles if needle in left] == []
        assert b"Bob Rust" in left


def test_the_report_can_be_read_as_before_but_for_them(server):
    _, run = add_full_course(server)
    before = report_of(server, run)
    erased(server)
    after = report_of(server, run)
    theirs = {record.id for record in before.submissions if record.owner == "Ann Quill"}
    rest = [pair for pair in before.pairs if not theirs & {pair.a, pair.b}]
    assert [(p.a, p.b, p.score) for p in after.pairs] == [(p.a, p.b, p.score) for p in rest]
    assert [r.id for r in after.submissions] == ["erased" if r.id in theirs else r.id for r in before.submissions]
    assert any("erased" in match.others for pair in after.pairs for match in pair.matches)
    assert len(after.ranking) < len(before.ranking)
    position = [r.id for r in before.submissions].index(*theirs)
    assert position not in {*after.ranking.a.tolist(), *after.ranking.b.tolist()}
    assert all("erased" not in cluster for cluster in after.clusters)


def test_a_student_stays_listed_when_the_best_of_several_answers_of_a_chatbot_is_erased(server):
    run = add_run_with_answers(server)

    def listed():
        """The answer beside the student in the report's list, and in the list of what needs review."""
        report = report_of(server, run)
        shown = [report.pairs[rank - 1] for rank in fold_references(report)]
        with server.store.reading() as session:
            waiting = [report.pairs[rank - 1] for rank in ranks_to_review(session, run)]
        both = ([(pair.a, pair.b) for pair in pairs] for pairs in (shown, waiting))
        return [[b for a, b in pairs if a == STUDENT and b in ANSWERS] for pairs in both]

    for _ in range(2):
        [[best], [waiting]] = listed()
        assert waiting == best
        erased(server, best)
    [[left], [waiting]] = listed()
    assert waiting == left


def test_every_page_is_made_anew(server):
    _, run = add_full_course(server)
    erased(server)
    with server.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(RenderedPageRow)) == 0
    server.work()
    report = report_of(server, run)
    with server.store.reading() as session:
        bundle = bundle_name(session.get_one(RunRow, run))
    expected = dict(served_pages(replace(report, parameters={**report.parameters, "bundle": bundle})))
    with server.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(RenderedPageRow)) == 0  # nobody has opened one yet
    reader = server.client()
    assert {reader.get(f"/runs/{run}/{name}").status_code for name in expected} == {200}
    with server.store.reading() as session:
        assert {name: read_page(session, run, name, templates_digest()).text for name in expected} == expected
    assert all("could not be made" not in page for page in expected.values())


def test_ranks_close_up_and_links_to_single_pairs_follow(server):
    _, run = add_full_course(server)
    with server.store.reading() as session:
        pairs = {row.rank: row for row in session.scalars(select(PairRow).filter_by(run_id=run))}
        ann = session.scalars(select(RunEntryRow.number).filter_by(owner="Ann Quill")).one()
        links = {link.id: link.rank for link in session.scalars(select(ShareLinkRow)) if link.rank in (None, *pairs)}
    erased(server)
    with server.store.reading() as session:
        left = {row.id: row.rank for row in session.scalars(select(PairRow).filter_by(run_id=run))}
        assert sorted(left.values()) == list(range(1, len(left) + 1))
        for link_id, rank in links.items():
            link = session.get(ShareLinkRow, link_id)
            if rank is None:
                assert link.rank is None
            elif ann in (pairs[rank].a, pairs[rank].b):
                assert link is None
            else:
                assert link.rank == left[pairs[rank].id]


def test_their_cases_go_and_notes_of_others_name_them_no_more(server):
    add_full_course(server)
    erased(server)
    with server.store.reading() as session:
        [case] = session.scalars(select(CaseRow))
        assert {case.a.name, case.b.name} == {"Bob Rust", "Cleo Sand"}
        assert [event.note for event in case.events if event.note] == ["Just like [erased], I think"]


def test_a_text_that_somebody_else_handed_in_too_stays_theirs(server):
    add_full_course(server)
    with server.store.session() as session:
        assignment = session.scalars(select(AssignmentRow)).one()
        text = program(1, "annslineofcode")
        hand_in(session, assignment, "Eve Ulm", text)
    erased(server)
    assert set(places_of(server.store, ["Ann Quill"])) == set()
    assert "contents.packed" in places_of(server.store, ["annslineofcode"])


def test_erasing_reaches_reports_of_other_courses_that_took_them_as_earlier_work(server):
    add_full_course(server)
    other = server.add_course("Programming 1", "2027")
    with server.store.session() as session:
        earlier = session.scalars(select(AssignmentRow.id)).one()
        later = AssignmentRow(course_id=other, name="Homework 1")
        session.add(later)
        session.flush()
        hand_in(session, later, "Fay Vine", program(1, "fayslineofcode"))
        hand_in(session, later, "Gus Wren", program(99))
        number = later.id
    run = add_run(server.store, number, archives=(earlier,))
    server.work()
    assert any("Ann Quill (" in pair.a + pair.b for pair in report_of(server, run).pairs)
    assert sorted(erased(server).runs) == [1, run]
    assert places_of(server.store, ANN) == []
    assert any("Bob Rust (" in pair.a + pair.b for pair in report_of(server, run).pairs)


def test_what_was_left_out_or_waits_to_be_confirmed_goes_too(server):
    add_full_course(server)
    with server.store.session() as session:
        assignment = session.scalars(select(AssignmentRow)).one()
        left_out = hand_in(session, assignment, "Ann Quill", program(2, "annslineofcode again"))
        left_out.person_id, left_out.version, left_out.left_out = None, None, True
        for owner in ("Ann Quill", "Bob Rust"):
            upload = UploadRow(assignment_id=assignment.id, parts=[UploadPartRow(path="class.zip", size=1)])
            draft = hand_in(session, assignment, owner, program(3, f"{owner}slineofcode"))
            draft.confirmed, draft.person_id, draft.version, draft.upload = False, None, None, upload
        named = UploadRow(assignment_id=assignment.id, parts=[UploadPartRow(path="Ann Quill_17/a.py", size=1)])
        session.add(named)
        session.flush()
        assert len(traces_of(session, person(session)).uploads) == 2
    erased(server)
    assert places_of(server.store, ANN) == []
    with server.store.reading() as session:
        assert session.query(SubmissionRow).filter_by(confirmed=False).one().owner == "Bob Rust"


def test_a_run_that_is_at_work_begins_anew(server):
    add_full_course(server)
    run = add_run(server.store, 1)
    with server.store.session() as session:
        job_id = session.get_one(RunRow, run).job_id
        lease = claim(session, job_id)
        session.add(RenderedPageRow(run_id=run, name="", made_with="x", packed=b"Ann Quill"))
    erased(server)
    with server.store.reading() as session:
        job = session.get_one(JobRow, job_id)
        assert job.state is JobState.QUEUED
        assert job.lease != lease
    server.work()
    assert places_of(server.store, ANN) == []
    assert "Bob Rust" in {record.owner for record in report_of(server, run).submissions}


def test_archives_of_the_course_go(server):
    course, _ = add_full_course(server)
    with server.store.session() as session:
        session.add(CourseArchiveRow(course_id=course))
    erased(server)
    with server.store.reading() as session:
        assert session.query(CourseArchiveRow).count() == 0


def test_two_can_be_erased_from_one_report(server):
    _, run = add_full_course(server)
    for name in ("Ann Quill", "Bob Rust", "Cleo Sand", "Dan Tusk"):
        erased(server, name)
    report = report_of(server, run)
    assert {"erased", "erased 2", "erased 3", "erased 4"} <= {record.id for record in report.submissions}
    assert len({record.owner for record in report.submissions}) == len(report.submissions)
    assert dict(served_pages(report))
    assert report.pairs == () or all("erased" not in pair.a + pair.b for pair in report.pairs)


def test_what_would_go_is_told_before(server):
    add_full_course(server)
    with server.store.reading() as session:
        found = traces_of(session, person(session))
        assert found.submissions == {"Homework 1": 1}
        assert [run.number for run in found.runs] == [1]
        assert (found.cases, found.notes, found.uploads) == (1, 1, ())
        assert session.query(MatchRow).count()
        assert session.query(SubmissionRow).filter_by(role=Role.NEW).count() == 8


@pytest.mark.parametrize("asked", ["Ann Quill", "ann quill", " QUILL,  Ann ", "änn quill", "quill"])
def test_people_are_found_by_the_words_of_their_names(server, asked):
    add_full_course(server)
    with server.store.reading() as session:
        assert [found.name for found in people_named(session, asked)] == ["Ann Quill"]
        assert people_named(session, " ") == []
        assert people_named(session, "Ann Rust") == []
