"""The kinds of jobs that this process knows: the function that does each, and what follows from its end.

`moss.server_jobs` puts them together, because it may import the packages above this one that add kinds of their own. A
process that has not registered any cannot end a job: it would leave out what follows from the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from moss.jobs.job_context import JobContext
    from moss.store.tables import JobRow


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job. The name is stored with each job, so it never changes."""

    name: str
    function: Callable[[JobContext], None]  # does the job
    ending: Callable[[Session, JobRow], None] | None = None  # called in the transaction that ends it, however it ends
    on_full_disk: bool = False  # it is also done when there is no room left to store anything


_KINDS: dict[str, JobKind] = {}


def register(*kinds: JobKind) -> None:
    """Add kinds of jobs; one with the same name is replaced."""
    _KINDS.update({kind.name: kind for kind in kinds})


def job_kind(name: str) -> JobKind | None:
    """The kind with this name; None for one that only another version of the program knows."""
    if not _KINDS:
        raise RuntimeError("no kinds of jobs are registered: call moss.server_jobs.register_jobs() first")
    return _KINDS.get(name)
