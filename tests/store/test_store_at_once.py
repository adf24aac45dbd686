"""What two people do at the same moment, on each kind of database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import pytest
from sqlalchemy import select
from support.schema import open_migrated

from moss.store.courses import assignments
from moss.store.courses.assignments import assignment_for
from moss.store.results import cases
from moss.store.results.cases import open_case
from moss.store.submissions.uploads import begin_upload
from moss.store.tables import AssignmentRow, CaseRow, CourseRow, PersonRow, UserRow


@pytest.fixture
def store(database_url):
    """A course with an assignment and two students."""
    opened = open_migrated(database_url)
    with opened.session() as session:
        session.add_all([CourseRow(id=1, name="Programming 1"), UserRow(id=1, name="Ann", email="ann@example.org")])
        session.flush()
        session.add(AssignmentRow(course_id=1, name="Homework 1"))
        session.add_all(PersonRow(id=number, course_id=1, name=f"Student {number}") for number in (1, 2))
    yield opened
    opened.close()


def at_once(store, monkeypatch, module, name, task):
    """What comes of a task that two do, both of whom are at this function at the same moment, unless one waits for the
    other to have ended."""
    begin, barrier, original = Barrier(2), Barrier(2), getattr(module, name)

    def slowly(*given):
        found = original(*given)
        with suppress(BrokenBarrierError):
            barrier.wait(timeout=0.5)
        return found

    def do(_):
        with store.reading() as session:
            session.execute(select(1))  # the first connection takes its time
        begin.wait()
        with store.session() as session:
            return task(session)

    monkeypatch.setattr(module, name, slowly)
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(do, range(2)))


def test_two_who_open_the_case_of_a_pair_at_once_have_one_case(store, monkeypatch):
    ids = at_once(store, monkeypatch, cases, "find_case", lambda session: open_case(session, 1, (1, 2)).id)
    assert ids[0] == ids[1]
    with store.reading() as session:
        assert session.query(CaseRow).count() == 1


def test_two_downloads_of_one_name_at_once_are_two_assignments(store, monkeypatch):
    def send(session):
        assignment = assignment_for(session, session.get_one(CourseRow, 1), "", "Homework 2.zip")
        begin_upload(session, assignment.id, 1)
        return assignment.name

    names = at_once(store, monkeypatch, assignments, "title_of_download", send)
    assert sorted(names) == ["Homework 2", "Homework 2 (2)"]
