"""What strangers and their programs send: no number, character or word of theirs is stored or ends in an accident."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import func, select
from support.keeping import add_full_course
from support.server import make_server
from support.tokens import programs
from support.uploads import open_desk, program

from moss.store.tables import CourseRow, ShareLinkRow
from moss.web.actions import reports
from moss.web.pages import shares
from moss.web.request.answers import POLICY

HUGE = (str(2**63), f"1{'0' * 5000}")
"""Numbers that no row can have: beyond what SQLite stores, and beyond what Python reads."""

FORM = ("name", "owner", "note", "label", "term", "email", "rank", "days", "role", "corpus", "comment", "language")


@pytest.fixture
def on_each_database(tmp_path, database_url):
    """A server with a course whose assignment has a finished run."""
    with make_server(tmp_path, database_url) as made:
        add_full_course(made)
        yield made


def rules(server, method):
    """The addresses of all routes of a method, with what their variables are."""
    return [rule for rule in server.app.url_map.iter_rules() if method in rule.methods]


def address(rule, number) -> str:
    return re.sub(r"<(?:\w+:)?\w+>", str(number), rule.rule)


@pytest.mark.parametrize("huge", HUGE, ids=["2^63", "10^5000"])
def test_no_address_with_a_number_that_no_row_has_is_an_accident(on_each_database, huge):
    browser, tried = on_each_database.client("administrator"), 0
    for method in ("GET", "POST", "PUT", "DELETE", "PATCH"):
        for rule in rules(on_each_database, method):
            if "<int:" in rule.rule:
                headers = {"X-Form-Token": browser.token()}
                answer = browser.flask.open(address(rule, huge), method=method, headers=headers)
                assert answer.status_code == 404, (method, rule.rule)
                assert answer.headers["Content-Security-Policy"] == POLICY
                tried += 1
    assert tried > 100


@pytest.mark.parametrize("huge", HUGE, ids=["2^63", "10^5000"])
def test_no_number_in_a_form_is_an_accident(on_each_database, huge):
    browser = on_each_database.client("administrator")
    with on_each_database.store.reading() as session:
        before = session.scalar(select(func.count(ShareLinkRow.id)))
    for path in ("/users?start={}", "/audit?before={}", "/courses/1/people?page={}&least={}", "/runs/1/shares?rank={}",
                 "/assignments/1/?page={}"):  # fmt: skip
        assert browser.get(path.format(huge, huge)).status_code == 200, path
    refused = browser.post("/runs/1/shares", {"rank": str(huge), "days": "7"})
    assert refused.status_code == 404
    assert refused.headers["Content-Security-Policy"] == POLICY
    assert browser.post("/runs/1/shares", {"days": str(huge)}).status_code == 422
    for path, form in (("/notices/seen", {"last": str(huge)}), ("/runs/1/pairs/1/case", {"assignee": str(huge)}),
                       ("/courses/1/settings", {"name": "x", "kept": "days", "days": f"1{'0' * 5000}"})):  # fmt: skip
        assert browser.post(path, form).status_code in (303, 422), path
    with on_each_database.store.reading() as session:
        assert session.scalar(select(func.count(ShareLinkRow.id))) == before


def test_nul_is_refused_in_every_form_and_stored_nowhere(on_each_database):
    browser = on_each_database.client("administrator")
    for rule in rules(on_each_database, "POST"):
        if not rule.rule.startswith(("/api/", "/logout")):
            answer = browser.post(address(rule, 1), dict.fromkeys(FORM, "a\x00b"))
            assert answer.status_code == 422, rule.rule
            assert "a character that can’t be stored" in answer.text
    assert browser.get("/users?text=%00").status_code == 422
    assert browser.post("/courses", {"name\0": "x"}).status_code == 422
    with on_each_database.store.reading() as session:
        assert session.scalar(select(func.count(CourseRow.id))) == 1


def test_a_body_that_a_program_sends_is_left_to_its_view(reported):
    """A form is looked into, but not what is sent as a file with the content type that curl chooses by itself."""
    ask = programs(reported)
    upload = ask("POST", "/assignments/1/uploads", 201).data["id"]
    sent = ask("PUT", f"/uploads/{upload}/parts?path=a.py&total=3", 200, data=b"a\0b",
               content_type="application/x-www-form-urlencoded")  # fmt: skip
    assert sent.data["size"] == 3


def test_a_form_token_of_other_letters_is_wrong_and_no_accident(server):
    browser = server.client()
    for given in ("é" * 64, "ж"):
        answer = browser.flask.post("/courses", data={"name": "x", "form_token": given})
        assert answer.status_code == 400
        assert "This form is too old, or came from another site" in answer.text
    assert browser.flask.post("/courses", headers={"X-Form-Token": "é"}).status_code == 400


def test_an_unknown_role_is_refused_though_it_would_fall_to_nobody(server):
    upload = open_desk(server).send({"ada.py": program(1), "bela.py": program(2)})
    answer = server.client().post(
        f"/uploads/{upload}/submissions?search=nobody-of-this-name", {"do": "all", "bulk": "pope"}
    )
    assert answer.status_code == 422
    assert "There is no role" in answer.text


def test_an_accident_of_the_database_is_said_in_words_with_all_headers(reported, monkeypatch):
    """The page about it must not need the transaction that has failed."""
    monkeypatch.setattr(reports, "pair_at", lambda *_: True)
    monkeypatch.setattr(shares, "number", int)
    answer = reported.client().post("/runs/1/shares", {"rank": HUGE[0]})
    assert answer.status_code == 500
    assert "Something went wrong on the server" in answer.text
    assert answer.headers["Content-Security-Policy"] == POLICY
    assert reported.client().get("/runs/1/shares").status_code == 200
