"""The kinds of jobs: where the function is that does each, and what follows from its end."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from moss.jobs.job_context import Work
    from moss.store.tables import JobRow

KINDS = {
    "drop": "moss.wire.drop_job:compare_drop",
    "export": "moss.jobs.handlers.course_archives:export",
    "forget": "moss.jobs.handlers.deletion:forget",
    "import": "moss.jobs.handlers.course_archives:import_archive",
    "index": "moss.jobs.handlers.passage_index:index",
    "notify": "moss.jobs.handlers.notices:notify",
    "recognise": "moss.jobs.handlers.recognition:recognise",
    "reindex": "moss.jobs.handlers.passage_index:reindex",
    "run": "moss.jobs.handlers.run:run",
    "shelve": "moss.jobs.handlers.corpus_archiving:shelve",
}
"""What does a job: a function of the `Work`."""

ENDINGS = {
    "drop": "moss.wire.drop_job:after_drop",
    "notify": "moss.jobs.handlers.notices:after_notify",
    "recognise": "moss.jobs.sample:after_recognise",
    "run": "moss.jobs.handlers.notices:after_run",
    "shelve": "moss.jobs.handlers.corpus_archiving:after_shelve",
}
"""What follows, in the transaction in which a job is done, fails or is cancelled: a function of session and `Job`."""


def function_for(kind: str) -> Callable[[Work], None]:
    """What does a job of this kind; imported only when there is one."""
    function: Callable[[Work], None] = _function(KINDS[kind])
    return function


def ending_for(kind: str) -> Callable[[Session, JobRow], None] | None:
    """What follows when a job of this kind is over, if anything does."""
    return _function(ENDINGS[kind]) if kind in ENDINGS else None


def preload() -> None:
    """Import all that any job needs, relate the tables, and compile what it writes with: a small one takes less time
    than any of these."""
    from sqlalchemy.orm import configure_mappers

    from moss.report.page_templates import compile_templates

    for address in {*KINDS.values(), *ENDINGS.values()}:
        _function(address)
    configure_mappers()
    compile_templates()


def _function(address: str) -> Any:
    module, _, name = address.partition(":")
    return getattr(import_module(module), name)
