"""The tables of a corpus, as they stand in every segment's Parquet files.

All hashes are signed 64-bit integers with the bits of the unsigned ones, because not every engine knows unsigned
integers; two's complement keeps equality and the lowest bits, which is all that is asked of them. Masks are 2^i - 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

DOCUMENTS, SHINGLES, FINGERPRINTS, TEXTS, TONGUES = "documents", "shingles", "fingerprints", "texts", "tongues"

SCHEMAS: Mapping[str, Mapping[str, str]] = {
    DOCUMENTS: {  # one row for each sighting of a document, by doc
        "doc": "BIGINT",  # corpus-wide, dense, in the order of adding
        "address": "STRING",
        "date": "TIMESTAMP",  # UTC, may be missing
        "language": "STRING",
        "bytes": "BIGINT",
        "words": "BIGINT",
        "key": "BIGINT",  # the same for what need not be added twice
        "content": "BIGINT",  # of the text as it is
        "lexical": "BIGINT",  # of the sequence of words
        "shingled": "BIGINT",  # of the sketch
        "same_as": "BIGINT",  # the document that is kept for it, itself if it is kept
        "kind": "BIGINT",  # why another one is kept for it: see `Kind`
        "mask": "BIGINT",  # its sketch has the shingles that are 0 in these bits
        "sketch": "BIGINT",  # how many these are
        "simhash": "BIGINT",
    },
    SHINGLES: {  # the sketches of kept documents, by shingle
        "shingle": "BIGINT",
        "doc": "BIGINT",
    },
    FINGERPRINTS: {  # winnowed, of documents that differ in their words from all others, by hash
        "hash": "BIGINT",
        "doc": "BIGINT",
        "start": "BIGINT",  # character offsets in its text
        "end": "BIGINT",
    },
    TEXTS: {  # of documents that differ in any way from all others, by doc
        "doc": "BIGINT",
        "text": "BINARY",  # UTF-8, packed by zlib
    },
    TONGUES: {  # of documents whose human language is known, by doc; segments of older versions have no such file
        "doc": "BIGINT",
        "tongue": "STRING",  # by two letters of ISO 639-1
    },
}


class DuplicateKind(IntEnum):
    """Whether a document is kept, or what it has in common with the one that is kept for it."""

    KEPT = 0
    IDENTICAL = 1  # the text
    LEXICAL = 2  # the words
    SHINGLED = 3  # the sketch
