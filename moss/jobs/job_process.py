"""The processes that do jobs. Each worker has one fork server (`main`), which forks for every attempt at a job.

The fork server imports everything that jobs need, once, because that takes longer than many a job does. The worker
sends requests over the socket that is the fork server's standard input: one line of JSON, and with it one end of a
socket for this attempt alone, the **lifeline**.

For each attempt it forks a guard, which leads a process group of its own and forks the process that does the job, with
limited memory. The guard sends its process id over the lifeline, and later the exit status of that process. As soon as
the worker's end of the lifeline closes, because the worker gives up the attempt or has died, the guard kills the whole
group and itself. If there is no result, the worker gives the job back.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import traceback
from typing import Any, NoReturn

from moss.config import Config, from_environment
from moss.jobs.disk_room import NO_ROOM, has_room, is_full
from moss.jobs.job_context import JobContext, JobError
from moss.jobs.ledger import LostLeaseError, fail, give_back
from moss.jobs.registry import job_kind
from moss.processes.pool import OUT_OF_MEMORY, limit_memory
from moss.store import Store
from moss.store.tables import JobRow

READY = b"!"  # sent by the fork server when it has imported everything

_LARGEST = 1 << 16  # bytes read at once


def main() -> None:
    """Be a fork server: fork a guard for each request, until the worker closes the socket."""
    preload()
    gc.freeze()  # pages that the collector never touches are not copied after a fork
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for guards
    with socket.socket(fileno=os.dup(0)) as requests:
        with contextlib.suppress(BrokenPipeError):  # the worker may be gone by now
            requests.sendall(READY)
        while request := _next(requests):
            job, lifeline = request
            with lifeline:
                if os.fork() == 0:
                    requests.close()
                    _guard(job, lifeline)


def preload() -> None:
    """Set up the mapping of tables and compile the pages' templates, because either takes longer than a small job
    does."""
    from sqlalchemy.orm import configure_mappers

    from moss.report.page_templates import compile_templates

    configure_mappers()
    compile_templates()


def _next(requests: socket.socket) -> tuple[dict[str, Any], socket.socket] | None:
    """The worker's next request and its lifeline; None once the worker is gone."""
    line, received, _, _ = socket.recv_fds(requests, _LARGEST, 1)
    while line and not line.endswith(b"\n"):
        line += requests.recv(_LARGEST)
    return (json.loads(line), socket.socket(fileno=received[0])) if line else None


def _guard(job: dict[str, Any], lifeline: socket.socket) -> NoReturn:
    """Start the process that does the job, report how it ends, and kill the whole group when the lifeline closes.

    The guard is not a thread of that process, because a process with threads cannot safely fork, and scanning forks.
    """
    os.setsid()
    try:
        ended, wakes = os.pipe()
        os.set_blocking(wakes, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakes)
        child = os.fork()
        if child == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            lifeline.close()
            _attempt(job)
        lifeline.sendall(b"%d\n" % os.getpid())
        if ended in select.select([lifeline.fileno(), ended], [], [])[0]:
            lifeline.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            lifeline.recv(1)
    finally:
        os.killpg(0, signal.SIGKILL)
        os._exit(1)  # not reached: the signal ends this process, too


def _attempt(job: dict[str, Any]) -> NoReturn:
    """Do the job in this process, then end the process."""
    status = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0), os.dup2(nowhere, 1)
        os.environ.update(job["settings"])
        config = from_environment(os.environ)
        limit_memory(config.job_megabytes)
        store = Store(config.database)
        do(store, config, job["job"], job["lease"])
        store.close()
        status = 0
    except MemoryError:
        status = OUT_OF_MEMORY  # there may be no memory for anything else
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def do(store: Store, config: Config, job_id: int, lease: str) -> None:
    """Make one attempt at a job in this process; any error other than MemoryError is stored with the job."""
    with store.reading() as session:
        job = session.get(JobRow, job_id)
    if job is None:
        return
    work = JobContext(store, config, job_id, lease, job.payload, job.course_id, job.user_id)
    try:
        kind = job_kind(job.kind)
        if kind is None:
            raise JobError(f"This version of moss has no jobs of the kind {job.kind!r}.")
        if not kind.on_full_disk and not has_room(config):
            raise JobError(NO_ROOM)
        kind.function(work)
        why = "its work is incomplete"
    except LostLeaseError:
        why = "it was cancelled"
    except JobError as error:
        with store.session() as session:
            fail(session, job_id, lease, str(error))
        return
    except Exception as error:
        if isinstance(error, MemoryError):
            raise
        if is_full(error):
            with store.session() as session:
                fail(session, job_id, lease, NO_ROOM)
            return
        traceback.print_exc()
        why = f"something unforeseen happened ({_in_one_line(error)})"
    with store.session() as session:
        give_back(session, job_id, lease, why)  # has no effect if the job is done, or another worker's


def _in_one_line(error: Exception) -> str:
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words}"[:200] if words else type(error).__name__
