"""The protocol of clusters: machines that all see one folder under the same path, and do parts of our work.

What a worker writes has its name only when it is complete, whoever is lost meanwhile. A worker that was thought to be
lost may still finish: then another has written the same, and what comes second is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

from moss.corpus.engines.duckdb import DuckEngine, whole_folder
from moss.corpus.engines.engine import Engine, Item, Result
from moss.corpus.errors import CorpusError
from moss.messages import gettext
from moss.processes.pool import Failure

_WORKER = 1 << 30  # bytes of memory for what a worker sorts


class WorkerCluster(Protocol):
    """Workers that apply functions of ours to items, and engines that use them all."""

    small: int  # bytes: so little is done on this machine alone

    def engine_at(self, scratch: Path) -> Engine:
        """An engine with a folder to overflow into, which all machines see."""

    def each(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result | Failure]]:
        """(number, result or failure) of each item, as they finish."""

    def all(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result]]:
        """(number, result) of each item, as they finish; raises CorpusError if one has none."""


def worker_engine(scratch: Path) -> DuckEngine:
    """DuckDB for one of the tasks that a worker does at the same time."""
    return DuckEngine(scratch, _WORKER, threads=1)


def write_once(target: Path, write: Callable[[DuckEngine, Path], None]) -> None:
    """Write a folder as a whole, unless it is there."""
    if target.exists():
        return
    try:
        with whole_folder(target) as unfinished, closing(worker_engine(unfinished)) as engine:
            write(engine, unfinished)
    except OSError:
        if not target.exists():  # else another worker has been quicker
            raise


def check_seen(folder: Path) -> None:
    """Refuse to go on if what a worker has written is not here."""
    if not folder.exists():
        raise CorpusError(
            gettext(
                "a worker has written %(folder)s, which is not here: all machines must see one folder", folder=folder
            )
        )
