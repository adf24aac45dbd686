"""Elsewhere: who else has a passage, or a whole submission, in all assignments of all years that the reader may see.

It is a question to the table of fingerprints; nothing is compared anew. Texts are shown where the fingerprints stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, abort, render_template
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from moss.comparison.fingerprints import Fingerprints, fingerprints_in, fingerprints_of
from moss.comparison.packing import DamagedError
from moss.jobs.indexing import signed
from moss.lines import line_of, line_starts
from moss.store.cases import pair_at
from moss.store.contents import content_ids, read_texts
from moss.store.fingerprints import Holder, count_shared, holders, streams_of
from moss.store.tables import Content, Entry, Run
from moss.web.access import Right, access, my_courses
from moss.web.context import db, me

blueprint = Blueprint("elsewhere", __name__)

SHOWN = 50  # holders on a page
LEAST = 0.2  # of a passage, or it is chance
LEAST_OF_ALL = 0.05  # of a whole submission
CONTEXT = 2  # lines shown before and after


@dataclass(frozen=True, slots=True)
class Found:
    """A holder, and the lines in which it has what was asked for."""

    holder: Holder
    first_line: int
    last_line: int
    excerpt: str


@blueprint.get("/runs/<int:run>/pairs/<int:rank>/passages/<int:number>/elsewhere")
@access(Right.READ)
def passage(run: Run, rank: int, number: int) -> ResponseReturnValue:
    """Who else has a passage."""
    pair = pair_at(db(), run, rank)
    match = next((match for match in pair.matches if match.number == number), None) if pair else None
    if pair is None or match is None:
        abort(404)
    entries = _entries(run, {pair.a, pair.b})
    file = next(file for file in entries[pair.a].files if file["path"] == match.a["file"])
    text = read_texts(db(), [file["text"]]).get(file["text"], "")
    found = _passage_holders(
        file["text"], match.a["start"], match.a["end"], {e.submission_id for e in entries.values()}
    )
    return render_template(
        "web/elsewhere.html", run=run, rank=rank, match=match, entries=[entries[pair.a], entries[pair.b]],
        found=found, asked=text[match.a["start"] : match.a["end"]],
    )  # fmt: skip


@blueprint.get("/runs/<int:run>/submissions/<int:number>/elsewhere")
@access(Right.READ)
def whole(run: Run, number: int) -> ResponseReturnValue:
    """Which other submissions, of any year, have most of this one."""
    entry = _entries(run, {number}).get(number)
    if entry is None:
        abort(404)
    found = _whole_holders(entry, run)
    return render_template("web/elsewhere_whole.html", run=run, entry=entry, found=found)


def _entries(run: Run, numbers: set[int]) -> dict[int, Entry]:
    query = select(Entry).where(Entry.run_id == run.id, Entry.number.in_(numbers))
    return {entry.number: entry for entry in db().scalars(query)}


def _visible_courses() -> set[int] | None:
    return None if me().administrator else {course.id for course in my_courses(me())}


def _passage_holders(digest: str, start: int, end: int, besides: set[int | None]) -> list[Found]:
    ids = content_ids(db(), [digest])
    packed = streams_of(db(), ids.values()).get(ids.get(digest, 0))
    if packed is None:
        return []
    asked = _own(fingerprints_in(packed, start, end))
    selected = {layer: _within(found, start, end) for layer, found in _own(fingerprints_of(packed)).items()}
    shares: dict[int, float] = {}
    for layer, every in asked.items():
        expected = max(1, selected[layer])
        for content_id, count in count_shared(db(), layer, signed(every.hashes)).items():
            shares[content_id] = max(shares.get(content_id, 0), min(1.0, count / expected))
    chosen = {content_id: share for content_id, share in shares.items() if share >= LEAST}
    having = holders(db(), chosen, _visible_courses(), {id for id in besides if id})[:SHOWN]
    hashes = {value for every in asked.values() for value in signed(every.hashes)}
    return [place for place in (_placed(holder, hashes) for holder in having) if place]


def _whole_holders(entry: Entry, run: Run) -> list[Holder]:
    ids = content_ids(db(), [file["text"] for file in entry.files if file["text"]])
    mine = [_own(fingerprints_of(packed)) for packed in streams_of(db(), ids.values()).values()]
    hashes: dict[str, set[int]] = {}
    for layers in mine:
        for layer, found in layers.items():
            hashes.setdefault(layer, set()).update(signed(found.hashes))
    total = max(1, sum(map(len, hashes.values())))
    shares: dict[int, float] = {}
    for layer, asked in hashes.items():
        for content_id, count in count_shared(db(), layer, asked).items():
            shares[content_id] = shares.get(content_id, 0) + count / total
    chosen = {content_id: share for content_id, share in shares.items() if share >= LEAST_OF_ALL}
    having = holders(db(), chosen, _visible_courses(), {entry.submission_id} if entry.submission_id else set())
    return [holder for holder in having if holder.submission.person_id != entry.person_id][:SHOWN]


def _own(layers: Mapping[str, Fingerprints]) -> dict[str, Fingerprints]:
    return {layer: found for layer, found in layers.items() if layer.endswith("/own")}


def _within(found: Fingerprints, start: int, end: int) -> int:
    return int(((found.start >= start) & (found.end <= end)).sum())


def _placed(holder: Holder, hashes: set[int]) -> Found | None:
    """The holder with the lines in which the fingerprints stand."""
    content = db().get(Content, holder.content_id)
    packed = streams_of(db(), [holder.content_id]).get(holder.content_id)
    if content is None or packed is None:
        return None
    try:
        layers = _own(fingerprints_of(packed))
    except DamagedError:
        return None
    spans = [
        (start, end)
        for found in layers.values()
        for value, start, end in zip(signed(found.hashes), found.start.tolist(), found.end.tolist(), strict=True)
        if value in hashes
    ]
    return _excerpt(holder, read_texts(db(), [content.digest])[content.digest], spans)


def _excerpt(holder: Holder, text: str, spans: list[tuple[int, int]]) -> Found | None:
    if not spans:
        return None
    starts = line_starts(text)
    first, last = line_of(starts, min(s for s, _ in spans)), line_of(starts, max(e for _, e in spans) - 1)
    shown = text.splitlines()[max(0, first - 1 - CONTEXT) : last + CONTEXT]
    return Found(holder, first, last, "\n".join(shown))
