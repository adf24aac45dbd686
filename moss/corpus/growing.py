"""The segment that is being made: new documents get numbers, and of equal ones the first is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moss.corpus.batches import Batch
from moss.corpus.registers import UNKNOWN, Register, first_of
from moss.corpus.segments import Snapshot, Writer, local_engine
from moss.corpus.tables import DOCUMENTS, FINGERPRINTS, SHINGLES, TEXTS, Kind
from moss.hashing import Hashes
from moss.model import Problem

_DOCUMENTS = 1 << 17  # in a segment
_ROWS = 16_000_000  # of shingles and fingerprints in a segment: bounds the memory for sorting them
_TEXT = 1 << 28  # bytes of packed texts in a segment


@dataclass
class Added:
    """What became of what was read."""

    documents: int = 0
    kept: int = 0
    identical: int = 0
    lexical: int = 0
    shingled: int = 0
    problems: list[Problem] = field(default_factory=list)


class Registers:
    """What is known of all documents: which of them have been added, and which one is kept for equal ones."""

    def __init__(self, writer: Writer) -> None:
        self.keys, self.content, self.lexical, self.shingled = (Register() for _ in range(4))
        if not writer.manifest.segments:
            return
        engine = local_engine(writer.folder, writer.memory)
        try:
            with Snapshot(writer.folder) as snapshot:
                snapshot.tables(engine)
                names = "key, content, lexical, shingled, same_as, words, sketch"
                columns = engine.fetch(f"SELECT {names} FROM {DOCUMENTS} ORDER BY doc")
        finally:
            engine.close()
        key, content, lexical, shingled = (
            columns[name].view(np.uint64) for name in ("key", "content", "lexical", "shingled")
        )
        self.remember(key, content, lexical, shingled, columns["same_as"], columns["words"], columns["sketch"])

    def remember(
        self,
        key: Hashes,
        content: Hashes,
        lexical: Hashes,
        shingled: Hashes,
        same_as: NDArray[np.int64],
        words: NDArray[np.int64],
        sketch: NDArray[np.int64],
    ) -> None:
        """Add documents; those without words are equal only if their texts are."""
        self.keys.add(key, same_as)
        self.content.add(content, same_as)
        self.lexical.add(lexical[words > 0], same_as[words > 0])
        self.shingled.add(shingled[sketch > 0], same_as[sketch > 0])


class Growing:
    """The rows of the segment that is being made."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.documents = self.kept = self.rows = self.text = 0
        self._columns: dict[str, list[dict[str, NDArray[Any]]]] = {
            table: [] for table in (DOCUMENTS, SHINGLES, FINGERPRINTS, TEXTS)
        }

    @property
    def is_full(self) -> bool:
        """Whether it is time to write it."""
        return self.documents >= _DOCUMENTS or self.rows >= _ROWS or self.text >= _TEXT

    def take(self, batch: Batch, registers: Registers, added: Added) -> None:
        """Number the documents of a batch that are new, and tell which are kept."""
        added.problems.extend(batch.problems)
        new = (registers.keys.find(batch.keys) == UNKNOWN) & (first_of(batch.keys) == np.arange(len(batch)))
        at = np.flatnonzero(new)
        numbers = np.full(len(batch), UNKNOWN, np.int64)
        numbers[at] = np.arange(len(at)) + self.first + self.documents
        same_as, kind = _kept_for(batch, at, numbers, registers)
        registers.remember(
            batch.keys[at], batch.content[at], batch.lexical[at], batch.shingled[at],
            same_as, batch.words[at], batch.sketches.sizes[at],
        )  # fmt: skip
        self._append(batch, at, numbers, same_as, kind)
        self._count(kind, added)

    def _count(self, kind: NDArray[np.int64], added: Added) -> None:
        counts = Counter(kind.tolist())
        self.documents += len(kind)
        self.kept += counts[Kind.KEPT]
        added.documents += len(kind)
        added.kept += counts[Kind.KEPT]
        added.identical += counts[Kind.IDENTICAL]
        added.lexical += counts[Kind.LEXICAL]
        added.shingled += counts[Kind.SHINGLED]

    def _append(
        self,
        batch: Batch,
        at: NDArray[np.int64],
        numbers: NDArray[np.int64],
        same_as: NDArray[np.int64],
        kind: NDArray[np.int64],
    ) -> None:
        kinds = np.full(len(batch), UNKNOWN, np.int64)
        kinds[at] = kind
        shingles, prints = batch.sketches, batch.fingerprints
        owner = shingles.owners
        sketched = kinds[owner] == Kind.KEPT
        printed = np.isin(kinds[prints.owner], (Kind.KEPT, Kind.SHINGLED))
        texts = np.flatnonzero((kinds != UNKNOWN) & (kinds != Kind.IDENTICAL))
        packed = np.empty(len(texts), object)
        packed[:] = [batch.texts[i] for i in texts.tolist()]
        self._columns[DOCUMENTS].append(
            {
                "doc": numbers[at],
                "address": _strings(batch.addresses, at),
                "date": batch.dates[at],
                "language": _strings(batch.languages, at),
                "bytes": batch.sizes[at],
                "words": batch.words[at],
                "key": batch.keys[at].view(np.int64),
                "content": batch.content[at].view(np.int64),
                "lexical": batch.lexical[at].view(np.int64),
                "shingled": batch.shingled[at].view(np.int64),
                "same_as": same_as,
                "kind": kind,
                "mask": batch.masks[at],
                "sketch": shingles.sizes[at],
                "simhash": batch.simhash[at].view(np.int64),
            }
        )
        self._columns[SHINGLES].append(
            {"shingle": shingles.hashes[sketched].view(np.int64), "doc": numbers[owner[sketched]]}
        )
        self._columns[FINGERPRINTS].append(
            {
                "hash": prints.hashes[printed].view(np.int64),
                "doc": numbers[prints.owner[printed]],
                "start": prints.start[printed],
                "end": prints.end[printed],
            }
        )
        self._columns[TEXTS].append({"doc": numbers[texts], "text": packed})
        self.rows += int(sketched.sum()) + int(printed.sum())
        self.text += sum(map(len, packed))

    def tables(self) -> dict[str, dict[str, NDArray[Any]]]:
        """All rows, in the order of their table."""
        joined = {
            table: {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            for table, parts in self._columns.items()
        }
        for table, name in ((SHINGLES, "shingle"), (FINGERPRINTS, "hash")):
            order = np.argsort(joined[table][name], kind="stable")
            joined[table] = {column: values[order] for column, values in joined[table].items()}
        return joined


def _strings(values: Sequence[str], at: NDArray[np.int64]) -> NDArray[Any]:
    array = np.empty(len(at), object)
    array[:] = [values[i] for i in at.tolist()]
    return array


def _kept_for(
    batch: Batch, at: NDArray[np.int64], numbers: NDArray[np.int64], registers: Registers
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each new document the one that is kept for it, and why."""
    same_as = numbers[at].copy()
    parent = np.arange(len(at))  # an earlier document of this batch that it is like
    kind = np.zeros(len(at), np.int64)
    undecided = np.ones(len(at), np.bool_)
    everything, worded, sketched = np.ones(len(at), np.bool_), batch.words[at] > 0, batch.sketches.sizes[at] > 0
    for reason, hashes, register, sound in (
        (Kind.IDENTICAL, batch.content[at], registers.content, everything),
        (Kind.LEXICAL, batch.lexical[at], registers.lexical, worded),
        (Kind.SHINGLED, batch.shingled[at], registers.shingled, sketched),
    ):
        earlier, first = register.find(hashes), first_of(hashes)
        known = undecided & sound & (earlier != UNKNOWN)
        same_as[known], kind[known] = earlier[known], reason
        alike = undecided & sound & ~known & (first < np.arange(len(at)))
        parent[alike], kind[alike] = first[alike], reason
        undecided &= ~(known | alike)
    while (parent[parent] != parent).any():
        parent = parent[parent]
    return same_as[parent], kind
