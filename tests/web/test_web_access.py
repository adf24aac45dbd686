"""Every route, as every role and as a stranger: who may not do a thing is told so, and nothing has changed.

The routes are those of the app itself, so a new one is walked as soon as it exists.
"""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select

from moss.report.page_templates import TEMPLATES
from moss.store.tables import Base, CaseRow, DropRow, JobRow, PersonRow, ShareLinkRow, UploadRow, now
from moss.web.request.access import THINGS, Right, right_of

UNCHANGED_BY_LOOKING = {"logins", "attempts", "tokens", "audit", "secrets", "pages"}


@pytest.fixture
def furnished(reported):
    """A server that has at least one of everything, each with the number 1."""
    with reported.store.session() as session:
        people = sorted(session.scalars(select(PersonRow.id)).all())[:2]
        session.add_all(
            [
                CaseRow(assignment_id=1, a_id=people[0], b_id=people[1]),
                ShareLinkRow(run_id=1, expires=now(), user_id=reported.id_of("instructor")),
                UploadRow(assignment_id=1, user_id=reported.id_of("instructor")),
            ]
        )
        session.flush()
        session.add(DropRow(run_id=1, upload_id=1, place="1/1", asked={}, files=[]))
    with reported.store.reading() as session:
        for name, (table, _) in THINGS.items():
            assert session.get(table, 1) is not None, name
        assert session.get(JobRow, 1).course_id == 1
    return reported


def routes(app):
    """(method, path, right, whether it is about a course) of each route, every number being 1."""
    with app.test_request_context("/"):
        for rule in app.url_map.iter_rules():
            values = {name: 1 if "Integer" in type(kind).__name__ else "x" for name, kind in rule._converters.items()}
            path = rule.build(values)[1]
            for method in sorted(rule.methods - {"HEAD", "OPTIONS"}):
                yield method, path, right_of(app, rule.endpoint)


def ask(browser, method, path):
    headers = {"X-Form-Token": browser.token()}
    with browser.flask.open(path, method=method, headers=headers, data=b"") as answer:
        return answer.status_code, answer.headers.get("Location", "")


def contents(store):
    """All that is in the store, but for what looking around may change."""
    with store.engine.connect() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(select(table)).all()))
            for table in Base.metadata.sorted_tables
            if table.name not in UNCHANGED_BY_LOOKING
        }


def test_nobody_is_asked_to_log_in(furnished):
    before = contents(furnished.store)
    nobody = furnished.client("nobody")
    for method, path, right in routes(furnished.app):
        status, where = ask(nobody, method, path)
        assert status < 500, (method, path)
        if right is not Right.ANYONE:
            assert status == 401 if path.startswith("/api/") else "/login" in where, (method, path, status)
    assert contents(furnished.store) == before


def test_to_a_stranger_nothing_of_a_course_exists(furnished):
    stranger = furnished.client("stranger")
    before = contents(furnished.store)
    for method, path, right in routes(furnished.app):
        if right in (Right.READ, Right.PROPOSE, Right.TEACH):
            assert ask(stranger, method, path)[0] == 404, (method, path)
        if right is Right.ADMINISTER:
            assert ask(stranger, method, path)[0] == 403, (method, path)
    assert contents(furnished.store) == before


def test_an_assistant_reads_and_changes_nothing(furnished):
    assistant = furnished.client("assistant")
    before = contents(furnished.store)
    for method, path, right in routes(furnished.app):
        if right in (Right.TEACH, Right.ADMINISTER):
            assert ask(assistant, method, path)[0] == 403, (method, path)
        if right is Right.READ:
            assert method == "GET", f"{method} {path} changes something, and every assistant may do it"
            assert ask(assistant, method, path)[0] in (200, 302, 404, 422), (method, path)
    assert contents(furnished.store) == before


def test_an_assistant_proposes_what_an_instructor_decides(furnished):
    proposing = [path for method, path, right in routes(furnished.app) if right is Right.PROPOSE]
    assert len(proposing) == 2
    for path in proposing:
        assert ask(furnished.client("assistant"), "POST", path)[0] in (302, 404), path


@pytest.mark.parametrize("person", ["instructor", "administrator"])
def test_whoever_may_do_a_thing_is_let_through_and_meets_no_accident(furnished, person):
    for method, path, right in sorted(routes(furnished.app), key=lambda route: route[0] != "GET"):
        if method == "GET":
            status, _ = ask(furnished.client(person), method, path)
            assert status < 500, (method, path)
            allowed = right is not Right.ADMINISTER or person == "administrator"
            assert (status != 403) is allowed, (method, path, status)


def test_what_is_asked_for_with_an_empty_form_is_no_accident(furnished):
    for method, path, right in list(routes(furnished.app)):
        if method != "GET" and right is not Right.ANYONE and "logout" not in path:
            status, _ = ask(furnished.client("administrator"), method, path)
            assert status < 500, (method, path, status)


def test_tabs_and_links_know_the_page_they_are_on_by_a_route_that_exists(reported):
    there = {rule.endpoint for rule in reported.app.url_map.iter_rules()}
    asked = {
        (path.name, name)
        for path in TEMPLATES.rglob("*.html")
        for condition in re.findall(r"\b(?:here|request\.endpoint)\b.*", path.read_text())
        for name in re.findall(r'"([a-z_]+\.[a-z_]*)"', condition)
    }
    assert len(asked) > 10
    assert [each for each in sorted(asked) if not any(route.startswith(each[1]) for route in there)] == []
