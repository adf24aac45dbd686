"""Indexing: after a run, the fingerprints of its texts go into the table in which all years are looked up."""

from __future__ import annotations

import numpy as np

from moss.comparison.fingerprints import fingerprints_of
from moss.comparison.packing import DamagedError
from moss.jobs.work import Work
from moss.store.contents import in_batches
from moss.store.fingerprints import add_fingerprints, contents_to_index, streams_of

_TEXTS_AT_ONCE = 50

Row = tuple[int, str, list[int]]


def index(work: Work) -> None:
    """Add what an assignment's texts have; what an earlier attempt added stays."""
    with work.store.reading() as session:
        waiting = contents_to_index(session, work.payload["assignment"])
    done = 0
    for some in in_batches(waiting, _TEXTS_AT_ONCE):
        work.progress("indexing", done, len(waiting))
        with work.saving() as session:
            for content_id, packed in streams_of(session, some).items():
                add_fingerprints(session, rows_of(content_id, packed))
        done += len(some)
    with work.finishing():
        pass


def rows_of(content_id: int, packed: bytes) -> list[Row]:
    """The fingerprints of a text in its own channel, by layer."""
    try:
        layers = fingerprints_of(packed)
    except DamagedError:
        return []
    return [
        (content_id, layer, signed(found.hashes)) for layer, found in layers.items() if layer.endswith("/own")
    ]  # fmt: skip


def signed(hashes: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> list[int]:
    """Hashes as the numbers that databases store."""
    numbers: list[int] = hashes.view(np.int64).tolist()
    return numbers
