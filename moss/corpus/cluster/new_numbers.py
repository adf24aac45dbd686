"""The pairs of a corpus from which documents were removed: those of the others are kept, under their new numbers.

Documents that now stand for a removed one, and those with a shingle that is no longer common, are marked as changed;
the next clustering counts their pairs anew. Nothing of a removed document is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from moss.corpus.cluster.kept_pairs import CHANGED, TABLES, KeptPairs, all_kept, new_name
from moss.corpus.cluster.kept_pairs import SCHEMAS as _CHANGED
from moss.corpus.cluster.relations import PAIRS, SIZES
from moss.corpus.cluster.relations import SCHEMAS as _KNOWN
from moss.corpus.engines.engine import Engine
from moss.corpus.storage.tables import SCHEMAS, SHINGLES

_NUMBERS, _GAINED, _BEFORE, _AFTER = "renumbered", "standing_in", "shingles_before", "shingles_after"


@dataclass(frozen=True, slots=True)
class MovedDocuments:
    """The documents that are left, in Parquet files or folders of such."""

    numbers: Path  # doc, and number: before and after
    gained: Path  # doc: the new numbers of those that now stand for a removed one


def carry_renumbered(
    old: Path, new: Path, engine: Engine, moved: MovedDocuments, shingles: tuple[Sequence[Path], Sequence[Path]]
) -> None:
    """Write what a generation's folder knows into the next one's, without the documents that are removed between the
    two; the files of their shingles are before and after that."""
    engine.table(_NUMBERS, [moved.numbers], {"doc": "BIGINT", "number": "BIGINT"})
    engine.table(_GAINED, [moved.gained], {"doc": "BIGINT"})
    for name, paths in zip((_BEFORE, _AFTER), shingles, strict=True):
        engine.table(name, list(paths), SCHEMAS[SHINGLES])
    for name, kept in all_kept(old).items():
        left = f"SELECT COUNT(*) AS n FROM {_NUMBERS} WHERE doc < {kept.documents}"
        documents = int(engine.fetch(left)["n"][0])
        _carry(engine, kept, documents, old / name, new / name)


def _carry(engine: Engine, kept: KeptPairs, documents: int, old: Path, new: Path) -> None:
    for table in TABLES:
        engine.table(table, kept.folders(table, old), (_KNOWN | _CHANGED)[table])
    names = {table: (new_name(table),) for table in TABLES}
    common = int(old.name.removeprefix("common-"))
    for table, sql in (
        (PAIRS, _pairs()),
        (SIZES, _sizes()),
        (CHANGED, _changed(common, kept.documents, documents)),
    ):
        engine.write(sql, new / names[table][0])
    replace(kept.with_folders(names), documents=documents).write(new)


def _pairs() -> str:
    return f"""
        SELECT x.number AS a, y.number AS b, p.shared, p.size_a, p.size_b
        FROM {PAIRS} p JOIN {_NUMBERS} x ON x.doc = p.a JOIN {_NUMBERS} y ON y.doc = p.b
        ORDER BY x.number, y.number
    """


def _sizes() -> str:
    return f"""
        SELECT x.number AS doc, z.own, z.mask, z.size FROM {SIZES} z JOIN {_NUMBERS} x ON x.doc = z.doc
        ORDER BY x.number, z.mask
    """


def _changed(common: int, before: int, after: int) -> str:
    """The documents whose pairs are not known any more, of so many that were known before and are after."""
    return f"""
        WITH moved AS (
            SELECT s.shingle FROM {_BEFORE} s LEFT JOIN {_NUMBERS} x ON x.doc = s.doc WHERE x.doc IS NULL
            UNION SELECT s.shingle FROM {_AFTER} s JOIN {_GAINED} g ON g.doc = s.doc
        ), counted AS (
            SELECT shingle, SUM(before) AS before, SUM(after) AS after
            FROM (
                SELECT shingle, 1 AS before, 0 AS after FROM {_BEFORE} WHERE doc < {before}
                UNION ALL SELECT shingle, 0 AS before, 1 AS after FROM {_AFTER} WHERE doc < {after}
            ) counts
            WHERE shingle IN (SELECT shingle FROM moved)
            GROUP BY shingle
            HAVING (SUM(before) > {common}) <> (SUM(after) > {common})
        )
        SELECT doc FROM (
            SELECT x.number AS doc FROM {CHANGED} c JOIN {_NUMBERS} x ON x.doc = c.doc
            UNION SELECT doc FROM {_GAINED}
            UNION SELECT s.doc FROM {_AFTER} s JOIN counted c ON c.shingle = s.shingle
        ) docs
        WHERE doc < {after} ORDER BY doc
    """
