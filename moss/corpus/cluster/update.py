"""The pairs of a corpus that has changed a little: those of the changed documents are made, all others are kept.

One new document costs about what it shares: its shingles are looked up, and the documents that have them are counted.
(The paper merges the clusters of a new sweep into the old ones likewise.)
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from moss.corpus.cluster import kept_pairs, relations
from moss.corpus.cluster.kept_pairs import CHANGED, TOUCHED, KeptPairs, new_name
from moss.corpus.engines.engine import Engine

Make = Callable[[str, str, Path], None]
"""Writes the rows of a query of a stage into a folder."""

_STAGE = "update pairs"
_LISTED = 2000  # shingles: so few are looked up by their values, which reads only the row groups that can have them
_LAYERS = 16  # folders of a table; more are put together


class CorpusUpdate:
    """The step from what is known of a corpus to what is true of it now."""

    def __init__(self, kept: KeptPairs, below: Path, common: int, documents: int, engine: Engine) -> None:
        self._kept, self._below, self._common, self._all, self._engine = kept, below, common, documents, engine
        self._masks = relations.masks_up_to(kept.greatest_mask)
        self._work = below / new_name("update")
        engine.table(CHANGED, kept.folders(CHANGED, below), kept_pairs.SCHEMAS[CHANGED])
        earlier = int(engine.fetch(f"SELECT COUNT(*) AS n FROM {CHANGED}")["n"][0])
        self.documents = documents - kept.documents + earlier
        """How many documents have changed."""

    def applied(self, make: Make) -> KeptPairs:
        """The kept pairs after the update."""
        if not self.documents:
            return replace(self._kept, changed=())
        try:
            return self._applied(make)
        finally:
            shutil.rmtree(self._work, ignore_errors=True)

    def _applied(self, make: Make) -> KeptPairs:
        first = self._kept.documents
        self._take(make, kept_pairs.changed(first, f"SELECT doc FROM {CHANGED}"), "1")
        crossed = kept_pairs.newly_common(first, self._common)
        earlier = f"SELECT doc FROM {CHANGED} UNION {crossed}"
        if self._count(f"({crossed}) crossed WHERE doc < {first}"):
            self._take(make, kept_pairs.changed(first, earlier), "2")
        anew = self._count(f"{CHANGED} WHERE doc < {first}") > 0
        kept = self._layered(
            make, self._kept, relations.SIZES, kept_pairs.sizes_of_changed(self._common, self._masks), anew
        )
        pairs = kept_pairs.pairs_of_changed(self._common, kept.enough())
        kept = self._layered(make, kept, relations.PAIRS, pairs, anew)
        return replace(kept, documents=self._all, changed=())

    def _count(self, rows: str) -> int:
        return int(self._engine.fetch(f"SELECT COUNT(*) AS n FROM {rows}")["n"][0])

    def _take(self, make: Make, changed: str, number: str) -> None:
        """Make the tables of changed documents and of the rows that they touch."""
        self._table(make, CHANGED, changed, number)
        self._table(make, TOUCHED, self._touched(), number)

    def _table(self, make: Make, table: str, sql: str, number: str) -> None:
        folder = self._work / f"{table}-{number}"
        make(_STAGE, sql, folder)
        self._engine.table(table, [folder], kept_pairs.SCHEMAS[table])

    def _touched(self) -> str:
        shingles = kept_pairs.shingles_of_changed()
        if self._count(f"({shingles}) shingles") > _LISTED:
            return kept_pairs.touched(shingles)
        found = self._engine.fetch(shingles)["shingle"].tolist()
        return kept_pairs.touched(", ".join(map(_written, found)) or "NULL")

    def _layered(self, make: Make, kept: KeptPairs, table: str, sql: str, anew: bool) -> KeptPairs:
        """The kept pairs with one more folder of a table, or with one for all."""
        added = self._below / new_name(table)
        make(_STAGE, sql, added)
        names = (*getattr(kept, table), added.name)
        if anew or len(names) > _LAYERS:
            columns = ("a", "b") if table == relations.PAIRS else ("doc",)
            self._engine.table("added", [added], relations.SCHEMAS[table])
            old = kept_pairs.without_changed(table, *columns)
            order = ", ".join(columns) if table == relations.PAIRS else "doc, mask"
            together = self._below / new_name(table)
            make(_STAGE, f"SELECT * FROM ({old} UNION ALL SELECT * FROM added) rows ORDER BY {order}", together)
            shutil.rmtree(added)
            names = (together.name,)
        after = kept.with_folders({table: names})
        self._engine.table(table, after.folders(table, self._below), relations.SCHEMAS[table])
        return after


def _written(shingle: int) -> str:
    """A number in SQL; the least one cannot be written."""
    return str(shingle) if shingle > -(2**63) else f"({shingle + 1} - 1)"
