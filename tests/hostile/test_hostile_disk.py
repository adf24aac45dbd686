"""A disk that is full: every answer says so, with all headers, and what is no longer needed can be deleted."""

from __future__ import annotations

import errno

import pytest
from sqlalchemy import event, select
from support.classes import add_run
from support.keeping import add_full_course
from support.server import make_server

from moss.jobs import disk_room
from moss.jobs.job_process import do
from moss.jobs.ledger import add_job, claim
from moss.store.tables import JobRow, JobState, UploadRow
from moss.web.http_server import HttpLimits, Parser, StorageFullError
from moss.web.request.answers import POLICY
from moss.wire.request import Request, WireRefusedError, file_of_bytes
from moss.wire.store_backend import StoreBackend

SENTENCE = "This server’s disk is full"


@pytest.fixture
def server(tmp_path):
    with make_server(tmp_path) as made:
        add_full_course(made)
        yield made


@pytest.fixture
def upload(server):
    """An upload that somebody has begun, with a chunk of it."""
    browser = server.client()
    number = browser.post("/assignments/1/uploads", headers={"Accept": "application/json"}).json["id"]
    assert put_chunk(browser, number, 0).status_code == 200
    return number


def put_chunk(browser, number, start, size=1024 * 1024):
    total = 4 * 1024 * 1024
    path = f"/uploads/{number}/parts?role=new&path=x.zip&start={start * 1024 * 1024}&total={total}"
    return browser.put(path, b"x" * size, headers={"Accept": "application/json"})


def fill(server):
    """Let the database not grow any more: SQLite says of it what it says of a full disk."""

    @event.listens_for(server.store.engine, "checkout")
    def hold(connection, record, proxy):
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages}")


def leave(server, monkeypatch, megabytes):
    """Let so much be left on the disk."""
    monkeypatch.setattr(disk_room, "free_bytes", lambda config: megabytes * 1024 * 1024)


def test_a_chunk_that_cannot_be_stored_is_told_so_with_all_headers(server, upload):
    fill(server)
    answer = put_chunk(server.client(), upload, 1)
    assert answer.status_code == 507
    assert SENTENCE in answer.json["error"]["message"]
    assert answer.headers["Content-Security-Policy"] == POLICY


def test_a_commit_that_fails_is_told_so_on_a_page(server):
    browser = server.client("administrator")

    def fail(connection):
        raise OSError(errno.ENOSPC, "No space left on device")

    event.listen(server.store.engine, "commit", fail)
    answer = browser.post("/courses", {"name": "Logic", "term": "2026"})
    assert answer.status_code == 507
    assert SENTENCE in answer.text
    assert answer.headers["Content-Security-Policy"] == POLICY


def test_what_deleting_needs_is_kept_free(server, upload, monkeypatch):
    leave(server, monkeypatch, server.config.reserve_megabytes - 1)
    browser = server.client()
    assert put_chunk(browser, upload, 1).status_code == 507
    assert browser.post("/assignments/1/runs", {}).status_code == 507
    assert browser.get("/runs/1/").status_code == 200
    assert browser.post(f"/uploads/{upload}/discard").status_code == 303
    with server.store.reading() as session:
        assert session.get(UploadRow, upload) is None
    leave(server, monkeypatch, server.config.reserve_megabytes)
    assert browser.post("/assignments/1/uploads", headers={"Accept": "application/json"}).status_code == 201


def test_health_tells(server, monkeypatch):
    nobody = server.client("nobody")
    assert (nobody.get("/health").status_code, nobody.get("/health").json) == (200, {"status": "ok"})
    leave(server, monkeypatch, 1)
    assert (nobody.get("/health").status_code, nobody.get("/health").json) == (507, {"status": "no room on the disk"})


def test_jobs_that_store_end_with_the_sentence_and_deleting_goes_on(server, monkeypatch):
    run = add_run(server.store, 1, show=3)
    with server.store.session() as session:
        add_job(session, "forget", {})
    leave(server, monkeypatch, 1)
    with server.store.reading() as session:
        waiting = session.scalars(select(JobRow).where(JobRow.state == JobState.QUEUED)).all()
    for job in waiting:
        with server.store.session() as session:
            lease = claim(session, job.id)
        do(server.store, server.config, job.id, lease)
    with server.store.reading() as session:
        ends = {
            job.kind: (job.state, job.reason)
            for job in session.scalars(select(JobRow))
            if job.id in [w.id for w in waiting]
        }
    assert ends["run"] == (JobState.FAILED, disk_room.NO_ROOM)
    assert ends["forget"][0] is JobState.DONE
    assert run


def test_scripts_are_told_too(server, monkeypatch):
    leave(server, monkeypatch, 1)
    desk = StoreBackend(server.store, server.config)
    with pytest.raises(WireRefusedError, match=SENTENCE):
        desk._store(Request("1", "c", (file_of_bytes("a.c", 1, "c", b"int x;\n"),)))
    desk.close()


def test_a_body_that_cannot_be_laid_down_is_answered():
    class Full:
        max_request_header_size, max_request_body_size, url_scheme = 10_000, 10_000, "http"

        @property
        def inbuf_overflow(self):
            raise OSError(errno.ENOSPC, "No space left on device")

    parser = Parser(Full(), HttpLimits(), lambda headers: True)
    parser.received(b"PUT /uploads/1/parts HTTP/1.1\r\nHost: moss\r\nContent-Length: 5000\r\n\r\n")
    assert parser.completed
    assert isinstance(parser.error, StorageFullError)
    assert parser.error.to_response()[0] == "507 Insufficient Storage"
