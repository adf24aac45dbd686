"""Pairs of documents that share enough, as relations: only pairs that can pass the threshold are ever made.

Most pairs share one shingle or two by chance, and their number grows with the square of the corpus. A pair that passes
the threshold shares at least so much of each document (or, for containment, of the lesser one). So of a document's
shingles, the most common first, as many as are not yet enough may be passed over: a pair that has enough shares one of
the others, too. Those have at most as many holders as the document's **ceiling** says; a document whose shingles are
mostly its own has none. They make the candidates, and what was passed over is counted for these alone. (Prefix
filtering: Chaudhuri, Ganti, Kaushik 2006.)

All of it is done at each mask at which documents are compared: a document has a ceiling at its own mask, and at each
greater one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from moss.corpus.cluster.relations import PAIRS, SIZES, SORTED, lowest_bit, masks_below, within

COUPLES, SHARES, CROWDED, CEILINGS = "couples", "shares", "crowded", "ceilings"
RARE, COUNTS, CANDIDATES, MEETINGS = "rare", "counts", "candidates", "meetings"

_AT_MASK = {"doc": "BIGINT", "own": "BIGINT", "mask": "BIGINT", "size": "BIGINT"}
SCHEMAS = {
    COUPLES: {"a": "BIGINT", "b": "BIGINT", "low": "BIGINT", "n": "BIGINT"},
    CROWDED: {"shingle": "BIGINT", "doc": "BIGINT", "holders": "BIGINT"},
    SHARES: {**_AT_MASK, "two": "BIGINT", "more": "BIGINT"},
    CEILINGS: {**_AT_MASK, "ceiling": "BIGINT", "above": "BIGINT"},
    RARE: {"shingle": "BIGINT", **_AT_MASK},
    COUNTS: {"a": "BIGINT", "b": "BIGINT", "mask": "BIGINT", "two": "BIGINT", "met": "BIGINT"},
    CANDIDATES: dict.fromkeys(("a", "b", "mask", "two", "size_a", "size_b"), "BIGINT"),
    MEETINGS: dict.fromkeys(("a", "b", "shared"), "BIGINT"),
}


# The table of couples: how many shingles with each lowest bit two documents have that no third one has. Nine of ten
# that several documents have are such, and copies have dozens of them, so it is small. What different slices have of a
# couple stands in different rows.


def shares(common: int, masks: Sequence[int]) -> str:
    """For each document at each mask: how many of its shingles one other document has, and how many more have, but not
    more than `common`. Documents without any have no row."""
    return f"""
        SELECT t.doc, z.own, z.mask, z.size, CAST(SUM(t.two) AS BIGINT) AS two, CAST(SUM(t.more) AS BIGINT) AS more
        FROM (
            SELECT doc, low, 0 AS two, COUNT(*) AS more
            FROM (SELECT doc, {lowest_bit("shingle", masks)} AS low FROM {SORTED} WHERE holders <= {common}) more
            GROUP BY doc, low
            UNION ALL SELECT a AS doc, low, n AS two, 0 AS more FROM {COUPLES}
            UNION ALL SELECT b AS doc, low, n AS two, 0 AS more FROM {COUPLES}
        ) t
        JOIN {SIZES} z ON z.doc = t.doc
        JOIN {masks_below(masks)} l ON l.low = t.low AND l.mask = z.mask
        GROUP BY t.doc, z.own, z.mask, z.size
        ORDER BY t.doc, z.mask
    """


@dataclass(frozen=True, slots=True)
class PairFilter(ABC):
    """The least part that two documents have in common to be a pair."""

    least: float

    @abstractmethod
    def enough(self, shared: str, size_a: str, size_b: str) -> str:
        """The SQL condition that so many common shingles are enough for documents of these sizes."""

    @abstractmethod
    def _may_pair(self, p: str, q: str) -> str:
        """The SQL condition that a shingle of two holders makes a candidate of documents with these ceilings."""

    @abstractmethod
    def _met_by_more(self, low: int, high: int, common: int) -> str:
        """The SQL for a, b and mask of candidates by each shingle of a slice that more than two documents have."""

    @abstractmethod
    def _passed_over(self, p: str, q: str) -> str:
        """The SQL expression for the most shingles that a candidate shares beside those that it was met by."""

    def crowded(self, common: int) -> str:
        """The shingles of more than two holders of documents for which such shingles are enough by themselves. Only of
        these do they have to be looked at one by one."""
        return f"""
            SELECT s.shingle, s.doc, s.holders
            FROM {SORTED} s
            JOIN (SELECT DISTINCT doc FROM {SHARES} c WHERE c.more >= {self._needed}) d ON d.doc = s.doc
            WHERE s.holders <= {common}
            ORDER BY s.shingle, s.doc
        """

    @property
    def _needed(self) -> str:
        return f"{self.least!r} * c.size"

    def ceilings(self) -> str:
        """For each document at each mask: the most holders that a shingle may have to make candidates (0 if none does),
        and how many shingles have more. Documents that are not crowded have the ceiling 2, or none."""
        needed = self._needed
        return f"""
            WITH upto AS (
                SELECT doc, mask, size, holders,
                       SUM(n) OVER (PARTITION BY doc, mask ORDER BY holders DESC) AS upto
                FROM (
                    SELECT c.doc, c.mask, c.size, s.holders, COUNT(*) AS n
                    FROM {SHARES} c JOIN {CROWDED} s ON s.doc = c.doc
                    WHERE c.more >= {needed} AND (s.shingle & c.mask) = 0
                    GROUP BY c.doc, c.mask, c.size, s.holders
                ) tallied
            ), higher AS (
                SELECT doc, mask, MAX(CASE WHEN upto >= {needed} THEN holders END) AS ceiling,
                       CAST(MAX(CASE WHEN upto < {needed} THEN upto ELSE 0 END) AS BIGINT) AS above
                FROM upto c GROUP BY doc, mask
            )
            SELECT c.doc, c.own, c.mask, c.size,
                   CASE WHEN c.two + c.more < {needed} THEN 0 ELSE COALESCE(h.ceiling, 2) END AS ceiling,
                   COALESCE(h.above, c.more) AS above
            FROM {SHARES} c LEFT JOIN higher h ON h.doc = c.doc AND h.mask = c.mask
            {self._only_some("c.two + c.more", needed)}
            ORDER BY c.doc, c.mask
        """

    def _only_some(self, most: str, needed: str) -> str:
        """The SQL that leaves out documents which can be in no pair."""
        return f"WHERE {most} >= {needed}"

    def rare(self) -> str:
        """The shingles that more than two documents have, with those of their documents that have them below the
        ceiling."""
        return f"""
            SELECT s.shingle, s.doc, c.own, c.mask, c.size
            FROM {CROWDED} s JOIN {CEILINGS} c ON c.doc = s.doc
            WHERE s.holders <= c.ceiling AND (s.shingle & c.mask) = 0
            ORDER BY s.shingle, s.doc
        """

    def coupled(self) -> str:
        """The candidates by shingles of two holders, and by how many."""
        return f"""
            SELECT t.a, t.b, p.mask, CAST(SUM(t.n) AS BIGINT) AS two, CAST(SUM(t.n) AS BIGINT) AS met
            FROM {COUPLES} t JOIN {CEILINGS} p ON p.doc = t.a
            JOIN {CEILINGS} q ON q.doc = t.b AND {_at_one_mask("p", "q")}
            WHERE t.low > p.mask AND {self._may_pair("p", "q")}
            GROUP BY t.a, t.b, p.mask
            ORDER BY t.a
        """

    def counts(self, low: int, high: int, common: int) -> str:
        """The candidates by shingles of a slice that have more holders, and by how many."""
        return f"""
            SELECT a, b, mask, CAST(0 AS BIGINT) AS two, COUNT(*) AS met
            FROM ({self._met_by_more(low, high, common)}) more
            GROUP BY a, b, mask
            ORDER BY a
        """

    def candidates(self, first: int, last: int) -> str:
        """The pairs of all slices whose first document is in a range, if what they share can be enough; without those
        that are known."""
        most = f"(m.met + {self._passed_over('p', 'q')})"
        return f"""
            SELECT m.a, m.b, m.mask, m.two, p.size AS size_a, q.size AS size_b
            FROM (
                SELECT a, b, mask, CAST(SUM(two) AS BIGINT) AS two, CAST(SUM(met) AS BIGINT) AS met
                FROM {COUNTS} WHERE a BETWEEN {first} AND {last} GROUP BY a, b, mask
            ) m
            JOIN {CEILINGS} p ON p.doc = m.a AND p.mask = m.mask
            JOIN {CEILINGS} q ON q.doc = m.b AND q.mask = m.mask
            LEFT JOIN {PAIRS} k ON k.a = m.a AND k.b = m.b
            WHERE k.a IS NULL AND {self.enough(most, "p.size", "q.size")}
            ORDER BY m.a, m.b
        """

    def pairs(self, meetings: str) -> str:
        """The candidates that share enough, with all that they share; `meetings` is the SQL for what they share of
        shingles that more than two documents have."""
        return f"""
            WITH more AS ({meetings}), measured AS (
                SELECT c.a, c.b, c.two + COALESCE(m.shared, 0) AS shared, c.size_a, c.size_b
                FROM {CANDIDATES} c LEFT JOIN more m ON m.a = c.a AND m.b = c.b
            )
            SELECT a, b, shared, size_a, size_b FROM measured
            WHERE {self.enough("shared", "size_a", "size_b")}
            ORDER BY a, b
        """


def meetings(common: int) -> str:
    """How many shingles that more than two documents have, but not more than `common`, are in both documents of each
    candidate. (One that is in both sketches counts at either mask.) Candidates without any have no row."""
    return f"""
        SELECT c.a, c.b, COUNT(*) AS shared
        FROM {CANDIDATES} c
        JOIN {SORTED} p ON p.doc = c.a
        JOIN {SORTED} q ON q.doc = c.b AND q.shingle = p.shingle
        WHERE p.holders <= {common}
        GROUP BY c.a, c.b
    """


def _at_one_mask(p: str, q: str) -> str:
    """The SQL condition that two rows are of the mask at which their documents are compared."""
    return f"{q}.mask = {p}.mask AND ({p}.own = {p}.mask OR {q}.own = {q}.mask)"


class ByResemblance(PairFilter):
    """Pairs of which both together have so much in common; then each of the two shares at least that part of itself."""

    def enough(self, shared: str, size_a: str, size_b: str) -> str:
        """The SQL condition that so many common shingles are enough for documents of these sizes."""
        return f"{shared} >= {self.least!r} * ({size_a} + {size_b} - {shared})"

    def _may_pair(self, p: str, q: str) -> str:
        return f"LEAST({p}.size, {q}.size) >= {self.least!r} * GREATEST({p}.size, {q}.size)"

    def _met_by_more(self, low: int, high: int, common: int) -> str:
        return f"""
            SELECT p.doc AS a, q.doc AS b, p.mask
            FROM {RARE} p JOIN {RARE} q ON q.shingle = p.shingle AND p.doc < q.doc AND {_at_one_mask("p", "q")}
            WHERE {within("p.shingle", low, high)} AND {within("q.shingle", low, high)} AND {self._may_pair("p", "q")}
        """

    def _passed_over(self, p: str, q: str) -> str:
        lower = f"WHEN {p}.ceiling < {q}.ceiling THEN {p}.above WHEN {p}.ceiling > {q}.ceiling THEN {q}.above"
        return f"CASE {lower} ELSE LEAST({p}.above, {q}.above) END"


class ByContainment(PairFilter):
    """Pairs of which one has so much of the lesser; of equal ones the first is the lesser."""

    def enough(self, shared: str, size_a: str, size_b: str) -> str:
        """The SQL condition that so many common shingles are enough for documents of these sizes."""
        return f"{shared} >= {self.least!r} * LEAST({size_a}, {size_b})"

    def _only_some(self, most: str, needed: str) -> str:
        return ""  # the greater document may have any share of its own in common

    def _may_pair(self, p: str, q: str) -> str:
        return f"(CASE WHEN {p}.size <= {q}.size THEN {p}.ceiling ELSE {q}.ceiling END) >= 2"

    def _met_by_more(self, low: int, high: int, common: int) -> str:
        return f"""
            SELECT LEAST(p.doc, s.doc) AS a, GREATEST(p.doc, s.doc) AS b, p.mask
            FROM {RARE} p JOIN {SORTED} s ON s.shingle = p.shingle AND s.doc <> p.doc
            JOIN {CEILINGS} q ON q.doc = s.doc AND {_at_one_mask("p", "q")}
            WHERE {within("p.shingle", low, high)} AND {within("s.shingle", low, high)} AND s.holders <= {common}
                  AND (p.size < q.size OR (p.size = q.size AND p.doc < q.doc))
        """

    def _passed_over(self, p: str, q: str) -> str:
        return f"CASE WHEN {p}.size <= {q}.size THEN {p}.above ELSE {q}.above END"
