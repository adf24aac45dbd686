"""The index of passages: a table of the fingerprints of all texts, in which all years are looked up.

After a run, the fingerprints of its texts are added, from the token streams that it stored. When a new version of the
program reads or hashes in another way, all texts in the table are read again (`reindex`), because nothing would match
the old fingerprints.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import delete
from sqlalchemy.orm import Session

from frontends import UnknownLanguageError
from moss.comparison.passage_fingerprints import fingerprints_of, signed
from moss.comparison.scan import Scanner
from moss.comparison.scan_pool import read_all
from moss.comparison.scanned_files import FilePart, FilePlan
from moss.comparison.stream_cache import key_for
from moss.comparison.stream_codec import DamagedError, unpack
from moss.jobs.job_context import JobContext
from moss.jobs.ledger import add_job
from moss.settings import Settings
from moss.store import Store
from moss.store.submissions.contents import in_batches, read_texts
from moss.store.submissions.fingerprints import (
    NewestStreams,
    StoredStreams,
    contents_behind,
    contents_to_index,
    newest_streams,
    replace_fingerprints,
)
from moss.store.tables import TokenStreamRow

_TEXTS_AT_ONCE = 50
_TEXTS_IN_A_JOB = 2000  # read again by one job, because other jobs wait for it

Layers = Mapping[str, list[int]]
"""The fingerprints of a text in its own channel, by layer, as signed numbers."""


def index(work: JobContext) -> None:
    """Add the fingerprints of an assignment's texts; those that an earlier attempt added stay."""
    with work.store.reading() as session:
        waiting = contents_to_index(session, work.payload["assignment"])
    done = 0
    for some in in_batches(waiting, _TEXTS_AT_ONCE):
        work.progress("indexing", done, len(waiting))
        with work.saving() as session:
            for content_id, layers in _current(session, some).items():
                replace_fingerprints(session, content_id, layers)
        done += len(some)
    with work.finishing():
        pass


def reindex(work: JobContext) -> None:
    """Read some texts again whose fingerprints were made by earlier rules, and queue another job for the rest. An
    interrupted attempt leaves those that it has done."""
    with work.store.reading() as session:
        behind = contents_behind(session)
    chosen = behind[:_TEXTS_IN_A_JOB]
    for number, some in enumerate(in_batches(chosen, _TEXTS_AT_ONCE)):
        work.progress("indexing", number * _TEXTS_AT_ONCE, len(behind))
        _reindex(work, some)
    with work.finishing() as session:
        if len(behind) > len(chosen):
            add_job(session, "reindex", {})


def _reindex(work: JobContext, content_ids: Collection[int]) -> None:
    replaced = _read_again(work.store, content_ids)
    with work.saving() as session:
        session.execute(delete(TokenStreamRow).where(TokenStreamRow.key.in_(replaced)))
        layers = _current(session, content_ids)
        for content_id in content_ids:
            replace_fingerprints(session, content_id, layers.get(content_id))
    if unread := len(content_ids) - len(layers):
        work.log(f"{unread} texts could not be read again; they can be found after the next run that has them.")


def _current(session: Session, content_ids: Collection[int]) -> Mapping[int, Layers]:
    """The fingerprints of these texts, as far as they were read by the current rules."""
    found = {number: _layers(streams) for number, streams in newest_streams(session, content_ids).items()}
    return {number: layers for number, layers in found.items() if layers is not None}


def _layers(streams: NewestStreams) -> Layers | None:
    try:
        if key_for(streams.digest, unpack(streams.packed).parts) != streams.key:
            return None
        layers = fingerprints_of(streams.packed)
    except (DamagedError, UnknownLanguageError):
        return None
    return {layer: signed(found.hashes) for layer, found in layers.items() if layer.endswith("/own")}


def _read_again(store: Store, content_ids: Collection[int]) -> set[str]:
    """Read texts again by the current rules, each in the language in which it was read before, and store their streams;
    returns the keys of streams that are out of date."""
    with store.reading() as session:
        streams = newest_streams(session, content_ids)
        texts = read_texts(session, {each.digest for each in streams.values()})
    plans: dict[str, FilePlan] = {}
    contents: dict[str, int] = {}
    for number, each in streams.items():
        if (plan := _plan(texts[each.digest], each)) is not None:
            key = key_for(each.digest, plan.parts)
            plans[key], contents[key] = plan, number
    cache = StoredStreams(store, {streams[number].digest: number for number in contents.values()})
    read_all([(plan,) for plan in plans.values()], Scanner(None, {}, None), 1, Settings().deadline, cache=cache)
    return {streams[contents[key]].key for key in cache.get(plans)} - set(plans)


def _plan(text: str, streams: NewestStreams) -> FilePlan | None:
    """The plan by which a text was read; None if its stored streams no longer say."""
    try:
        parts = tuple(FilePart(part.language, part.spans) for part in unpack(streams.packed).parts)
        key_for(streams.digest, parts)
    except (DamagedError, UnknownLanguageError):
        return None
    return FilePlan(text, parts)
