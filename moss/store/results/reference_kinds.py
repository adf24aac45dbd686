"""The kind of the reference in a pair, for lists that load plain columns of pairs."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Row

from moss.model import ReferenceKind, kind_of
from moss.store.tables import RunEntryRow


def kind_columns(a: type[RunEntryRow], b: type[RunEntryRow]) -> list[ColumnElement[Any]]:
    """The columns of both entries of a pair that `kind_in` needs."""
    return [
        column.label(f"{name}_{side}")
        for side, entry in (("a", a), ("b", b))
        for name, column in (("role", entry.role), ("reference", entry.figures["reference"].as_string()))
    ]


def kind_in(row: Row[Any]) -> ReferenceKind | None:
    """The kind of the one side that is a reference; None if both were handed in now."""
    return kind_of(row.role_a, row.reference_a) or kind_of(row.role_b, row.reference_b)
