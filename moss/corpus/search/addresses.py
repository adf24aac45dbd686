"""From numbers of documents to where and when they were found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moss.corpus.engines.engine import Engine
from moss.corpus.storage.tables import DOCUMENTS
from moss.hashing import Positions

_FEW = 2000  # are asked for by their numbers
_WINDOW = 1 << 18  # of more, so many rows are read at a time


def addresses_of(engine: Engine, docs: Positions) -> dict[int, str]:
    """The address of each of these documents; the engine knows the corpus's tables."""
    wanted = np.unique(docs)
    if len(wanted) <= _FEW:
        numbers = ", ".join(map(str, wanted.tolist()))
        return _fetch(engine, f"doc IN ({numbers})", wanted) if numbers else {}
    found: dict[int, str] = {}
    for low in range(int(wanted[0]), int(wanted[-1]) + 1, _WINDOW):
        inside = wanted[(wanted >= low) & (wanted < low + _WINDOW)]
        if len(inside):
            found |= _fetch(engine, f"doc BETWEEN {inside[0]} AND {inside[-1]}", inside)
    return found


def _fetch(engine: Engine, condition: str, wanted: NDArray[np.int64]) -> dict[int, str]:
    rows = engine.fetch(f"SELECT doc, address FROM {DOCUMENTS} WHERE {condition}")
    known = dict(zip(rows["doc"].tolist(), rows["address"].tolist(), strict=True))
    return {doc: known[doc] for doc in wanted.tolist()}
