"""Courses and their assignments are made, listed, renamed and deleted."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import func, select
from support.uploads import open_desk, program, zipped

from moss.store.tables import (
    AssignmentRow,
    AuditEntryRow,
    ContentRow,
    CourseRole,
    CourseRow,
    MembershipRow,
    PersonRow,
    SubmissionRow,
    SubmittedFileRow,
    UploadChunkRow,
    UploadRow,
)


def rows(server, table) -> int:
    with server.store.reading() as session:
        return session.scalar(select(func.count()).select_from(table))


def test_whoever_makes_a_course_is_its_instructor(server):
    answer = server.client("stranger").post("/courses/", {"name": " Programming  1 ", "term": "Fall 2026"})
    assert answer.status_code == 303
    with server.store.reading() as session:
        course = session.scalars(select(CourseRow)).one()
        membership = session.scalars(select(MembershipRow)).one()
    assert (course.name, course.term) == ("Programming 1", "Fall 2026")
    assert (membership.user_id, membership.role) == (server.id_of("stranger"), CourseRole.INSTRUCTOR)
    assert server.client("stranger").get(answer.headers["Location"]).status_code == 200
    assert server.client("instructor").get(answer.headers["Location"]).status_code == 404


def test_a_course_needs_a_name(server):
    answer = server.client().post("/courses/", {"name": " ", "term": "Fall"})
    assert answer.status_code == 422
    assert "Enter a name." in answer.text
    assert 'value="Fall"' in answer.text, "what was typed is kept"
    assert rows(server, CourseRow) == 0


def test_people_see_their_courses_alone(server):
    server.add_course("Compilers")
    assert "Compilers" in server.client("assistant").get("/courses/").text
    assert "Compilers" not in server.client("stranger").get("/courses/").text
    assert "Compilers" in server.client("administrator").get("/courses/").text


def test_an_assignment_is_made_by_instructors(server):
    course = server.add_course()
    assert server.client("assistant").post(f"/courses/{course}/assignments", {"name": "Homework"}).status_code == 403
    assert server.client("stranger").post(f"/courses/{course}/assignments", {"name": "Homework"}).status_code == 404
    answer = server.client().post(f"/courses/{course}/assignments", {"name": "Homework"}, follow_redirects=True)
    assert answer.status_code == 200
    assert "Homework" in answer.text
    again = server.client().post(f"/courses/{course}/assignments", {"name": "Homework"})
    assert again.status_code == 422
    assert "already has an assignment with that name" in again.text


def test_a_course_shows_how_its_assignments_stand(server):
    desk = open_desk(server)
    desk.confirm(desk.send({"ann.py": program(1), "bo.py": program(2)}))
    with server.store.session() as session:
        course = session.scalars(select(CourseRow)).one()
        course.retention_days = 30
        deleted = session.scalars(select(AssignmentRow)).one().created + timedelta(days=30)
    page = server.client("assistant").get("/courses/1/").text
    assert "Homework 1" in page
    assert '<td class="number" data-label="Students">2</td>' in page
    assert f'<time datetime="{deleted.isoformat()}"' in page, "when it will be deleted"
    assert "Create the assignment" not in page, "assistants read"


def test_names_are_only_text(server):
    name = '<script>alert("1")</script>\u202e'
    course = server.client().post("/courses/", {"name": name, "term": name}).headers["Location"]
    server.client().post(f"{course}assignments", {"name": name})
    for path in ("/courses/", course, "/assignments/1/"):
        page = server.client().get(path).text
        assert "<script>alert" not in page
        assert "\u202e" not in re.sub('value="[^"]*"', "", page), "but fields hold what was typed"


def test_an_assignment_gets_another_name(server):
    desk = open_desk(server)
    path = f"/assignments/{desk.assignment}/rename"
    assert server.client("assistant").post(path, {"name": "Lab"}).status_code == 403
    assert desk.browser.post(path, {"name": ""}).status_code == 422
    assert "Lab" in desk.browser.post(path, {"name": "Lab"}, follow_redirects=True).text


def test_an_assignment_is_deleted_only_when_its_name_is_typed(server):
    desk = open_desk(server)
    desk.confirm(desk.send({"ann.py": program(1), "bo.py": program(2)}))
    desk.send({"cy.py": program(3)})
    path = f"/assignments/{desk.assignment}/delete"
    refused = desk.browser.post(path, {"confirmation": "Homework"})
    assert refused.status_code == 422
    assert "nothing was deleted" in refused.text
    assert server.client("assistant").post(path, {"confirmation": "Homework 1"}).status_code == 403
    assert rows(server, SubmissionRow) == 3
    assert desk.browser.post(path, {"confirmation": "Homework 1"}).status_code == 303
    for table in (AssignmentRow, SubmissionRow, UploadRow, SubmittedFileRow, ContentRow, PersonRow, UploadChunkRow):
        assert rows(server, table) == 0, table
    assert rows(server, CourseRow) == 1
    with server.store.reading() as session:
        assert "deleted an assignment" in session.scalars(select(AuditEntryRow.action)).all()


def test_texts_and_people_that_others_need_stay(server):
    desk = open_desk(server)
    desk.confirm(desk.send({"ann.py": program(1), "bo.py": program(2)}))
    desk.browser.post("/courses/1/assignments", {"name": "Homework 2"})
    desk.assignment = 2
    desk.confirm(desk.send({"ann.py": program(1)}))
    desk.browser.post("/assignments/1/delete", {"confirmation": "Homework 1"})
    with server.store.reading() as session:
        assert session.scalars(select(PersonRow.name)).all() == ["ann"]
    assert rows(server, ContentRow) == 1


@pytest.mark.parametrize("path", ["/courses/", "/courses/1/", "/assignments/1/"])
def test_nobody_is_asked_to_log_in_first(server, path):
    open_desk(server)
    answer = server.client("nobody").get(path)
    assert answer.status_code == 302
    assert "/login" in answer.headers["Location"]


def test_an_archive_of_the_same_course_is_not_disturbed(server):
    """Two courses may have people and assignments of the same names."""
    first, second = open_desk(server), open_desk(server)
    for desk in (first, second):
        desk.confirm(desk.send({"hw.zip": zipped({"ann/a.py": program(1), "bo/a.py": program(2)})}))
    assert rows(server, PersonRow) == 4
    first.browser.post(f"/assignments/{first.assignment}/delete", {"confirmation": "Homework 1"})
    assert [row.owner for row in second.rows()] == ["ann", "bo"]
    assert rows(server, ContentRow) == 2
