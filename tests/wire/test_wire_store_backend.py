"""The desk on each kind of database: what it accepts is stored with its job, whom it refuses, what clients are told."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select
from support.programs import LEDGER, MAZE
from support.server import make_server

from moss.config import Config
from moss.jobs.ledger import claim, fail
from moss.store.accounts.senders import ANYONE, issue, revoke, set_retention
from moss.store.submissions.contents import read_texts
from moss.store.submissions.drops import _evenly, drop_at
from moss.store.submissions.uploads import CHUNK
from moss.store.tables import (
    AssignmentRow,
    ContentRow,
    CourseRow,
    DropRow,
    JobRow,
    JobState,
    PersonRow,
    RunRow,
    SenderRow,
    ShareLinkRow,
    SubmissionRow,
    UploadChunkRow,
    UploadRow,
    UploadState,
    now,
)
from moss.wire import Request, WireRefusedError
from moss.wire.drop_job import StoredContent, request_of, short_name
from moss.wire.request import file_of_bytes
from moss.wire.store_backend import StoreBackend, accepts_any

PROGRAMS = {"zoe.java": LEDGER + MAZE, "ann.java": LEDGER, "bob.java": LEDGER}


@pytest.fixture
def server(tmp_path, database_url):
    with make_server(tmp_path, database_url) as made:
        yield made


@contextmanager
def desk_of(server, **settings):
    """A desk of the server, with other settings if need be."""
    from dataclasses import replace

    desk = StoreBackend(server.store, replace(server.config, **settings))
    try:
        yield desk
    finally:
        desk.close()


def asked(user="123", programs=PROGRAMS, base=(), **options):
    files = [file_of_bytes(name, i, "java", text.encode()) for i, (name, text) in enumerate(programs.items(), 1)]
    handed = tuple(file_of_bytes(name, 0, "java", text.encode()) for name, text in base)
    return Request(user, "java", tuple(files), handed, **options)


def submit(server, request, **settings):
    """The whole way of a request; the address of its result."""

    async def way():
        with desk_of(server, **settings) as desk:
            assert await desk.may_submit(request.user) is None
            ticket = await desk.accept(request)
            waiting = asyncio.create_task(desk.wait(ticket))
            await asyncio.sleep(0)
            await asyncio.to_thread(server.work)
            return await waiting

    return asyncio.run(way())


def count(server, table):
    with server.store.reading() as session:
        return session.query(table).count()


def test_what_is_accepted_is_stored_with_its_job_before_the_client_is_told(server):
    with desk_of(server) as desk:
        place = asyncio.run(desk.accept(asked(comment="homework 1", base=[("Start.java", MAZE)], directory=True)))
    with server.store.reading() as session:
        drop = drop_at(session, place)
        assert drop.run.job.state is JobState.QUEUED
        assert server.waiting() == [drop.run.job_id]
        request = request_of(server.store, drop)
    assert [(file.name, file.program, file.read().decode()) for file in request.files] == [
        (name, i, text) for i, (name, text) in enumerate(PROGRAMS.items(), 1)
    ]
    assert [(file.name, file.read().decode()) for file in request.base] == [("Start.java", MAZE)]
    assert (request.user, request.language, request.directory, request.comment) == ("123", "java", True, "homework 1")


def test_the_whole_way_ends_in_a_report_of_its_own(server):
    address = submit(server, asked(comment="homework 1"), wire_url="http://moss.example.org/")
    host, _, place = address.partition("/results/")
    assert host == "http://moss.example.org"
    assert len(address) < 99
    assert len(place.partition("/")[2]) == 19
    with server.store.reading() as session:
        drop = drop_at(session, place)
        assert drop.run.finished is not None
        assert drop.run.settings == {
            "language": "java", "directory": False, "max_matches": 10, "show": 250, "comment": "homework 1",
        }  # fmt: skip
        names = session.scalars(select(SubmissionRow.name).order_by(SubmissionRow.id)).all()
        assert names == list(PROGRAMS)
        assert drop.upload.state is UploadState.CONFIRMED
        assert (drop.files, session.query(UploadChunkRow).count()) == ([], 0)
        assert drop.link.run_id == drop.run_id
        assert drop.run.assignment.name.startswith("homework 1, user 123, 2")


def test_handed_out_code_counts_for_nobody(server):
    address = submit(server, asked(programs={"a.java": MAZE, "b.java": MAZE}, base=[("Maze.java", MAZE)]))
    with server.store.reading() as session:
        assert session.query(PersonRow).count() == 2
        run = drop_at(session, address.split("results/")[1]).run
        assert session.get_one(RunRow, run.id).result.sharing == 0


def test_a_single_program_gets_a_page_without_matches(server):
    address = submit(server, asked(programs={"a.java": LEDGER}))
    page = server.app.test_client().get(address[address.index("/results/") :]).get_data(as_text=True)
    assert "No matches were found in your submission." in page


def test_a_job_that_fails_is_told_and_leaves_nothing_of_what_was_sent(server):
    with pytest.raises(WireRefusedError, match="there is nothing to compare: none of the submissions has a file"):
        submit(server, asked(programs={"a.o": "\x7fELF\x02\x01\x01\0" + "\0\1\2" * 400}))
    with server.store.reading() as session:
        drop = session.query(DropRow).one()
        assert (drop.files, session.query(UploadChunkRow).count()) == ([], 0)


def test_a_job_that_is_cancelled_or_deleted_is_told(server):
    async def way(end):
        with desk_of(server) as desk:
            ticket = await desk.accept(asked())
            end(ticket)
            with pytest.raises(WireRefusedError) as told:
                await desk.wait(ticket)
            return str(told.value)

    def give_up(ticket):
        with server.store.session() as session:
            job_id = drop_at(session, ticket).run.job_id
            fail(session, job_id, claim(session, job_id), "It was too much.")

    def delete(ticket):
        with server.store.session() as session:
            session.delete(drop_at(session, ticket).run.assignment)

    assert asyncio.run(way(give_up)) == "It was too much."
    assert asyncio.run(way(delete)) == "the job was deleted"
    assert count(server, UploadChunkRow) == 0


def may(server, user, **settings):
    async def ask():
        with desk_of(server, **settings) as desk:
            return await desk.may_submit(user)

    return asyncio.run(ask())


def test_only_issued_ids_may_submit_where_strangers_can_connect(server):
    with server.store.session() as session:
        issue(session, "Ada", "123")
        issue(session, "Bob", "456")
        revoke(session, "456")
    outside = {"host": "0.0.0.0"}
    assert may(server, "123", **outside) is None
    assert may(server, "456", **outside).startswith("unknown user id 456")
    assert may(server, "789", **outside).startswith("unknown user id 789")
    assert may(server, "", **outside).startswith("unknown user id (none)")
    assert may(server, "789", wire_ids="any", **outside) is None
    assert may(server, "456", wire_ids="any", **outside).startswith("unknown")  # revoked is revoked
    assert may(server, "789") is None
    with pytest.raises(WireRefusedError, match="unknown user id 789"):
        submit_refused(server, asked("789"), **outside)
    assert count(server, DropRow) == 0


def submit_refused(server, request, **settings):
    with desk_of(server, **settings) as desk:
        asyncio.run(desk.accept(request))


@pytest.mark.parametrize(
    ("settings", "is_open"),
    [
        ({}, True),
        ({"host": "localhost"}, True),
        ({"host": "::1"}, True),
        ({"host": "0.0.0.0"}, False),
        ({"wire_host": "0.0.0.0"}, False),
        ({"host": "0.0.0.0", "wire_host": "127.0.0.1"}, True),
        ({"wire_ids": "issued"}, False),
        ({"host": "0.0.0.0", "wire_ids": "any"}, True),
    ],
)
def test_ids_are_open_where_only_this_machine_can_connect(settings, is_open):
    assert accepts_any(Config(**settings)) == is_open


def test_each_id_has_its_own_quota(server):
    limits = {"jobs_per_day": 2, "jobs_at_once": 10}
    with desk_of(server, **limits) as desk:
        asyncio.run(desk.accept(asked("1")))
        asyncio.run(desk.accept(asked("1")))
    assert "started 2 jobs within a day" in may(server, "1", **limits)
    with pytest.raises(WireRefusedError, match="started 2 jobs within a day"):
        submit_refused(server, asked("1"), **limits)
    assert may(server, "2", **limits) is None
    with server.store.session() as session:
        for drop in session.query(DropRow):
            drop.created -= timedelta(hours=25)
    assert may(server, "1", **limits) is None


def test_an_issued_id_can_have_a_quota_of_its_own(server):
    with server.store.session() as session:
        issue(session, "Ada", "1", per_day=1)
    with desk_of(server) as desk:
        asyncio.run(desk.accept(asked("1")))
    assert "started 1 jobs within a day" in may(server, "1")


def test_only_so_many_jobs_wait_of_one_id_and_of_all(server):
    with desk_of(server) as desk:
        asyncio.run(desk.accept(asked("1")))
    assert "1 unfinished jobs" in may(server, "1", jobs_at_once=1)
    assert may(server, "2", jobs_at_once=1) is None
    with desk_of(server) as desk:
        asyncio.run(desk.accept(asked("2")))
    with pytest.raises(WireRefusedError, match="too much to do"):
        submit_refused(server, asked("2"), jobs_waiting=2)
    server.work()
    assert may(server, "1", jobs_at_once=1, jobs_waiting=1) is None


def test_a_hundred_at_once_get_one_sender_and_one_course(server):
    async def crowd():
        with desk_of(server) as desk:
            return await asyncio.gather(*(desk.accept(asked(str(i))) for i in range(30)))

    places = asyncio.run(crowd())
    assert len(set(places)) == 30
    with server.store.reading() as session:
        assert session.query(SenderRow).one().number == ANYONE
        assert session.query(CourseRow).count() == 1
        assert session.query(DropRow).count() == session.query(JobRow).count() == 30


def test_each_issued_id_has_a_course_of_its_own_which_keeps_its_results_as_long_as_the_server_says(server):
    with server.store.session() as session:
        issue(session, "Ada", "1")
    with desk_of(server, results_days=3) as desk:
        asyncio.run(desk.accept(asked("1")))
        asyncio.run(desk.accept(asked("2")))
    with server.store.session() as session:
        courses = session.query(CourseRow).order_by(CourseRow.id).all()
        assert [(course.name, course.retention_days) for course in courses] == [
            ("Jobs of scripts: Ada", 3),
            ("Jobs of scripts: any id", 3),
        ]
        courses[0].retention_days = 30  # as somebody chose in the course's settings
        set_retention(session, 3)
        assert courses[0].retention_days == 30
        set_retention(session, 0)
        assert [course.retention_days for course in courses] == [None, None]


def test_results_are_deleted_when_their_time_has_come(server):
    from moss.jobs.ledger import add_job

    address = submit(server, asked(), results_days=14)
    with server.store.session() as session:
        for assignment in session.query(AssignmentRow):
            assignment.created -= timedelta(days=15)
        add_job(session, "forget", {})
    server.work()
    for table in (DropRow, AssignmentRow, RunRow, UploadRow, SubmissionRow, PersonRow, ContentRow, ShareLinkRow):
        assert count(server, table) == 0, table
    client = server.app.test_client()
    assert client.get(f"/results/{address.split('results/')[1]}").status_code == 404


@given(st.lists(st.binary(max_size=3 * CHUNK // 2), max_size=6))
def test_bytes_are_cut_evenly(pieces):
    cut = list(_evenly(pieces))
    assert b"".join(cut) == b"".join(pieces)
    assert all(len(chunk) == CHUNK for chunk in cut[:-1])
    assert all(cut)


def test_a_file_over_many_chunks_comes_back_whole(server):
    large = bytes(range(256)) * 10_000  # two and a half chunks
    files = {"a.txt": b"x" * 100, "large.bin": large, "b.txt": b"y"}
    request = Request(
        "1",
        "text",
        tuple(file_of_bytes(name, i, "text", content) for i, (name, content) in enumerate(files.items(), 1)),
    )
    with desk_of(server) as desk:
        place = asyncio.run(desk.accept(request))
    with server.store.reading() as session:
        drop = drop_at(session, place)
        assert [file.read() for file in request_of(server.store, drop).files] == list(files.values())
        assert b"".join(StoredContent(server.store, drop).between(50, 150)) == (b"x" * 50 + large)[:100]


def test_names_that_no_database_could_look_up_are_cut(server):
    endless = "d/" * 4000 + "a.java"
    assert len(short_name(endless)) == 401
    submit(server, asked(programs={endless + "1": LEDGER, endless + "2": LEDGER}))
    assert count(server, PersonRow) == 2


def test_texts_that_two_jobs_have_are_stored_once_and_stay_while_one_needs_them(server):
    first = submit(server, asked("1"))
    second = submit(server, asked("2"))
    with server.store.session() as session:
        from moss.store.deletion.retention import remove_assignment

        remove_assignment(session, drop_at(session, first.split("results/")[1]).run.assignment)
    with server.store.reading() as session:
        digests = session.scalars(select(ContentRow.digest)).all()
        assert set(read_texts(session, digests).values()) == set(PROGRAMS.values())
        assert drop_at(session, second.split("results/")[1]).run.finished <= now()
