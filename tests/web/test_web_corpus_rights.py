"""Rights to corpora: nobody searches another course's or adds to it unless allowed, or reads the names in it."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select
from support.classes import add_submission
from support.corpora import prose
from support.decisions import CONFIRMED
from support.tokens import programs

from moss.jobs.handlers.deletion import erase
from moss.model import SourceFile, Submission
from moss.store.tables import (
    AssignmentRow,
    CourseRole,
    CourseRow,
    MembershipRow,
    PersonRow,
    RunEntryRow,
    RunRow,
    RunTextRow,
)

OLD = "# by Ada Lovelace, with help of Bela Bartok\n" + prose(1, 300)
STRANGER = r"submission \d+ of another course"


def hand_in(server, course, texts) -> int:
    with server.store.session() as session:
        made = AssignmentRow(course_id=course, name="Essay")
        session.add(made)
        session.flush()
        for owner, text in texts.items():
            add_submission(session, made, Submission(owner, owner, (SourceFile(f"{owner}/essay.txt", text),)))
        return made.id


@pytest.fixture
def others(server):
    """The stranger's course, to which nobody else belongs, with an essay that copies one which the instructor's course
    has kept in the corpus `years`; the two assignments."""
    before = hand_in(server, server.add_course("Writing", "2025/26"), {"Ada Lovelace": OLD, "Bela Bartok": prose(3)})
    assert server.client().post(f"/assignments/{before}/keep", {"corpus": "years"}).status_code == 303
    server.work()
    with server.store.session() as session:
        course = CourseRow(name="Rhetoric", term="2026")
        session.add(course)
        session.flush()
        session.add(MembershipRow(course_id=course.id, user_id=server.id_of("stranger"), role=CourseRole.INSTRUCTOR))
        number = course.id
    return before, hand_in(server, number, {"Fay": prose(1, 300), "Gil": prose(50, 300)})


def let(server, course, person="administrator", **use):
    return server.client(person).post("/corpora/years", {"course": str(course), **use})


def compare(server, assignment, person="stranger"):
    answer = server.client(person).post(f"/assignments/{assignment}/runs", {"corpora": ["years"]})
    server.work()
    with server.store.reading() as session:
        run = session.scalars(select(RunRow).order_by(RunRow.id.desc())).first()
    return answer, run.id if run else None


def test_a_course_that_has_no_right_neither_sees_nor_searches_nor_adds(server, others):
    browser, ask, mine = server.client("stranger"), programs(server, "stranger"), others[1]
    assert 'name="corpora"' not in browser.get(f"/assignments/{mine}/runs/new").text
    assert "You have:" not in browser.get(f"/assignments/{mine}/").text
    assert ask("GET", "/corpora", 200).data == []
    answer, run = compare(server, mine)
    assert (answer.status_code, run) == (422, None)
    refused = browser.post(f"/assignments/{mine}/keep", {"corpus": "years"})
    assert refused.status_code == 422
    assert "You can’t add to the corpus" in refused.text
    assert "add to the corpus" in ask("POST", f"/assignments/{mine}/keep", 422, json={"corpus": "years"}).text


def test_rights_are_an_administrators_to_give(server, others):
    ask = programs(server, "stranger")
    assert server.client().get("/corpora").status_code == 403
    assert let(server, "all", "instructor", search="yes").status_code == 403
    assert let(server, 4711).status_code == 404
    assert let(server, 2**63).status_code == 404
    assert "years" in server.client("administrator").get("/corpora").text
    assert let(server, 2, search="yes").status_code == 303
    assert ask("GET", "/corpora", 200).data[0]["name"] == "years"
    assert let(server, 2).status_code == 303
    assert ask("GET", "/corpora", 200).data == []
    assert let(server, "all", search="yes", add="yes").status_code == 303
    assert server.client("stranger").post(f"/assignments/{others[1]}/keep", {"corpus": "years"}).status_code == 303
    with server.store.session() as session:
        session.delete(session.get_one(CourseRow, 2))
    assert let(server, "all").status_code == 303
    assert ask("GET", "/corpora", 200).data == []


def everything(server, run, person="stranger") -> str:
    """All that somebody can read of a run: pages, files and what the API gives."""
    browser, ask = server.client(person), programs(server, person)
    pages = [f"/runs/{run}/", f"/runs/{run}/pairs/1", f"/runs/{run}/report.json", f"/runs/{run}/pairs.csv",
             f"/runs/{run}/pairs/1/evidence", f"/runs/{run}/scores.csv", "/", "/courses/2/people",
             *(f"/runs/{run}/submissions/{number}" for number in (1, 3)),
             f"/runs/{run}/submissions/3/elsewhere", f"/runs/{run}/pairs/1/passages/1/elsewhere",
             f"/runs/{run}/what-if/preview?corpora=years", f"/runs/{run}/log"]  # fmt: skip
    texts = [browser.get(page) for page in pages]
    assert [answer.status_code for answer in texts] == [200] * len(pages)
    found = [ask("GET", f"/runs/{run}/{what}", 200).text for what in ("pairs", "pairs/1", "report")]
    return "".join([*(answer.get_data(as_text=True) for answer in texts), *found])


def test_whoever_searches_is_told_nobody_of_a_course_that_is_not_theirs(server, others):
    let(server, "all", search="yes")
    _, run = compare(server, others[1])
    seen = everything(server, run)
    assert re.search(STRANGER, seen), "what was copied is found"
    for word in ("Lovelace", "lovelace", "Bartok", "Writing", "2025/26"):
        assert word not in seen, word
    assert "with help of student" in seen
    assert server.client("stranger").get("/submissions/1/files/1").status_code == 404
    assert "Lovelace" in server.client().get("/submissions/1/files/1").text, "its own course knows whose it is"


def test_what_is_decided_about_somebody_unnamed_is_known_in_the_next_run(server, others):
    let(server, "all", search="yes")
    browser = server.client("stranger")
    _, run = compare(server, others[1])
    browser.post(f"/runs/{run}/pairs/1/case", CONFIRMED | {"note": "word for word"})
    _, later = compare(server, others[1])
    assert "word for word" in browser.get(f"/runs/{later}/pairs/1").text
    assert re.search(STRANGER, browser.get(f"/runs/{later}/compared-with/{run}").text)


def test_who_is_erased_leaves_the_reports_that_do_not_name_them(server, others):
    let(server, "all", search="yes")
    _, run = compare(server, others[1])
    with server.store.session() as session:
        assert session.scalars(select(RunTextRow)).all()
        erase(session, session.scalars(select(PersonRow).filter_by(name="Ada Lovelace")).one())
    server.work()
    with server.store.reading() as session:
        labels = session.scalars(select(RunEntryRow.label).filter_by(run_id=run)).all()
        assert session.scalars(select(RunTextRow)).all() == []
    assert "erased" in labels
    assert not re.search(STRANGER, server.client("stranger").get(f"/runs/{run}/").text)


def test_people_are_named_where_all_readers_belong_to_their_course(server, others):
    course = server.add_course("Writing", "2026")
    mine = hand_in(server, course, {"Fay": prose(1, 300)})
    _, run = compare(server, mine, "instructor")
    assert "Ada Lovelace" in server.client().get(f"/runs/{run}/").text
    with server.store.session() as session:  # a colleague joins who was not there last year
        session.add(MembershipRow(course_id=course, user_id=server.id_of("stranger"), role=CourseRole.ASSISTANT))
    _, later = compare(server, mine, "instructor")
    page = server.client("stranger").get(f"/runs/{later}/").text
    assert "Lovelace" not in page
    assert re.search(STRANGER, page)
