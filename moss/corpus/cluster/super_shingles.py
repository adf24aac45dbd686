"""Super shingles (Broder et al., 5.3) as relations: pairs that share a run of shingles of their sorted sketches.

Quicker than counting all shingles, and blind to containment: a run is the same only where two documents of one mask are
nearly the same. What is found is then counted by its shingles (`pairs`).
"""

from __future__ import annotations

from moss.corpus.cluster.relations import within
from moss.corpus.storage.tables import DOCUMENTS, SHINGLES

SUPERS, MATCHES = "supers", "matches"

SCHEMAS = {
    SUPERS: {"shingle": "BIGINT", "doc": "BIGINT", "mask": "BIGINT"},
    MATCHES: {"a": "BIGINT", "b": "BIGINT"},
}


def supers(first: int, last: int, run: int) -> str:
    """The super shingles of some documents: every run of so many shingles of a sorted sketch, as their exclusive or.

    There is no operator for it that all engines have; a | b without a & b is the same."""
    combined = "s0"
    for number in range(1, run):
        combined = f"(({combined} | s{number}) - ({combined} & s{number}))"
    ahead = "".join(f", LEAD(s.shingle, {number}) OVER sketch AS s{number}" for number in range(1, run))
    return f"""
        SELECT {combined} AS shingle, doc, mask
        FROM (
            SELECT s.doc, d.mask, s.shingle AS s0{ahead}
            FROM {SHINGLES} s JOIN {DOCUMENTS} d ON d.doc = s.doc
            WHERE s.doc BETWEEN {first} AND {last}
            WINDOW sketch AS (PARTITION BY s.doc ORDER BY s.shingle)
        ) runs
        WHERE s{run - 1} IS NOT NULL
    """


def matches(low: int, high: int, common: int) -> str:
    """The pairs that have a super shingle of a slice in common."""
    return f"""
        SELECT DISTINCT x.doc AS a, y.doc AS b
        FROM {SUPERS} x JOIN {SUPERS} y ON x.shingle = y.shingle AND x.mask = y.mask AND x.doc < y.doc
        JOIN (
            SELECT shingle FROM {SUPERS} WHERE {within("shingle", low, high)}
            GROUP BY shingle HAVING COUNT(*) BETWEEN 2 AND {common}
        ) h ON h.shingle = x.shingle
        WHERE {within("x.shingle", low, high)} AND {within("y.shingle", low, high)}
    """


def pairs() -> str:
    """The matches with the shingles that they really share; their masks are equal."""
    return f"""
        SELECT c.a, c.b, c.shared, x.sketch AS size_a, y.sketch AS size_b
        FROM (
            SELECT k.a, k.b, COUNT(*) AS shared
            FROM (SELECT DISTINCT a, b FROM {MATCHES}) k
            JOIN {SHINGLES} s ON s.doc = k.a
            JOIN {SHINGLES} t ON t.doc = k.b AND t.shingle = s.shingle
            GROUP BY k.a, k.b
        ) c
        JOIN {DOCUMENTS} x ON x.doc = c.a JOIN {DOCUMENTS} y ON y.doc = c.b
        ORDER BY c.a, c.b
    """
