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
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import IO

from moss.corpus.cluster import pair_filters, relations, super_shingles, update
from moss.corpus.cluster.kept_pairs import KeptPairs, carry_over, new_name, read_kept
from moss.corpus.cluster.local_sort import CoupleCounters, ShingleCounters, SliceWriter
from moss.corpus.cluster.pair_filters import ByContainment, ByResemblance, PairFilter
from moss.corpus.engines.duckdb import DuckEngine, whole_folder
from moss.corpus.engines.engine import Engine
from moss.corpus.storage.cleanup import forget_older_phases, phases_of
from moss.corpus.storage.locks import hold, holdable
from moss.corpus.storage.segments import Snapshot
from moss.corpus.storage.tables import DOCUMENTS, SHINGLES

Progress = Callable[[str, int, int], None]
Rows = str | Callable[[Path], None]
"""The rows of a table: a query, or a function that writes them to a file."""

MERGED = 16_000_000  # counts of pairs that are added up at once
TOGETHER = 100_000  # documents whose shingles are measured, or whose super shingles are made, at once
COUPLED = 16  # slices whose couples are counted together, in memory: a pair has shingles in all of them
_SORT, _MEASURE, _CHOOSE = "sort shingles", "measure sketches", "choose shingles"  # stages
FEW = 10  # a corpus is brought up to date if at most one document in so many has changed, else it is counted anew

_SCHEMAS = relations.SCHEMAS | pair_filters.SCHEMAS | super_shingles.SCHEMAS


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
        rows = rows or (engine.here([SHINGLES]) or engine).rows
        self._slices = list(relations.slices(snapshot.manifest.shingles, rows))
        self.folder = phases_of(snapshot.folder, snapshot.manifest.generation)
        self._sorted = self.folder / f"sorted-{len(self._slices)}"
        self.times = PhaseTimes()
        self._held = _held(self.folder)
        carry_over(snapshot, self.folder)
        forget_older_phases(snapshot.folder, snapshot.manifest.generation)

    def close(self) -> None:
        """Let others remove the results."""
        self._held.close()

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
        self._engine.table(table, [folder], _SCHEMAS[table])

    def _by_part(self, stage: str, table: str, parts: Sequence[Rows], folder: Path) -> None:
        """One result for each part, together a table."""
        folders = [folder / f"{number:04}" for number in range(len(parts))]
        for number, (rows, target) in enumerate(zip(parts, folders, strict=True)):
            self._make(stage, rows, target, number, len(parts))
        self._engine.table(table, folders, _SCHEMAS[table])

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
        kept = self._up_to_date(common, below)
        for kind, least in ((ByResemblance, resemblance), (ByContainment, containment)):
            if least is not None and not kept.has(wanted := kind(least)):
                kept = self._extended(kept, wanted, common, below)
        self._tell(kept, below)

    def _tell(self, kept: KeptPairs, below: Path) -> None:
        for table in (relations.PAIRS, relations.SIZES):
            self._engine.table(table, kept.folders(table, below), _SCHEMAS[table])

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
        counters = None
        if here := self._engine.here([SHINGLES]):
            counters = self._sort_here(here, common)
        else:
            self._by_slice(_SORT, relations.HOLDERS, relations.holders, self._sorted / "holders")
            self._by_slice(_SORT, relations.SORTED, relations.sorted_shingles, self._sorted / "several")
            self._once(_CHOOSE, pair_filters.COUPLES, pair_filters.couples(self._masks), self._sorted / "couples")
        self._measure_depths()
        return counters

    def _measure_depths(self) -> None:
        whole = self._sorted / "depths"  # made with the sorted shingles, or part by part
        if whole.exists():
            self._engine.table(relations.DEPTHS, [whole], _SCHEMAS[relations.DEPTHS])
            return
        parts, masks = max(1, -(-self._snapshot.manifest.documents // TOGETHER)), self._masks
        self._by_documents(
            _MEASURE,
            relations.DEPTHS,
            lambda first, last: relations.depths(first, last, masks),
            self._sorted / f"depths-{parts}",
            parts,
        )

    def _sort_here(self, engine: DuckEngine, common: int) -> ShingleCounters | None:
        """Make these tables by sorting in this process, and count documents' shingles if the counters fit into it."""
        depths, counters = self._sorted / "depths", None
        if not depths.exists() and ShingleCounters.fit(self._snapshot.manifest.documents, self._masks):
            own = engine.fetch(f"SELECT mask FROM {DOCUMENTS} ORDER BY doc")["mask"]
            counters = ShingleCounters(own, self._masks, common)
        starts = range(0, len(self._slices), COUPLED)
        groups = [self._sorted / f"couples-of-{COUPLED}" / f"{first:04}" for first in starts]
        for first, group in zip(starts, groups, strict=True):
            self._sort_slices(engine, first, counters, group)
        several = [self._sorted / "several" / f"{number:04}" for number in range(len(self._slices))]
        for table, folders in ((relations.SORTED, several), (pair_filters.COUPLES, groups)):
            self._engine.table(table, folders, _SCHEMAS[table])
        if counters:
            self._make(_CHOOSE, partial(engine.write_arrays, counters.shares()), self._sorted / f"shares-{common}")
            self._make(_MEASURE, partial(engine.write_arrays, counters.depths()), depths)
        return counters

    def _sort_slices(self, engine: DuckEngine, first: int, counters: ShingleCounters | None, couples: Path) -> None:
        """Sort some slices from the first on, count their shingles, and find the couples that they make together."""
        coupled = CoupleCounters(self._snapshot.manifest.documents, self._masks)
        for number, (low, high) in enumerate(self._slices[first : first + COUPLED], first):
            rows, several = SliceWriter(engine, low, high), self._sorted / "several" / f"{number:04}"
            if counters:
                with self.times.of(_SORT):
                    rows.read()
                with self.times.of(_MEASURE):
                    rows.count(counters)
            self._make(_SORT, rows.write_several, several, number, len(self._slices))
            with self.times.of(_CHOOSE):
                if counters:
                    rows.count_held(counters)
                if not couples.exists():
                    rows.count_held(coupled)
        self._make(_CHOOSE, lambda path: engine.write_arrays(coupled.columns(), path), couples)

    @cached_property
    def _masks(self) -> list[int]:
        """All masks up to the greatest of the corpus's documents."""
        found = self._engine.fetch(f"SELECT COALESCE(MAX(mask), 0) AS mask FROM {DOCUMENTS}")["mask"][0]
        return relations.masks_up_to(int(found))

    def _extended(self, kept: KeptPairs, wanted: PairFilter, common: int, below: Path) -> KeptPairs:
        """The kept pairs, with all that pass a filter."""
        self._sort(common)
        self._tell(kept, below)
        work = below / f"{type(wanted).__name__.lower()}-{wanted.least}-{len(self._slices)}-{len(kept.pairs)}"
        shares = self._sorted / f"shares-{common}"
        self._once(_CHOOSE, pair_filters.SHARES, pair_filters.shares(common, self._masks), shares)
        self._once(_CHOOSE, pair_filters.CROWDED, wanted.crowded(common), work / "crowded")
        self._once(_CHOOSE, pair_filters.CEILINGS, wanted.ceilings(), work / "ceilings")
        self._once(_CHOOSE, pair_filters.RARE, wanted.rare(), work / "rare")
        counts = [wanted.coupled(), *(wanted.counts(low, high, common) for low, high in self._slices)]
        self._by_part("count pairs", pair_filters.COUNTS, counts, work / "counts")
        counted = int(self._engine.fetch(f"SELECT COUNT(*) AS n FROM {pair_filters.COUNTS}")["n"][0])
        parts = max(1, -(-counted // MERGED))
        self._by_documents(
            "merge pairs", pair_filters.CANDIDATES, wanted.candidates, work / f"candidates-{parts}", parts
        )
        found = below / new_name(relations.PAIRS)
        self._make("measure pairs", wanted.pairs(common), found)
        kept = kept.with_pairs(wanted, found.name)
        kept.write(below)
        shutil.rmtree(work, ignore_errors=True)
        return kept

    # Pairs by super shingles

    def super_pairs(self, run: int, common: int) -> None:
        """Make the table of pairs by common super shingles of so many shingles."""
        below = self.folder / f"super-{run}-{common}"
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
