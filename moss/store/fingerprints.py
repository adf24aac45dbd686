"""Fingerprints of all texts, to ask who has a passage, in any assignment of any year, without comparing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import exists, func, insert, select
from sqlalchemy.orm import Session, joinedload

from moss.model import Role
from moss.store.contents import in_batches
from moss.store.tables import Assignment, Content, Course, File, Fingerprint, Kept, Submission

_ROWS_AT_ONCE = 5000


@dataclass(frozen=True, slots=True)
class Holder:
    """A submission that has some of what was asked for."""

    submission: Submission
    content_id: int
    path: str
    share: float  # of what was asked for


def contents_to_index(session: Session, assignment_id: int) -> Sequence[int]:
    """The texts of an assignment that were scanned and have no fingerprints in the table yet."""
    query = (
        select(Content.id)
        .join(File)
        .join(Submission)
        .where(Submission.assignment_id == assignment_id, Submission.confirmed, Submission.role != Role.BASE)
        .where(exists().where(Kept.content_id == Content.id), ~exists().where(Fingerprint.content_id == Content.id))
        .distinct()
    )
    return session.scalars(query.order_by(Content.id)).all()


def streams_of(session: Session, content_ids: Collection[int]) -> Mapping[int, bytes]:
    """The newest kept streams of each of these texts."""
    found: dict[int, bytes] = {}
    for some in in_batches(sorted(content_ids)):
        query = select(Kept.content_id, Kept.streams).where(Kept.content_id.in_(some)).order_by(Kept.id)
        found.update(session.execute(query).all())
    return found


def add_fingerprints(session: Session, rows: Iterable[tuple[int, str, Sequence[int]]]) -> None:
    """Add what these texts have: (text, layer, hashes as signed numbers)."""
    flat = [
        {"content_id": content_id, "layer": layer, "hash": value}
        for content_id, layer, hashes in rows
        for value in dict.fromkeys(hashes)
    ]
    for some in in_batches(flat, _ROWS_AT_ONCE):
        session.execute(insert(Fingerprint), some)


def count_shared(session: Session, layer: str, hashes: Collection[int]) -> Counter[int]:
    """How many of these fingerprints each text has that has any."""
    counts: Counter[int] = Counter()
    for some in in_batches(sorted(set(hashes))):
        query = (
            select(Fingerprint.content_id, func.count(Fingerprint.hash.distinct()))
            .where(Fingerprint.hash.in_(some), Fingerprint.layer == layer)
            .group_by(Fingerprint.content_id)
        )
        counts.update(dict(session.execute(query).all()))
    return counts


def holders(
    session: Session, shares: Mapping[int, float], courses: Collection[int] | None, besides: Collection[int]
) -> list[Holder]:
    """Who handed these texts in, most first; in these courses (None: in all), besides these submissions.

    Of a person's versions in an assignment, the one that has most.
    """
    best: dict[tuple[int, int | None], Holder] = {}
    for some in in_batches(sorted(shares)):
        for file in session.scalars(_files(some, courses)):
            submission = file.submission
            key = submission.assignment_id, submission.person_id
            share = shares[file.content_id]
            if submission.id not in besides and (key not in best or best[key].share < share):
                best[key] = Holder(submission, file.content_id, file.path, share)
    return sorted(best.values(), key=lambda holder: (-holder.share, holder.submission.id))


def _files(content_ids: Sequence[int], courses: Collection[int] | None):  # type: ignore[no-untyped-def]
    submission = joinedload(File.submission)
    query = (
        select(File)
        .join(Submission)
        .join(Assignment)
        .join(Course)
        .where(File.content_id.in_(content_ids), Submission.confirmed, Submission.person_id.is_not(None))
        .options(
            submission.joinedload(Submission.person),
            submission.joinedload(Submission.assignment).joinedload(Assignment.course),
        )
        .order_by(File.id)
    )
    return query if courses is None else query.where(Course.id.in_(courses))
