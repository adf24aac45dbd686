"""The removal of documents for good: afterwards a corpus is, row for row, as if they had never been added.

New segments are written first (`segment_rewrite`), then the manifest, and then the old ones are deleted. A process that
is killed in between leaves the old corpus or the new one, and the next writer removes what is no part of it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from moss.corpus.cluster.new_numbers import MovedDocuments, carry_renumbered
from moss.corpus.engines.duckdb import MEMORY, DuckEngine
from moss.corpus.engines.engine import Engine
from moss.corpus.ingest.segment_builder import sketched
from moss.corpus.storage.cleanup import newest_phases, phases_of
from moss.corpus.storage.locks import hold, holdable
from moss.corpus.storage.manifest import Segment, read_manifest
from moss.corpus.storage.rebuild import rebuild_without
from moss.corpus.storage.segment_rewrite import DocumentFates, SegmentRewriter, what_is_left
from moss.corpus.storage.segments import CorpusWriter, Snapshot, local_engine
from moss.corpus.storage.tables import DOCUMENTS, SCHEMAS, SHINGLES

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class AddressChoice:
    """Tells which addresses are wanted: these, or all that begin like one of these."""

    addresses: tuple[str, ...]
    prefix: bool = False

    def __call__(self, address: str) -> bool:
        """Whether an address is wanted."""
        return address.startswith(self.addresses) if self.prefix else address in self._exact

    def met(self, addresses: Iterable[str]) -> set[str]:
        """The given addresses, or beginnings, that are among some addresses.

        >>> sorted(AddressChoice(("a/", "b"), prefix=True).met(["a/1", "a/2", "c"]))
        ['a/']
        """
        known = set(addresses)
        if not self.prefix:
            return known & self._exact
        return {given for given in self._exact if any(address.startswith(given) for address in known)}

    def without(self, met: Iterable[set[str]]) -> list[str]:
        """The given addresses, or beginnings, that are in none of these sets."""
        known = set().union(*met)
        return [given for given in self.addresses if given not in known]

    @cached_property
    def _exact(self) -> frozenset[str]:
        return frozenset(self.addresses)


def missing(folder: Path, choice: AddressChoice, memory: int = MEMORY) -> list[str]:
    """The given addresses, or beginnings of addresses, that no document of the corpus has."""
    with Snapshot(folder) as snapshot, closing(local_engine(folder, memory)) as engine:
        return choice.without(choice.met(addresses) for addresses in _addresses(snapshot, engine))


def remove(
    folder: Path,
    wanted: Callable[[str], bool],
    progress: Progress = lambda stage, done, total: None,
    memory: int = MEMORY,
) -> int:
    """Remove all documents whose address is wanted; returns how many they were.

    Segments that others still read are deleted by the next writer after they have finished. A corpus that was built by
    other rules is rebuilt on the way, because documents that were equal to a removed one have to be read like the
    rest."""
    read_manifest(folder)  # a writer would make a corpus where there is none
    with CorpusWriter(folder, memory=memory) as writer:
        if writer.manifest.recipe != writer.manifest.recipe.renewed:
            return _rebuilt(writer, wanted, progress)
        removed, segments = _without(writer, wanted, progress)
        if removed:
            writer.become(segments, renumbered=True)
    return removed


def _rebuilt(writer: CorpusWriter, wanted: Callable[[str], bool], progress: Progress) -> int:
    before = writer.manifest.documents
    if any(map(wanted, all_addresses(writer.folder, writer.memory))):
        rebuild_without(writer, wanted, None, progress)
    return before - writer.manifest.documents


def _without(
    writer: CorpusWriter, wanted: Callable[[str], bool], progress: Progress
) -> tuple[int, tuple[Segment, ...]]:
    """How many documents are wanted, and the segments of all others."""
    with Snapshot(writer.folder) as snapshot, TemporaryDirectory(dir=writer.folder / "segments") as scratch:
        engine = local_engine(writer.folder, writer.memory)
        try:
            chosen = [_chosen(addresses, wanted) for addresses in _addresses(snapshot, engine)]
            gone = np.concatenate([np.zeros(0, np.bool_), *chosen])
            if not gone.any():
                return 0, snapshot.manifest.segments
            snapshot.tables(engine)
            left = what_is_left(engine, gone)
            segments = SegmentRewriter(snapshot, engine, left, Path(scratch)).segments(writer, progress)
            carry_pairs(writer, snapshot, engine, _moved(engine, left, Path(scratch)), segments)
            return int(gone.sum()), segments
        finally:
            engine.close()


def _moved(engine: DuckEngine, left: DocumentFates, scratch: Path) -> MovedDocuments:
    """The new numbers of documents, as tables."""
    doc = left.docs
    moved = MovedDocuments(scratch / "numbers.parquet", scratch / "gained.parquet")
    engine.write_arrays({"doc": doc, "number": left.numbers(doc)}, moved.numbers)
    engine.write_arrays({"doc": left.numbers(doc[left.gains(doc, sketched)])}, moved.gained)
    return moved


def carry_pairs(
    writer: CorpusWriter, snapshot: Snapshot, engine: Engine, moved: MovedDocuments, segments: Sequence[Segment]
) -> None:
    """Let the next generation know the pairs of the documents that are left."""
    older = newest_phases(writer.folder, writer.manifest)
    if older is None:
        return
    newer = phases_of(writer.folder, writer.manifest.generation + 1)
    shutil.rmtree(newer, ignore_errors=True)  # of a removal that was interrupted
    after = [snapshot.segment(segment.name) / f"{SHINGLES}.parquet" for segment in segments]
    with suppress(FileNotFoundError), hold(older):  # who is gone is not carried over
        newer.mkdir(parents=True)
        carry_renumbered(older, newer, engine, moved, (snapshot.paths(SHINGLES), after))
        holdable(newer)


def all_addresses(folder: Path, memory: int = MEMORY) -> Iterator[str]:
    """The addresses of all documents, some more than once."""
    with Snapshot(folder) as snapshot:
        engine = local_engine(folder, memory)
        try:
            for addresses in _addresses(snapshot, engine):
                yield from addresses
        finally:
            engine.close()


def _addresses(snapshot: Snapshot, engine: DuckEngine) -> Iterator[list[str]]:
    """The addresses of each segment's documents, in their order."""
    for path in snapshot.paths(DOCUMENTS):
        engine.table("one", [path], SCHEMAS[DOCUMENTS])
        yield engine.fetch("SELECT address FROM one ORDER BY doc")["address"].tolist()


def _chosen(addresses: list[str], wanted: Callable[[str], bool]) -> NDArray[np.bool_]:
    return np.fromiter(map(wanted, addresses), np.bool_, len(addresses))
