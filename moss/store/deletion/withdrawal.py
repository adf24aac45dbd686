"""Withdrawal of submissions from finished reports, which can be read as before without them.

Their place in the report stays, called "erased", so that the numbers of the others hold. Their pairs are deleted, and
the pairs below them move up. Rendered pages are deleted, because they may name them anywhere, and are rendered again
from the rest. `Mentions` finds and removes names in texts that others wrote, such as notes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, groupby

import numpy as np
from sqlalchemy import delete, or_, select, update
from sqlalchemy.orm import Session

from moss.model import kind_of
from moss.report.words.references import Side, representatives
from moss.store.results.reference_kinds import reference_column
from moss.store.results.reports import delete_pages, pack_ranking, unpack_ranking
from moss.store.submissions.contents import content_ids, delete_unused_texts, in_batches
from moss.store.tables import (
    JobRow,
    JobState,
    MatchRow,
    PairRow,
    RenderedPageRow,
    ResultRow,
    RunEntryRow,
    RunRow,
    RunTextRow,
    ShareLinkRow,
)

ERASED = "erased"
NOBODY = "[erased]"


def entries_from(session: Session, submission_ids: Collection[int]) -> list[RunEntryRow]:
    """The entries of these submissions in the reports of all runs, of any course."""
    found: list[RunEntryRow] = []
    for some in in_batches(sorted(submission_ids)):
        found += session.scalars(
            select(RunEntryRow).where(or_(RunEntryRow.submission_id.in_(some), RunEntryRow.origin_id.in_(some)))
        )
    return found


def withdraw(session: Session, entries: Iterable[RunEntryRow]) -> list[int]:
    """Withdraw these entries from their reports; returns the runs whose pages must be rendered again."""
    ordered = sorted(entries, key=lambda entry: (entry.run_id, entry.number))
    by_run = {run_id: list(group) for run_id, group in groupby(ordered, key=lambda entry: entry.run_id)}
    for run_id, group in by_run.items():
        _withdraw_from(session, run_id, group)
    return list(by_run)


def is_current(session: Session, run_id: int, edition: int) -> bool:
    """Whether nobody was withdrawn from a report since it was read; nobody will be until the transaction ends."""
    query = select(ResultRow.edition).where(ResultRow.run_id == run_id).with_for_update()
    return session.scalar(query) == edition


def delete_abandoned_pages(session: Session) -> None:
    """Delete pages of runs that were interrupted: nobody can see them, and another attempt renders them again."""
    at_work = select(JobRow.id).where(JobRow.state == JobState.RUNNING)
    idle = or_(RunRow.job_id.is_(None), RunRow.job_id.not_in(at_work))
    unfinished = select(RunRow.id).where(RunRow.finished.is_(None), idle)
    session.execute(delete(RenderedPageRow).where(RenderedPageRow.run_id.in_(unfinished)))


def _withdraw_from(session: Session, run_id: int, entries: Sequence[RunEntryRow]) -> None:
    session.execute(update(ResultRow).where(ResultRow.run_id == run_id).values(edition=ResultRow.edition + 1))
    session.flush()
    numbers = {entry.number for entry in entries}
    names = _new_names(session, run_id, [entry.label for entry in entries])
    _remove_pairs(session, run_id, numbers)
    _rename_in_matches(session, run_id, names)
    _clean_result(session.get_one(ResultRow, run_id, populate_existing=True), numbers, names, entries)
    _forget_texts(session, run_id, entries)
    for entry in entries:
        _empty(entry, names[entry.label])
    delete_pages(session, run_id)
    session.flush()


def _new_names(session: Session, run_id: int, labels: Sequence[str]) -> dict[str, str]:
    """The new name for each label; all names in a report differ."""
    taken = set(session.scalars(select(RunEntryRow.label).filter_by(run_id=run_id)))
    free = (name for n in count(1) if (name := f"{ERASED} {n}" if n > 1 else ERASED) not in taken)
    return dict(zip(labels, free, strict=False))


def _remove_pairs(session: Session, run_id: int, numbers: set[int]) -> None:
    """Delete the pairs of these entries; the ranks below them close up, and links to single pairs follow theirs. Where
    lists showed one of these pairs for several of a student, the best of those that are left takes its place."""
    columns = (PairRow.id, PairRow.rank, PairRow.a, PairRow.b, PairRow.behind)
    rows = session.execute(select(*columns).filter_by(run_id=run_id).order_by(PairRow.rank)).all()
    gone = {row.rank: row.id for row in rows if row.a in numbers or row.b in numbers}
    for some in in_batches(sorted(gone.values())):
        session.execute(delete(PairRow).where(PairRow.id.in_(some)))
    for some in in_batches(sorted(gone)):
        session.execute(delete(ShareLinkRow).where(ShareLinkRow.run_id == run_id, ShareLinkRow.rank.in_(some)))
    left = [row for row in rows if row.rank not in gone]
    sides = _sides(session, run_id)
    listed = representatives((sides[row.a], sides[row.b]) for row in left)
    for rank, (row, best) in enumerate(zip(left, listed, strict=True), 1):
        behind = best if best < rank else 0
        if (rank, behind) != (row.rank, row.behind):
            session.execute(update(PairRow).where(PairRow.id == row.id).values(rank=rank, behind=behind))
        if rank != row.rank:
            session.execute(update(ShareLinkRow).where(ShareLinkRow.run_id == run_id, ShareLinkRow.rank == row.rank)
                            .values(rank=rank))  # fmt: skip


def _sides(session: Session, run_id: int) -> dict[int, Side]:
    """The sides of a run's pairs, by the numbers of their entries."""
    columns = (RunEntryRow.number, RunEntryRow.owner, RunEntryRow.role, reference_column())
    query = select(*columns).where(RunEntryRow.run_id == run_id)
    return {number: (owner, kind_of(role, kind)) for number, owner, role, kind in session.execute(query)}


def _rename_in_matches(session: Session, run_id: int, names: Mapping[str, str]) -> None:
    """Rename people where a passage names others who have it, too."""
    query = select(MatchRow.id, MatchRow.others).join(PairRow, PairRow.id == MatchRow.pair_id)
    for match_id, others in session.execute(query.where(PairRow.run_id == run_id)).all():
        if not names.keys().isdisjoint(others):
            renamed = [names.get(other, other) for other in others]
            session.execute(update(MatchRow).where(MatchRow.id == match_id).values(others=renamed))


def _clean_result(
    result: ResultRow, numbers: set[int], names: Mapping[str, str], entries: Sequence[RunEntryRow]
) -> None:
    ranking = unpack_ranking(result.ranking)
    positions = np.array([number - 1 for number in numbers])
    kept = ~(np.isin(ranking.a, positions) | np.isin(ranking.b, positions))
    ranking = type(ranking)(ranking.a[kept], ranking.b[kept], ranking.score[kept])
    result.ranking, result.sharing = pack_ranking(ranking), len(ranking)
    clusters = [[label for label in cluster if label not in names] for cluster in result.clusters]
    result.clusters = [cluster for cluster in clusters if len(cluster) > 1]
    mentions = Mentions.of({word for entry in entries for word in (entry.label, entry.owner)})
    result.problems = [problem for problem in result.problems if not mentions.within(problem[0])]


def _forget_texts(session: Session, run_id: int, entries: Sequence[RunEntryRow]) -> None:
    """Delete the texts from corpora that only these entries have in the run."""
    digests = {file["text"] for entry in entries if entry.corpus for file in entry.files}
    going = {entry.number for entry in entries}
    stay = (
        session.scalars(select(RunEntryRow).where(RunEntryRow.run_id == run_id, RunEntryRow.corpus != ""))
        if digests
        else ()
    )
    digests -= {file["text"] for entry in stay if entry.number not in going for file in entry.files}
    ids = content_ids(session, digests)
    for some in in_batches(sorted(ids.values())):
        session.execute(delete(RunTextRow).where(RunTextRow.run_id == run_id, RunTextRow.content_id.in_(some)))
    delete_unused_texts(session, ids.values())


def _empty(entry: RunEntryRow, name: str) -> None:
    entry.label = entry.owner = name
    entry.corpus = ""
    entry.submission_id = entry.person_id = entry.origin_id = None
    entry.tokens = entry.fingerprints = 0
    entry.files, entry.figures = [], {}


@dataclass(frozen=True, slots=True)
class Mentions:
    """Finds names in texts, where each stands as a whole word, in exactly this spelling."""

    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, names: Collection[str]) -> Mentions:
        """A finder for any of these names; of two that begin alike, the longer one is found."""
        words = sorted({name for name in names if name.strip()}, key=lambda name: (-len(name), name))
        return cls(re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, words))})(?![^\W_])") if words else None)

    def within(self, text: str) -> bool:
        """Whether the text names anybody."""
        return self.pattern is not None and self.pattern.search(text) is not None

    def removed(self, text: str) -> str:
        """The text without the names."""
        return self.pattern.sub(NOBODY, text) if self.pattern else text
