"""The kind of the reference in a pair, for lists that load plain columns of pairs, and in a case."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, and_, or_, select
from sqlalchemy.orm import Session, aliased

from moss.model import ReferenceKind, Role, kind_of
from moss.store.submissions.contents import in_batches
from moss.store.tables import CaseRow, PairRow, RunEntryRow, RunRow


def reference_column(entry: type[RunEntryRow] = RunEntryRow) -> ColumnElement[str]:
    """The column that says the kind of a reference, if it is not earlier work."""
    column: ColumnElement[str] = entry.figures["reference"].as_string()
    return column


def kind_columns(a: type[RunEntryRow], b: type[RunEntryRow]) -> list[ColumnElement[Any]]:
    """The columns of both entries of a pair that `kind_in` needs."""
    return [
        column.label(f"{name}_{side}")
        for side, entry in (("a", a), ("b", b))
        for name, column in (("role", entry.role), ("reference", reference_column(entry)))
    ]


def kind_in(row: Row[Any]) -> ReferenceKind | None:
    """The kind of the one side that is a reference; None if both were handed in now."""
    return kind_of(row.role_a, row.reference_a) or kind_of(row.role_b, row.reference_b)


class CaseReference(NamedTuple):
    """The one of a case's two people who is a reference, and its kind."""

    person_id: int
    kind: ReferenceKind


def references_in_cases(session: Session, cases: Iterable[CaseRow]) -> dict[int, CaseReference]:
    """The references among the people of cases, by the case's id, as the newest run says that shows its pair."""
    a, b = aliased(RunEntryRow), aliased(RunEntryRow)
    one, other = PairRow.a_person_id, PairRow.b_person_id
    same = or_(
        and_(one == CaseRow.a_id, other == CaseRow.b_id),
        and_(one == CaseRow.b_id, other == CaseRow.a_id),
    )
    query = (
        select(CaseRow.id, one.label("person_a"), other.label("person_b"), *kind_columns(a, b))
        .join(RunRow, RunRow.assignment_id == CaseRow.assignment_id)
        .join(PairRow, and_(PairRow.run_id == RunRow.id, same))
        .join(a, and_(a.run_id == RunRow.id, a.number == PairRow.a))
        .join(b, and_(b.run_id == RunRow.id, b.number == PairRow.b))
        .where(RunRow.finished.is_not(None))
        .order_by(RunRow.number, PairRow.rank.desc())
    )
    newest = {
        row.id: row
        for some in in_batches(sorted(case.id for case in cases))
        for row in session.execute(query.where(CaseRow.id.in_(some)))
    }
    found: dict[int, CaseReference] = {}
    for id, row in newest.items():
        if kind := kind_in(row):
            found[id] = CaseReference(row.person_a if row.role_a is Role.ARCHIVE else row.person_b, kind)
    return found
