"""The stored texts of documents: identical ones are stored once, for the first of them."""

from __future__ import annotations

from collections.abc import Sequence

from moss.corpus.engines.engine import Engine
from moss.corpus.ingest.batches import unpack
from moss.corpus.storage.tables import DOCUMENTS, TEXTS


def stored_texts(engine: Engine, docs: Sequence[int]) -> dict[int, tuple[str, int]]:
    """The text of each of these documents, and for which one it is stored; the engine knows the corpus's tables."""
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
