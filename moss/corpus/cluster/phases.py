"""The results of clustering's phases, stored so that nothing is computed twice.

    NAME/phases/g7/sorted-3/…                  shingles that several documents have, in 3 slices
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
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import IO

from moss.corpus.cluster import pair_filters, relations, super_shingles, update
from moss.corpus.cluster.kept_pairs import KeptPairs, carry, new_name, read_kept
from moss.corpus.cluster.local_sort import DepthCounters, SliceWriter
from moss.corpus.cluster.pair_filters import ByContainment, ByResemblance, PairFilter
from moss.corpus.engines.duckdb import DuckEngine, whole_folder
from moss.corpus.engines.engine import Engine
from moss.corpus.storage.cleanup import forget_older_phases, newest_phases, phases_of
from moss.corpus.storage.locks import hold, holdable
from moss.corpus.storage.segments import Snapshot
from moss.corpus.storage.tables import DOCUMENTS

Progress = Callable[[str, int, int], None]
Rows = str | Callable[[Path], None]
"""The rows of a table: a query, or a function that writes them to a file."""

MERGED = 16_000_000  # counts of pairs that are added up at once
TOGETHER = 100_000  # documents whose shingles are measured, or whose super shingles are made, at once
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
        self._slices = list(relations.slices(snapshot.manifest.shingles, rows or engine.rows))
        self.folder = phases_of(snapshot.folder, snapshot.manifest.generation)
        self._sorted = self.folder / f"sorted-{len(self._slices)}"
        self.times = PhaseTimes()
        self._held = _held(self.folder)
        _carry_over(snapshot, self.folder)
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

    def _once(self, stage: str, table: str, sql: str, folder: Path) -> None:
        """One result, which is a table."""
        self._make(stage, sql, folder)
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
        self._sort()
        sizes = below / new_name(relations.SIZES)
        self._once("measure sketches", relations.SIZES, relations.sizes(common, self._masks), sizes)
        kept = KeptPairs(documents, self._masks[-1], sizes=(sizes.name,))
        kept.write(below)
        return kept

    def _sort(self) -> None:
        """Make the tables of shingles that several documents have, and of the depths of all."""
        if isinstance(self._engine, DuckEngine):
            self._sort_here(self._engine)
        else:
            self._by_slice("sort shingles", relations.HOLDERS, relations.holders, self._sorted / "holders")
            self._by_slice("sort shingles", relations.SORTED, relations.sorted_shingles, self._sorted / "several")
        parts = max(1, -(-self._snapshot.manifest.documents // TOGETHER))
        masks = self._masks
        whole = self._sorted / "depths"  # made with the sorted shingles, or part by part
        if whole.exists():
            self._engine.table(relations.DEPTHS, [whole], _SCHEMAS[relations.DEPTHS])
            return
        self._by_documents(
            "measure sketches",
            relations.DEPTHS,
            lambda first, last: relations.depths(first, last, masks),
            self._sorted / f"depths-{parts}",
            parts,
        )

    def _sort_here(self, engine: DuckEngine) -> None:
        """Make these tables by sorting in this process; depths only if their counters fit into memory."""
        documents, depths = self._snapshot.manifest.documents, self._sorted / "depths"
        counting = not depths.exists() and DepthCounters.fit(documents, self._masks)
        counters = DepthCounters(documents if counting else 0, self._masks)
        names = [f"{number:04}" for number in range(len(self._slices))]
        holders, several = ([self._sorted / table / name for name in names] for table in ("holders", "several"))
        for number, (low, high) in enumerate(self._slices):
            rows = SliceWriter(engine, low, high)
            self._make("sort shingles", rows.write_holders, holders[number], number, len(names))
            self._make("sort shingles", rows.write_several, several[number], number, len(names))
            if counting:
                with self.times.of("measure sketches"):
                    rows.count_depths(counters)
        engine.table(relations.HOLDERS, holders, _SCHEMAS[relations.HOLDERS])
        engine.table(relations.SORTED, several, _SCHEMAS[relations.SORTED])
        if counting:
            self._make("measure sketches", lambda path: engine.write_arrays(counters.columns(), path), depths)

    @cached_property
    def _masks(self) -> list[int]:
        """All masks up to the greatest of the corpus's documents."""
        found = self._engine.fetch(f"SELECT COALESCE(MAX(mask), 0) AS mask FROM {DOCUMENTS}")["mask"][0]
        return relations.masks_up_to(int(found))

    def _extended(self, kept: KeptPairs, wanted: PairFilter, common: int, below: Path) -> KeptPairs:
        """The kept pairs, with all that pass a filter."""
        self._sort()
        self._tell(kept, below)
        work = below / f"{type(wanted).__name__.lower()}-{wanted.least}-{len(self._slices)}-{len(kept.pairs)}"
        stage = "choose shingles"
        couples = pair_filters.couples(self._masks)
        self._once(stage, pair_filters.COUPLES, couples, self._sorted / "couples")
        shares = pair_filters.shares(common, self._masks)
        self._once(stage, pair_filters.SHARES, shares, self._sorted / f"shares-{common}")
        self._once(stage, pair_filters.CEILINGS, wanted.ceilings(common), work / "ceilings")
        self._by_slice(stage, pair_filters.RARE, wanted.rare, work / "rare")
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


def _carry_over(snapshot: Snapshot, folder: Path) -> None:
    """Let this generation know what the newest older one knew of the same documents."""
    older = newest_phases(snapshot.folder, snapshot.manifest, before=snapshot.manifest.generation)
    if older is None:
        return
    try:
        with hold(older):
            carry(older, folder)
    except FileNotFoundError:  # removed meanwhile: then everything is counted anew
        return


def _held(folder: Path) -> IO[bytes]:
    """Make a folder and hold it; a writer may be about to remove it as that of an older generation."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            holdable(folder)
            return hold(folder)
        except FileNotFoundError:
            continue
