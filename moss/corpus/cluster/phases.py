"""The results of clustering's phases, stored so that another threshold costs the last phase only.

    NAME/phases/g7/sorted-3/…                  shingles that several documents have, in 3 slices
    NAME/phases/g7/common-1000/counts-3/…      pairs' common shingles, slice by slice, until they are merged
    NAME/phases/g7/common-1000/pairs/…         the pairs
    NAME/phases/g7/super-4-1000/pairs/…        the same by super shingles

g7 is the corpus's generation 7.

They follow from the segments and may be deleted at any time; those of an older generation are.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import IO

from moss.corpus.cluster import relations
from moss.corpus.engines.engine import Engine
from moss.corpus.storage.cleanup import forget_phases, phases_of
from moss.corpus.storage.locks import hold, holdable
from moss.corpus.storage.segments import Snapshot

Progress = Callable[[str, int, int], None]
MERGED = 16_000_000  # counts of pairs that are added up at once
DOCUMENTS = 100_000  # whose super shingles are made at once


class Phases:
    """Runs the phases whose results are not stored yet, and tells how long that took."""

    def __init__(
        self,
        snapshot: Snapshot,
        engine: Engine,
        progress: Progress = lambda stage, done, total: None,
        rows: int | None = None,
    ) -> None:
        snapshot.tables(engine)
        self._snapshot, self._engine, self._progress = snapshot, engine, progress
        self._slices = list(relations.slices(snapshot.manifest.shingles, rows or engine.rows))
        self.folder = phases_of(snapshot.folder, snapshot.manifest.generation)
        self._sorted = self.folder / f"sorted-{len(self._slices)}"
        self.seconds: dict[str, float] = {}
        self._held = _held(self.folder)
        forget_phases(snapshot.folder, snapshot.manifest.generation)

    def close(self) -> None:
        """Let others remove the results."""
        self._held.close()

    def _make(self, stage: str, sql: str, folder: Path, done: int, total: int) -> None:
        self._progress(stage, done, total)
        started = time.perf_counter()
        if not folder.exists():
            try:
                self._engine.write(sql, folder)
            except OSError:
                if not folder.exists():  # else another process has been quicker
                    raise
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - started
        self._progress(stage, done + 1, total)

    def _once(self, stage: str, table: str, sql: str, folder: Path) -> None:
        """One result, which is a table."""
        self._make(stage, sql, folder, 0, 1)
        self._engine.table(table, [folder], relations.SCHEMAS[table])

    def _by_slice(self, stage: str, table: str, sql: Callable[[int, int], str], folder: Path) -> None:
        """One result for each slice, together a table."""
        folders = [folder / f"{number:04}" for number in range(len(self._slices))]
        for number, ((low, high), target) in enumerate(zip(self._slices, folders, strict=True)):
            self._make(stage, sql(low, high), target, number, len(folders))
        self._engine.table(table, folders, relations.SCHEMAS[table])

    def pairs(self, common: int) -> None:
        """Make the table of pairs by their common shingles, of which those that more than `common` have are ignored."""
        below = self.folder / f"common-{common}"
        if not (below / "pairs").exists():
            self._by_slice("sort shingles", relations.HOLDERS, relations.holders, self._sorted / "holders")
            self._by_slice("sort shingles", relations.SORTED, relations.sorted_shingles, self._sorted / "several")
            self._once("find common shingles", relations.CROWDED, relations.crowded(common), below / "crowded")
            self._once("find common shingles", relations.PLACED, relations.placed(common), below / "placed")
            counts = below / f"counts-{len(self._slices)}"
            self._by_slice("count pairs", relations.COUNTS, relations.counts, counts)
            self._merge(below)
        self._once("measure pairs", relations.PAIRS, relations.pairs(common), below / "pairs")
        for folder in (below / "crowded", below / "placed", *below.glob("counts-*"), *below.glob("enough-*")):
            shutil.rmtree(folder, ignore_errors=True)

    def _merge(self, below: Path) -> None:
        """Add up the slices' counts, for so many documents at once as memory holds."""
        counted = int(self._engine.fetch(f"SELECT COUNT(*) AS n FROM {relations.COUNTS}")["n"][0])
        parts = max(1, -(-counted // MERGED))
        documents = self._snapshot.manifest.documents
        edges = [documents * number // parts for number in range(parts + 1)]
        folders = [below / f"enough-{parts}" / f"{number:04}" for number in range(parts)]
        for number, ((first, end), folder) in enumerate(zip(pairwise(edges), folders, strict=True)):
            self._make("merge pairs", relations.enough(first, end - 1), folder, number, parts)
        self._engine.table(relations.ENOUGH, folders, relations.SCHEMAS[relations.ENOUGH])

    def super_pairs(self, run: int, common: int) -> None:
        """Make the table of pairs by common super shingles of so many shingles."""
        below = self.folder / f"super-{run}-{common}"
        documents = self._snapshot.manifest.documents
        firsts = range(0, max(documents, 1), DOCUMENTS)
        folders = [below / "supers" / f"{number:04}" for number in range(len(firsts))]
        if not (below / "pairs").exists():
            for number, (first, target) in enumerate(zip(firsts, folders, strict=True)):
                sql = relations.supers(first, first + DOCUMENTS - 1, run)
                self._make("super shingles", sql, target, number, len(folders))
            self._engine.table(relations.SUPERS, folders, relations.SCHEMAS[relations.SUPERS])
            self._by_slice(
                "match super shingles",
                relations.CANDIDATES,
                lambda low, high: relations.candidates(low, high, common),
                below / f"candidates-{len(self._slices)}",
            )
        self._once("count pairs", relations.PAIRS, relations.candidate_pairs(), below / "pairs")
        for folder in (below / "supers", *below.glob("candidates-*")):
            shutil.rmtree(folder, ignore_errors=True)


def _held(folder: Path) -> IO[bytes]:
    """Make a folder and hold it; a writer may be about to remove it as that of an older generation."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            holdable(folder)
            return hold(folder)
        except FileNotFoundError:
            continue
