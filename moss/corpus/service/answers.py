"""Answers of the service as plain data: near, query, locate and group.

The corpus is open as it was at some generation. When it has changed, a thread opens it anew, and the old one answers
until that is done; then it is closed as soon as nobody uses it. Questions that take some milliseconds are answered one
after the other: threads share one core, and several at once would all be late. Shorter ones pass them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from moss.corpus.cluster.clusters import RESEMBLANCE
from moss.corpus.errors import CorpusError
from moss.corpus.ingest.documents import PROSE, CorpusDocument
from moss.corpus.near.duplicates import Fingerprinted, NearIndex, fingerprints_of
from moss.corpus.search.queries import Corpus, CorpusSighting
from moss.corpus.search.sites import DocumentFilter
from moss.corpus.search.whereabouts import ClusterLabels, Visits, cluster_labels, grouped, last_visits, whereabouts
from moss.corpus.storage.manifest import changed, read_manifest
from moss.corpus.storage.tables import DOCUMENTS
from moss.messages import gettext

_LOOK = 1.0  # seconds between two looks at the manifest
_MOST = 1000  # documents in an answer


class ChangedError(CorpusError):
    """Why a question cannot be answered now, but in a moment."""


class OpenCorpus:
    """A corpus at one generation with everything that answers need."""

    def __init__(self, folder: Path, memory: int, bits: int, compressed: bool) -> None:
        self.folder, self._memory = folder, memory
        self.changed = changed(folder)
        self.corpus = Corpus(folder, memory)
        self.generation = self.corpus.generation
        rows = self.corpus.fetch(f"SELECT doc, simhash FROM {DOCUMENTS} WHERE words > 0")
        known = Fingerprinted.of(rows["doc"], rows["simhash"].view(np.uint64))
        self.index = NearIndex(known, bits, compressed)
        self.computing = threading.Lock()  # of one long question at a time
        self._visiting, self._labelling = threading.Lock(), threading.Lock()  # both are made once, one takes minutes
        self._users, self._retired, self._counting = 0, False, threading.Lock()

    def visits(self) -> Visits:
        """When each host was visited last."""
        with self._visiting:
            return self._visits

    def labels(self) -> ClusterLabels:
        """The clusters of the corpus as it is now."""
        with self._labelling:
            return self._labels

    @cached_property
    def _visits(self) -> Visits:
        return last_visits(self.corpus)

    @cached_property
    def _labels(self) -> ClusterLabels:
        if read_manifest(self.folder).generation != self.generation:
            raise ChangedError(gettext("the corpus has just changed; ask again"))
        return cluster_labels(self.folder, RESEMBLANCE, self._memory)

    @contextmanager
    def used(self) -> Iterator[OpenCorpus]:
        """Keep it open meanwhile."""
        with self._counting:
            self._users += 1
        try:
            yield self
        finally:
            with self._counting:
                self._users -= 1
            self._close_if_idle()

    def retire(self) -> None:
        """Close it when nobody uses it any more."""
        self._retired = True
        self._close_if_idle()

    def _close_if_idle(self) -> None:
        with self._counting:
            last = self._retired and self._users == 0
            self._retired = self._retired and not last
        if last:
            self.corpus.close()


class CorpusService:
    """Answers questions about a corpus, as it is."""

    def __init__(self, folder: Path, memory: int, bits: int = 3, compressed: bool = False) -> None:
        self._folder, self._memory, self._bits, self._compressed = folder, memory, bits, compressed
        self._open = self._opened()
        self._looked = time.monotonic()
        self._renewing = threading.Lock()

    def _opened(self) -> OpenCorpus:
        return OpenCorpus(self._folder, self._memory, self._bits, self._compressed)

    def _now(self) -> OpenCorpus:
        now = time.monotonic()
        if now - self._looked > _LOOK:
            self._looked = now
            if changed(self._folder) != self._open.changed and self._renewing.acquire(blocking=False):
                threading.Thread(target=self._renew, daemon=True).start()
        return self._open

    def _renew(self) -> None:
        try:
            old, self._open = self._open, self._opened()
            old.retire()
        except CorpusError:
            pass  # it is being written, or damaged: the old one answers
        finally:
            self._renewing.release()

    def close(self) -> None:
        """Close the corpus."""
        self._open.retire()

    # Answers

    def about(self) -> dict[str, Any]:
        """The corpus that is asked."""
        with self._now().used() as now:
            return {"documents": len(now.corpus), "generation": now.generation, "bits": self._bits}

    def near(self, texts: Sequence[str], only: DocumentFilter) -> list[list[dict[str, Any]]]:
        """For each text the documents whose fingerprints differ from its own in a few bits, the nearest first."""
        fingerprints, wordy = fingerprints_of([_document(text) for text in texts])
        with self._now().used() as now:
            return [
                _near(now, fingerprint, only) if has else []
                for fingerprint, has in zip(fingerprints.tolist(), wordy.tolist(), strict=True)
            ]

    def query(self, text: str, shown: int, only: DocumentFilter) -> list[dict[str, Any]]:
        """The documents that share something with a text, those with most first; the first with their passages."""
        with self._now().used() as now, now.computing:
            found = now.corpus.query(_document(text), shown=shown, only=only)
        return [
            _sighted(item.sighting)
            | {
                "copied": item.copied, "resemblance": item.resemblance, "containment": item.containment,
                "contains": item.contains, "fingerprints": item.fingerprints,
                "passages": [
                    {"start": p.here.start, "end": p.here.end, "their_start": p.there.start, "their_end": p.there.end,
                     "tokens": p.tokens}
                    for p in item.passages
                ],
            }
            for item in found
        ]  # fmt: skip

    def locate(self, address: str, resemblance: float) -> list[dict[str, Any]]:
        """The sightings of what resembles the newest text at an address, the best first."""
        with self._now().used() as now:
            visits = now.visits()
            with now.computing:
                found = whereabouts(now.corpus, address, resemblance, visits)
        return [
            _sighted(page.sighting) | {"resemblance": page.resemblance, "still_there": page.there}
            for page in found[:_MOST]
        ]

    def group(self, addresses: Sequence[str]) -> list[dict[str, Any]]:
        """The addresses in groups of the same or similar texts."""
        with self._now().used() as now:
            groups = grouped(now.corpus, now.labels(), addresses)
        return [{"cluster": group.name or None, "addresses": list(group.addresses)} for group in groups]


def _document(text: str) -> CorpusDocument:
    return CorpusDocument("", text, 0, len(text), None, PROSE)


def _near(now: OpenCorpus, fingerprint: int, only: DocumentFilter) -> list[dict[str, Any]]:
    found = now.index.near(fingerprint)
    if not only.is_open:
        found = [(doc, bits) for doc, bits in found if now.corpus.meets(doc, only)]
    sightings = now.corpus.sightings([doc for doc, _ in found[:_MOST]])
    return [_sighted(sighting) | {"bits": bits} for sighting, (_, bits) in zip(sightings, found, strict=False)]


def _sighted(sighting: CorpusSighting) -> dict[str, Any]:
    return {"address": sighting.address, "date": sighting.date.isoformat() if sighting.date else None}
