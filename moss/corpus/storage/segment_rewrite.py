"""The segments of a corpus without some of its documents.

Documents have consecutive numbers, so the segments from the first removed document on are written anew. Documents that
were equal to a removed one may have nothing stored: the first of those that are left is kept instead, and its sketch,
its fingerprints and its text are made again from the text that they have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from moss.corpus.engines.duckdb import DuckEngine
from moss.corpus.errors import CorpusError
from moss.corpus.ingest.batches import DocumentBatch, make_batch
from moss.corpus.ingest.dedupe import MARKS, DuplicateRegister, EqualityMarks
from moss.corpus.ingest.documents import CorpusDocument
from moss.corpus.ingest.segment_builder import (
    Rows,
    fingerprint_rows,
    fingerprinted,
    shingle_rows,
    sketched,
    text_rows,
    with_text,
)
from moss.corpus.ingest.shingles import Counts
from moss.corpus.storage.manifest import Segment
from moss.corpus.storage.registers import UNKNOWN
from moss.corpus.storage.segments import ORDER, STORAGE, CorpusWriter, Snapshot
from moss.corpus.storage.tables import DOCUMENTS, FINGERPRINTS, SCHEMAS, SHINGLES, TEXTS, TONGUES, DuplicateKind
from moss.corpus.storage.texts import stored_texts
from moss.messages import gettext

_AT_ONCE = 500  # documents that are read again together
_OLD, _LEFT, _GAINED = "one", "documents_left", "gained"
_STORED: tuple[tuple[str, Callable[[Counts], NDArray[np.bool_]], Callable[..., Rows]], ...] = (
    (SHINGLES, sketched, shingle_rows),
    (FINGERPRINTS, fingerprinted, fingerprint_rows),
    (TEXTS, with_text, text_rows),
)


@dataclass(frozen=True, slots=True)
class DocumentFates:
    """The new number, kind and kept document of consecutive documents."""

    number: Counts  # from now on; UNKNOWN if it is removed
    same_as: Counts  # likewise
    kind: Counts
    kind_before: Counts
    first: int = 0  # the old number of the first document

    @property
    def docs(self) -> Counts:
        """The documents that are left, by their old numbers."""
        return self.first + np.flatnonzero(self.number != UNKNOWN)

    def inside(self, segment: Segment) -> Counts:
        """The documents of a segment that are left."""
        docs = self.docs
        return docs[(docs >= segment.first) & (docs < segment.first + segment.documents)]

    def numbers(self, docs: Counts) -> Counts:
        """The new numbers of these documents."""
        return self.number[docs - self.first]

    def gains(self, docs: Counts, stored: Callable[[Counts], NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """Which of these documents have something stored from now on that they had not."""
        at = docs - self.first
        return stored(self.kind[at]) & ~stored(self.kind_before[at])


def what_is_left(engine: DuckEngine, gone: NDArray[np.bool_]) -> DocumentFates:
    """The fates of all documents when these are removed."""
    columns = engine.fetch(f"SELECT kind, {', '.join(MARKS)} FROM {DOCUMENTS} ORDER BY doc")
    stay = np.flatnonzero(~gone)
    number, same_as, kind = (np.full(len(gone), UNKNOWN, np.int64) for _ in range(3))
    number[stay] = np.arange(len(stay))
    same_as[stay], kind[stay] = DuplicateRegister().kept_for(EqualityMarks.stored(columns)[stay], number[stay])
    return DocumentFates(number, same_as, kind, columns["kind"])


class SegmentRewriter:
    """Makes new segments of old ones, by the fates of their documents; `scratch` is a folder for temporary files."""

    def __init__(self, snapshot: Snapshot, engine: DuckEngine, left: DocumentFates, scratch: Path) -> None:
        self._snapshot, self._engine, self._left, self._scratch = snapshot, engine, left, scratch
        self._recipe = snapshot.manifest.recipe
        doc, at = left.docs, left.docs - left.first
        path = scratch / f"{_LEFT}.parquet"
        engine.write_arrays(
            {"doc": doc, "number": left.number[at], "same_as": left.same_as[at], "kind": left.kind[at]}, path
        )
        engine.table(_LEFT, [path], {})

    def segments(self, writer: CorpusWriter, progress: Callable[[str, int, int], None]) -> tuple[Segment, ...]:
        """The new segments; those before the first removed document are the old ones."""
        old = self._snapshot.manifest.segments
        kept: list[Segment] = []
        made: list[Segment] = []
        for number, segment in enumerate(old):
            progress("removing", number, len(old))
            docs = self._left.inside(segment)
            if len(docs) == segment.documents and len(kept) == number:
                kept.append(segment)
            elif len(docs):
                name = writer.new_name(len(made))
                with writer.making(name) as unfinished:
                    self.write(segment, name, unfinished)
                made.append(self.counted(self._snapshot.segment(name), segment))
        progress("removing", len(old), len(old))
        return (*kept, *made)

    def write(self, old: Segment, name: str, target: Path) -> None:
        """Write the files of a new segment: of those documents of an old one that are left."""
        gained = self._gained(self._left.inside(old), name)
        for table, schema in SCHEMAS.items():
            file = self._snapshot.file(old.name, table)
            self._engine.table(_OLD, [file] if table != TONGUES or file.exists() else [], schema)
            self._engine.table(_GAINED, gained.get(table, []), schema)
            self._engine.write_file(_rows(table), target / f"{table}.parquet", STORAGE[table])

    def counted(self, target: Path, old: Segment) -> Segment:
        """The new segment in a folder, with its sizes."""
        docs = self._left.inside(old)
        kept = int((self._left.kind[docs - self._left.first] == DuplicateKind.KEPT).sum())
        sizes = [self._size(target / f"{table}.parquet") for table in (SHINGLES, FINGERPRINTS)]
        return Segment(target.name, int(self._left.numbers(docs[:1])[0]), len(docs), kept, *sizes)

    def _size(self, path: Path) -> int:
        self._engine.table(_OLD, [path], {})
        return int(self._engine.fetch(f"SELECT COUNT(*) AS rows FROM {_OLD}")["rows"][0])

    # What was stored for a removed document only

    def _gained(self, docs: Counts, name: str) -> dict[str, list[Path]]:
        """Files with the rows that were not stored for these documents but have to be now, by table."""
        files: dict[str, list[Path]] = {table: [] for table, _, _ in _STORED}
        gaining = np.zeros(len(docs), np.bool_)
        for _, stored, _ in _STORED[: 1 if self._recipe.sketches_only else None]:
            gaining |= self._left.gains(docs, stored)
        if self._recipe.sketches_only and gaining.any():
            raise CorpusError(
                gettext(
                    "another document is identical to one of these, and has no text to make its sketch from; remove "
                    "both, or add the others to a new corpus"
                )
            )
        for number, (some, batch) in enumerate(self._read_again(docs[gaining])):
            for table, stored, rows in _STORED:
                path = self._scratch / f"{name}-{table}-{number}.parquet"
                new = rows(batch, self._left.numbers(some), self._left.gains(some, stored))
                self._engine.write_arrays(new, path, STORAGE[table])
                files[table].append(path)
        return files

    def _read_again(self, docs: Counts) -> Iterator[tuple[Counts, DocumentBatch]]:
        """The columns of these documents, read again from their texts."""
        for start in range(0, len(docs), _AT_ONCE):
            some = docs[start : start + _AT_ONCE]
            numbers = some.tolist()
            texts = stored_texts(self._engine, numbers)
            rows = self._engine.fetch(f"SELECT doc, language FROM {DOCUMENTS} WHERE doc IN ({str(numbers)[1:-1]})")
            language = dict(zip(rows["doc"].tolist(), rows["language"].tolist(), strict=True))
            found = [CorpusDocument("", texts[doc][0], content=0, size=0, language=language[doc]) for doc in numbers]
            yield some, make_batch(found, self._recipe)


def _rows(table: str) -> str:
    """A table's rows of the documents that are left, with their new numbers, and those that were gained."""
    changed = {"doc": "n.number AS doc", "same_as": "n.same_as", "kind": "n.kind"}
    old = ", ".join(changed.get(name, f"t.{name}") for name in SCHEMAS[table])
    gained = ", ".join(f"g.{name}" for name in SCHEMAS[table])
    return f"""
        SELECT * FROM (
            SELECT {old} FROM {_OLD} t JOIN {_LEFT} n ON n.doc = t.doc
            UNION ALL SELECT {gained} FROM {_GAINED} g
        ) ORDER BY {ORDER[table]}
    """
