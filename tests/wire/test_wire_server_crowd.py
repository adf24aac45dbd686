"""More clients of the real server than it has room for, some of them hostile; and servers killed in the middle.

A hundred at once are in test_wire_crowd: there nothing is stored, so that they are less work.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import func, select
from support.odd_jobs import is_alive

from moss.store.tables import (
    DropRow,
    JobRow,
    JobState,
    ResultRow,
    RunEntryRow,
    RunRow,
    SubmissionRow,
    UploadChunkRow,
    UploadRow,
    UploadState,
)
from wire.real import answer, begin, is_right, page, serving, status, wait_until
from wire.test_wire_crowd import crowd

LIMITS = {"wire_idle_seconds": 3, "wire_file_megabytes": 4, "upload_megabytes": 8, "wire_clients": 6}
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


def most_memory(process: int) -> int:
    """The most memory that a process ever used, in kilobytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])


@linux
def test_more_at_once_than_there_is_room_for_of_whom_some_are_hostile(tmp_path):
    with serving(tmp_path, workers=2, **LIMITS) as server:
        assert is_right(page(answer(begin(server.port, 1000))), 1000)  # everything that is ever needed is in memory now
        receiving = server.companion("wire")
        before = most_memory(receiving)
        answers = asyncio.run(crowd(server.port, decent=8, bad=5))
        assert len(set(answers)) == 8
        for number, address in enumerate(answers):
            assert is_right(page(address), number), address
        assert server.companion("wire") == receiving
        assert most_memory(receiving) - before < 100 * 1024


def states(server):
    """How the jobs stand."""
    with server.store() as store, store.reading() as session:
        rows = session.execute(select(JobRow.state, func.count()).where(JobRow.kind == "drop").group_by(JobRow.state))
        return dict(rows.all())


def check_all_done(server, numbers):
    """That each of these clients' jobs is done once, whole, and right."""
    with server.store() as store, store.reading() as session:
        drops = {drop.sent_as: drop for drop in session.query(DropRow)}
        assert drops.keys() == {str(number) for number in numbers}
        assert session.query(UploadChunkRow).count() == 0
        assert {upload.state for upload in session.query(UploadRow)} == {UploadState.CONFIRMED}
        jobs = session.query(JobRow).filter_by(kind="drop").all()
        assert [job.state for job in jobs] == [JobState.DONE] * len(drops)
        for table, each in ((RunRow, 1), (ResultRow, 1), (RunEntryRow, 3), (SubmissionRow, 3)):
            assert session.query(table).count() == each * len(drops), table
        for number, drop in drops.items():
            address = f"{server.address}/results/{drop.place}"
            assert is_right(page(address), int(number))
            assert status(f"{address}/match0-1.html") == 200


@linux
def test_the_server_is_killed_in_the_middle_and_all_that_it_had_accepted_is_done(tmp_path):
    numbers = range(4)
    with serving(tmp_path, lease_seconds=2) as server:
        first = answer(begin(server.port, 0))
        assert is_right(page(first), 0)
        helpers = [server.companion("worker"), server.companion("wire")]
        os.kill(helpers[0], signal.SIGSTOP)  # so that nothing is done before all are there, however slow they come
        clients = [begin(server.port, number) for number in numbers[1:]]
        wait_until(lambda: sum(states(server).values()) == 4, "all to be accepted")
        os.kill(helpers[0], signal.SIGCONT)
        wait_until(lambda: states(server).get(JobState.RUNNING), "the next job")
        server.process.kill()
        answers = [answer(client) for client in clients]
        assert "" in answers  # nobody is left waiting
        wait_until(lambda: not any(map(is_alive, helpers)), "the end of its companions")
        before = states(server)
        assert before[JobState.DONE] >= 1
        assert before.get(JobState.QUEUED, 0) >= 1
    web = int(server.address.rpartition(":")[2])
    with serving(tmp_path, server.port, web, lease_seconds=2) as again:
        for number, address in enumerate([first, *answers]):
            assert not address or is_right(page(address), number)  # finished results are there at once
        wait_until(lambda: states(again) == {JobState.DONE: 4}, "the jobs that were left")
        check_all_done(again, numbers)


@linux
def test_the_worker_is_killed_in_the_middle_and_clients_get_their_results(tmp_path):
    numbers = range(4)
    with serving(tmp_path, lease_seconds=2) as server:
        clients = [begin(server.port, number) for number in numbers]
        for _ in range(2):
            wait_until(lambda: server.companion("worker") and states(server).get(JobState.RUNNING), "a job")
            killed = server.companion("worker")
            os.kill(killed, signal.SIGKILL)
            wait_until(lambda killed=killed: server.companion("worker") not in (None, killed), "another worker")
        for number, client in zip(numbers, clients, strict=True):
            assert is_right(page(answer(client)), number)
        check_all_done(server, numbers)
        cut_a_request_off(server)
        wait_until(lambda: states(server) == {JobState.DONE: 5}, "the whole one")
        check_all_done(server, [*numbers, 4])


def cut_a_request_off(server):
    """Kill the process that receives, while one client waits for an answer and another is in the middle of a file, of
    which nothing is left."""
    client = begin(server.port, 4)  # whole
    cut = begin_badly(server.port)
    wait_until(lambda: sum(states(server).values()) == 5, "the whole one")
    os.kill(server.companion("wire"), signal.SIGKILL)
    with cut, client, suppress(ConnectionResetError):  # which it is if something was sent that nobody has read
        assert cut.recv(10) == b""


def begin_badly(port):
    """A client in the middle of a file."""
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall(b"moss 2\nlanguage c\nfile 1 c 1000000 a.c\n" + b"x" * 500_000)
    assert client.recv(4) == b"yes\n"
    return client
