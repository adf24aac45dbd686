"""Retention: what has expired goes with everything that belongs to it, once a day, and nothing else goes."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select
from support.classes import add_run
from support.keeping import add_full_course, bytes_of, forget_now, hand_in, places_of, program
from support.server import make_server

from moss.jobs.ledger import add_job, claim
from moss.jobs.worker import add_daily_jobs, is_due
from moss.store import Store
from moss.store.deletion.retention import clean_retention, delete_course, delete_expired, expired, expiring
from moss.store.results.reports import load_report
from moss.store.tables import (
    AssignmentRow,
    AttemptRow,
    AuditEntryRow,
    Base,
    CaseRow,
    ContentRow,
    CourseArchiveRow,
    CourseRow,
    InvitationRow,
    JobRow,
    JobState,
    LoginRow,
    LogLineRow,
    NoticeRow,
    PersonRow,
    RunRow,
    TokenStreamRow,
    UploadChunkRow,
    UploadPartRow,
    UploadRow,
    UploadState,
    now,
)
from moss.store.validation import RefusedError

LEFT = {"courses", "users", "memberships", "audit", "secrets", "jobs", "log_lines"}


@pytest.fixture
def server(tmp_path, database_url):
    with make_server(tmp_path, database_url) as made:
        yield made


def count(session, table) -> int:
    return session.scalar(select(func.count()).select_from(table))


def expire(server, days=30, course=1) -> None:
    with server.store.session() as session:
        session.get_one(CourseRow, course).retention_days = days
        for assignment in session.scalars(select(AssignmentRow).filter_by(course_id=course)):
            assignment.created = now() - timedelta(days=days)


def test_what_has_expired_goes_with_everything_that_belongs_to_it(server):
    add_full_course(server)
    expire(server)
    with server.store.session() as session:
        done = delete_expired(session, now())
    assert (done.assignments, done.runs) == (1, ())
    with server.store.reading() as session:
        filled = {table.name for table in Base.metadata.sorted_tables if count(session, table)}
        assert filled <= LEFT
        assert session.scalars(select(AuditEntryRow.actor)).all() == ["moss"]
    assert places_of(server.store, ["Ann Quill", "lineofcode"]) == []


def test_what_has_not_expired_stays(server):
    add_full_course(server)
    with server.store.reading() as session:
        before = {table.name: count(session, table) for table in Base.metadata.sorted_tables}
    with server.store.session() as session:
        course = session.get_one(CourseRow, 1)
        created = session.get_one(AssignmentRow, 1).created
        course.retention_days = 30
        assert delete_expired(session, created + timedelta(days=30, seconds=-1)).assignments == 0
        course.retention_days = None
        assert delete_expired(session, created + timedelta(days=29)).assignments == 0
    with server.store.reading() as session:
        assert {table.name: count(session, table) for table in Base.metadata.sorted_tables} == before


@given(days=st.integers(1, 36_500), age=st.integers(0, 40_000))
def test_an_assignment_expires_on_the_day_that_is_shown(days, age):
    moment = datetime(2200, 1, 1, tzinfo=UTC)
    assignment = AssignmentRow(name="x", created=moment - timedelta(days=age))
    course = CourseRow(name="c", retention_days=days, assignments=[assignment])
    assert (expiring(course, days, moment) == [assignment]) is (assignment.deleted_on <= moment) is (age >= days)


@pytest.mark.parametrize("days", ["", "0", "36501", "-1", "1.5", "１２", "x", "9" * 30])
def test_a_number_of_days_that_cannot_be_is_refused(days):
    with pytest.raises(RefusedError):
        clean_retention("days", days)


def test_days_are_read_as_they_are_typed():
    assert clean_retention("days", " 365 ") == 365
    assert clean_retention("always", "nonsense") is None


def test_the_daily_job_deletes_and_the_bytes_leave_the_disk(tmp_path):
    with make_server(tmp_path) as server:
        add_full_course(server)
        with server.store.session() as session:
            packed = [bytes(content) for content in session.scalars(select(ContentRow.packed))]
            assignment = session.get_one(AssignmentRow, 1)
            for n in range(40):
                hand_in(session, assignment, f"Filler {n}", program(1000 + n) * 40)
        needles = [b"Ann Quill", b"Bob Rust", *(each[-100:] for each in packed)]
        size = len(bytes_of(server.store))
        assert all(needle in bytes_of(server.store) for needle in needles)
        expire(server)
        forget_now(server)
        left = bytes_of(server.store)
        assert [needle for needle in needles if needle in left] == []
        assert len(left) < size / 2


def test_work_that_another_course_compared_with_disappears_from_its_reports(server):
    add_full_course(server)
    other = server.add_course("Programming 1", "2027")
    with server.store.session() as session:
        later = AssignmentRow(course_id=other, name="Homework 1")
        session.add(later)
        session.flush()
        hand_in(session, later, "Fay Vine", program(1, "fay"))
        hand_in(session, later, "Gus Wren", program(1, "gus"))
        number = later.id
    run = add_run(server.store, number, archives=(1,))
    server.work()
    expire(server)
    forget_now(server)
    assert places_of(server.store, ["Ann Quill", "annslineofcode", "Bob Rust"]) == []
    with server.store.reading() as session:
        report = load_report(session, session.get_one(RunRow, run))
        assert {(pair.a, pair.b) for pair in report.pairs} == {("Fay Vine", "Gus Wren")}
        assert count(session, PersonRow) == 2


def test_what_somebody_still_works_on_is_stopped_first(server):
    add_full_course(server)
    run = add_run(server.store, 1)
    with server.store.session() as session:
        job_id = session.get_one(RunRow, run).job_id
        claim(session, job_id)
    expire(server)
    forget_now(server)
    with server.store.reading() as session:
        assert session.get_one(JobRow, job_id).cancel
        assert count(session, RunRow) == 0


def test_what_is_left_over_goes_in_its_time(server):
    course = server.add_course()
    moment = now()

    def before(**age):
        return moment - timedelta(**age)

    with server.store.session() as session:
        session.add(AssignmentRow(course_id=course, name="A"))
        session.flush()
        for age in (6, 8):
            part = UploadPartRow(path="x.zip", chunks=[UploadChunkRow(start=0, content=b"x")])
            session.add(UploadRow(assignment_id=1, created=before(days=age), parts=[part]))
            old = UploadRow(assignment_id=1, created=before(days=age), state=UploadState.CONFIRMED)
            session.add(old)
        for age in (13, 15):
            session.add(LoginRow(digest=f"d{age}", user_id=1, seen=before(days=age)))
        for age in (23, 25):
            session.add(AttemptRow(key="k", at=before(hours=age)))
        for age in (29, 31):
            session.add(InvitationRow(digest=f"e{age}", email="e", expires=before(days=age)))
            used = InvitationRow(digest=f"u{age}", email="u", expires=before(days=-5), used=before(days=age))
            session.add(used)
            job = JobRow(kind="x", state=JobState.DONE, finished=before(days=age), lines=[LogLineRow(text="x")])
            shown = JobRow(kind="run", state=JobState.DONE, finished=before(days=age))
            session.add_all([job, shown, JobRow(kind="waits", created=before(days=age))])
            session.flush()
            session.add(RunRow(assignment_id=1, number=age, job_id=shown.id))
        for age in (89, 91):
            session.add(NoticeRow(user_id=1, at=before(days=age), text="x"))
        for age in (23, 25):
            session.add(CourseArchiveRow(course_id=course, created=before(hours=age)))
        session.add(ContentRow(digest="nobody's", characters=1, packed=b"x"))
    with server.store.session() as session:
        assert delete_expired(session, moment).uploads == 1
    with server.store.reading() as session:
        tables = (
            UploadRow,
            UploadChunkRow,
            LoginRow,
            AttemptRow,
            InvitationRow,
            JobRow,
            LogLineRow,
            NoticeRow,
            CourseArchiveRow,
            ContentRow,
        )
        assert [count(session, table) for table in tables] == [3, 1, 1, 1, 2, 5, 1, 1, 1, 0]


def test_a_course_is_deleted_with_everything(server):
    add_full_course(server)
    with server.store.session() as session:
        assert delete_course(session, session.get_one(CourseRow, 1)) == []
    with server.store.reading() as session:
        assert [
            count(session, table) for table in (CourseRow, PersonRow, CaseRow, ContentRow, TokenStreamRow, RunRow)
        ] == [0] * 6


def test_once_a_day_whoever_asks(server):
    day = datetime(2026, 11, 16, tzinfo=UTC)
    with server.store.session() as session:
        assert is_due(session, day)
        assert not is_due(session, day + timedelta(hours=23, minutes=59))
        assert is_due(session, day + timedelta(hours=24))


def test_of_several_workers_one_adds_the_days_job(server):
    ready = threading.Barrier(4)
    wrong = []

    def look():
        store = Store(server.store.url)
        try:
            ready.wait()
            for _ in range(5):
                with store.session() as session:
                    add_daily_jobs(session)
        except Exception as error:
            wrong.append(error)
        finally:
            store.close()

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    with server.store.reading() as session:
        assert session.scalars(select(JobRow.kind)).all() == ["forget"]


def test_a_day_whose_transaction_failed_is_still_due(server):
    def fail():
        with server.store.session() as session:
            add_daily_jobs(session)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with server.store.session() as session:
        add_daily_jobs(session)
    with server.store.reading() as session:
        assert count(session, JobRow) == 1


def test_the_job_can_be_done_twice(server):
    add_full_course(server)
    expire(server)
    with server.store.session() as session:
        for _ in range(2):
            add_job(session, "forget", {})
    server.work()
    with server.store.reading() as session:
        assert expired(session, now()) == []
        assert {job.state for job in session.scalars(select(JobRow).filter_by(kind="forget"))} == {JobState.DONE}
