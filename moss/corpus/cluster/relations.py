"""Clustering as relations: one text of SQL that every engine understands.

The four phases of Broder et al., 4.1:
    1  sketch every document: the tables `documents` and `shingles`, made when documents are added
    2  sort the shingles: those that several documents have, with their documents (`holders`, `sorted_shingles`)
    3  count for each pair of documents the shingles that both have (`counts`, `enough`, `pairs`)
    4  join the pairs above a threshold (union–find, in `moss.corpus.cluster.clusters`)

"Divide, compute, merge": phase 2 and the counting work slice by slice of the shingles' values, each of which fits into
memory, and the counts of all slices are added up.

Two documents are compared at the greater of their masks: only shingles that are 0 in its bits count. Their sketches at
that mask, without shingles that are common, have `size_a` and `size_b` elements, of which `shared` are the same.

Kept to what engines agree on: no functions but COUNT, SUM, MIN, MAX, LEAD, ROW_NUMBER, COALESCE, LEAST and GREATEST;
bits by & and |; sums are cast.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from moss.corpus.storage.tables import DOCUMENTS, SHINGLES

HOLDERS, SORTED, CROWDED, PLACED = "holders", "sorted_shingles", "crowded", "placed"
COUNTS, ENOUGH, PAIRS = "counts", "enough", "pairs"
SUPERS, CANDIDATES = "supers", "candidates"

SCHEMAS = {
    HOLDERS: {"shingle": "BIGINT", "holders": "BIGINT", "a": "BIGINT", "b": "BIGINT"},
    SORTED: {"shingle": "BIGINT", "doc": "BIGINT", "mask": "BIGINT", "size": "BIGINT", "holders": "BIGINT"},
    CROWDED: {"doc": "BIGINT"},
    PLACED: {"shingle": "BIGINT", "doc": "BIGINT", "mask": "BIGINT", "size": "BIGINT", "place": "BIGINT"},
    COUNTS: {"a": "BIGINT", "b": "BIGINT", "shared": "BIGINT"},
    ENOUGH: {"a": "BIGINT", "b": "BIGINT", "shared": "BIGINT"},
    PAIRS: {"a": "BIGINT", "b": "BIGINT", "shared": "BIGINT", "size_a": "BIGINT", "size_b": "BIGINT"},
    SUPERS: {"shingle": "BIGINT", "doc": "BIGINT", "mask": "BIGINT"},
    CANDIDATES: {"a": "BIGINT", "b": "BIGINT"},
}

_LEAST = -(2**63)

FLOOR = 20
"""Pairs of which neither has a twentieth in common with the other are not kept: most are chance, and there are many."""


def slices(rows: int, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of hashes, both ends included, that share `rows` rows evenly, none with many more than `most`."""
    count = max(1, -(-rows // most))
    edges = [_LEAST + (2**64 * number) // count for number in range(count + 1)]
    return ((low, high - 1) for low, high in pairwise(edges))


def within(column: str, low: int, high: int) -> str:
    """The SQL condition that a column is in a slice. (The least number of 64 bits cannot be written: without its sign
    it has 65.)"""
    return f"{column} <= {high}" if low == _LEAST else f"{column} BETWEEN {low} AND {high}"


def _size(document: str) -> str:
    """How many shingles a document has, about."""
    return f"{document}.sketch * ({document}.mask + 1)"


# Phase 2


# Nine of ten shingles that are in several documents are in two. Those are pairs already; only the rows of the others
# have to be fetched again.


def holders(low: int, high: int) -> str:
    """The shingles of a slice that several documents have: how many these are, and the first and the last of them."""
    return f"""
        SELECT shingle, COUNT(*) AS holders, MIN(doc) AS a, MAX(doc) AS b FROM {SHINGLES}
        WHERE {within("shingle", low, high)}
        GROUP BY shingle HAVING COUNT(*) > 1
        ORDER BY shingle
    """


def sorted_shingles(low: int, high: int) -> str:
    """The shingles of a slice that more than two documents have, with their documents and these' sizes."""
    return f"""
        SELECT s.shingle, s.doc, d.mask, {_size("d")} AS size, h.holders
        FROM {SHINGLES} s
        JOIN {HOLDERS} h ON h.shingle = s.shingle
        JOIN {DOCUMENTS} d ON d.doc = s.doc
        WHERE h.holders > 2 AND {within("s.shingle", low, high)} AND {within("h.shingle", low, high)}
        ORDER BY s.shingle, s.doc
    """


# Phase 3

# A shingle in very many documents says nothing, and the pairs it makes are the square of their number. Most that are
# left over are phrases that a tenth as many documents happen to share; only where copies of one text are that many
# themselves are they what the copies have in common. So they count for documents that consist of them, no others.


def crowded(common: int) -> str:
    """The documents of which more than half the sketch is in more than a tenth of `common` documents."""
    return f"""
        SELECT s.doc
        FROM {SORTED} s JOIN {DOCUMENTS} d ON d.doc = s.doc
        WHERE s.holders > {_few(common)}
        GROUP BY s.doc, d.sketch HAVING COUNT(*) * 2 > d.sketch
        ORDER BY s.doc
    """


def _few(common: int) -> int:
    return max(2, common // 10)


def _telling(common: int) -> str:
    """The SQL condition that a sorted shingle s counts; c is its document, if that is crowded."""
    return f"(s.holders <= {_few(common)} OR (s.holders <= {common} AND c.doc IS NOT NULL))"


# Most pairs share one shingle or two by chance, and their number grows with the square of the corpus. A pair is kept
# only if it shares a twentieth of its lesser document. So of that document's telling shingles, the most common first,
# as many as are not yet enough may be passed over: a pair that has enough shares one of the others, too. These make
# the pairs; what was passed over is then counted for the pairs that there are. (Prefix filtering: Chaudhuri, Ganti,
# Kaushik 2006.)


def placed(common: int) -> str:
    """The sorted shingles that count, with their places among those of their document, common ones first."""
    return f"""
        SELECT s.shingle, s.doc, s.mask, s.size,
               ROW_NUMBER() OVER (PARTITION BY s.doc ORDER BY s.holders DESC, s.shingle) AS place
        FROM {SORTED} s LEFT JOIN {CROWDED} c ON c.doc = s.doc
        WHERE {_telling(common)}
        ORDER BY s.shingle, s.doc
    """


def _enough(shared: str, mask: str, size: str) -> str:
    """The SQL condition that the common shingles at a mask are about a twentieth of a size."""
    return f"{shared} * {FLOOR} * (({mask}) + 1) >= {size}"


def counts(low: int, high: int) -> str:
    """For each pair of documents how many telling shingles of a slice both have, but for those that are passed over."""
    return f"""
        SELECT a, b, COUNT(*) AS shared
        FROM (
            SELECT h.a, h.b
            FROM {HOLDERS} h JOIN {DOCUMENTS} x ON x.doc = h.a JOIN {DOCUMENTS} y ON y.doc = h.b
            WHERE {within("h.shingle", low, high)} AND h.holders = 2 AND (h.shingle & (x.mask | y.mask)) = 0
            UNION ALL
            SELECT LEAST(x.doc, y.doc) AS a, GREATEST(x.doc, y.doc) AS b
            FROM {PLACED} x JOIN {PLACED} y
            ON x.shingle = y.shingle AND (x.size < y.size OR (x.size = y.size AND x.doc < y.doc))
            WHERE {within("x.shingle", low, high)} AND {within("y.shingle", low, high)}
                  AND (x.shingle & (x.mask | y.mask)) = 0 AND {_enough("x.place", "x.mask | y.mask", "x.size")}
        ) shared
        GROUP BY a, b
        ORDER BY a
    """


def enough(first: int, last: int) -> str:
    """The pairs of all slices whose first document is in a range, if what they share is enough, with all of that."""
    return f"""
        WITH merged AS (
            SELECT a, b, CAST(SUM(shared) AS BIGINT) AS shared FROM {COUNTS}
            WHERE a BETWEEN {first} AND {last} GROUP BY a, b
        ), sized AS (
            SELECT m.a, m.b, m.shared, (x.mask | y.mask) AS mask, LEAST({_size("x")}, {_size("y")}) AS size,
                   CASE WHEN {_size("x")} <= {_size("y")} THEN m.a ELSE m.b END AS lesser,
                   CASE WHEN {_size("x")} <= {_size("y")} THEN m.b ELSE m.a END AS greater
            FROM merged m JOIN {DOCUMENTS} x ON x.doc = m.a JOIN {DOCUMENTS} y ON y.doc = m.b
        ), passed_over AS (
            SELECT z.a, z.b, COUNT(*) AS shared
            FROM sized z
            JOIN (SELECT * FROM {PLACED} WHERE NOT {_enough("place", "mask", "size")}) p ON p.doc = z.lesser
            JOIN {PLACED} q ON q.shingle = p.shingle AND q.doc = z.greater
            WHERE (p.shingle & z.mask) = 0 AND NOT {_enough("p.place", "z.mask", "z.size")}
            GROUP BY z.a, z.b
        )
        SELECT z.a, z.b, z.shared + COALESCE(o.shared, 0) AS shared
        FROM sized z LEFT JOIN passed_over o ON o.a = z.a AND o.b = z.b
        WHERE {_enough("(z.shared + COALESCE(o.shared, 0))", "z.mask", "z.size")}
        ORDER BY z.a, z.b
    """


def pairs(common: int) -> str:
    """The pairs that share enough, with their sizes at the greater of both masks."""
    return f"""
        WITH masked AS (
            SELECT e.a, e.b, e.shared, x.mask AS mask_a, y.mask AS mask_b, (x.mask | y.mask) AS mask,
                   x.sketch AS sketch_a, y.sketch AS sketch_b
            FROM {ENOUGH} e JOIN {DOCUMENTS} x ON x.doc = e.a JOIN {DOCUMENTS} y ON y.doc = e.b
        ), wanted AS (
            SELECT a AS doc, mask FROM masked UNION SELECT b AS doc, mask FROM masked
        ), thinned AS (
            SELECT w.doc, w.mask, COUNT(*) AS size
            FROM (
                SELECT a AS doc, mask FROM masked WHERE mask <> mask_a
                UNION SELECT b AS doc, mask FROM masked WHERE mask <> mask_b
            ) w
            JOIN {SHINGLES} s ON s.doc = w.doc
            WHERE (s.shingle & w.mask) = 0
            GROUP BY w.doc, w.mask
        ), ignored AS (
            SELECT w.doc, w.mask, COUNT(*) AS size
            FROM wanted w JOIN {SORTED} s ON s.doc = w.doc LEFT JOIN {CROWDED} c ON c.doc = s.doc
            WHERE NOT {_telling(common)} AND (s.shingle & w.mask) = 0
            GROUP BY w.doc, w.mask
        )
        SELECT m.a, m.b, m.shared,
               COALESCE(ta.size, m.sketch_a) - COALESCE(ia.size, 0) AS size_a,
               COALESCE(tb.size, m.sketch_b) - COALESCE(ib.size, 0) AS size_b
        FROM masked m
        LEFT JOIN thinned ta ON ta.doc = m.a AND ta.mask = m.mask
        LEFT JOIN thinned tb ON tb.doc = m.b AND tb.mask = m.mask
        LEFT JOIN ignored ia ON ia.doc = m.a AND ia.mask = m.mask
        LEFT JOIN ignored ib ON ib.doc = m.b AND ib.mask = m.mask
        ORDER BY m.a, m.b
    """


# Phase 4


def links(resemblance: float, containment: float | None) -> str:
    """The pairs that resemble each other at least so much; or, if asked for, of which one is in the other."""
    union = "(size_a + size_b - shared)"
    chosen = f"shared >= {resemblance!r} * {union}"
    if containment is not None:
        chosen += f" OR shared >= {containment!r} * LEAST(size_a, size_b)"
    return f"SELECT a, b, shared, size_a, size_b FROM {PAIRS} WHERE {chosen} ORDER BY a, b"


# Super shingles (5.3)


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


def candidates(low: int, high: int, common: int) -> str:
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


def candidate_pairs() -> str:
    """The candidate pairs with the shingles that they really share; their masks are equal."""
    return f"""
        SELECT c.a, c.b, c.shared, x.sketch AS size_a, y.sketch AS size_b
        FROM (
            SELECT k.a, k.b, COUNT(*) AS shared
            FROM (SELECT DISTINCT a, b FROM {CANDIDATES}) k
            JOIN {SHINGLES} s ON s.doc = k.a
            JOIN {SHINGLES} t ON t.doc = k.b AND t.shingle = s.shingle
            GROUP BY k.a, k.b
        ) c
        JOIN {DOCUMENTS} x ON x.doc = c.a JOIN {DOCUMENTS} y ON y.doc = c.b
        ORDER BY c.a, c.b
    """
