"""The outcome of a run, in a form in which two runs can be compared.

Places in a report change from run to run, names may be corrected, and versions replaced. So each submission is
recognised by its owner and the assignment for which it was handed in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from moss.codec import Form, from_plain
from moss.model import Baseline, Ranking, ReferenceKind, Role, Rules, kind_of
from moss.store.results.reference_kinds import reference_column
from moss.store.results.reports import rules_of, unpack_ranking
from moss.store.submissions.contents import in_batches
from moss.store.tables import PairRow, ResultRow, RunEntryRow, RunRow, SubmissionRow

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class RunMember:
    """A submission of a run."""

    label: str  # its name in the report
    owner: str
    role: Role
    submission_id: int | None
    person_id: int | None
    reference: str = ""  # the kind of a reference, as it is stored

    @property
    def kind(self) -> ReferenceKind | None:
        """The kind of a reference; None for what was handed in now."""
        return kind_of(self.role, self.reference)

    @property
    def is_archived(self) -> bool:
        """Whether new submissions are compared with it."""
        return self.role is Role.ARCHIVE


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The submissions of a run, and the ranking of its pairs."""

    members: tuple[RunMember, ...]
    keys: tuple[Key, ...]  # a key for each member, by which it is recognised in another run
    ranking: Ranking
    baseline: Baseline
    pages: Mapping[tuple[int, int], int]  # the rank of each pair that has a page, by the places of its members
    rules: Rules


def outcome_of(session: Session, run: RunRow, *, by_name: bool = False, cleaned: bool = True) -> RunOutcome:
    """The outcome of a finished run.

    With `by_name`, it can be compared with a run of another assignment. If `cleaned`, ranks are those of the report:
    pairs that it does not show, because they have no whole passage, are left out."""
    result = session.get_one(ResultRow, run.id)
    reference = func.coalesce(reference_column(), "")
    columns = (RunEntryRow.label, RunEntryRow.owner, RunEntryRow.role, RunEntryRow.submission_id, RunEntryRow.person_id)
    rows = session.execute(
        select(*columns, reference).where(RunEntryRow.run_id == run.id).order_by(RunEntryRow.number)
    )  # fmt: skip
    members = tuple(RunMember(*row) for row in rows)
    pairs = session.execute(select(PairRow.a, PairRow.b, PairRow.rank).filter_by(run_id=run.id))
    pages = {(a - 1, b - 1): rank for a, b, rank in pairs}
    ranking = unpack_ranking(result.ranking)
    if cleaned:
        ranking = _as_shown(ranking, pages, int(result.parameters["show"]))
    baseline = from_plain(Baseline, Form.ROW, result.baseline)
    return RunOutcome(members, known_by(session, members, by_name), ranking, baseline, pages, rules_of(result))


def _as_shown(ranking: Ranking, pages: Mapping[tuple[int, int], int], show: int) -> Ranking:
    """The ranking without the pairs that were to be shown and have no page."""
    pairs = zip(ranking.a[:show].tolist(), ranking.b[:show].tolist(), strict=True)
    kept = np.ones(len(ranking), np.bool_)
    kept[:show] = [pair in pages for pair in pairs]
    return Ranking(ranking.a[kept], ranking.b[kept], ranking.score[kept])


def known_by(session: Session, members: Sequence[RunMember], by_name: bool = False) -> tuple[Key, ...]:
    """A key for each submission: its owner and, for earlier work, the assignment for which it was handed in. No two are
    the same."""
    origins = {} if by_name else _origins(session, members)
    seen: Counter[Key] = Counter()
    keys = []
    for member in members:
        key = _name(member) if by_name else _person(member, origins)
        seen[key] += 1
        keys.append((*key, seen[key]))
    return tuple(keys)


def _name(member: RunMember) -> Key:
    return (member.role, member.label if member.is_archived else member.owner)


def _person(member: RunMember, origins: Mapping[int, int]) -> Key:
    origin = origins.get(member.submission_id or 0)
    if member.is_archived and member.submission_id is None:  # from a corpus, where the owner is the address
        return (member.role, member.owner)
    if member.person_id is None or (member.is_archived and origin is None):  # erased, with only the label left
        return (member.role, member.label)
    return (member.role, member.person_id, origin if member.is_archived else None)


def _origins(session: Session, members: Sequence[RunMember]) -> dict[int, int]:
    """The assignments for which earlier work was handed in, by submission."""
    found: dict[int, int] = {}
    archived = [member.submission_id for member in members if member.is_archived and member.submission_id]
    for some in in_batches(archived):
        rows = session.execute(select(SubmissionRow.id, SubmissionRow.assignment_id).where(SubmissionRow.id.in_(some)))
        found.update(rows.all())
    return found
