"""Union–find as relations, for more links than one machine holds: the least document that each is connected with.

Contraction, as `moss.engine.union_find.components` does it in arrays. Documents that are connected so far have one
label. In each round every label hooks itself to the least one that a link connects it with; chains of hooks are halved
until they are flat; and labels and links are replaced by what they are hooked to. A path of any length takes one round
if its labels ascend, and about the logarithm of its length otherwise. Once so few links are left that they are
nothing, they are joined in this process.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from moss.corpus.engines.engine import Engine
from moss.engine.union_find import components

LABELS = "labels"
FEW = 2_000_000  # links: some tens of megabytes
_EDGES, _HOOKS = "edges", "hooks"
_LABEL = {"doc": "BIGINT", "label": "BIGINT"}
_SCHEMAS = {LABELS: _LABEL, _HOOKS: _LABEL, _EDGES: {"a": "BIGINT", "b": "BIGINT"}}


def connect(engine: Engine, links: str, folder: Path, few: int = FEW) -> None:
    """Make the table of labels, in a folder that all machines see: each document that one of the links (SQL for a and
    b) names, with the least document that it is connected with."""
    _Contraction(engine, folder).run(links, few)


class _Contraction:
    """Tables of one union–find, each of which may be made of an older one of the same name."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine, self._folder, self._made = engine, folder, 0

    def run(self, links: str, few: int) -> None:
        self._make(_EDGES, _edges(f"SELECT a AS x, b AS y FROM ({links}) links"))
        self._make(LABELS, f"SELECT a AS doc, a AS label FROM {_EDGES} UNION SELECT b AS doc, b AS label FROM {_EDGES}")
        while count := self._count(_EDGES):
            if count <= few:
                self._hook_here()
            else:
                self._hook()
            self._make(LABELS, _relabelled())
            if count <= few:
                return
            self._make(_EDGES, _edges(_contracted()))

    def _make(self, table: str, sql: str) -> None:
        target = self._next(table)
        self._engine.write(sql, target)
        self._engine.table(table, [target], _SCHEMAS[table])

    def _next(self, table: str) -> Path:
        self._made += 1
        return self._folder / f"{table}-{self._made}"

    def _count(self, rows: str) -> int:
        return int(self._engine.fetch(f"SELECT COUNT(*) AS n FROM {rows}")["n"][0])

    def _hook(self) -> None:
        """Hook every label to its least neighbour, if that is less, and make chains flat."""
        self._make(_HOOKS, f"SELECT b AS doc, MIN(a) AS label FROM {_EDGES} GROUP BY b")
        while self._count(f"{_HOOKS} h JOIN {_HOOKS} k ON k.doc = h.label"):
            self._make(
                _HOOKS,
                f"""
                SELECT h.doc, COALESCE(k.label, h.label) AS label
                FROM {_HOOKS} h LEFT JOIN {_HOOKS} k ON k.doc = h.label
                """,
            )

    def _hook_here(self) -> None:
        """Hook every label to the least one that it is connected with."""
        edges = self._engine.fetch(f"SELECT a, b FROM {_EDGES}")
        labels, places = np.unique(np.concatenate([edges["a"], edges["b"]]), return_inverse=True)
        a, b = np.split(places, 2)
        path = self._next(_HOOKS).with_suffix(".parquet")
        self._engine.write_arrays({"doc": labels, "label": labels[components(len(labels), a, b)]}, path)
        self._engine.table(_HOOKS, [path], _SCHEMAS[_HOOKS])


def _edges(ends: str) -> str:
    """Different pairs of different ends (SQL for x and y), the lesser first."""
    return f"SELECT DISTINCT LEAST(x, y) AS a, GREATEST(x, y) AS b FROM ({ends}) ends WHERE x <> y"


def _relabelled() -> str:
    return f"""
        SELECT l.doc, COALESCE(h.label, l.label) AS label FROM {LABELS} l LEFT JOIN {_HOOKS} h ON h.doc = l.label
    """


def _contracted() -> str:
    """The ends of all links, by what they are hooked to."""
    return f"""
        SELECT COALESCE(p.label, e.a) AS x, COALESCE(q.label, e.b) AS y
        FROM {_EDGES} e LEFT JOIN {_HOOKS} p ON p.doc = e.a LEFT JOIN {_HOOKS} q ON q.doc = e.b
    """
