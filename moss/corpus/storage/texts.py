"""The stored texts and addresses of documents. Identical texts are stored once, for the first document that has
them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from moss.corpus.engines.engine import Engine
from moss.corpus.ingest.batches import unpack
from moss.corpus.storage.tables import DOCUMENTS, TEXTS
from moss.hashing import Positions

_FEW = 2000  # documents: fewer are fetched by their numbers
_WINDOW = 1 << 18  # rows that are read at a time if there are more


def stored_texts(engine: Engine, docs: Sequence[int]) -> dict[int, tuple[str, int]]:
    """The text of each of these documents, and the document for which it is stored; the engine knows the corpus's
    tables."""
    packed = _packed(engine, docs)
    firsts = _firsts(engine, [doc for doc in docs if doc not in packed])
    packed |= _packed(engine, list(firsts.values()))
    sources = {doc: firsts.get(doc, doc) for doc in docs}
    return {doc: (unpack(packed[source]), source) for doc, source in sources.items()}


def _packed(engine: Engine, docs: Sequence[int]) -> dict[int, bytes]:
    """The texts that are stored for these documents."""
    if not docs:
        return {}
    rows = engine.fetch(f"SELECT doc, text FROM {TEXTS} WHERE doc IN ({_listed(docs)})")
    return dict(zip(rows["doc"].tolist(), rows["text"].tolist(), strict=True))


def _firsts(engine: Engine, docs: Sequence[int]) -> dict[int, int]:
    """For each of these documents the first that is identical to it."""
    if not docs:
        return {}
    rows = engine.fetch(
        f"""
        SELECT d.doc, MIN(e.doc) AS first
        FROM {DOCUMENTS} d JOIN {DOCUMENTS} e ON e.content = d.content
        WHERE d.doc IN ({_listed(docs)}) GROUP BY d.doc
        """
    )
    return dict(zip(rows["doc"].tolist(), rows["first"].tolist(), strict=True))


def _listed(docs: Sequence[int]) -> str:
    return ", ".join(map(str, docs))


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
