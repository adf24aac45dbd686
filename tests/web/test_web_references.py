"""References on the pages of the app: each says what kind of text somebody is close to, and lists a student once."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select
from support.chatbot import ANSWERS, STUDENT, add_class_with_answers, add_run_with_answers
from support.classes import add_run
from support.server import make_server

from moss.store.results.progress import first_pairs_of
from moss.store.tables import PersonRow, RunRow, SubmissionRow
from moss.web.pages.cases import CHECKS

KIND = "chatbot’s answer"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with a run in which a student is close to several answers, which these tests only read."""
    with make_server(tmp_path_factory.mktemp("references")) as made:
        add_run_with_answers(made)
        yield made


def rows_with_answers(page):
    """The rows of lists and tables that name an answer of the chatbot."""
    return [row for row in re.findall(r"(?s)<(?:li|tr)\b.*?</(?:li|tr)>", page) if "<bdi>answer " in row]


@pytest.mark.parametrize("path", ["/runs/1/compared-with/1", "/runs/1/what-if/preview?noise=9"])
def test_two_rankings_side_by_side_say_the_kind(server, path):
    rows = [row for row in rows_with_answers(server.client().get(path).text) if f"<bdi>{STUDENT}<" in row]
    assert len(rows) == 3, "in both lists, and in the table"
    assert all(KIND in row for row in rows)


def test_a_rank_that_the_second_list_shows_is_not_told_beside_the_first(server):
    assert ">now " not in server.client().get("/runs/1/compared-with/1").text


def test_a_preview_says_the_kind_that_a_text_has_now(tmp_path):
    with make_server(tmp_path) as server:
        add_run_with_answers(server)
        client = server.client()
        before = client.get("/runs/1/what-if/preview").text
        with server.store.reading() as session:
            answers = session.scalars(select(SubmissionRow.id).filter_by(reference="chatbot")).all()
        for answer in answers:
            client.post(f"/submissions/{answer}", {"role": "book"})
        after = client.get("/runs/1/what-if/preview").text
    assert [KIND in page for page in (before, after)] == [True, False]
    assert "book or published solution" in after


def test_the_first_pairs_say_the_kind_also_of_what_is_from_another_assignment(tmp_path):
    with make_server(tmp_path) as server:
        earlier, now = add_class_with_answers(server), add_class_with_answers(server)
        run = add_run(server.store, now, archives=(earlier,))
        with server.store.session() as session:
            rows = session.execute(select(SubmissionRow.owner, SubmissionRow.id).filter_by(assignment_id=earlier))
            ids = dict(rows.all())
            [mine] = session.scalars(select(SubmissionRow.id).filter_by(assignment_id=now, owner=STUDENT))
            row = session.get_one(RunRow, run)
            row.first_pairs = [[mine, ids[STUDENT], 1.0], [mine, ids[ANSWERS[0]], 0.9]]
            pairs = first_pairs_of(session, row, 9)
        assert [(pair.rank, pair.kind) for pair in pairs] == [(0, "earlier"), (0, "chatbot")]


def test_lists_of_students_say_the_kind_and_have_a_student_once(server):
    client = server.client()
    people = client.get("/courses/1/people").text
    assert re.search(r"<b>1</b>\s*<span>pair that is unusual at least once", people)
    person = client.get(f"/people/{id_of(server, STUDENT)}/").text
    for page in (people, person):
        [row] = [row for row in rows_with_answers(page) if 'data-standing="far above"' in row]
        assert KIND in row[row.index("<bdi>answer ") :]


def test_the_students_of_a_course_are_counted_without_texts_that_they_are_compared_with(server):
    page = server.client().get("/courses/1/people").text
    students, _, authors = page[page.index("<h2>All students") :].partition('<h2 id="authors">')
    assert re.search(r'count">6<', students)
    assert STUDENT in students
    assert not any(answer in students for answer in ANSWERS)
    assert re.search(r'count">3<', authors)
    assert all(answer in authors for answer in ANSWERS)


def id_of(server, name):
    with server.store.reading() as session:
        return session.scalars(select(PersonRow.id).filter_by(name=name)).one()


def test_the_page_of_an_answer_does_not_call_students_answers(server):
    page = server.client().get(f"/people/{id_of(server, ANSWERS[0])}/").text
    resembling, _, submissions = page.partition("<h2>Submissions</h2>")
    assert f"<bdi>{STUDENT}<" in resembling
    assert KIND not in resembling
    assert KIND in submissions
    assert "earlier work" not in page


def test_cases_say_the_kind(tmp_path):
    """Wherever they are listed: also about an answer that the report does not list, because another stands for it."""
    with make_server(tmp_path) as server:
        add_run_with_answers(server)
        client = server.client()
        for rank, state in ((1, "unreviewed"), (2, "suspicious"), (3, "confirmed")):
            ticks = {"checked": [*CHECKS]}
            client.post(f"/runs/1/pairs/{rank}/case", {"state": state, "assignee": "2", "then": str(rank)} | ticks)
        for path, number in (
            ("/", 3 + 1), ("/courses/1/cases", 1), ("/courses/1/cases?state=suspicious", 1),
            ("/courses/1/cases?state=confirmed", 1), (f"/people/{id_of(server, STUDENT)}/", 3 + 1),
        ):  # fmt: skip
            rows = rows_with_answers(client.get(path).text)
            assert (path, len(rows), [KIND in row for row in rows]) == (path, number, [True] * number)
        assert KIND in client.get("/cases/1/").text
        sure = client.post("/courses/1/cases/dismiss", {"which": "shown", "shown": "1"}).text
        assert all(KIND in row for row in rows_with_answers(sure))
