"""Rows of tables from batches: in which tables a document stands depends on the documents that it is equal to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moss.corpus.ingest.batches import DocumentBatch
from moss.corpus.ingest.shingles import Counts
from moss.corpus.storage.tables import DuplicateKind

Rows = dict[str, NDArray[Any]]
"""The columns of a table."""

Choice = NDArray[np.bool_]
"""Of each document of a batch, whether it is meant."""


def sketched(kind: Counts) -> Choice:
    """Which documents have their shingles stored: one of those with equal sketches."""
    return np.isin(kind, (DuplicateKind.KEPT,))


def fingerprinted(kind: Counts) -> Choice:
    """Which documents have their fingerprints stored: all that differ in their words."""
    return np.isin(kind, (DuplicateKind.KEPT, DuplicateKind.SHINGLED))


def with_text(kind: Counts) -> Choice:
    """Which documents have their texts stored: all that differ in anything."""
    return np.isin(kind, (DuplicateKind.KEPT, DuplicateKind.LEXICAL, DuplicateKind.SHINGLED))


def document_rows(batch: DocumentBatch, at: Counts, numbers: Counts, same_as: Counts, kind: Counts) -> Rows:
    """The rows of the documents of a batch that are at these places."""
    return {
        "doc": numbers,
        "address": _strings(batch.addresses, at),
        "date": batch.dates[at],
        "language": _strings(batch.languages, at),
        "bytes": batch.sizes[at],
        "words": batch.words[at],
        "key": batch.keys[at].view(np.int64),
        "content": batch.content[at].view(np.int64),
        "lexical": batch.lexical[at].view(np.int64),
        "shingled": batch.shingled[at].view(np.int64),
        "same_as": same_as,
        "kind": kind,
        "mask": batch.masks[at],
        "sketch": batch.sketches.sizes[at],
        "simhash": batch.simhash[at].view(np.int64),
    }


def shingle_rows(batch: DocumentBatch, numbers: Counts, chosen: Choice) -> Rows:
    """The sketches of some of a batch's documents, which have these numbers."""
    owner = batch.sketches.owners
    meant = chosen[owner]
    return {"shingle": batch.sketches.hashes[meant].view(np.int64), "doc": numbers[owner[meant]]}


def fingerprint_rows(batch: DocumentBatch, numbers: Counts, chosen: Choice) -> Rows:
    """The fingerprints of some of a batch's documents."""
    found = batch.fingerprints
    meant = chosen[found.owner]
    return {
        "hash": found.hashes[meant].view(np.int64),
        "doc": numbers[found.owner[meant]],
        "start": found.start[meant],
        "end": found.end[meant],
    }


def text_rows(batch: DocumentBatch, numbers: Counts, chosen: Choice) -> Rows:
    """The packed texts of some of a batch's documents."""
    at = np.flatnonzero(chosen) if batch.texts else np.zeros(0, np.int64)
    return {"doc": numbers[at], "text": _objects([batch.texts[i] for i in at.tolist()])}


def tongue_rows(batch: DocumentBatch, at: Counts, numbers: Counts) -> Rows:
    """The human languages of the documents of a batch that are at these places, as far as they are known."""
    known = np.array([bool(batch.tongues[i]) for i in at.tolist()], np.bool_)
    return {"doc": numbers[known], "tongue": _strings(batch.tongues, at[known])}


def _strings(values: Sequence[str], at: Counts) -> NDArray[Any]:
    return _objects([values[i] for i in at.tolist()])


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    array = np.empty(len(values), object)
    array[:] = values
    return array
