"""Readers who ask for much at once: each has few things under way, and others are served meanwhile."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import pytest
from sqlalchemy import delete
from support.keeping import add_full_course
from support.server import make_server

from moss.store.tables import RenderedPageRow
from moss.web.actions import reports as report_actions
from moss.web.pages import reports
from moss.web.request.limits import PER_PERSON, TURNS

FLOOD = 24
HANGS = 60  # seconds: only what hangs takes so long


@pytest.fixture
def server(tmp_path, database_url):
    with make_server(tmp_path, database_url, threads=8) as made:
        add_full_course(made)
        with made.store.session() as session:
            session.execute(delete(RenderedPageRow))
        yield made


class Slow:
    """Something that takes until it is told to end."""

    def __init__(self):
        self.begun, self.may_end = threading.Semaphore(0), threading.Event()

    def __call__(self, *given):
        self.begun.release()
        self.may_end.wait()
        return "<html>"


def statuses(pool, asked, turns, slow):
    """How many of the requests were refused while so many had their turn, and the answers to these."""
    for _ in range(turns):
        slow.begun.acquire()
    waiting = set(asked)
    while len(waiting) > turns:
        done, waiting = wait(waiting, HANGS, FIRST_COMPLETED)
        if not done:  # nobody is refused: let all end, for the pool waits for them
            slow.may_end.set()
        assert {each.result().status_code for each in done} == {429}
    assert len(TURNS) == turns
    slow.may_end.set()
    return [each.result().status_code for each in waiting]


@pytest.mark.parametrize(
    ("module", "function", "path"),
    [
        (report_actions, "make_evidence", "/runs/1/pairs/1/evidence"),
        (reports, "render_one", "/runs/1/pairs/1"),
        (reports, "render_one", "/runs/1/submissions/1"),
    ],
)
def test_one_reader_has_few_things_under_way(server, monkeypatch, module, function, path):
    slow = Slow()
    monkeypatch.setattr(module, function, slow)
    browsers = [server.client() for _ in range(FLOOD)]
    with ThreadPoolExecutor(FLOOD) as pool:
        asked = [pool.submit(browser.get, path) for browser in browsers]
        assert statuses(pool, asked, PER_PERSON, slow) == [200] * PER_PERSON
    assert len(TURNS) == 0


def test_all_readers_leave_half_of_the_threads(server, monkeypatch):
    slow = Slow()
    monkeypatch.setattr(report_actions, "make_evidence", slow)
    people = ("instructor", "assistant", "administrator")
    browsers = [server.client(person) for person in people for _ in range(PER_PERSON)]
    with ThreadPoolExecutor(len(browsers)) as pool:
        asked = [pool.submit(browser.get, "/runs/1/pairs/1/evidence") for browser in browsers]
        assert statuses(pool, asked, 4, slow) == [200] * 4


def test_a_page_that_was_made_needs_no_turn(server, monkeypatch):
    assert server.client().get("/runs/1/pairs/1").status_code == 200
    monkeypatch.setattr(reports, "heavy_work", None)
    assert server.client().get("/runs/1/pairs/1").status_code == 200
