"""Keeping and forgetting on the pages: who may, what is said before, and what is left after."""

from __future__ import annotations

import io
import json
import re
import zipfile
from datetime import timedelta

import pytest
from sqlalchemy import select
from support.decisions import CONFIRMED
from support.keeping import add_full_course, forget_now, places_of
from support.server import Server, make_server

from moss.store.tables import (
    AssignmentRow,
    AuditEntryRow,
    CaseRow,
    CourseArchiveRow,
    CourseRow,
    PersonRow,
    RunRow,
    ServerValueRow,
    UserRow,
    now,
)


@pytest.fixture
def full(server: Server) -> Server:
    """A server with a course that has something of everything: course 1, assignment 1, run 1."""
    add_full_course(server)
    return server


SETTINGS = {"name": "Programming 1", "term": "2026", "kept": "always", "days": "", "webhook": ""}


def course_of(server: Server, number: int = 1) -> CourseRow | None:
    with server.store.reading() as session:
        return session.get(CourseRow, number)


def audited(server: Server) -> list[str]:
    with server.store.reading() as session:
        return [
            f"{e.action} {json.dumps(e.detail)}"
            for e in session.scalars(select(AuditEntryRow).order_by(AuditEntryRow.id))
        ]


def age(server: Server, days: int) -> None:
    with server.store.session() as session:
        session.get_one(AssignmentRow, 1).created = now() - timedelta(days=days)


def test_the_settings_say_when_what_is_deleted(full):
    page = full.client().get("/courses/1/settings").text
    assert "is kept until someone deletes it" in page
    answer = full.client().post("/courses/1/settings", SETTINGS | {"kept": "days", "days": "365", "name": " P  2 "})
    assert answer.status_code == 303
    course = course_of(full)
    assert (course.name, course.retention_days) == ("P 2", 365)
    page = full.client().get("/courses/1/settings").text
    with full.store.reading() as session:
        end = session.get_one(AssignmentRow, 1).deleted_on
    words = re.sub(r"<[^>]+>", "", page)
    assert re.search(rf"Homework 1\s+on {end.day} {end:%b %Y}", words)
    assert any("kept" in line and "365" in line for line in audited(full))


def test_what_would_go_at_once_is_shown_before_and_goes_only_if_agreed(full):
    age(full, 40)
    wish = SETTINGS | {"kept": "days", "days": "30"}
    page = full.client().post("/courses/1/settings", wish)
    assert page.status_code == 200
    assert "Delete 1 assignment?" in page.text
    assert "deleted at once" in page.text
    assert "Homework 1" in page.text
    assert course_of(full).retention_days is None
    assert full.client().post("/courses/1/settings", wish | {"agreed": "7"}).status_code == 200
    agreed = re.search(r'name="agreed" value="([^"]+)"', page.text)[1]
    assert full.client().post("/courses/1/settings", wish | {"agreed": agreed}).status_code == 303
    full.work()
    with full.store.reading() as session:
        assert (
            session.query(AssignmentRow).count()
            == session.query(PersonRow).count()
            == session.query(RunRow).count()
            == 0
        )
    assert places_of(full.store, ["Ann Quill", "annslineofcode"]) == []
    assert any(line.startswith("deleted an assignment whose time had come") for line in audited(full))


def test_what_would_go_soon_is_asked_about_but_only_when_the_time_changes(full):
    age(full, 29)
    wish = SETTINGS | {"kept": "days", "days": "30"}
    page = full.client().post("/courses/1/settings", wish)
    assert page.status_code == 200
    assert "Nothing has been saved yet." in page.text
    assert "deleted at once" not in page.text
    assert re.search(r"deleted on <strong><time[^>]*>\d+ \w+ \d{4}</time>", page.text)
    assert course_of(full).retention_days is None
    agreed = re.search(r'name="agreed" value="([^"]+)"', page.text)[1]
    assert full.client().post("/courses/1/settings", wish | {"agreed": agreed}).status_code == 303
    assert course_of(full).retention_days == 30
    full.work()
    with full.store.reading() as session:
        assert session.query(AssignmentRow).count() == 1, "its time has not come"
    assert full.client().post("/courses/1/settings", wish | {"name": "Another"}).status_code == 303


def test_a_time_far_away_is_saved_at_once(full):
    age(full, 29)
    assert full.client().post("/courses/1/settings", SETTINGS | {"kept": "days", "days": "60"}).status_code == 303


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"name": " "}, "Enter a name."),
        ({"kept": "days", "days": "0"}, "Enter a number of days from 1 to 36,500."),
        ({"kept": "days", "days": "soon"}, "Enter a number of days"),
        ({"kept": "days", "days": "9" * 50}, "Enter a number of days"),
        ({"kept": "", "days": "-3"}, "Enter a number of days"),
        ({"webhook": "ftp://example.org"}, "must begin with http:// or https://"),
        ({"webhook": "https://me:password@example.org/"}, "must not contain a password"),
    ],
)
def test_settings_that_cannot_be_are_refused_and_kept_in_the_form(full, wrong, sentence):
    answer = full.client().post("/courses/1/settings", SETTINGS | {"term": "a new term"} | wrong)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert "a new term" in answer.text
    assert course_of(full).term == "2026"


def test_the_webhooks_secret_is_shown_to_those_who_set_it(full):
    full.client().post("/courses/1/settings", SETTINGS | {"webhook": "https://hooks.example.org/1"})
    with full.store.reading() as session:
        secret = session.scalars(select(ServerValueRow).where(ServerValueRow.name.contains("webhook"))).one().value
    assert secret in full.client().get("/courses/1/settings").text


def test_a_course_is_deleted_when_its_name_is_typed(full):
    answer = full.client().post("/courses/1/delete", {"confirm": "programming"})
    assert answer.status_code == 422
    assert "so nothing was deleted" in answer.text
    assert full.client().post("/courses/1/delete", {"confirm": " Programming  1 "}).status_code == 303
    assert course_of(full) is None
    full.work()
    assert places_of(full.store, ["Ann Quill", "Bob Rust", "lineofcode"]) == []
    assert full.client().get("/courses/1/").status_code == 404
    assert any(line.startswith("deleted a course") and "Programming 1" in line for line in audited(full))


def test_before_a_person_is_erased_the_page_says_what_goes(full):
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", full.client().get("/people/1/erase").text))
    assert "Erase Ann Quill?" in page
    assert "1 version handed in for Homework 1" in page
    assert "1 case with all its notes" in page
    assert "their place in 1 report: run 1 of Homework 1" in page
    assert "their name in 1 note of other cases" in page


def test_a_person_is_erased_when_the_name_is_typed(full):
    instructor = full.client()
    answer = instructor.post("/people/1/erase", {"confirm": "Ann"})
    assert answer.status_code == 422
    assert "nothing was erased" in answer.text
    before = instructor.get("/runs/1/").text
    assert "Ann Quill" in before
    assert instructor.post("/people/1/erase", {"confirm": "Ann  Quill"}).status_code == 303
    assert places_of(full.store, ["Ann Quill", "annslineofcode"]) == []
    assert instructor.get("/people/1/erase").status_code == 404
    assert any(line.startswith("erased a person") and '"submissions": 1' in line for line in audited(full))


def test_after_an_erasure_every_page_of_the_report_works(full):
    instructor = full.client()
    instructor.post("/people/1/erase", {"confirm": "Ann Quill"})
    overview = instructor.get("/runs/1/")
    assert overview.status_code == 200
    links = sorted(set(re.findall(r'href="((?:pairs|submissions)/\d+)"', overview.text)))
    assert len(links) > 6
    for link in links:
        page = instructor.get(f"/runs/1/{link}")
        assert page.status_code == 200, link
        assert "Ann Quill" not in page.text
        assert "could not be made" not in page.text
    for path in ("/", "/courses/1/", "/courses/1/people", "/assignments/1/", "/cases/2/", "/runs/1/shares"):
        page = instructor.get(path)
        assert page.status_code == 200, path
        assert "Ann Quill" not in page.text


def test_an_administrator_finds_and_erases_a_name_in_all_courses(full):
    administrator = full.client("administrator")
    assert "Nobody found" in administrator.get("/erase?name=Zoe").text
    page = administrator.get("/erase?name=quill,+ANN").text
    assert "Ann Quill" in page
    assert "Programming 1, 2026" in page
    form = {"name": "quill ann", "people": ["1", "2"], "confirm": ""}
    assert "Type the word erase" in administrator.post("/erase", form).text
    assert "Select the students" in administrator.post("/erase", form | {"people": ["2"], "confirm": "erase"}).text
    assert administrator.post("/erase", form | {"confirm": "Erase"}).status_code == 303
    assert places_of(full.store, ["Ann Quill"]) == []
    with full.store.reading() as session:
        assert session.get(PersonRow, 2).name == "Bob Rust"  # whose name was not asked for


@pytest.mark.parametrize(
    ("person", "status"), [("assistant", 403), ("stranger", 404), ("nobody", 302)]
)  # fmt: skip
def test_only_instructors_keep_and_forget(full, person, status):
    browser = full.client(person)
    for path in ("/courses/1/settings", "/courses/1/export", "/courses/1/export/1", "/people/1/erase"):
        assert browser.get(path).status_code == status, path
    for path in ("/courses/1/settings", "/courses/1/delete", "/courses/1/export", "/people/1/erase"):
        form = SETTINGS | {"confirm": "Programming 1"}
        assert browser.post(path, form).status_code == (303 if person == "nobody" else status), path
    assert browser.get("/erase?name=Ann").status_code == (302 if person == "nobody" else 403)
    assert browser.post("/erase", {"name": "Ann"}).status_code == (303 if person == "nobody" else 403)
    with full.store.reading() as session:
        assert session.query(PersonRow).count() == 8


def make_archive(server: Server) -> bytes:
    instructor = server.client()
    assert instructor.post("/courses/1/export").status_code == 303
    assert "being created" in instructor.get("/courses/1/export").text
    assert instructor.get("/courses/1/export/1").status_code == 404
    instructor.post("/courses/1/export")
    server.work()
    page = instructor.get("/courses/1/export").text
    [address] = re.findall(r'href="(/courses/1/export/\d+)"', page)
    answer = instructor.get(address)
    assert answer.content_type == "application/zip"
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    return answer.data


def test_a_course_is_exported_and_imported_again(full):
    content = make_archive(full)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert json.loads(archive.read("course.json"))["format"] == "moss-course"
    stranger = full.client("stranger")
    answer = stranger.post("/courses/import", {"file": (io.BytesIO(content), "course.zip")})
    assert answer.status_code == 303
    state = answer.headers["Location"]
    assert "Importing the course" in stranger.get(state).text
    assert full.client().get(state).status_code == 404
    full.work()
    page = stranger.get(state).text
    assert "Import finished" in page
    assert "8 students" in page
    assert stranger.get("/courses/2/").status_code == 200
    assert stranger.get("/courses/1/").status_code == 404
    first, second = full.client().get("/runs/1/").text, stranger.get("/runs/2/").text
    assert second.count("Ann Quill") == first.count("Ann Quill") > 1
    assert stranger.get("/runs/2/pairs/1").status_code == 200
    with full.store.reading() as session:
        assert session.query(CaseRow).count() == 4
    assert any(line.startswith("imported a course") for line in audited(full))


def test_an_archive_is_large_or_small_but_never_cut(full):
    with full.store.session() as session:
        session.get_one(CourseRow, 1).term = "T" * 150
    assert zipfile.ZipFile(io.BytesIO(make_archive(full))).testzip() is None


def test_an_archive_is_gone_after_a_day(full):
    make_archive(full)
    with full.store.session() as session:
        archive = session.get_one(CourseArchiveRow, 1)
        archive.ready -= timedelta(days=1, minutes=1)
        archive.created -= timedelta(days=1, minutes=1)
    assert full.client().get("/courses/1/export/1").status_code == 404
    assert "deleted" in full.client().get("/courses/1/export").text
    forget_now(full)
    with full.store.reading() as session:
        assert session.query(CourseArchiveRow).count() == 0


def test_what_is_no_archive_is_refused_with_a_sentence_and_leaves_nothing(full):
    stranger = full.client("stranger")
    answer = stranger.post("/courses/import", {"file": (io.BytesIO(b"nonsense"), "course.zip")})
    full.work()
    page = stranger.get(answer.headers["Location"]).text
    assert "This file can’t be imported: it is not a zip file, or only a part of one." in page
    with full.store.reading() as session:
        assert session.query(CourseRow).count() == 1
    assert stranger.post("/courses/import", {"file": (io.BytesIO(b""), "course.zip")}).status_code == 422
    assert stranger.post("/courses/import", {}).status_code == 422


@pytest.mark.parametrize(("size", "status"), [(3 * 1024 * 1024, 413), (1024 * 1024 + 1, 422)])
def test_more_than_the_server_accepts_is_refused(tmp_path, size, status):
    with make_server(tmp_path, upload_megabytes=1) as server:
        sent = {"file": (io.BytesIO(bytes(size)), "course.zip")}
        answer = server.client().post("/courses/import", sent)
        answer.request.environ["wsgi.input"].close()  # the test client's own file
        assert answer.status_code == status


def test_no_entry_of_the_audit_names_a_student(full):
    instructor = full.client()
    instructor.post("/cases/1/", CONFIRMED | {"note": "Ann Quill did it"})
    instructor.post("/courses/1/settings", SETTINGS | {"kept": "days", "days": "500"})
    instructor.post("/people/1/erase", {"confirm": "Ann Quill"})
    full.client("administrator").post("/erase", {"name": "Bob Rust", "people": ["2"], "confirm": "erase"})
    instructor.post("/courses/1/delete", {"confirm": "Programming 1"})
    full.work()
    said = " ".join(audited(full))
    assert len(audited(full)) >= 5
    assert not any(word in said for word in ("Ann", "Quill", "Bob", "Rust"))
    with full.store.reading() as session:
        assert session.query(UserRow).count() == 4


def test_a_page_that_was_being_made_while_somebody_was_erased_is_not_kept(full, monkeypatch):
    import moss.web.pages.reports as reports
    from moss.jobs.handlers.deletion import erase
    from moss.store.tables import RenderedPageRow

    with full.store.session() as session:
        session.query(RenderedPageRow).delete()
    render = reports.render_one

    def slowly(report, name):
        page = render(report, name)
        with full.store.session() as session:
            erase(session, session.get_one(PersonRow, 1))
        return page

    monkeypatch.setattr(reports, "render_one", slowly)
    assert "Ann Quill" in full.client().get("/runs/1/").text  # as it was when the page was asked for
    assert places_of(full.store, ["Ann Quill"]) == []
