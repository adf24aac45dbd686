"""The rebuilding of a corpus: its stored texts are read again by this program's rules of reading and hashing.

All documents keep their addresses, dates and order. New segments are written first, then the manifest, and then the old
ones are deleted. A process that is killed in between leaves the old corpus or the new one, and the next writer removes
what is no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontends import UnknownLanguageError, by_name
from moss.corpus.engines.duckdb import MEMORY
from moss.corpus.engines.engine import Columns
from moss.corpus.errors import CorpusError
from moss.corpus.ingest.add import Progress, Reader, in_order, side_by_side
from moss.corpus.ingest.batches import DocumentBatch, address_hashes, keys_of, read_batches
from moss.corpus.ingest.documents import PROSE, CorpusDocument
from moss.corpus.ingest.segment_builder import AddedCounts, Registers, SegmentRows
from moss.corpus.storage.manifest import Segment, read_manifest
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.segments import CorpusWriter, Snapshot, local_engine
from moss.corpus.storage.tables import DOCUMENTS, TONGUES
from moss.corpus.storage.texts import stored_texts
from moss.hashing import Hashes, SpanHasher
from moss.intake.limits import MIB
from moss.messages import gettext
from moss.model import Problem
from moss.processes.pool import Failure

_AT_ONCE = 500  # documents in a task
_TEXT = 8 * MIB  # of text in a task, about


def rebuild(
    folder: Path,
    *,
    reader: Reader | None = None,
    memory: int = MEMORY,
    progress: Progress = lambda stage, done, total: None,
) -> AddedCounts:
    """Read all documents of a corpus again, and replace its segments."""
    read_manifest(folder)  # a writer would make a corpus where there is none
    with CorpusWriter(folder, memory=memory) as writer:
        return rebuild_without(writer, lambda address: False, reader, progress)


def rebuild_without(
    writer: CorpusWriter, unwanted: Callable[[str], bool], reader: Reader | None, progress: Progress
) -> AddedCounts:
    """Read all documents again but those with unwanted addresses, and replace the corpus's segments."""
    old, added = writer.manifest.recipe, AddedCounts()
    old.check_texts(writer.folder)
    tasks = list(_tasks(writer, unwanted))
    reader = reader or side_by_side()
    reading = partial(read_stored, folder=writer.folder, memory=writer.memory, old=old)
    rescue = partial(_rescued, reading, reader=reader, problems=added.problems)
    batches = in_order(reader(reading, tasks), tasks, rescue, progress)
    writer.become(tuple(_segments(writer, batches, added)), old.renewed, renumbered=True)
    return added


@dataclass(frozen=True, slots=True)
class StoredDocuments:
    """Documents of a corpus, by their numbers."""

    docs: tuple[int, ...]

    @property
    def is_single(self) -> bool:
        """Whether it is one document, and cannot be split."""
        return len(self.docs) == 1


def _tasks(writer: CorpusWriter, unwanted: Callable[[str], bool]) -> Iterator[StoredDocuments]:
    """All documents but the unwanted ones, in order, some in each task."""
    waiting: list[int] = []
    size = 0
    with Snapshot(writer.folder) as snapshot, closing(local_engine(writer.folder, writer.memory)) as engine:
        snapshot.tables(engine)
        rows = engine.fetch(f"SELECT doc, address, bytes FROM {DOCUMENTS} ORDER BY doc")
    for doc, address, length in zip(*(rows[name].tolist() for name in ("doc", "address", "bytes")), strict=True):
        if unwanted(address):
            continue
        waiting.append(doc)
        size += length
        if size >= _TEXT or len(waiting) >= _AT_ONCE:
            yield StoredDocuments(tuple(waiting))
            waiting, size = [], 0
    if waiting:
        yield StoredDocuments(tuple(waiting))


def _segments(writer: CorpusWriter, batches: Iterable[DocumentBatch], added: AddedCounts) -> Iterator[Segment]:
    """The documents of all batches in segments that are no part of the corpus yet."""
    registers, growing, made = Registers(), SegmentRows(0), 0
    for batch in batches:
        growing.take(batch, registers, added)
        if growing.is_full:
            yield writer.write(writer.new_name(made), growing.tables(), growing.first, growing.kept)
            growing, made = SegmentRows(growing.first + growing.documents), made + 1
    if growing.documents:
        yield writer.write(writer.new_name(made), growing.tables(), growing.first, growing.kept)


# Reading what is stored


def read_stored(
    task: StoredDocuments, folder: Path, memory: int, old: Recipe, language: str | None = None
) -> list[DocumentBatch]:
    """Batches of documents, by the rules of this program: in their own languages, or all in this one."""
    numbers = str(list(task.docs))[1:-1]
    with Snapshot(folder) as snapshot, closing(local_engine(folder, memory)) as engine:
        snapshot.tables(engine)
        columns = engine.fetch(f"SELECT * FROM {DOCUMENTS} WHERE doc IN ({numbers}) ORDER BY doc")
        texts = stored_texts(engine, task.docs)
        spoken = engine.fetch(f"SELECT doc, tongue FROM {TONGUES} WHERE doc IN ({numbers})")
        tongues = dict(zip(spoken["doc"].tolist(), spoken["tongue"].tolist(), strict=True))
    return list(read_batches(_documents(columns, texts, tongues, old, language), old.renewed))


def _documents(
    columns: Columns,
    texts: Mapping[int, tuple[str, int]],
    tongues: Mapping[int, str],
    old: Recipe,
    language: str | None,
) -> Iterator[CorpusDocument]:
    dated = _dated(columns, old.hash)
    for at, doc in enumerate(columns["doc"].tolist()):
        yield CorpusDocument(
            address=columns["address"][at],
            text=texts[doc][0],
            content=int(columns["content"].view(np.uint64)[at]),
            size=int(columns["bytes"][at]),
            date=_date(columns["date"][at]),
            language=language or _known(columns["language"][at]),
            dated=bool(dated[at]),
            tongue=tongues.get(doc, ""),
        )


def _known(language: str) -> str:
    try:
        return by_name(language).name
    except UnknownLanguageError:  # of a front end that is gone
        return PROSE


def _date(date: Any) -> datetime | None:
    if np.isnat(date):
        return None
    when: datetime = date.astype("datetime64[us]").astype(datetime)
    return when.replace(tzinfo=UTC)


def _rescued(
    reading: Callable[..., list[DocumentBatch]], task: StoredDocuments, reader: Reader, problems: list[Problem]
) -> Iterator[DocumentBatch]:
    """The batches of a task that failed, document by document. One that cannot be read in its language is read as
    prose: no document is lost because of a scanner."""
    pieces = [StoredDocuments((doc,)) for doc in task.docs]
    outcomes = dict(reader(reading, pieces))
    for number, piece in enumerate(pieces):
        outcome = outcomes[number]
        yield from _as_prose(reading, piece, outcome, reader, problems) if isinstance(outcome, Failure) else outcome


def _as_prose(
    reading: Callable[..., list[DocumentBatch]],
    piece: StoredDocuments,
    failure: Failure,
    reader: Reader,
    problems: list[Problem],
) -> Sequence[DocumentBatch]:
    ((_, outcome),) = reader(partial(reading, language=PROSE), [piece])
    if isinstance(outcome, Failure):
        raise CorpusError(
            gettext(
                "a document cannot be read again (reading it %(reason)s), so the corpus was not changed",
                reason=outcome.reason,
            )
        )
    problems += [
        Problem(batch.addresses[0], f"read as prose, because reading it {failure.reason}") for batch in outcome
    ]
    return outcome


# Keys


def _first_address_hashes(addresses: Sequence[str]) -> Hashes:
    """The number for each address by hash version 1."""
    encoded = [address.encode("utf-8", "surrogatepass") for address in addresses]
    ends = np.cumsum([0, *map(len, encoded)])
    return SpanHasher(np.frombuffer(b"".join(encoded), np.uint8))(ends[:-1], ends[1:])


_ADDRESS_HASHES: Mapping[int, Callable[[Sequence[str]], Hashes]] = {1: _first_address_hashes, 2: address_hashes}
"""How the hash versions make a number of an address. When that changes, the way that goes is written down here."""


def _dated(columns: Columns, hash_version: int) -> NDArray[np.bool_]:
    """Which documents have their date in their key. That is not stored, but then the key is not the one without a date.
    If the hash version is unknown, all documents with a date count."""
    hash_addresses = _ADDRESS_HASHES.get(hash_version)
    if hash_addresses is None:
        return ~np.isnat(columns["date"])
    content = columns["content"].view(np.uint64)
    plain = keys_of(hash_addresses(columns["address"].tolist()), content, np.zeros(len(content), np.uint64))
    different: NDArray[np.bool_] = plain != columns["key"].view(np.uint64)
    return different
