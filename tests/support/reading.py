"""A course to read in: assignments with finished runs, put there once for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.classes import SAMPLES, add_class, add_run
from support.server import Server, make_server


@dataclass
class Reading:
    """The server, its course with two assignments of the same class, and the runs of the first."""

    server: Server
    course: int
    first: int
    second: int
    runs: tuple[int, int]  # as usual, and with -m 2
    other_run: int  # of the second assignment

    def get(self, path: str, person: str = "instructor"):
        """A page."""
        return self.server.client(person).get(path)


@contextmanager
def make_reading(folder: Path) -> Iterator[Reading]:
    """A course with finished runs."""
    with make_server(folder) as server:
        course = server.add_course()
        first, second = (add_class(server.store, course, SAMPLES / "essays", name) for name in ("Essay 1", "Essay 2"))
        runs = add_run(server.store, first), add_run(server.store, first, max_matches=2)
        other = add_run(server.store, second)
        server.work()
        yield Reading(server, course, first, second, runs, other)
