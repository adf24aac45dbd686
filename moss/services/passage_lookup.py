"""Passage lookup: who else has a passage, or a whole submission, in all assignments of all years.

It queries the table of fingerprints; nothing is compared anew. Results are shown at the lines where their fingerprints
are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from moss.comparison.passage_fingerprints import LocatedFingerprints, fingerprints_in, fingerprints_of, signed
from moss.comparison.stream_codec import DamagedError
from moss.lines import line_of, line_starts
from moss.store.submissions.contents import content_ids, read_texts
from moss.store.submissions.fingerprints import Holder, count_shared, holders, streams_of
from moss.store.tables import ContentRow, RunEntryRow, SubmissionRow

SHOWN = 50  # holders that are shown
LEAST = 0.2  # the share of a passage that a holder must have, or it may be chance
LEAST_OF_ALL = 0.05  # the share of a whole submission
CONTEXT = 2  # lines shown before and after


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A submission that has a passage, and the lines where it has it."""

    holder: Holder
    first_line: int
    last_line: int
    excerpt: str


def who_has_passage(
    session: Session, digest: str, span: tuple[int, int], courses: Collection[int] | None, besides: Collection[int]
) -> list[FoundPassage]:
    """The submissions that have the text of `span`, most of it first, in these courses (None: in all), without those in
    `besides`."""
    ids = content_ids(session, [digest])
    packed = streams_of(session, ids.values()).get(ids.get(digest, 0), b"")
    asked = _own(packed, lambda streams: fingerprints_in(streams, *span))
    selected = {layer: _within(found, *span) for layer, found in _own(packed, fingerprints_of).items()}
    shares: dict[int, float] = {}
    for layer, every in asked.items():
        expected = max(1, selected[layer])
        for content_id, count in count_shared(session, layer, signed(every.hashes)).items():
            shares[content_id] = max(shares.get(content_id, 0), min(1.0, count / expected))
    chosen = {content_id: share for content_id, share in shares.items() if share >= LEAST}
    having = holders(session, chosen, courses, besides)[:SHOWN]
    hashes = {value for every in asked.values() for value in signed(every.hashes)}
    return [place for place in (_placed(session, holder, hashes) for holder in having) if place]


def who_has_submission(session: Session, entry: RunEntryRow, courses: Collection[int] | None) -> list[Holder]:
    """The submissions that have a notable share of an entry, largest first, in these courses (None: in all)."""
    ids = content_ids(session, [file["text"] for file in entry.files if file["text"]])
    hashes: dict[str, set[int]] = {}
    for packed in streams_of(session, ids.values()).values():
        for layer, found in _own(packed, fingerprints_of).items():
            hashes.setdefault(layer, set()).update(signed(found.hashes))
    total = max(1, sum(map(len, hashes.values())))
    shares: dict[int, float] = {}
    for layer, asked in hashes.items():
        for content_id, count in count_shared(session, layer, asked).items():
            shares[content_id] = shares.get(content_id, 0) + count / total
    chosen = {content_id: share for content_id, share in shares.items() if share >= LEAST_OF_ALL}
    having = holders(session, chosen, courses, {entry.submission_id} if entry.submission_id else set())
    return [holder for holder in having if not _is_by(holder.submission, entry.person_id)][:SHOWN]


def _is_by(submission: SubmissionRow, person_id: int | None) -> bool:
    """Whether a submission is the work of this student, under any of their names."""
    return submission.person is not None and submission.person.student.id == person_id


def _own(packed: bytes, read: Callable[[bytes], Mapping[str, LocatedFingerprints]]) -> dict[str, LocatedFingerprints]:
    """Read stored streams, in the channels in which texts are counted; nothing if they are damaged."""
    try:
        return {layer: found for layer, found in read(packed).items() if layer.endswith("/own")}
    except DamagedError:
        return {}


def _within(found: LocatedFingerprints, start: int, end: int) -> int:
    return int(((found.start >= start) & (found.end <= end)).sum())


def _placed(session: Session, holder: Holder, hashes: set[int]) -> FoundPassage | None:
    """The holder together with the lines where these fingerprints are."""
    content = session.get_one(ContentRow, holder.content_id)
    packed = streams_of(session, [content.id]).get(content.id, b"")
    spans = [
        (start, end)
        for found in _own(packed, fingerprints_of).values()
        for value, start, end in zip(signed(found.hashes), found.start.tolist(), found.end.tolist(), strict=True)
        if value in hashes
    ]
    return _excerpt(holder, read_texts(session, [content.digest])[content.digest], spans)


def _excerpt(holder: Holder, text: str, spans: list[tuple[int, int]]) -> FoundPassage | None:
    if not spans:
        return None
    starts = line_starts(text)
    first, last = line_of(starts, min(s for s, _ in spans)), line_of(starts, max(e for _, e in spans) - 1)
    begin = int(starts[max(0, first - 1 - CONTEXT)])
    end = int(starts[last + CONTEXT]) if last + CONTEXT < len(starts) else len(text)
    return FoundPassage(holder, first, last, text[begin:end].rstrip("\n"))
