"""Pairs of a few documents with all others, as relations: what a corpus that has changed a little needs.

Everything is about the documents of the table `changed`, and follows from the rows of the shingles that these have (the
table `touched`). A shingle that has become common, or has ceased to be, changes what all its holders have in common
with others, so these are changed documents, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from moss.corpus.cluster.relations import SIZES, lowest_bit, sizes_from
from moss.corpus.storage.tables import DOCUMENTS, SHINGLES

CHANGED, TOUCHED = "changed", "touched"

SCHEMAS = {CHANGED: {"doc": "BIGINT"}, TOUCHED: {"shingle": "BIGINT", "doc": "BIGINT"}}


def changed(first: int, earlier: str) -> str:
    """All documents from the first new one on, and some earlier ones."""
    return f"""
        SELECT doc FROM {DOCUMENTS} WHERE doc >= {first} AND doc = same_as
        UNION SELECT doc FROM ({earlier}) earlier WHERE doc < {first}
        ORDER BY doc
    """


def shingles_of_changed() -> str:
    """The shingles of the changed documents."""
    return f"SELECT DISTINCT s.shingle FROM {SHINGLES} s JOIN {CHANGED} c ON c.doc = s.doc ORDER BY s.shingle"


def touched(shingles: str) -> str:
    """All rows of some shingles: the SQL for them, or a list of numbers."""
    return f"SELECT shingle, doc FROM {SHINGLES} WHERE shingle IN ({shingles}) ORDER BY shingle, doc"


def newly_common(first: int, common: int) -> str:
    """The documents that have a shingle which is common only since the documents from the first new one on came."""
    return f"""
        SELECT DISTINCT t.doc
        FROM {TOUCHED} t JOIN (
            SELECT shingle FROM {TOUCHED} GROUP BY shingle
            HAVING COUNT(*) > {common} AND SUM(CASE WHEN doc < {first} THEN 1 ELSE 0 END) <= {common}
        ) c ON c.shingle = t.shingle
    """


def sizes_of_changed(common: int, masks: Sequence[int]) -> str:
    """The sizes of the changed documents at the masks from their own on."""
    return sizes_from(
        f"""
        SELECT t.doc, {lowest_bit("t.shingle", masks)} AS low, 1 AS n
        FROM {TOUCHED} t JOIN {CHANGED} c ON c.doc = t.doc
        JOIN (SELECT shingle FROM {TOUCHED} GROUP BY shingle HAVING COUNT(*) <= {common}) k ON k.shingle = t.shingle
        """,
        masks,
    )


def pairs_of_changed(common: int, enough: str) -> str:
    """The pairs of changed documents with others and with each other that fulfil a condition on shared, size_a and
    size_b."""
    return f"""
        WITH met AS (
            SELECT LEAST(x.doc, y.doc) AS a, GREATEST(x.doc, y.doc) AS b, (d.mask | e.mask) AS mask, COUNT(*) AS shared
            FROM {TOUCHED} x
            JOIN {CHANGED} c ON c.doc = x.doc
            JOIN (
                SELECT shingle FROM {TOUCHED} GROUP BY shingle HAVING COUNT(*) BETWEEN 2 AND {common}
            ) k ON k.shingle = x.shingle
            JOIN {TOUCHED} y ON y.shingle = x.shingle AND y.doc <> x.doc
            LEFT JOIN {CHANGED} other ON other.doc = y.doc
            JOIN {DOCUMENTS} d ON d.doc = x.doc
            JOIN {DOCUMENTS} e ON e.doc = y.doc
            WHERE (other.doc IS NULL OR x.doc < y.doc) AND (x.shingle & (d.mask | e.mask)) = 0
            GROUP BY LEAST(x.doc, y.doc), GREATEST(x.doc, y.doc), (d.mask | e.mask)
        ), measured AS (
            SELECT m.a, m.b, m.shared, p.size AS size_a, q.size AS size_b
            FROM met m
            JOIN {SIZES} p ON p.doc = m.a AND p.mask = m.mask
            JOIN {SIZES} q ON q.doc = m.b AND q.mask = m.mask
        )
        SELECT a, b, shared, size_a, size_b FROM measured WHERE {enough} ORDER BY a, b
    """


def without_changed(table: str, *columns: str) -> str:
    """The rows of a table in which none of these columns names a changed document."""
    joins = " ".join(f"LEFT JOIN {CHANGED} {name}_changed ON {name}_changed.doc = t.{name}" for name in columns)
    unchanged = " AND ".join(f"{name}_changed.doc IS NULL" for name in columns)
    return f"SELECT t.* FROM {table} t {joins} WHERE {unchanged}"
