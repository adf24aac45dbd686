"""Lookups: a segment's columns as sorted arrays in files, for answers in milliseconds.

Parquet is read in groups of a hundred thousand rows; a query wants some hundred rows from all over the table. So each
segment's sketches and fingerprints are laid out once more, as plain arrays sorted by hash, which are mapped into memory
and of which only the pages that are looked at are ever read. They follow from the segment and can be made again.

    NAME/lookups/00000001/shingles.npy, shingles.doc.npy, shingles.cells.npy, shingles.bits.npy, …
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
from moss.corpus.search.hash_postings import SIGN, HashCells, HashPostings, Numbers
from moss.corpus.storage.manifest import Segment
from moss.corpus.storage.segments import Snapshot
from moss.corpus.storage.tables import DOCUMENTS, FINGERPRINTS, SCHEMAS, SHINGLES, TEXTS, TONGUES
from moss.corpus.storage.texts import TextPlaces, find_texts
from moss.hashing import Hashes

_SLICE = 4_000_000  # rows read at once
_COLUMNS = ("same_as", "mask", "sketch", "words", "content")
_COPY = "texts.packed"


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

    def at_addresses(self, wanted: Hashes) -> list[int]:
        """The documents whose address has one of these different hashes."""
        low = self.address_hashes.searchsorted(wanted)
        high = self.address_hashes.searchsorted(wanted, side="right")
        ranges = zip(low.tolist(), high.tolist(), strict=True)
        return [
            at + self.first for begin, end in ranges if begin < end for at in self.address_order[begin:end].tolist()
        ]


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

    def postings(name: str) -> HashPostings:
        cells = HashCells(column(f"{name}.bits"), column(f"{name}.cells"))
        return HashPostings(column(name), column(f"{name}.doc"), cells, segment.first)

    copy = folder / _COPY
    return Lookup(
        segment.first,
        postings(SHINGLES),
        postings(FINGERPRINTS),
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
        cells = HashCells.of(_postings(engine, key, rows, segment.first, folder / table))
        np.save(folder / f"{table}.bits.npy", cells.bits)
        np.save(folder / f"{table}.cells.npy", cells.starts)
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
        hashes[done:end] = part[key].view(np.uint64) ^ SIGN
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
