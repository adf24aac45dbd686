"""The stored texts and addresses of documents. Identical texts are stored once, for the first document that has
them.

A Parquet file is read in groups of two thousand texts. Those who want one text, a thousand times a second, look where
it is: texts are packed before they are stored, and DuckDB writes such values one after another as they are. So each is
found in the file behind the one before, its place is written down once, and later it is read from there.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from moss.corpus.engines.engine import Engine
from moss.corpus.ingest.batches import unpack
from moss.corpus.storage.tables import DOCUMENTS, TEXTS
from moss.hashing import Positions

_FEW = 2000  # documents: fewer are fetched by their numbers
_WINDOW = 1 << 18  # rows that are read at a time if there are more
_TEXTS = 1 << 13  # texts that are read at a time while their places are sought


@dataclass(frozen=True, slots=True)
class TextPlaces:
    """Where the texts of a segment's documents are in a file."""

    file: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]  # 0: none is stored for this document

    def __contains__(self, at: int) -> bool:
        return bool(self.lengths[at])

    def text(self, at: int) -> str:
        """The text that is stored for a document of the segment."""
        start = int(self.starts[at])
        return unpack(bytes(self.file[start : start + int(self.lengths[at])]))


def find_texts(engine: Engine, table: str, first: int, documents: int, file: Path, copy: Path) -> TextPlaces:
    """The places of a segment's texts in its file, or in a copy if they are not there one after another."""
    lengths = np.zeros(documents, np.int32)
    starts = np.zeros(documents, np.int64)
    end = 0
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as stored:
        for at, packed in _in_order(engine, table, first, documents):
            start = stored.find(packed, end)
            if start < 0:
                return _copied(engine, table, first, documents, copy)
            starts[at], lengths[at], end = start, len(packed), start + len(packed)
    return TextPlaces(np.memmap(file, np.uint8, "r"), starts, lengths)


def _copied(engine: Engine, table: str, first: int, documents: int, copy: Path) -> TextPlaces:
    lengths = np.zeros(documents, np.int32)
    with copy.open("wb") as writing:
        for at, packed in _in_order(engine, table, first, documents):
            writing.write(packed)
            lengths[at] = len(packed)
    return TextPlaces(np.memmap(copy, np.uint8, "r"), np.cumsum(lengths, dtype=np.int64) - lengths, lengths)


def _in_order(engine: Engine, table: str, first: int, documents: int) -> Iterator[tuple[int, bytes]]:
    """The packed texts of a segment with the numbers of their documents, counted from its first."""
    for low in range(first, first + documents, _TEXTS):
        rows = engine.fetch(
            f"SELECT doc, text FROM {table} WHERE doc BETWEEN {low} AND {low + _TEXTS - 1} ORDER BY doc"
        )
        for doc, packed in zip(rows["doc"].tolist(), rows["text"].tolist(), strict=True):
            yield doc - first, bytes(packed)


def stored_texts(engine: Engine, docs: Sequence[int]) -> dict[int, tuple[str, int]]:
    """The text of each of these documents, and the document for which it is stored; the engine knows the corpus's
    tables."""
    packed = _packed(engine, docs)
    firsts = _firsts(engine, [doc for doc in docs if doc not in packed])
    packed |= _packed(engine, list(firsts.values()))
    sources = {doc: firsts.get(doc, doc) for doc in docs}
    return {doc: (unpack(packed[source]), source) for doc, source in sources.items()}


def _packed(engine: Engine, docs: Sequence[int]) -> dict[int, bytes]:
    """The texts that are stored for these documents."""
    if not docs:
        return {}
    rows = engine.fetch(f"SELECT doc, text FROM {TEXTS} WHERE doc IN ({_listed(docs)})")
    return dict(zip(rows["doc"].tolist(), rows["text"].tolist(), strict=True))


def _firsts(engine: Engine, docs: Sequence[int]) -> dict[int, int]:
    """For each of these documents the first that is identical to it."""
    if not docs:
        return {}
    rows = engine.fetch(
        f"""
        SELECT d.doc, MIN(e.doc) AS first
        FROM {DOCUMENTS} d JOIN {DOCUMENTS} e ON e.content = d.content
        WHERE d.doc IN ({_listed(docs)}) GROUP BY d.doc
        """
    )
    return dict(zip(rows["doc"].tolist(), rows["first"].tolist(), strict=True))


def _listed(docs: Sequence[int]) -> str:
    return ", ".join(map(str, docs))


def addresses_of(engine: Engine, docs: Positions) -> dict[int, str]:
    """The address of each of these documents; the engine knows the corpus's tables."""
    wanted = np.unique(docs)
    if len(wanted) <= _FEW:
        numbers = ", ".join(map(str, wanted.tolist()))
        return _fetch(engine, f"doc IN ({numbers})", wanted) if numbers else {}
    found: dict[int, str] = {}
    for low in range(int(wanted[0]), int(wanted[-1]) + 1, _WINDOW):
        inside = wanted[(wanted >= low) & (wanted < low + _WINDOW)]
        if len(inside):
            found |= _fetch(engine, f"doc BETWEEN {inside[0]} AND {inside[-1]}", inside)
    return found


def _fetch(engine: Engine, condition: str, wanted: NDArray[np.int64]) -> dict[int, str]:
    rows = engine.fetch(f"SELECT doc, address FROM {DOCUMENTS} WHERE {condition}")
    known = dict(zip(rows["doc"].tolist(), rows["address"].tolist(), strict=True))
    return {doc: known[doc] for doc in wanted.tolist()}
