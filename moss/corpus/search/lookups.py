"""Lookups: a segment's columns as sorted arrays in files, for answers in milliseconds.

Parquet is read in groups of a hundred thousand rows; a query wants some hundred rows from all over the table. So each
segment's sketches and fingerprints are laid out once more, as plain arrays sorted by hash, which are mapped into memory
and of which only the pages that are looked at are ever read. They follow from the segment and can be made again.

    NAME/lookups/00000001/shingles.npy, shingles.doc.npy, shingles.starts.npy, …

Shingles are spread evenly, so their first bits say where to look: `starts` has the place of the first entry with each
value of so many bits that two to four entries share one, and what is sought is among the next few. Fingerprints are
the least of their windows, and crowd at the beginning; they are sought by halving.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from moss.corpus.cluster import relations
from moss.corpus.engines.duckdb import DuckEngine, whole_folder
from moss.corpus.engines.engine import Columns
from moss.corpus.ingest.batches import address_hashes
from moss.corpus.storage.manifest import Segment
from moss.corpus.storage.segments import Snapshot
from moss.corpus.storage.tables import DOCUMENTS, FINGERPRINTS, SCHEMAS, SHINGLES, TEXTS, TONGUES
from moss.corpus.storage.texts import TextPlaces, find_texts
from moss.hashing import Hashes

Numbers = NDArray[np.int64]
_SIGN = np.uint64(1 << 63)  # signed numbers in their order are unsigned ones in theirs, but for this bit
_SLICE = 4_000_000  # rows read at once
_COLUMNS = ("same_as", "mask", "sketch", "words", "content")
_AT_ONCE = 8  # entries among which a hash is sought
_COPY = "texts.packed"


@dataclass(frozen=True, slots=True)
class HashPostings:
    """Hashes, ascending, each with a document. The first bit of stored hashes is flipped, so that their order is that
    of the tables' signed numbers.

    >>> postings = HashPostings.even(np.array([3, 7, 7, 9], np.uint64) ^ _SIGN, np.array([0, 0, 2, 1], np.int32))
    >>> low, high = postings.find(np.array([7, 8], np.uint64))
    >>> int(low[0]), (high - low).tolist()
    (1, [2, 0])
    """

    hashes: Hashes
    documents: NDArray[np.int32]  # counted from the segment's first
    starts: NDArray[np.uint32] | None = (
        None  # of entries with the same first bits, for each value of these; and the end
    )

    @classmethod
    def even(cls, hashes: Hashes, documents: NDArray[np.int32]) -> HashPostings:
        """The postings of hashes that are spread evenly."""
        return cls(hashes, documents, _starts(hashes))

    def find(self, hashes: Hashes) -> tuple[Numbers, Numbers]:
        """Start and end of the entries of each hash; of one that is not there, some place twice."""
        keys = hashes ^ _SIGN
        if self.starts is None or len(self.hashes) < _AT_ONCE:
            return self._halved(keys)
        value = (keys >> np.uint64(64 - _first_bits(len(self.hashes)))).astype(np.int64)
        begin = np.minimum(self.starts[value].astype(np.int64), len(self.hashes) - _AT_ONCE)
        equal = self.hashes[begin[:, np.newaxis] + np.arange(_AT_ONCE)] == keys[:, np.newaxis]
        low = begin + equal.argmax(axis=1)
        high = low + equal.sum(axis=1)
        far = np.flatnonzero(self.starts[value + 1] > begin + _AT_ONCE)  # more entries have these first bits
        low[far], high[far] = self._halved(keys[far])
        return low, high

    def _halved(self, keys: Hashes) -> tuple[Numbers, Numbers]:
        low = np.searchsorted(self.hashes, keys)
        high = low.copy()
        there = np.flatnonzero(low < len(self.hashes))
        there = there[self.hashes[low[there]] == keys[there]]
        high[there] = np.searchsorted(self.hashes, keys[there], side="right")
        return low, high


def _first_bits(entries: int) -> int:
    """So many bits that two to four entries share a value of them."""
    return max(1, entries.bit_length() - 2)


def _starts(hashes: Hashes) -> NDArray[np.uint32]:
    """The places of the first entries with each value of the first bits, and the end."""
    bits = _first_bits(len(hashes))
    counts = np.zeros(1 << bits, np.int64)
    for low in range(0, len(hashes), _SLICE):
        values = hashes[low : low + _SLICE] >> np.uint64(64 - bits)
        counts += np.bincount(values.astype(np.int64), minlength=len(counts))
    return np.append(0, np.cumsum(counts)).astype(np.uint32)


@dataclass(frozen=True, slots=True)
class Lookup:
    """One segment's arrays."""

    first: int
    shingles: HashPostings
    fingerprints: HashPostings
    columns: dict[str, Numbers]
    dates: NDArray[np.datetime64]
    addresses: NDArray[np.uint8]  # one after another
    address_ends: Numbers
    address_order: NDArray[np.int32]  # documents by the hash of their address
    address_hashes: Hashes  # in that order
    language_numbers: NDArray[np.int16]
    languages: list[str]  # by these numbers
    tongue_numbers: NDArray[np.int16]
    tongues: list[str]  # human languages by these numbers, nothing first
    texts: TextPlaces

    def address(self, doc: int) -> str:
        """The address of a document of this segment."""
        at = doc - self.first
        start = int(self.address_ends[at - 1]) if at else 0
        return bytes(self.addresses[start : int(self.address_ends[at])]).decode("utf-8", "surrogatepass")

    def language(self, doc: int) -> str:
        """The language of a document of this segment."""
        return self.languages[int(self.language_numbers[doc - self.first])]

    def content(self, doc: int) -> int:
        """The digest of the text of a document of this segment."""
        return int(self.columns["content"][doc - self.first])

    def has_text(self, doc: int) -> bool:
        """Whether a text is stored for a document of this segment."""
        return doc - self.first in self.texts

    def text(self, doc: int) -> str:
        """The text that is stored for a document of this segment."""
        return self.texts.text(doc - self.first)

    def tongue(self, doc: int) -> str:
        """The human language of a document of this segment, if it is known."""
        return self.tongues[int(self.tongue_numbers[doc - self.first])]

    def at_address(self, wanted: Hashes) -> Numbers:
        """The documents whose address has this hash."""
        low = int(np.searchsorted(self.address_hashes, wanted[0]))
        if low == len(self.address_hashes) or self.address_hashes[low] != wanted[0]:
            return np.zeros(0, np.int64)
        high = int(np.searchsorted(self.address_hashes, wanted[0], side="right"))
        return np.sort(self.address_order[low:high].astype(np.int64)) + self.first


def open_lookups(snapshot: Snapshot, engine: DuckEngine) -> list[Lookup]:
    """The lookups of all segments, which are made if they are not there."""
    return [_open(snapshot, segment, engine) for segment in snapshot.manifest.segments]


def _open(snapshot: Snapshot, segment: Segment, engine: DuckEngine) -> Lookup:
    folder = snapshot.folder / "lookups" / segment.name
    if folder.exists():
        try:
            return _load(folder, segment, snapshot.file(segment.name, TEXTS))
        except (
            OSError,
            ValueError,
            EOFError,
            TokenError,
        ):  # damaged, or of another version: they follow from the segment
            shutil.rmtree(folder, ignore_errors=True)
    try:
        with whole_folder(folder) as unfinished:
            _make(snapshot, segment, engine, unfinished)
    except OSError:
        if not folder.exists():  # else another process has been quicker
            raise
    return _load(folder, segment, snapshot.file(segment.name, TEXTS))


def _load(folder: Path, segment: Segment, texts: Path) -> Lookup:
    def column(name: str) -> Any:
        array = np.load(folder / f"{name}.npy", mmap_mode="r" if segment.documents else None)
        return array.view(np.ndarray)  # an ordinary array over the same pages: indexing a memmap is slow

    copy = folder / _COPY
    return Lookup(
        segment.first,
        HashPostings(column("shingles"), column("shingles.doc"), column("shingles.starts")),
        HashPostings(column("fingerprints"), column("fingerprints.doc")),
        {name: column(name) for name in _COLUMNS},
        column("date"),
        column("addresses"),
        column("address_ends"),
        column("address_order"),
        column("address_hashes"),
        column("language"),
        json.loads((folder / "languages.json").read_text()),
        column("tongue"),
        json.loads((folder / "tongues.json").read_text()),
        TextPlaces(_bytes(copy if copy.exists() else texts), column("text"), column("text_length")),
    )


def _bytes(file: Path) -> NDArray[np.uint8]:
    return np.memmap(file, np.uint8, "r").view(np.ndarray) if file.stat().st_size else np.zeros(0, np.uint8)


def _make(snapshot: Snapshot, segment: Segment, engine: DuckEngine, folder: Path) -> None:
    where = snapshot.segment(segment.name)
    for table, key, rows in ((SHINGLES, "shingle", segment.shingles), (FINGERPRINTS, "hash", segment.fingerprints)):
        engine.table("one", [where / f"{table}.parquet"], SCHEMAS[table])
        hashes = _postings(engine, key, rows, segment.first, folder / table)
        if table == SHINGLES:
            np.save(folder / f"{table}.starts.npy", _starts(hashes))
    engine.table("one", [where / f"{DOCUMENTS}.parquet"], SCHEMAS[DOCUMENTS])
    columns = engine.fetch(f"SELECT address, date, language, {', '.join(_COLUMNS)} FROM one ORDER BY doc")
    for name in (*_COLUMNS, "date"):
        np.save(folder / f"{name}.npy", columns[name])
    names, numbers = np.unique(columns["language"].astype(str), return_inverse=True)
    np.save(folder / "language.npy", numbers.astype(np.int16))
    (folder / "languages.json").write_text(json.dumps(names.tolist()))
    _addresses(columns["address"].tolist(), folder)
    file = snapshot.file(segment.name, TONGUES)
    engine.table("one", [file] if file.exists() else [], SCHEMAS[TONGUES])
    _tongues(engine.fetch("SELECT doc, tongue FROM one ORDER BY doc"), segment, folder)
    texts = snapshot.file(segment.name, TEXTS)
    engine.table("one", [texts], SCHEMAS[TEXTS])
    places = find_texts(engine, "one", segment.first, segment.documents, texts, folder / _COPY)
    np.save(folder / "text.npy", places.starts)
    np.save(folder / "text_length.npy", places.lengths)


def _tongues(columns: Columns, segment: Segment, folder: Path) -> None:
    numbers = np.zeros(segment.documents, np.int16)
    names, which = np.unique(columns["tongue"].astype(str), return_inverse=True)
    numbers[columns["doc"] - segment.first] = which + 1
    np.save(folder / "tongue.npy", numbers)
    (folder / "tongues.json").write_text(json.dumps(["", *names.tolist()]))


def _postings(engine: DuckEngine, key: str, rows: int, first: int, path: Path) -> Hashes:
    """Write the postings of a table; gives their hashes."""
    hashes = _array(path.with_suffix(".npy"), np.uint64, rows)
    documents = _array(path.with_suffix(".doc.npy"), np.int32, rows)
    done = 0
    for low, high in relations.slices(rows, _SLICE):
        part = engine.fetch(f"SELECT {key}, doc FROM one WHERE {relations.within(key, low, high)} ORDER BY {key}, doc")
        end = done + len(part["doc"])
        hashes[done:end] = part[key].view(np.uint64) ^ _SIGN
        documents[done:end] = part["doc"] - first
        done = end
    return hashes


def _array(path: Path, kind: type, length: int) -> NDArray[Any]:
    if length:
        mapped: NDArray[Any] = open_memmap(path, "w+", np.dtype(kind), (length,))
        return mapped
    np.save(path, np.zeros(0, kind))
    return np.zeros(0, kind)


def _addresses(addresses: Sequence[str], folder: Path) -> None:
    encoded = [address.encode("utf-8", "surrogatepass") for address in addresses]
    hashes = address_hashes(addresses)
    order = np.argsort(hashes, kind="stable")
    np.save(folder / "addresses.npy", np.frombuffer(b"".join(encoded), np.uint8))
    np.save(folder / "address_ends.npy", np.cumsum([len(piece) for piece in encoded], dtype=np.int64))
    np.save(folder / "address_order.npy", order.astype(np.int32))
    np.save(folder / "address_hashes.npy", hashes[order])
