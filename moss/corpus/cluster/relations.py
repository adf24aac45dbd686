"""Clustering as relations: one text of SQL that every engine understands.

The four phases of Broder et al., 4.1:
    1  sketch every document: the tables `documents` and `shingles`, made when documents are added
    2  sort the shingles: those that several documents have, with their documents (`moss.corpus.cluster.local_sort`)
    3  count for each pair of documents the shingles that both have (`moss.corpus.cluster.pair_filters`)
    4  join the pairs above a threshold (union–find, in `moss.corpus.cluster.clusters`)

"Divide, compute, merge": phase 2 and the counting work slice by slice of the shingles' values, each of which fits into
memory, and the counts of all slices are added up.

Two documents are compared at the greater of their masks: only shingles that are 0 in its bits count. Their sketches at
that mask, without shingles that more than `common` documents have, have `size_a` and `size_b` elements, of which
`shared` are the same.

Kept to what engines agree on: no functions but COUNT, SUM, MIN, MAX, LEAD, COALESCE, LEAST and GREATEST; bits by &, |
and -; sums are cast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from moss.corpus.storage.tables import DOCUMENTS

SORTED, DEPTHS, SIZES, PAIRS = "sorted_shingles", "depths", "sizes", "pairs"

SCHEMAS = {
    SORTED: {"shingle": "BIGINT", "doc": "BIGINT", "holders": "BIGINT"},
    DEPTHS: {"doc": "BIGINT", "low": "BIGINT", "n": "BIGINT"},
    SIZES: {"doc": "BIGINT", "own": "BIGINT", "mask": "BIGINT", "size": "BIGINT"},
    PAIRS: {"a": "BIGINT", "b": "BIGINT", "shared": "BIGINT", "size_a": "BIGINT", "size_b": "BIGINT"},
}

_LEAST = -(2**63)


def slices(rows: int, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of hashes, both ends included, that share `rows` rows evenly, none with many more than `most`."""
    count = max(1, -(-rows // most))
    edges = [_LEAST + (2**64 * number) // count for number in range(count + 1)]
    return ((low, high - 1) for low, high in pairwise(edges))


def within(column: str, low: int, high: int) -> str:
    """The SQL condition that a column is in a slice. (The least number of 64 bits cannot be written: without its sign
    it has 65.)"""
    return f"{column} <= {high}" if low == _LEAST else f"{column} BETWEEN {low} AND {high}"


def lowest_bit(shingle: str, masks: Sequence[int]) -> str:
    """The SQL expression for a shingle's lowest bit that is 1, or the one above all masks if that is lower. The shingle
    counts at every mask below it."""
    top = max(masks, default=0) + 1
    lone = f"{shingle} = 0 OR {shingle} < {_LEAST + 1}"  # the sign alone has no opposite number
    return f"CASE WHEN {lone} THEN {top} ELSE LEAST({shingle} & -{shingle}, {top}) END"


def masks_up_to(greatest: int) -> list[int]:
    """All masks up to this one, ascending."""
    return [2**bits - 1 for bits in range(greatest.bit_length() + 1)]


def masks_below(masks: Sequence[int]) -> str:
    """The SQL for a table of lowest bits, each with those of the masks at which such a shingle counts."""
    bits = range((max(masks, default=0) + 1).bit_length())
    rows = ", ".join(f"({2**bit}, {mask})" for bit in bits for mask in masks if mask < 2**bit)
    return f"(SELECT * FROM (VALUES {rows}) AS levels(low, mask))"


# How many shingles a document has at each mask that it may be compared at. Its own is in the table of documents; the
# greater ones follow from how many of its shingles have each lowest bit, the table of depths.


def sizes(common: int, masks: Sequence[int]) -> str:
    """How many shingles each document has at each of the masks from its own on, without those that are common; none is
    no row."""
    few = f"SELECT doc, {lowest_bit('shingle', masks)} AS low, -1 AS n FROM {SORTED} WHERE holders > {common}"
    return sizes_from(f"SELECT doc, low, n FROM {DEPTHS} UNION ALL {few}", masks)


def sizes_from(depths: str, masks: Sequence[int]) -> str:
    """The sizes of documents at the masks from their own on, by SQL for numbers of shingles with each lowest bit."""
    return f"""
        SELECT t.doc, d.mask AS own, l.mask, CAST(SUM(t.n) AS BIGINT) AS size
        FROM ({depths}) t
        JOIN {DOCUMENTS} d ON d.doc = t.doc
        JOIN {masks_below(masks)} l ON l.low = t.low AND l.mask >= d.mask
        GROUP BY t.doc, d.mask, l.mask HAVING SUM(t.n) > 0
        ORDER BY t.doc, l.mask
    """


# Phase 4


def links(resemblance: float, containment: float | None) -> str:
    """The pairs that resemble each other at least so much; or, if asked for, of which one is in the other."""
    union = "(size_a + size_b - shared)"
    chosen = f"shared >= {resemblance!r} * {union}"
    if containment is not None:
        chosen += f" OR shared >= {containment!r} * LEAST(size_a, size_b)"
    return f"SELECT a, b, shared, size_a, size_b FROM {PAIRS} WHERE {chosen} ORDER BY a, b"


def mostly_common(share: float) -> str:
    """The kept documents of which more than this share of the sketch is ignored as common."""
    return f"""
        SELECT d.doc, d.address
        FROM {DOCUMENTS} d LEFT JOIN {SIZES} z ON z.doc = d.doc AND z.mask = d.mask
        WHERE d.doc = d.same_as AND d.sketch - COALESCE(z.size, 0) > {share!r} * d.sketch
        ORDER BY d.doc
    """
