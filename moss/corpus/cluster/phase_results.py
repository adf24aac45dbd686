"""Results of phases, as folders that are made once, by the engine or its workers, and how long that took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from moss.corpus.cluster import pair_filters, relations, super_shingles
from moss.corpus.engines.duckdb import whole_folder
from moss.corpus.engines.engine import Engine
from moss.corpus.engines.worker_cluster import check_seen
from moss.corpus.storage.tables import SHINGLES

Progress = Callable[[str, int, int], None]
Rows = str | Callable[[Path], None]
"""The rows of a table: a query, or a function that writes them to a file."""
Task = TypeVar("Task")

SCHEMAS = relations.SCHEMAS | pair_filters.SCHEMAS | super_shingles.SCHEMAS


@dataclass
class PhaseTimes:
    """How long each phase took."""

    seconds: dict[str, float] = field(default_factory=dict)
    processor: dict[str, float] = field(default_factory=dict)  # seconds of this process, of which an engine may be part

    @contextmanager
    def of(self, stage: str) -> Iterator[None]:
        """Counts the time until the block ends."""
        started, worked = time.perf_counter(), time.process_time()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - started
        self.processor[stage] = self.processor.get(stage, 0.0) + time.process_time() - worked


class PhaseResults:
    """Makes results that are not there yet, and tells the engine of them as tables."""

    def __init__(self, engine: Engine, progress: Progress) -> None:
        self._engine, self._progress = engine, progress
        self.times = PhaseTimes()

    def _make(self, stage: str, rows: Rows, folder: Path, done: int = 0, total: int = 1) -> None:
        self._progress(stage, done, total)
        with self.times.of(stage):
            try:
                if not folder.exists():
                    self._write(rows, folder)
            except OSError:
                if not folder.exists():  # else another process has been quicker
                    raise
        self._progress(stage, done + 1, total)

    def _write(self, rows: Rows, folder: Path) -> None:
        if isinstance(rows, str):
            self._engine.write(rows, folder)
        else:
            with whole_folder(folder) as unfinished:
                rows(unfinished / "rows.parquet")

    def _once(self, stage: str, table: str, rows: Rows, folder: Path) -> None:
        """One result, which is a table."""
        self._make(stage, rows, folder)
        self._engine.table(table, [folder], SCHEMAS[table])

    def _by_part(self, stage: str, table: str, parts: Sequence[Rows], folder: Path) -> None:
        """One result for each part, together a table."""
        folders = [folder / f"{number:04}" for number in range(len(parts))]
        for number, (rows, target) in enumerate(zip(parts, folders, strict=True)):
            self._make(stage, rows, target, number, len(parts))
        self._engine.table(table, folders, SCHEMAS[table])

    def _by_workers(self, stage: str, function: Callable[[Task], Path], tasks: Sequence[Task]) -> None:
        """Let the engine's machines make folders; only those are to be there that are not yet."""
        with self.times.of(stage):
            for done, (_, folder) in enumerate(self._engine.all(function, tasks, [SHINGLES]), 1):
                check_seen(folder)
                self._progress(stage, done, len(tasks))
