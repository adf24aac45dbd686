"""Numbers for documents that many have read, as relations: which are new, and which one is kept for equal ones.

It is decided as `SegmentRows` does for one document after the other: of documents with one key the first counts, those
of the corpus before all others; new ones are numbered in the order of their positions (`moss.corpus.ingest.spool`); a
document is like the first one with its text, else its words, else its sketch, and the document that is kept for that
one is kept for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from moss.corpus.engines.engine import Engine
from moss.corpus.ingest.dedupe import MARKS
from moss.corpus.ingest.shingles import Counts
from moss.corpus.ingest.spool import BEFORE, PART
from moss.corpus.storage.tables import DOCUMENTS, DuplicateKind

SPOOLED = "spooled"
_FRESH, _PARENTS, _OFFSETS, _NUMBERS, _DECIDED = "fresh", "parents", "offsets", "numbers", "decided"
_SCHEMAS = {
    _FRESH: {"pos": "BIGINT", **dict.fromkeys(MARKS, "BIGINT")},
    _PARENTS: {"pos": "BIGINT", "parent": "BIGINT", "kind": "BIGINT"},
    _OFFSETS: {"part": "BIGINT", "first": "BIGINT"},
    _NUMBERS: {"pos": "BIGINT", "doc": "BIGINT"},
}
_EQUAL = (  # a mark, the size of what it is made of (none tells nothing), and the kind of those that share it
    ("content", None, DuplicateKind.IDENTICAL),
    ("lexical", "words", DuplicateKind.LEXICAL),
    ("shingled", "sketch", DuplicateKind.SHINGLED),
)


@dataclass(frozen=True, slots=True)
class DecidedDocuments:
    """The new documents: a folder of (pos, doc, same_as, kind), by position, and how many there are of each kind in
    each part."""

    folder: Path
    part: Counts  # ascending
    kinds: Counts  # a column for each DuplicateKind

    @property
    def documents(self) -> Counts:
        """How many documents of each part are new."""
        counts: Counts = self.kinds.sum(axis=1)
        return counts


def decide(engine: Engine, scratch: Path, first: int) -> DecidedDocuments:
    """Decide about the table of spooled documents, beside that of the corpus's; the numbers begin with the first. All
    machines see the scratch folder."""
    relations = _Steps(engine, scratch)
    relations.make(_FRESH, _fresh())
    relations.make(_PARENTS, _parents())
    relations.make(_PARENTS, _stored_parents())
    while engine.fetch(f"SELECT COUNT(*) AS n FROM ({_open()}) links")["n"][0]:
        relations.make(_PARENTS, _jumped())
    decided = DecidedDocuments(scratch / _DECIDED, *_counted(engine))
    offsets = scratch / f"{_OFFSETS}.parquet"
    starts = first + np.cumsum(decided.documents) - decided.documents
    engine.write_arrays({"part": decided.part, "first": starts}, offsets)
    engine.table(_OFFSETS, [offsets], _SCHEMAS[_OFFSETS])
    relations.make(_NUMBERS, _numbers())
    engine.write(_decided(), decided.folder, in_order=True)
    return decided


class _Steps:
    """Writes tables, each of which may replace one of the same name that it is made of."""

    def __init__(self, engine: Engine, scratch: Path) -> None:
        self._engine, self._scratch, self._made = engine, scratch, 0

    def make(self, table: str, sql: str) -> None:
        folder = self._scratch / f"{table}-{self._made}"
        self._made += 1
        self._engine.write(sql, folder)
        self._engine.table(table, [folder], _SCHEMAS[table])


def _counted(engine: Engine) -> tuple[Counts, Counts]:
    """The parts, and how many documents of each kind each has."""
    part_of = f"(pos & {PART})"
    rows = engine.fetch(
        f"SELECT {part_of} AS part, kind, COUNT(*) AS n FROM {_PARENTS} GROUP BY {part_of}, kind ORDER BY part, kind"
    )
    part, at = np.unique(rows["part"], return_inverse=True)
    kinds = np.zeros((len(part), len(DuplicateKind)), np.int64)
    kinds[at, rows["kind"]] = rows["n"]
    return part.astype(np.int64), kinds


def _fresh() -> str:
    """The marks of documents whose key neither the corpus nor an earlier document has."""
    return f"""
        SELECT s.doc AS pos, {", ".join(f"s.{name}" for name in MARKS)}
        FROM {SPOOLED} s JOIN (
            SELECT key, MIN(doc) AS first
            FROM (SELECT key, doc FROM {SPOOLED} UNION ALL SELECT key, doc FROM {DOCUMENTS}) keys
            GROUP BY key
        ) k ON k.key = s.key AND k.first = s.doc
    """


def _parents() -> str:
    """The earlier document that each new one is like, and in what; itself if there is none."""
    joins, parent, kinds = "", "", ""
    for name, size, kind in _EQUAL:
        sound = f"{size} > 0" if size else "1 = 1"
        joins += f"""
            LEFT JOIN (
                SELECT {name}, MIN(pos) AS first
                FROM (
                    SELECT {name}, pos FROM {_FRESH} WHERE {sound}
                    UNION ALL SELECT {name}, doc AS pos FROM {DOCUMENTS} WHERE {sound}
                ) every_{name}
                GROUP BY {name}
            ) {name}_first ON {name}_first.{name} = f.{name}{f" AND f.{sound}" if size else ""}
        """
        parent += f"WHEN {name}_first.first < f.pos THEN {name}_first.first "
        kinds += f"WHEN {name}_first.first < f.pos THEN {int(kind)} "
    return f"""
        SELECT f.pos, CASE {parent} ELSE f.pos END AS parent,
               CAST(CASE {kinds} ELSE {int(DuplicateKind.KEPT)} END AS BIGINT) AS kind
        FROM {_FRESH} f {joins}
    """


def _stored_parents() -> str:
    """The parents, where documents of the corpus are replaced by those that are kept for them."""
    return f"""
        SELECT p.pos, COALESCE(d.same_as, p.parent) AS parent, p.kind
        FROM {_PARENTS} p LEFT JOIN {DOCUMENTS} d ON d.doc = p.parent
    """


def _open() -> str:
    """The documents whose parent has another parent."""
    return f"SELECT p.pos FROM {_PARENTS} p JOIN {_PARENTS} q ON q.pos = p.parent WHERE q.parent <> p.parent"


def _jumped() -> str:
    """The parents' parents: chains are half as long."""
    return f"""
        SELECT p.pos, COALESCE(q.parent, p.parent) AS parent, p.kind
        FROM {_PARENTS} p LEFT JOIN {_PARENTS} q ON q.pos = p.parent
    """


def _numbers() -> str:
    return f"""
        SELECT p.pos, o.first + ROW_NUMBER() OVER (PARTITION BY o.part ORDER BY p.pos) - 1 AS doc
        FROM {_PARENTS} p JOIN {_OFFSETS} o ON o.part = (p.pos & {PART})
    """


def _decided() -> str:
    return f"""
        SELECT n.pos, n.doc, CASE WHEN p.parent < {BEFORE} THEN p.parent ELSE m.doc END AS same_as, p.kind
        FROM {_NUMBERS} n JOIN {_PARENTS} p ON p.pos = n.pos LEFT JOIN {_NUMBERS} m ON m.pos = p.parent
        ORDER BY n.pos
    """
