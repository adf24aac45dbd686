"""Rosters on pages and by the API, several cases at once, and what a course says of itself."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select
from support.classes import add_run

from moss.store.results.case_lists import count_cases
from moss.store.tables import (
    AuditEntryRow,
    CaseState,
    CourseRow,
    JobRow,
    JobState,
    PairRow,
    PersonRow,
    RunRow,
    now,
)

ROSTER = b"name,other names,section\nAlma Ruiz,alma,A\nBoris <b>Lind</b>,,B\n"


def person(server, name) -> int:
    with server.store.reading() as session:
        return session.scalars(select(PersonRow.id).filter_by(name=name)).one()


def test_a_roster_is_pasted_shown_and_deleted(reported):
    instructor = reported.client()
    page = instructor.post("/courses/1/roster", {"lines": ROSTER.decode()}, follow_redirects=True).text
    assert "The roster has 2 students." in page
    assert "Boris &lt;b&gt;Lind&lt;/b&gt;" in page
    people = instructor.get("/courses/1/people?section=A").text
    assert "Alma Ruiz" in people
    assert "Boris" not in people[people.index("All students") :]
    assert (
        instructor.get(f"/people/{person(reported, 'alma')}/")
        .headers["Location"]
        .endswith(f"/people/{person(reported, 'Alma Ruiz')}/")
    )
    instructor.post("/courses/1/roster/remove", {})
    assert "Boris" not in instructor.get("/courses/1/people").text
    wrong = instructor.post("/courses/1/roster", {"lines": "number\n1\n"})
    assert wrong.status_code == 422
    assert "first line has to name the columns" in wrong.text


def test_names_are_merged_and_parted_by_hand_and_that_is_in_the_log(reported):
    instructor, alma, boris = reported.client(), person(reported, "alma"), person(reported, "boris")
    instructor.post(f"/people/{alma}/merge", {"into": str(boris)})
    assert "Also handed in as" in instructor.get(f"/people/{boris}/").text
    assert instructor.post(f"/people/{alma}/merge", {"into": "0"}).status_code == 422
    instructor.post(f"/people/{alma}/part", {})
    with reported.store.reading() as session:
        assert session.get_one(PersonRow, alma).same_as_id is None
        actions = session.scalars(select(AuditEntryRow.action).order_by(AuditEntryRow.id.desc()).limit(2)).all()
        assert actions == ["parted two students", "merged two students"]


@pytest.mark.parametrize("path", ["/courses/1/roster", "/people/1/merge", "/people/1/part", "/courses/1/cases/dismiss"])
def test_assistants_change_nobody(reported, path):
    assert reported.client("assistant").post(path, {}).status_code == 403


def test_the_api_takes_a_roster_and_tells_what_became_of_it(reported):
    answer = reported.client().put("/api/v1/courses/1/roster", ROSTER)
    assert answer.status_code == 200, answer.text
    assert answer.json["merged"] == {"alma": "Alma Ruiz"}
    assert answer.json["students"] == 2
    assert "boris" in answer.json["unknown"]


def queue(server) -> list[str]:
    return re.findall(r'name="shown" value="(\d+)"', server.client().get("/courses/1/cases").text)


def test_several_pairs_are_dismissed_after_a_question_and_taken_back_by_one_undo(reported):
    instructor, waiting = reported.client(), queue(reported)
    assert len(waiting) > 1
    asked = instructor.post("/courses/1/cases/dismiss", {"shown": waiting, "which": "shown"}).text
    assert f"Dismiss {len(waiting)} pairs?" in asked
    assert queue(reported) == waiting, "nothing is done before one is sure"
    page = instructor.post("/courses/1/cases/dismiss", {"pair": waiting, "sure": "yes"}, follow_redirects=True).text
    assert "All caught up" in page
    undo = re.search(r'action="(/courses/1/cases/undo[^"]*)"', page)[1].replace("&amp;", "&")
    instructor.post(undo, {})
    assert queue(reported) == waiting
    assert instructor.post(undo, {}).status_code == 422, "there is nothing left to take back"
    with reported.store.reading() as session:
        assert count_cases(session, [1])[1] == {CaseState.UNREVIEWED: len(waiting)}


def test_pairs_of_other_courses_and_decided_ones_are_not_dismissed(reported):
    instructor, waiting = reported.client(), queue(reported)
    other = reported.add_course("Elsewhere")
    answer = instructor.post(f"/courses/{other}/cases/dismiss", {"pair": waiting, "sure": "yes"})
    assert answer.status_code == 422
    instructor.post("/runs/1/pairs/1/case", {"state": "partners"})
    instructor.post("/courses/1/cases/dismiss", {"pair": waiting, "sure": "yes"})
    with reported.store.reading() as session:
        assert count_cases(session, [1])[1][CaseState.PARTNERS] == 1


def test_a_refusal_leads_back_to_where_one_was(reported):
    refused = reported.client().post("/runs/1/pairs/1/case", {"state": "confirmed"})
    assert refused.status_code == 422
    assert 'href="/runs/1/pairs/1">Go back' in refused.text


def test_a_cancelled_run_hides_no_finished_one_and_a_later_one_is_named(reported):
    with reported.store.session() as session:
        session.get_one(CourseRow, 1).imported = now()
    second = add_run(reported.store, 1)
    page = reported.client().get("/courses/1/").text
    assert re.search(r"Run 1</a>.*Run 2</a>", page, re.S)
    assert "imported" in page
    with reported.store.session() as session:
        session.get_one(JobRow, session.get_one(RunRow, second).job_id).state = JobState.CANCELLED
    page = reported.client().get("/courses/1/").text
    assert "Run 1</a>" in page
    assert "Run 2" not in page


def test_two_names_of_one_student_are_no_pair_to_decide(reported):
    with reported.store.reading() as session:
        pair = session.scalars(select(PairRow).filter_by(rank=1)).one()
        a, b = pair.a_person_id, pair.b_person_id
    instructor = reported.client()
    instructor.post(f"/people/{a}/merge", {"into": str(b)})
    assert "Both are names of one student" in instructor.get("/runs/1/pairs/1").text
    assert instructor.post("/runs/1/pairs/1/case", {"state": "dismissed"}).status_code == 404
