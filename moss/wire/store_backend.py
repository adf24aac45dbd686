"""The backend on the server's own store. A request that it accepts is in the database, with its job, before it says so.

Threads of its own query the database, so that the protocol never waits. However many clients wait for their results,
one query at a time asks for all of them.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from moss.config import Config
from moss.jobs.disk_room import NO_ROOM, has_room
from moss.jobs.ledger import add_job
from moss.store import Store
from moss.store.accounts.credentials import TooOftenError, count_attempt, digest
from moss.store.accounts.senders import ANYONE, anyone, by_number, check_quota, make_anyone
from moss.store.submissions.drops import DropFile, NewDrop, add_drop, mark_started, store_content
from moss.store.tables import DropRow, JobRow, JobState, RunRow, SenderRow
from moss.store.validation import RefusedError as StoreRefusedError
from moss.wire.drop_job import OPTIONS, short_name
from moss.wire.request import Request, WireRefusedError

KIND = "drop"

_THREADS = 4
_DAY = timedelta(days=1)
_LOOK_EVERY = 0.2  # seconds
_LONGEST_USER = 64  # characters of an id that are stored
_UNKNOWN = "unknown user id {}; ask whoever runs this server for one"

Value = TypeVar("Value")
log = logging.getLogger(__name__)


class StoreBackend:
    """Takes requests for one server."""

    def __init__(self, store: Store, config: Config) -> None:
        self.store = store
        self.config = config
        self._open = accepts_any(config)
        self._threads = ThreadPoolExecutor(_THREADS, "store-backend")
        self._waiting: dict[str, asyncio.Future[str]] = {}  # by ticket
        self._looking: asyncio.Task[None] | None = None

    async def may_submit(self, user: str) -> str | None:
        """The reason why this user may not submit, or None."""
        try:
            await self._in_thread(lambda: self._ask(user[:_LONGEST_USER]))
        except WireRefusedError as refused:
            return str(refused)
        return None

    def _ask(self, user: str) -> None:
        with self.store.reading() as session:
            sender = self._known(session, user) or anyone(session)
            if sender is not None:
                self._check_quota(session, sender, user)

    async def accept(self, request: Request) -> str:
        """Store a request with its job; returns its ticket."""
        return await self._in_thread(lambda: self._store(request))

    def _store(self, request: Request) -> str:
        user = request.user[:_LONGEST_USER]
        asked = {name: getattr(request, name) for name in OPTIONS}
        sent = (*request.base, *request.files)
        files = [DropFile(short_name(file.name), file.program, file.language, file.size) for file in sent]
        if not has_room(self.config):
            raise WireRefusedError(NO_ROOM)
        with self.store.session() as session:
            sender = self._admit(session, user)
            if sender.number == ANYONE:  # any id will do, so ids do not tell clients apart
                self._count_address(session, request.address)
            drop = add_drop(session, sender, NewDrop(files, asked, user), self.config.results_days)
            store_content(session, drop, (chunk for file in sent for chunk in file.chunks()))
            course_id = drop.run.assignment.course_id
            job = add_job(session, KIND, {"run": drop.run_id, "drop": drop.id}, course_id=course_id)
            mark_started(session, drop, job)
            return drop.place

    def _known(self, session: Session, user: str) -> SenderRow | None:
        """The sender with this id; None if nobody has it and none is needed."""
        sender = by_number(session, user)
        if (sender is None and not self._open) or (sender is not None and sender.revoked is not None):
            raise WireRefusedError(_UNKNOWN.format(user or "(none)"))
        return sender

    def _admit(self, session: Session, user: str) -> SenderRow:
        """The sender with this id, if it may start a job now; locked, so that no other transaction starts one for
        it."""
        sender = self._known(session, user) or make_anyone(session)
        session.refresh(sender, with_for_update=True)
        self._check_quota(session, sender, user)
        return sender

    def _check_quota(self, session: Session, sender: SenderRow, user: str) -> None:
        limits = self.config.jobs_per_day, self.config.jobs_at_once, self.config.jobs_waiting
        try:
            check_quota(session, sender, user, *limits)
        except StoreRefusedError as refused:
            raise WireRefusedError(str(refused)) from None

    def _count_address(self, session: Session, address: str) -> None:
        most = self.config.jobs_per_day
        try:
            count_attempt(session, f"drop-from:{digest(address)}", most, _DAY)
        except TooOftenError:
            sentence = f"{most} jobs have come from your address within a day, which is the limit; try again tomorrow"
            raise WireRefusedError(sentence) from None

    async def wait(self, ticket: str) -> str:
        """The address of the result, once its pages exist."""
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[ticket] = future
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            return await future
        finally:
            self._waiting.pop(ticket, None)

    async def _look(self) -> None:
        """Check the jobs of all clients that wait, until none does."""
        while self._waiting:
            try:
                ended = await self._in_thread(partial(self._ended, list(self._waiting)))
            except SQLAlchemyError:
                log.exception("cannot look after the jobs; going on")
                ended = {}
            for ticket, reason in ended.items():
                self._tell(ticket, reason)
            await asyncio.sleep(_LOOK_EVERY)

    def _ended(self, tickets: list[str]) -> dict[str, str]:
        """The reason why there is no result for each of these tickets whose job is over; empty if there is one."""
        query = select(DropRow.place, JobRow.state, JobRow.reason).join(RunRow, RunRow.id == DropRow.run_id)
        with self.store.reading() as session:
            rows = session.execute(
                query.join(JobRow, JobRow.id == RunRow.job_id).where(DropRow.place.in_(tickets))
            ).all()
        states = {place: (state, reason) for place, state, reason in rows}
        found = {ticket: states.get(ticket, (JobState.CANCELLED, "the job was deleted")) for ticket in tickets}
        return {
            ticket: "" if state is JobState.DONE else reason or "the job was cancelled"
            for ticket, (state, reason) in found.items()
            if state not in (JobState.QUEUED, JobState.RUNNING)
        }

    def _tell(self, ticket: str, reason: str) -> None:
        future = self._waiting.get(ticket)
        if future is not None and not future.done():
            if reason:
                future.set_exception(WireRefusedError(reason))
            else:
                future.set_result(f"{self.config.results_url}/results/{ticket}")

    async def _in_thread(self, function: Callable[[], Value]) -> Value:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function)

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown()


def accepts_any(config: Config) -> bool:
    """Whether any id is accepted: if the operator says so, or if only this machine can connect."""
    return config.wire_ids == "any" or (config.wire_ids == "auto" and _is_loopback(config.wire_host or config.host))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
