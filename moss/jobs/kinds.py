"""The kinds of jobs: where the function is that does each, and what follows from its end."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from moss.jobs.work import Work
    from moss.store.tables import Job

KINDS = {
    "drop": "moss.wire.working:compare_drop",
    "export": "moss.jobs.exporting:export",
    "forget": "moss.jobs.forgetting:forget",
    "import": "moss.jobs.exporting:import_archive",
    "index": "moss.jobs.indexing:index",
    "notify": "moss.jobs.notifying:notify",
    "recognise": "moss.jobs.recognising:recognise",
    "reindex": "moss.jobs.indexing:reindex",
    "run": "moss.jobs.running:run",
    "shelve": "moss.jobs.shelving:shelve",
}
"""What does a job: a function of the `Work`."""

ENDINGS = {
    "drop": "moss.wire.working:after_drop",
    "notify": "moss.jobs.notifying:after_notify",
    "recognise": "moss.jobs.sample:after_recognise",
    "run": "moss.jobs.notifying:after_run",
    "shelve": "moss.jobs.shelving:after_shelve",
}
"""What follows, in the transaction in which a job is done, fails or is cancelled: a function of session and `Job`."""


def function_for(kind: str) -> Callable[[Work], None]:
    """What does a job of this kind; imported only when there is one."""
    function: Callable[[Work], None] = _function(KINDS[kind])
    return function


def ending_for(kind: str) -> Callable[[Session, Job], None] | None:
    """What follows when a job of this kind is over, if anything does."""
    return _function(ENDINGS[kind]) if kind in ENDINGS else None


def preload() -> None:
    """Import all that any job needs, relate the tables, and compile what it writes with: a small one takes less time
    than any of these."""
    from sqlalchemy.orm import configure_mappers

    from moss.report.pages import compile_templates

    for address in {*KINDS.values(), *ENDINGS.values()}:
        _function(address)
    configure_mappers()
    compile_templates()


def _function(address: str) -> Any:
    module, _, name = address.partition(":")
    return getattr(import_module(module), name)
