"""Token streams and fingerprints of all texts.

Streams are stored so that a text is scanned once, however often it is compared. Fingerprints tell who has a passage, in
any assignment of any year, without comparing anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, exists, func, insert, or_, select, update
from sqlalchemy.orm import Session, joinedload

from moss import version
from moss.model import Role
from moss.store import Store
from moss.store.submissions.contents import in_batches
from moss.store.tables import (
    AssignmentRow,
    ContentRow,
    CourseRow,
    FingerprintRow,
    SubmissionRow,
    SubmittedFileRow,
    TokenStreamRow,
)

_ROWS_AT_ONCE = 5000


@dataclass(frozen=True, slots=True)
class StoredStreams:
    """The token streams of some texts, in the database."""

    store: Store
    contents: Mapping[str, int]  # the ids of the texts whose streams may be stored, by their digests

    @property
    def everything(self) -> bool:
        """True: streams that are quick to make are stored as well, because passages are looked up in them."""
        return True

    def get(self, keys: Collection[str]) -> Mapping[str, bytes]:
        """The streams under these keys, as far as they are stored."""
        found: dict[str, bytes] = {}
        with self.store.reading() as session:
            for some in in_batches(sorted(keys)):
                found.update(
                    session.execute(
                        select(TokenStreamRow.key, TokenStreamRow.streams).where(TokenStreamRow.key.in_(some))
                    ).all()
                )
        return found

    def put(self, packed: Mapping[str, bytes], digests: Mapping[str, str] | None = None) -> None:
        """Store streams of texts that have an id, in place of others under the same keys."""
        texts = {key: self.contents[digest] for key, digest in (digests or {}).items() if digest in self.contents}
        ours = {key: streams for key, streams in packed.items() if key in texts}
        with self.store.session() as session:
            for some in in_batches(sorted(ours)):
                session.execute(delete(TokenStreamRow).where(TokenStreamRow.key.in_(some)))
                session.add_all(TokenStreamRow(key=key, content_id=texts[key], streams=ours[key]) for key in some)


@dataclass(frozen=True, slots=True)
class Holder:
    """A submission that has some of the fingerprints that were asked for."""

    submission: SubmissionRow
    content_id: int
    path: str
    share: float  # share of the fingerprints that were asked for


@dataclass(frozen=True, slots=True)
class NewestStreams:
    """The token streams of a text that were stored last."""

    digest: str  # of the text
    key: str  # under which they are stored
    packed: bytes


def _is_behind() -> ColumnElement[bool]:
    """Whether a text has fingerprints by earlier rules. Those by later rules are left to the newer program."""
    return or_(ContentRow.indexed_scan < version.SCAN_VERSION, ContentRow.indexed_hash < version.HASH_VERSION)


def contents_to_index(session: Session, assignment_id: int) -> Sequence[int]:
    """The texts of an assignment that were scanned and have no fingerprints by the current rules yet."""
    query = (
        select(ContentRow.id)
        .join(SubmittedFileRow)
        .join(SubmissionRow)
        .where(SubmissionRow.assignment_id == assignment_id, SubmissionRow.confirmed, SubmissionRow.role != Role.BASE)
        .where(
            exists().where(TokenStreamRow.content_id == ContentRow.id),
            or_(ContentRow.indexed_scan.is_(None), _is_behind()),
        )
        .distinct()
    )
    return session.scalars(query.order_by(ContentRow.id)).all()


def contents_behind(session: Session) -> Sequence[int]:
    """All texts with fingerprints by earlier rules, which match nothing that is read today."""
    return session.scalars(select(ContentRow.id).where(_is_behind()).order_by(ContentRow.id)).all()


def count_behind(session: Session) -> int:
    """How many texts have fingerprints by earlier rules."""
    return session.scalar(select(func.count()).select_from(ContentRow).where(_is_behind())) or 0


def newest_streams(session: Session, content_ids: Collection[int]) -> Mapping[int, NewestStreams]:
    """The streams of each of these texts that were stored last."""
    found: dict[int, NewestStreams] = {}
    for some in in_batches(sorted(content_ids)):
        query = select(TokenStreamRow.content_id, ContentRow.digest, TokenStreamRow.key, TokenStreamRow.streams).join(
            ContentRow
        )
        for content_id, digest, key, packed in session.execute(
            query.where(TokenStreamRow.content_id.in_(some)).order_by(TokenStreamRow.id)
        ):
            found[content_id] = NewestStreams(digest, key, packed)
    return found


def streams_of(session: Session, content_ids: Collection[int]) -> Mapping[int, bytes]:
    """The streams of each of these texts that were stored last, as bytes."""
    return {number: newest.packed for number, newest in newest_streams(session, content_ids).items()}


def replace_fingerprints(session: Session, content_id: int, layers: Mapping[str, Sequence[int]] | None) -> None:
    """Store the fingerprints of a text by the current rules, as signed numbers by layer; None: it has none until it is
    read again."""
    session.execute(delete(FingerprintRow).where(FingerprintRow.content_id == content_id))
    rules = (None, None) if layers is None else (version.SCAN_VERSION, version.HASH_VERSION)
    changed = update(ContentRow).where(ContentRow.id == content_id)
    session.execute(changed.values(indexed_scan=rules[0], indexed_hash=rules[1]))
    rows = [
        {"content_id": content_id, "layer": layer, "hash": value}
        for layer, hashes in (layers or {}).items()
        for value in dict.fromkeys(hashes)
    ]
    for some in in_batches(rows, _ROWS_AT_ONCE):
        session.execute(insert(FingerprintRow), some)


def count_shared(session: Session, layer: str, hashes: Collection[int]) -> Counter[int]:
    """How many of these fingerprints each text has, for texts that have any."""
    counts: Counter[int] = Counter()
    for some in in_batches(sorted(set(hashes))):
        query = (
            select(FingerprintRow.content_id, func.count(FingerprintRow.hash.distinct()))
            .where(FingerprintRow.hash.in_(some), FingerprintRow.layer == layer)
            .group_by(FingerprintRow.content_id)
        )
        counts.update(dict(session.execute(query).all()))
    return counts


def holders(
    session: Session, shares: Mapping[int, float], courses: Collection[int] | None, besides: Collection[int]
) -> list[Holder]:
    """The submissions that have these texts, largest share first; in these courses (None: in all), without those in
    `besides`. Of a person's versions in an assignment, the one with the largest share counts."""
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
    submission = joinedload(SubmittedFileRow.submission)
    query = (
        select(SubmittedFileRow)
        .join(SubmissionRow)
        .join(AssignmentRow)
        .join(CourseRow)
        .where(
            SubmittedFileRow.content_id.in_(content_ids), SubmissionRow.confirmed, SubmissionRow.person_id.is_not(None)
        )
        .options(
            submission.joinedload(SubmissionRow.person),
            submission.joinedload(SubmissionRow.assignment).joinedload(AssignmentRow.course),
        )
        .order_by(SubmittedFileRow.id)
    )
    return query if courses is None else query.where(CourseRow.id.in_(courses))
