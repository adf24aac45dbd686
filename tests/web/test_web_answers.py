"""What answers cost: the queries that they ask and the rows that they load, however large the class; and their size."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from sqlalchemy import event
from support.classes import SAMPLES, add_class, add_run
from support.server import Server, make_server

from moss.report.render import FOLDERS, pages_of
from moss.report.served import render_one
from moss.store.results import reports
from moss.store.results.cases import Decision, decide, in_order, open_case
from moss.store.tables import CaseState, PairRow, RenderedPageRow, ResultRow, RunEntryRow, RunRow, UserRow
from moss.web.pages import reports as pages


@contextmanager
def counted(server: Server) -> Iterator[list[str]]:
    """The queries that are asked inside, and an entry `row of TABLE` for each row that becomes an object."""
    found: list[str] = []

    def asked(connection, cursor, statement, *rest):
        if statement.startswith("SELECT"):
            found.append(statement)

    def loaded(target, context):
        found.append(f"row of {target.__tablename__}")

    event.listen(server.store.engine, "before_cursor_execute", asked)
    for table in (PairRow, RunEntryRow, ResultRow):
        event.listen(table, "load", loaded)
    try:
        yield found
    finally:
        event.remove(server.store.engine, "before_cursor_execute", asked)
        for table in (PairRow, RunEntryRow, ResultRow):
            event.remove(table, "load", loaded)


def queries(found: list[str]) -> int:
    return sum(each.startswith("SELECT") for each in found)


def rows(found: list[str]) -> int:
    return len(found) - queries(found)


@pytest.mark.parametrize(
    ("path", "most_queries", "most_rows"),
    [
        ("/runs/1/", 6, 0),
        ("/runs/1/pairs/1", 9, 1),
        ("/runs/1/submissions/{entry}", 4, 0),
        ("/runs/1/submissions/90001", 4, 0),
        ("/runs/1/pairs/90001", 4, 0),
        ("/", 10, 0),  # who, courses, counts, pairs, their runs, cases, notices, and three for what else goes on
    ],
)
@pytest.mark.parametrize("person", ["administrator", "instructor"])
def test_an_answer_asks_little_and_loads_what_it_shows(reported, path, most_queries, most_rows, person):
    with reported.store.reading() as session:
        entry = session.query(PairRow).first().a
    path = path.replace("{entry}", str(entry))
    browser = reported.client(person)
    browser.get(path)  # from now on it is stored
    with counted(reported) as found:
        answer = browser.get(path)
    assert answer.status_code == (404 if "90001" in path else 200)
    assert queries(found) <= most_queries + (person != "administrator")  # who is asked for their role in the course
    assert rows(found) <= most_rows


def test_home_asks_the_same_and_shows_as_much_however_many_assignments_there_are(tmp_path):
    with make_server(tmp_path) as server:
        course = server.add_course()
        server.client().get("/")  # the first visitor is asked for a set-up
        sizes, asked = [], []
        for _ in range(3):
            add_run(server.store, add_class(server.store, course, SAMPLES / "python-textstats"))
            server.work()
            with counted(server) as found:
                page = server.client().get("/").text
            sizes.append(len(re.findall(r'/runs/\d+/pairs/\d+"', page)))
            asked.append(queries(found))
        assert sizes[0] > 0
        assert len(set(asked)) == 1, found
        assert max(sizes) <= 20
        assert page.count("<h3>") == 3


def test_home_counts_the_pairs_that_it_does_not_list(tmp_path):
    with make_server(tmp_path) as server:
        add_run(server.store, add_class(server.store, server.add_course(), SAMPLES / "python-textstats"))
        server.work()
        with server.store.session() as session:  # let everything stand out
            result = session.query(ResultRow).one()
            result.baseline = {**result.baseline, "limit": 0.0, "far": 0.0}
            total = session.query(PairRow).count()
            first = session.query(PairRow).filter_by(rank=1).one()
            case = open_case(session, 1, in_order(first.a_person_id, first.b_person_id))
            decide(session, case, session.get_one(UserRow, server.id_of("instructor")), Decision(CaseState.SUSPICIOUS))
        page = server.client().get("/").text
        listed = [int(rank) for rank in re.findall(r'/runs/1/pairs/(\d+)"', page)]
        assert sorted(listed) == [1, 2, 3, 4, 5, 6]  # the first is under suspicion, and not to be looked at again
        assert f"{total - 6} more pairs" in page


def test_a_missing_page_loads_no_report(reported, monkeypatch):
    def refuse(*given, **options):
        raise AssertionError("the whole report was loaded")

    monkeypatch.setattr(reports, "unpack_ranking", refuse)
    browser = reported.client()
    for path in ("/runs/1/submissions/90001", "/runs/1/submissions/0", "/runs/1/pairs/90001"):
        assert browser.get(path).status_code == 404


def test_a_pairs_page_is_made_without_the_ranking(reported, monkeypatch):
    with reported.store.session() as session:
        session.query(RenderedPageRow).delete()
    monkeypatch.setattr(reports, "unpack_ranking", lambda packed: pytest.fail("the ranking was loaded"))
    with counted(reported) as found:
        assert reported.client().get("/runs/1/pairs/1").status_code == 200
    assert not any("results.ranking" in query for query in found)


def test_a_page_made_of_what_is_loaded_for_it_is_that_of_the_whole_report(reported, monkeypatch):
    loaded, made = {}, []

    def render(report, name):
        loaded[name] = report
        made.append(name)
        return render_one(report, name)

    monkeypatch.setattr(pages, "render_one", render)
    with reported.store.session() as session:
        session.query(RenderedPageRow).delete()
        run = session.get_one(RunRow, 1)
        whole = replace(reports.load_report(session, run), parameters={**run.result.parameters, "bundle": "run-1.zip"})
    assert whole.clusters
    browser = reported.client()
    for page in pages_of(whole):
        assert browser.get(f"/runs/1/{page.folder}/{page.number}").status_code == 200
    assert {name.partition("/")[0] for name in made} == {*FOLDERS}
    for name, part in loaded.items():
        assert part != whole
        assert render_one(part, name) == render_one(whole, name)


COMPRESSED = ("/login", "/", "/runs/1/", "/runs/1/pairs/1", "/courses/1/", "/assets/app.css", "/runs/1/report.json",
              "/runs/1/scores.csv", "/api/v1/runs/1/pairs", "/nowhere", "/general/faq.html")  # fmt: skip


@pytest.mark.parametrize("path", COMPRESSED)
def test_answers_are_compressed_for_those_who_accept_it(reported, path):
    browser = reported.client("nobody" if path == "/login" else "instructor")
    plain = browser.get(path, buffered=True)
    packed = browser.get(path, buffered=True, headers={"Accept-Encoding": "gzip, deflate, br"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.content_length == len(packed.data) < len(plain.data)
    assert "Accept-Encoding" in plain.vary
    assert "Accept-Encoding" in packed.vary
    assert _unmasked(gzip.decompress(packed.data)) == _unmasked(plain.data)


def _unmasked(page: bytes) -> bytes:
    """A page without its forms' tokens, which look different each time."""
    return re.sub(b"[0-9a-f]{128}", b"", page)


@pytest.mark.parametrize("header", ["", "identity", "br", "gzip;q=0", "*;q=0"])
def test_nothing_is_compressed_for_others(reported, header):
    answer = reported.client().get("/runs/1/pairs/1", headers={"Accept-Encoding": header})
    assert "Content-Encoding" not in answer.headers
    assert answer.data.startswith(b"<!doctype html>")


def test_what_is_small_or_packed_already_is_sent_as_it_is(reported):
    browser = reported.client()
    for path in ("/health", "/runs/1/bundle.zip", "/bitmaps/tm_0_50.gif"):
        answer = browser.get(path, buffered=True, headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200
        assert "Content-Encoding" not in answer.headers


def test_a_style_sheet_that_the_browser_has_is_not_sent_again(reported):
    browser = reported.client()
    first = browser.get("/assets/app.css", buffered=True, headers={"Accept-Encoding": "gzip"})
    again = {"Accept-Encoding": "gzip", "If-None-Match": first.headers["ETag"]}
    assert browser.get("/assets/app.css", buffered=True, headers=again).status_code == 304


def test_a_forms_token_looks_different_in_each_page_and_always_works(reported):
    browser = reported.client()
    tokens = {re.search(r'data-form-token="(\w+)"', browser.get("/").text)[1] for _ in range(3)}
    assert len(tokens) == 3
    for token in tokens:
        answer = browser.post("/notices/seen", headers={"X-Form-Token": token})
        assert answer.status_code == 303
    for wrong in ("", "0" * 128, next(iter(tokens))[:-2] + "zz", "ab" * 32, "x"):
        assert browser.post("/notices/seen", headers={"X-Form-Token": wrong}).status_code == 400
