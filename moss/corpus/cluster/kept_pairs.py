"""The pairs of a corpus that are known, for which of its documents, and the relations for those that have changed.

    NAME/phases/g7/common-1000/kept.json       what is known
    NAME/phases/g7/common-1000/pairs-a1b2c3d4/ pairs; all such folders that are named there are one table
    NAME/phases/g7/common-1000/sizes-e5f6a7b8/ how many shingles documents have, likewise

Folders never change. When a corpus has grown, the same folders stand in that of its new generation (as links), with one
more for the pairs of the new documents.

These pairs follow from the documents of the table `changed` and from the rows of the shingles that they have (the table
`touched`). A shingle that has become common, or has ceased to be, changes what all its holders have in common with
others, so these are changed documents, too.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from moss.corpus.cluster.pair_filters import ByContainment, ByResemblance, PairFilter
from moss.corpus.cluster.relations import PAIRS, SIZES, lowest_bit, sizes_from
from moss.corpus.storage.cleanup import newest_phases
from moss.corpus.storage.locks import hold
from moss.corpus.storage.segments import Snapshot
from moss.corpus.storage.tables import DOCUMENTS, SHINGLES

CHANGED, TOUCHED = "changed", "touched"

SCHEMAS = {CHANGED: {"doc": "BIGINT"}, TOUCHED: {"shingle": "BIGINT", "doc": "BIGINT"}}
_STATE = "kept.json"
TABLES = (PAIRS, SIZES, CHANGED)


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


@dataclass(frozen=True, slots=True)
class KeptPairs:
    """All pairs of a corpus's first documents that resemble each other so much, or of which one holds so much of the
    other."""

    documents: int
    greatest_mask: int  # for which sizes are known
    resemblance: float | None = None  # no pair is known, if there is none
    containment: float | None = None
    pairs: tuple[str, ...] = ()  # names of folders
    sizes: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()  # of documents among them of which nothing is known any more

    def folders(self, table: str, below: Path) -> list[Path]:
        """The folders of a table."""
        return [below / name for name in getattr(self, table)]

    def has(self, wanted: PairFilter) -> bool:
        """Whether all pairs that pass a filter are known."""
        least = self.resemblance if isinstance(wanted, ByResemblance) else self.containment
        return least is not None and least <= wanted.least

    def with_pairs(self, of: PairFilter, name: str) -> KeptPairs:
        """These pairs and one more folder, which has all that were missing for a filter."""
        if isinstance(of, ByResemblance):
            return replace(self, pairs=(*self.pairs, name), resemblance=of.least)
        return replace(self, pairs=(*self.pairs, name), containment=of.least)

    def with_folders(self, folders: Mapping[str, tuple[str, ...]]) -> KeptPairs:
        """These pairs with other folders for some tables."""
        changes: dict[str, Any] = dict(folders)
        return replace(self, **changes)

    def enough(self) -> str:
        """The SQL condition on shared, size_a and size_b that a pair is one of those that are known."""
        filters: list[PairFilter] = []
        if self.resemblance is not None:
            filters.append(ByResemblance(self.resemblance))
        if self.containment is not None:
            filters.append(ByContainment(self.containment))
        return " OR ".join(f"({each.enough('shared', 'size_a', 'size_b')})" for each in filters) or "1 = 0"

    def write(self, below: Path) -> None:
        """Make this what is known; another process's choice of folders may be replaced, which holds as much."""
        below.mkdir(parents=True, exist_ok=True)
        path = below / new_name("unfinished")
        path.write_text(json.dumps(asdict(self)))
        os.replace(path, below / _STATE)


def new_name(table: str) -> str:
    """A name for a folder that no other has."""
    return f"{table}-{secrets.token_hex(4)}"


def read_kept(below: Path) -> KeptPairs | None:
    """All kept pairs; none if there are none, or if folders are missing."""
    try:
        plain = json.loads((below / _STATE).read_text())
        kept = KeptPairs(**plain).with_folders({name: tuple(plain[name]) for name in TABLES})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return kept if all(path.is_dir() for table in TABLES for path in kept.folders(table, below)) else None


def all_kept(phases: Path) -> dict[str, KeptPairs]:
    """The tables in a generation's folder, by the name of the folder below."""
    found = {path.parent.name: read_kept(path.parent) for path in phases.glob(f"*/{_STATE}")}
    return {name: kept for name, kept in found.items() if kept is not None}


def carry_over(snapshot: Snapshot, folder: Path) -> None:
    """Let a corpus's generation, in its folder, know what the newest older one knew of the same documents."""
    older = newest_phases(snapshot.folder, snapshot.manifest, before=snapshot.manifest.generation)
    if older is None:
        return
    try:
        with hold(older):
            carry(older, folder)
    except FileNotFoundError:  # removed meanwhile: then everything is counted anew
        return


def carry(old: Path, new: Path) -> None:
    """Let a generation know what an older one knew of the same documents."""
    for name, kept in all_kept(old).items():
        if (new / name / _STATE).exists():
            continue
        for table in TABLES:
            for folder in kept.folders(table, old / name):
                shutil.copytree(folder, new / name / folder.name, copy_function=_linked, dirs_exist_ok=True)
        kept.write(new / name)


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        shutil.copy2(source, target)
