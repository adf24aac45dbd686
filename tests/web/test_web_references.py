"""References on the pages of the app: each says what kind of text somebody is close to, and lists a student once."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select
from support.chatbot import STUDENT, add_run_with_answers
from support.server import make_server

from moss.store.tables import SubmissionRow

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
