"""Documents that many have read get the numbers, and are equal to the documents, that they would be one by one."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from moss.corpus.engines.duckdb import DuckEngine
from moss.corpus.ingest.dedupe import MARKS, EqualityMarks
from moss.corpus.ingest.document_numbers import SPOOLED, decide
from moss.corpus.ingest.segment_builder import Registers
from moss.corpus.ingest.spool import PLACES
from moss.corpus.storage.registers import UNKNOWN
from moss.corpus.storage.tables import DOCUMENTS

few = st.integers(-2, 2)
documents = st.lists(st.tuples(st.integers(-9, 9), few, few, few, st.integers(0, 1), st.integers(0, 1)), max_size=12)
COLUMNS = ("key", *MARKS)


def one_by_one(rows, registers, first):
    """Number, same_as and kind of each row, or nothing if its key is known."""
    decided = []
    for key, *marks in rows:
        keys = np.array([key], np.int64).view(np.uint64)
        if registers.keys.find(keys)[0] != UNKNOWN:
            decided.append(None)
            continue
        number = np.array([first + sum(row is not None for row in decided)])
        hashes = (np.array([mark], np.int64).view(np.uint64) for mark in marks[:3])
        both = EqualityMarks(*hashes, *(np.array([size]) for size in marks[3:]))
        same_as, kind = registers.equals.kept_for(both, number)
        registers.remember(keys, both, same_as)
        decided.append((int(number[0]), int(same_as[0]), int(kind[0])))
    return decided


def columns(rows, **more):
    values = np.array(rows, np.int64).reshape(-1, len(COLUMNS)).T
    return dict(zip(COLUMNS, values, strict=True)) | {name: np.array(each, np.int64) for name, each in more.items()}


@settings(max_examples=25)
@given(documents, st.lists(documents, min_size=1, max_size=4))
def test_documents_are_numbered_as_one_by_one(stored, parts):
    registers = Registers()
    known = [(row, decided) for row, decided in zip(stored, one_by_one(stored, registers, 0), strict=True) if decided]
    new = [row for part in parts for row in part]
    positions = [((number + 1) << PLACES) + place for number, part in enumerate(parts) for place in range(len(part))]
    expected = dict(zip(positions, one_by_one(new, registers, len(known)), strict=True))
    with TemporaryDirectory() as folder, closing(DuckEngine(scratch := Path(folder), threads=1)) as engine:
        there = columns([row for row, _ in known], doc=[d[0] for _, d in known], same_as=[d[1] for _, d in known])
        for table, rows in ((DOCUMENTS, there), (SPOOLED, columns(new, doc=positions))):
            engine.write_arrays(rows, scratch / f"{table}.parquet")
            engine.table(table, [scratch / f"{table}.parquet"], {})
        decided = decide(engine, scratch, len(known))
        engine.table("found", [decided.folder], {})
        found = engine.fetch("SELECT pos, doc, same_as, kind FROM found")
    rows = {pos: tuple(rest) for pos, *rest in zip(*(column.tolist() for column in found.values()), strict=True)}
    assert rows == {pos: row for pos, row in expected.items() if row is not None}
    assert decided.documents.sum() == len(rows)
    assert decided.kinds.sum(axis=0).tolist() == [sum(row[2] == kind for row in rows.values()) for kind in range(4)]
