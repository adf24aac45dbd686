"""Offices in memory: one that only remembers what it was asked, and one that compares in worker processes."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

from moss.comparison import NothingToCompareError, compare_submissions
from moss.model import Report
from moss.wire import Request, WireRefusedError, inputs_of, settings_of, submissions_of
from moss.wire.request import SentFile, file_of_bytes


def kept(file: SentFile) -> SentFile:
    """The file with its content in memory."""
    return file_of_bytes(file.name, file.program, file.language, file.read())


def stored(request: Request) -> Request:
    """The request as it survives the conversation."""
    return replace(request, files=tuple(map(kept, request.files)), base=tuple(map(kept, request.base)))


class Recorder:
    """Remembers requests, and says always the same."""

    address = "http://127.0.0.1/results/1/123456789012"

    def __init__(self, known=None, trouble=()):
        self.known = known
        self.trouble = set(trouble)  # methods that fail
        self.requests = []
        self.asked = []

    async def may_submit(self, user):
        self.asked.append(user)
        if "may_submit" in self.trouble:
            raise OSError("the database is gone")
        return None if self.known is None or user in self.known else f"unknown user id {user}"

    async def accept(self, request):
        if "accept" in self.trouble:
            raise WireRefusedError("this user has had\n100 comparisons today")
        self.requests.append(stored(request))
        return str(len(self.requests))

    async def wait(self, ticket):
        if "wait" in self.trouble:
            raise ValueError("a bug")
        if "never" in self.trouble:
            await asyncio.Event().wait()
        return self.address


def compared(request: Request) -> Report:
    """What a worker process does with a request."""
    return compare_submissions(submissions_of(request), replace(settings_of(request), jobs=1), inputs_of(request))


class ComparingOffice:
    """Compares for real; the reports are found by the last number of their address."""

    def __init__(self, host: str, processes: int = 2):
        self.host = host
        self.reports: dict[str, Report] = {}
        self._numbers = itertools.count(100_000_000_000)
        self._pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"))
        self._jobs: dict[str, asyncio.Future[Report]] = {}

    async def may_submit(self, user):
        return None

    async def accept(self, request):
        ticket = str(next(self._numbers))
        self._jobs[ticket] = asyncio.get_running_loop().run_in_executor(self._pool, compared, stored(request))
        return ticket

    async def wait(self, ticket):
        try:
            self.reports[ticket] = await self._jobs.pop(ticket)
        except NothingToCompareError as nothing:
            raise WireRefusedError(str(nothing)) from nothing
        return f"{self.host}/results/1/{ticket}"

    def close(self):
        self._pool.shutdown()
