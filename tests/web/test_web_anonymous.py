"""Anonymous mode and anonymous links: no name on any page, file name, download or text of a report."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from sqlalchemy import select
from support.classes import add_class, add_run, add_submission
from support.programs import HONEST_JAVA, LEDGER, MAZE, write_class
from support.server import make_server

from moss.anonymity import HIDING
from moss.model import Role, SourceFile, Submission
from moss.report.masked_report import Mask
from moss.report.packed_page import PackedPage
from moss.report.render import FOLDERS, pages_of
from moss.report.served import render_one, templates_digest
from moss.store.results.reports import load_report, save_pages
from moss.store.tables import AssignmentRow, RenderedPageRow, RunRow, SubmissionRow
from moss.web.pages import reports

PEOPLE = {"Zebulon Quartz": "zebulon", "Ottoline Vex": "vex"}
NAMES = re.compile("zebulon|quartz|ottoline|vex", re.IGNORECASE)


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """A server with a run in which two students have written their names into files and file names. What one of them
    handed in at first is starter code, and all files have dates."""
    folder = tmp_path_factory.mktemp("named")
    members = {
        name: {f"{part}/{part.title()}Ledger.java": f"// {name}, {part}@example.edu\n{LEDGER}"}
        for name, part in PEOPLE.items()
    }
    with make_server(folder) as made:
        course = made.add_course()
        write_class(folder / "hw" / "submissions", HONEST_JAVA | members)
        assignment = add_class(made.store, course, folder / "hw")
        with made.store.session() as session:
            for day, row in enumerate(session.scalars(select(SubmissionRow).order_by(SubmissionRow.id)), 1):
                row.dated = f"2026-03-{day:02}T10:00:00"
            starter = Submission("hw", "Ottoline Vex", (SourceFile("Maze.java", MAZE),), Role.BASE)
            add_submission(session, session.get_one(AssignmentRow, assignment), starter).name = "Ottoline Vex"
        add_run(made.store, assignment)
        made.work()
        yield made


def addresses(client, root):
    """Every page of a report that can be reached from its overview, and its text."""
    seen, left = {}, [root]
    while left:
        address = left.pop()
        answer = client.get(address)
        seen[address] = answer
        links = re.findall(r'(?:href|action)="((?:\.\./)?(?:pairs|submissions)/\d+)[#"]', answer.text)
        found = {root + link.removeprefix("../") for link in links}
        left += sorted(found - seen.keys() - set(left))
    return seen


def leaks(answer):
    """Names in an answer's text, or in its headers."""
    return NAMES.findall(unescape(answer.text)) + NAMES.findall(str(answer.headers))


def test_names_are_there_to_be_hidden(named):
    pages = addresses(named.client(), "/runs/1/")
    assert len(pages) > 3
    assert all(leaks(pages[address]) for address in ("/runs/1/", "/runs/1/pairs/1"))
    assert "2026-03-" in pages["/runs/1/pairs/1"].text
    assert "Ottoline Vex (1 file)" in pages["/runs/1/"].text


def test_in_anonymous_mode_no_page_of_a_report_names_anybody(named):
    client = named.client()
    assert leaks(client.get("/runs/1/pairs/1"))  # which is kept from now on
    client.post("/anonymous", {"run": "1"})
    pages = addresses(client, "/runs/1/")
    assert len(pages) > 3
    for address, answer in pages.items():
        assert (address, answer.status_code, leaks(answer)) == (address, 200, [])
        assert "Show names" in answer.text
    assert "<mark " in pages["/runs/1/pairs/1"].text
    assert not any("2026-03-" in answer.text for answer in pages.values()), (
        "dates tell who it is to whoever has the files"
    )
    assert "BASE (1 file)" in pages["/runs/1/"].text
    again = addresses(client, "/runs/1/")
    assert [leaks(answer) for answer in again.values()] == [[]] * len(pages), "nor when they are kept"


def test_a_page_without_names_is_made_of_all_that_it_shows(named, monkeypatch):
    made = {}

    def render(report, name):
        made[name] = report
        return render_one(report, name)

    monkeypatch.setattr(reports, "render_one", render)
    with named.store.session() as session:
        session.query(RenderedPageRow).delete()
        report = load_report(session, session.get_one(RunRow, 1))
    whole = Mask(report).report(report)
    client = named.client()
    client.post("/anonymous", {"run": "1"})
    for page in pages_of(whole):
        assert client.get(f"/runs/1/{page.folder}/{page.number}").status_code == 200
    assert {name.partition("/")[0] for name in made} == {*FOLDERS}
    for name, part in made.items():
        of_run = replace(whole, parameters=part.parameters)
        assert part != of_run
        assert render_one(part, name) == render_one(of_run, name)


def routes(app):
    """An address for each route that is only read."""
    for rule in app.url_map.iter_rules():
        if "GET" in rule.methods:
            values = dict.fromkeys(rule.arguments, 1)
            yield app.url_map.bind("localhost").build(rule.endpoint, values)


def test_no_address_at_all_names_anybody_until_names_are_shown_again(named):
    client = named.client()
    client.post("/anonymous", {"run": "1"})
    asked = {address: client.get(address) for address in routes(named.app)}
    assert {address: leaks(answer) for address, answer in asked.items() if leaks(answer)} == {}
    closed = [address for address, answer in asked.items() if answer.status_code == 403]
    assert {"/", "/courses/1/", "/courses/1/people", "/runs/1/pairs.csv", "/runs/1/pairs/1/evidence"} <= {*closed}
    assert "Show names" in asked["/"].text
    client.post("/anonymous/end")
    assert leaks(client.get("/runs/1/"))


def test_the_mode_is_that_of_one_session_and_ends_with_it(named):
    one, other = named.client(), named.client()
    one.post("/anonymous", {"run": "1"})
    assert leaks(one.get("/runs/1/")) == []
    assert leaks(other.get("/runs/1/"))
    one.post("/logout")
    assert one.get("/login").status_code == 200


def test_an_anonymous_link_to_a_whole_report_names_nobody(named):
    instructor = named.client()
    instructor.post("/runs/1/shares", {"days": "7", "anonymous": "yes"})
    shown = instructor.get("/runs/1/shares").text
    assert "whole report without names" in shown
    link = re.findall(r'value="http://[^/]+(/shared/[^"]+)"', shown)[0]
    pages = addresses(named.client("nobody"), link)
    assert len(pages) > 3
    assert {address: (answer.status_code, leaks(answer)) for address, answer in pages.items()} == {
        address: (200, []) for address in pages
    }


def test_evidence_without_names_does_not_name_starter_code(named):
    page = named.client().get("/runs/1/pairs/1/evidence?anonymous=yes")
    assert "BASE (1 file)" in page.text
    assert leaks(page) == []


def test_a_page_that_was_kept_when_less_was_hidden_is_made_again(named):
    older = PackedPage.of("Zebulon Quartz was not hidden then")
    with named.store.session() as session:
        for name in ("masked", f"masked-{HIDING - 1}"):
            save_pages(session, 1, templates_digest(), {f"{name}/pairs/1": older, f"{name}/": older})
    client = named.client()
    client.post("/anonymous", {"run": "1"})
    assert [leaks(client.get(address)) for address in ("/runs/1/", "/runs/1/pairs/1")] == [[], []]


def test_the_order_of_students_in_anonymous_mode_is_not_that_of_their_names(named):
    client = named.client()
    client.post("/anonymous", {"run": "1"})
    table = client.get("/runs/1/").text.partition('id="students"')[2]
    numbers = re.findall(r'href="submissions/(\d+)"><bdi>(student\d+)<', table.partition("</section>")[0])
    assert len(numbers) > 3
    assert [name for _, name in numbers] == sorted(name for _, name in numbers)
    assert [int(number) for number, _ in numbers] == sorted(int(number) for number, _ in numbers)
    for number, name in numbers:
        page = client.get(f"/runs/1/submissions/{number}")
        assert f"<title>{name}" in page.text
    assert client.get("/runs/1/submissions/99999").status_code == 404
