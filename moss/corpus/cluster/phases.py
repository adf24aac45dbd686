"""The results of clustering's phases, stored so that nothing is computed twice.

    NAME/phases/g7/sorted-3/…                  shingles that several documents have, in 3 slices, and what was counted
    NAME/phases/g7/common-1000/kept.json, …    the pairs that are known (`moss.corpus.cluster.kept_pairs`)
    NAME/phases/g7/common-1000/resemblance-…/  pairs that are being counted, slice by slice
    NAME/phases/g7/super-4-1000/pairs/…        pairs by super shingles

g7 is the corpus's generation 7. Another threshold finds the shingles sorted, and if it is a higher one all pairs known.
A corpus that has grown or shrunk a little finds the pairs of its other documents (`moss.corpus.cluster.update`).

They follow from the segments and may be deleted at any time; those of an older generation are, once what they know has
been carried over.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import IO

import numpy as np

from moss.corpus.cluster import pair_filters, relations, super_shingles, update
from moss.corpus.cluster.kept_pairs import KeptPairs, carry_over, new_name, read_kept
from moss.corpus.cluster.local_sort import (
    CoupleCounters,
    DepthTask,
    ShingleCounters,
    SliceTask,
    SliceWriter,
    count_depths,
    sort_slice,
)
from moss.corpus.cluster.pair_filters import ByContainment, ByResemblance, PairFilter
from moss.corpus.cluster.phase_results import SCHEMAS, PhaseResults, Progress, Rows
from moss.corpus.cluster.rows_at_hand import RowsAtHand
from moss.corpus.engines.duckdb import FOR_NUMBERS, DuckEngine
from moss.corpus.engines.engine import Engine
from moss.corpus.storage.cleanup import forget_older_phases, phases_of
from moss.corpus.storage.locks import alone, hold, holdable
from moss.corpus.storage.segments import Snapshot
from moss.corpus.storage.tables import DOCUMENTS, SHINGLES

MERGED = 16_000_000  # counts of pairs that are added up at once
TOGETHER = 100_000  # documents whose super shingles are made at once
COUPLED = 16  # slices whose couples are counted together, in memory: a pair has shingles in all of them
_SORT, _MEASURE, _CHOOSE, _COMPARE = "sort shingles", "measure sketches", "choose shingles", "measure pairs"  # stages
FEW = 10  # a corpus is brought up to date if at most one document in so many has changed, else it is counted anew


def rows_to_sort(segments: int) -> int:
    """The rows of a slice that a process sorts: at least as many as are read together, of each segment, because a
    smaller piece would be read with all that stands beside it, once more for each slice; but no more than fit into a
    gigabyte.

    >>> [rows_to_sort(segments) for segments in (1, 100, 1000)]
    [8000000, 13107200, 32000000]
    """
    return min(4 * DuckEngine.rows, max(DuckEngine.rows, segments * FOR_NUMBERS.rows))


class Phases(PhaseResults):
    """Runs the phases whose results are not stored yet, and tells how long that took."""

    def __init__(
        self,
        snapshot: Snapshot,
        engine: Engine,
        progress: Progress = lambda stage, done, total: None,
        rows: int | None = None,
    ) -> None:
        super().__init__(engine, progress)
        snapshot.tables(engine)
        self._snapshot = snapshot
        shingles = snapshot.manifest.shingles
        to_sort = rows or rows_to_sort(len(snapshot.manifest.segments))
        self._sorting = list(relations.slices(shingles, to_sort))  # slices that a process sorts
        self._at_once = rows or engine.rows  # rows whose pairs an engine counts at once
        self._slices = list(relations.slices(shingles, self._at_once))
        self.folder = phases_of(snapshot.folder, snapshot.manifest.generation)
        self._sorted = self.folder.resolve() / f"sorted-{len(self._sorting)}"  # wherever a worker is
        self._at_hand: RowsAtHand | None = None  # if this process has just sorted them
        self._held = _held(self.folder)
        carry_over(snapshot, self.folder)
        forget_older_phases(snapshot.folder, snapshot.manifest.generation)

    def close(self) -> None:
        """Let others remove the results."""
        self._held.close()

    def _by_slice(self, stage: str, table: str, sql: Callable[[int, int], str], folder: Path) -> None:
        self._by_part(stage, table, [sql(low, high) for low, high in self._slices], folder)

    def _by_documents(self, stage: str, table: str, rows: Callable[[int, int], Rows], folder: Path, parts: int) -> None:
        documents = self._snapshot.manifest.documents
        edges = [documents * number // parts for number in range(parts + 1)]
        self._by_part(stage, table, [rows(first, end - 1) for first, end in pairwise(edges)], folder)

    # Pairs by shingles

    def pairs(self, common: int, resemblance: float, containment: float | None = None) -> None:
        """Make the table of pairs, and that of the sizes of documents; shingles that more than `common` documents have
        are ignored."""
        below = self.folder / f"common-{common}"
        with alone(self.folder):
            kept = self._up_to_date(common, below)
            for kind, least in ((ByResemblance, resemblance), (ByContainment, containment)):
                if least is not None and not kept.has(wanted := kind(least)):
                    kept = self._extended(kept, wanted, common, below)
        self._at_hand = None
        self._tell(kept, below)

    def _tell(self, kept: KeptPairs, below: Path) -> None:
        for table in (relations.PAIRS, relations.SIZES):
            self._engine.table(table, kept.folders(table, below), SCHEMAS[table])

    def _up_to_date(self, common: int, below: Path) -> KeptPairs:
        """The kept pairs of all documents: those of an older generation with the changes since, or the sizes only."""
        kept, documents = read_kept(below), self._snapshot.manifest.documents
        if kept is not None and kept.documents == documents and not kept.changed:
            return kept
        if kept is not None and kept.greatest_mask >= self._masks[-1]:
            self._tell(kept, below)
            changes = update.CorpusUpdate(kept, below, common, documents, self._engine)
            if changes.documents * FEW <= documents:
                kept = changes.applied(self._make)
                kept.write(below)
                return kept
        counters, sizes = self._sort(common), below / new_name(relations.SIZES)
        arrays = partial(self._engine.write_arrays, counters.sizes()) if counters else None
        self._once(_MEASURE, relations.SIZES, arrays or relations.sizes(common, self._masks), sizes)
        kept = KeptPairs(documents, self._masks[-1], sizes=(sizes.name,))
        kept.write(below)
        return kept

    def _sort(self, common: int) -> ShingleCounters | None:
        """Make the tables of shingles that several documents have, and of the depths of all; gives what was counted."""
        here = self._engine.here([SHINGLES])
        counters = self._sort_here(here, common) if here else None
        if not here:
            self._sort_there()
        depths = [self._sorted / "depths"]  # made with the sorted shingles, or segment by segment
        if not depths[0].exists():
            segments = self._snapshot.manifest.segments
            depths = [self._sorted / "depths-of" / segment.name for segment in segments]
            work = zip(self._files, segments, depths, strict=True)
            tasks = [DepthTask(file, segment, self._masks, folder) for file, segment, folder in work]
            self._by_workers(_MEASURE, count_depths, [task for task in tasks if not task.depths.exists()])
        self._engine.table(relations.DEPTHS, depths, SCHEMAS[relations.DEPTHS])
        return counters

    def _sort_there(self) -> None:
        """Let workers sort, each a slice at a time."""
        several, couples = (self._folders(table, range(len(self._sorting))) for table in ("several", "couples-of-1"))
        documents = self._snapshot.manifest.documents
        tasks = [
            SliceTask(self._files, low, high, documents, self._masks, *folders)
            for (low, high), *folders in zip(self._sorting, several, couples, strict=True)
        ]
        missing = [task for task in tasks if not (task.several.exists() and task.couples.exists())]
        self._by_workers(_SORT, sort_slice, missing)
        self._engine.table(relations.SORTED, several, SCHEMAS[relations.SORTED])
        self._engine.table(pair_filters.COUPLES, couples, SCHEMAS[pair_filters.COUPLES])

    @property
    def _files(self) -> tuple[Path, ...]:
        return tuple(path.resolve() for path in self._snapshot.paths(SHINGLES))

    def _folders(self, table: str, numbers: Iterable[int]) -> list[Path]:
        return [self._sorted / table / f"{number:04}" for number in numbers]

    def _sort_here(self, engine: DuckEngine, common: int) -> ShingleCounters | None:
        """Sort in this process, and count documents' shingles if the counters fit into it."""
        depths, counters = self._sorted / "depths", None
        if not depths.exists() and ShingleCounters.fit(self._snapshot.manifest.documents, self._masks):
            own = engine.fetch(f"SELECT mask FROM {DOCUMENTS} ORDER BY doc")["mask"]
            counters = ShingleCounters(own, self._masks, common)
            self._at_hand = RowsAtHand(len(own), common)
        starts = range(0, len(self._sorting), COUPLED)
        couples = self._folders(f"couples-of-{COUPLED}", starts)
        for first, folder in zip(starts, couples, strict=True):
            self._sort_slices(engine, first, counters, folder)
        several = self._folders("several", range(len(self._sorting)))
        for table, folders in ((relations.SORTED, several), (pair_filters.COUPLES, couples)):
            self._engine.table(table, folders, SCHEMAS[table])
        if counters:
            self._make(_CHOOSE, partial(engine.write_arrays, counters.shares()), self._sorted / f"shares-{common}")
            self._make(_MEASURE, partial(engine.write_arrays, counters.depths()), depths)
        return counters

    def _sort_slices(self, engine: DuckEngine, first: int, counters: ShingleCounters | None, couples: Path) -> None:
        """Sort some slices from the first on, count their shingles, and find the couples that they make together."""
        coupled = CoupleCounters(self._snapshot.manifest.documents, self._masks)
        several = self._folders("several", range(len(self._sorting)))
        for number, (low, high) in enumerate(self._sorting[first : first + COUPLED], first):
            rows = SliceWriter(engine, low, high)
            if counters:
                with self.times.of(_SORT):
                    rows.read()
                with self.times.of(_MEASURE):
                    rows.count(counters)
            self._make(_SORT, rows.write_several, several[number], number, len(several))
            with self.times.of(_SORT):
                if counters and self._at_hand:
                    self._at_hand.add(rows.sorted)
            with self.times.of(_CHOOSE):
                if counters:
                    rows.count_several(counters)
                if counters or not couples.exists():
                    rows.count_couples(coupled)
        if counters:
            with self.times.of(_CHOOSE):
                counters.add_couples(coupled.columns)
        self._make(_CHOOSE, lambda path: engine.write_arrays(coupled.columns, path), couples)

    @cached_property
    def _masks(self) -> tuple[int, ...]:
        """All masks up to the greatest of the corpus's documents."""
        found = self._engine.fetch(f"SELECT COALESCE(MAX(mask), 0) AS mask FROM {DOCUMENTS}")["mask"][0]
        return tuple(relations.masks_up_to(int(found)))

    def _count(self, table: str) -> int:
        return int(self._engine.fetch(f"SELECT COUNT(*) AS n FROM {table}")["n"][0])

    def _extended(self, kept: KeptPairs, wanted: PairFilter, common: int, below: Path) -> KeptPairs:
        """The kept pairs, with all that pass a filter."""
        self._sort(common)
        self._tell(kept, below)
        work = below / f"{type(wanted).__name__.lower()}-{wanted.least}-{len(kept.pairs)}"
        shares = self._sorted / f"shares-{common}"
        self._once(_CHOOSE, pair_filters.SHARES, pair_filters.shares(common, self._masks), shares)
        self._once(_CHOOSE, pair_filters.CROWDED, wanted.crowded(common), work / "crowded")
        self._once(_CHOOSE, pair_filters.CEILINGS, wanted.ceilings(), work / "ceilings")
        self._once(_CHOOSE, pair_filters.RARE, wanted.rare(), work / "rare")
        slices = list(relations.slices(self._count(pair_filters.RARE), self._at_once))
        counts = [wanted.coupled(), *(wanted.counts(low, high, common) for low, high in slices)]
        self._by_part("count pairs", pair_filters.COUNTS, counts, work / f"counts-{len(slices)}")
        parts = max(1, -(-self._count(pair_filters.COUNTS) // MERGED))
        self._by_documents(
            "merge pairs", pair_filters.CANDIDATES, wanted.candidates, work / f"candidates-{parts}", parts
        )
        found = below / new_name(relations.PAIRS)
        self._make(_COMPARE, wanted.pairs(self._meetings(common, work / "meetings")), found)
        kept = kept.with_pairs(wanted, found.name)
        kept.write(below)
        shutil.rmtree(work, ignore_errors=True)
        return kept

    def _meetings(self, common: int, folder: Path) -> str:
        """The SQL for what candidates share of shingles that more than two documents have. It is counted here, if the
        rows are at hand, and else by the engine."""
        if self._at_hand is None or not self._at_hand.complete:
            return pair_filters.meetings(common)
        self._once(_COMPARE, pair_filters.MEETINGS, partial(self._write_meetings, self._at_hand), folder)
        return f"SELECT a, b, shared FROM {pair_filters.MEETINGS}"

    def _write_meetings(self, rows: RowsAtHand, path: Path) -> None:
        pairs = self._engine.fetch(f"SELECT a, b FROM {pair_filters.CANDIDATES} ORDER BY a, b")
        shared = rows.shared(**pairs)
        some = np.flatnonzero(shared)
        self._engine.write_arrays({**{side: docs[some] for side, docs in pairs.items()}, "shared": shared[some]}, path)

    # Pairs by super shingles

    def super_pairs(self, run: int, common: int) -> None:
        """Make the table of pairs by common super shingles of so many shingles."""
        below = self.folder / f"super-{run}-{common}"
        with alone(self.folder):
            if not (below / "pairs").exists():
                parts = max(1, -(-self._snapshot.manifest.documents // TOGETHER))
                self._by_documents(
                    "super shingles",
                    super_shingles.SUPERS,
                    lambda first, last: super_shingles.supers(first, last, run),
                    below / "supers",
                    parts,
                )
                self._by_slice(
                    "match super shingles",
                    super_shingles.MATCHES,
                    lambda low, high: super_shingles.matches(low, high, common),
                    below / f"matches-{len(self._slices)}",
                )
            self._once("count pairs", relations.PAIRS, super_shingles.pairs(), below / "pairs")
            for folder in (below / "supers", *below.glob("matches-*")):
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
