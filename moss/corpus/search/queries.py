"""Queries: one document against all, on the fly (Broder et al., 6.1), and the newest address of a page (6.2).

An open corpus answers in milliseconds: the document's shingles and fingerprints are looked up in sorted arrays, those
documents that share any are counted, and the texts of the best are aligned with it. The document may be in the corpus
or not.

All shingles of the document are at hand, so each stored document is compared at its own mask: shingles of the query
that are 0 in its bits, against its sketch. Fingerprints find what sketches cannot: a passage of `guarantee` words in a
text of any length.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moss.corpus.engines.duckdb import MEMORY
from moss.corpus.errors import CorpusError
from moss.corpus.ingest.batches import address_hashes, fingerprints_of
from moss.corpus.ingest.documents import CorpusDocument, scan, streams
from moss.corpus.ingest.shingles import shingles
from moss.corpus.search.hash_postings import Numbers, SegmentPostings
from moss.corpus.search.lookups import Lookup, open_lookups
from moss.corpus.search.passages import CorpusPassage, shared_passages
from moss.corpus.search.shared_hashes import SharedHashes, count_shared, with_common
from moss.corpus.search.sites import DocumentFilter
from moss.corpus.storage.segments import Snapshot, local_engine
from moss.hashing import Hashes
from moss.messages import gettext

COMMON = 1000  # documents: what more have says nothing
EVERYTHING = DocumentFilter()
SHOWN = 10  # documents that are aligned
_MOST = 1000  # documents in an answer


@dataclass(frozen=True, slots=True)
class CorpusSighting:
    """A document as it stands in the corpus."""

    doc: int
    address: str
    date: datetime | None


@dataclass(frozen=True, slots=True)
class QueryHit:
    """A document of the corpus that shares something with the query."""

    sighting: CorpusSighting
    resemblance: float  # estimated from its sketch
    containment: float  # of the query in it, likewise
    contains: float  # of it in the query, likewise
    fingerprints: int  # that both have
    copied: float = 0.0  # the part of the query's tokens that lies in passages of it, exactly; 0 if not aligned
    passages: tuple[CorpusPassage, ...] = ()
    text: str = ""  # its text, if it was aligned


class Corpus:
    """A corpus that stays open for queries, as it was when it was opened; close it, or use it in a `with`."""

    def __init__(self, folder: Path | str, memory: int = MEMORY) -> None:
        self._snapshot = Snapshot(Path(folder))
        self.recipe = self._snapshot.manifest.recipe
        self._engine = local_engine(self._snapshot.folder, memory)
        try:
            self.recipe.check_rules(self._snapshot.folder)
            self._lookups = open_lookups(self._snapshot, self._engine)
            self._snapshot.tables(self._engine)
        except BaseException:
            self.close()
            raise
        self._firsts = np.array([lookup.first for lookup in self._lookups], np.int64)
        self._same_as, self._masks, self._sketches, self._words = (
            np.concatenate([np.zeros(0, np.int64), *(lookup.columns[name] for lookup in self._lookups)])
            for name in ("same_as", "mask", "sketch", "words")
        )
        self._dates = np.concatenate([np.zeros(0, "datetime64[us]"), *(lookup.dates for lookup in self._lookups)])
        masks, numbers = np.unique(self._masks, return_inverse=True)
        self._mask_values, self._mask_numbers = masks.view(np.uint64), numbers.astype(np.uint8)  # each is 2^i - 1
        self._sketch_postings = SegmentPostings([lookup.shingles for lookup in self._lookups], once=True)
        self._print_postings = SegmentPostings([lookup.fingerprints for lookup in self._lookups])
        others = np.flatnonzero(self._same_as != np.arange(len(self._same_as)))
        self._others = others[np.argsort(self._same_as[others], kind="stable")]  # by the documents kept for them
        self._kept_for_others = self._same_as[self._others]

    def __len__(self) -> int:
        return self._snapshot.manifest.documents

    @property
    def generation(self) -> int:
        """The generation of the corpus as it is open."""
        return self._snapshot.manifest.generation

    # Asking

    def query(
        self,
        document: CorpusDocument,
        *,
        widen: int = 1,
        least: float = 0.05,
        shown: int = SHOWN,
        common: int = COMMON,
        only: DocumentFilter = EVERYTHING,
    ) -> list[QueryHit]:
        """The documents that share something with this one, those that contain most of it first.

        The `shown` best come with their passages. Fingerprints are taken with a window `widen` times as wide as the
        corpus's: fewer to look up, and still among those that are stored. One that both have is enough, as a passage of
        the guaranteed length may have no more. Documents without one, and with less than `least` in containment both
        ways, are left out, and so are those that turn out to have no passage, and those that `only` does not accept."""
        if widen < 1:
            raise CorpusError(gettext("--widen must be a whole number of at least 1"))
        words, structure = streams([document])
        S = shingles(words.codes, self.recipe.shingle)
        prints = fingerprints_of([document], words, structure, self.recipe, widen)
        hashes = np.unique(prints.hashes)
        by_sketch = count_shared(self._sketch_postings, self._stored(S), common)
        by_print = count_shared(self._print_postings, hashes, common)
        found = self._estimate(S, by_sketch, by_print, len(hashes), least, only)
        return self._aligned(document, found, shown) if shown else found

    def _stored(self, S: Hashes) -> Hashes:
        """The shingles among these that some sketch may have: those that are 0 in the bits of the smallest mask."""
        return S[(S & self._mask_values[0]) == 0] if len(self._mask_values) else S[:0]

    def _estimate(
        self,
        S: Hashes,
        by_sketch: SharedHashes,
        by_print: SharedHashes,
        prints: int,
        least: float,
        only: DocumentFilter,
    ) -> list[QueryHit]:
        """Hits as sketches and fingerprints tell them: first documents that share much, then those that share what few
        others have."""
        docs = np.union1d(by_sketch.docs, by_print.docs)
        in_sketch, in_prints = by_sketch.among(docs), by_print.among(docs)
        shared, hits, rarity = in_sketch.hits, in_prints.hits, in_prints.rarity
        mine, sketch = self._sizes(S, docs)
        resemblance = shared / np.maximum(1, mine + sketch - shared)
        containment, contains = shared / np.maximum(1, mine), shared / np.maximum(1, sketch)
        by_prints = hits / max(1, prints)
        rank = np.maximum(containment, by_prints)
        chosen = np.flatnonzero((np.maximum(rank, contains) >= least) | (hits > 0))
        much = np.where(rank >= least, rank, 0)
        chosen = chosen[np.lexsort((-rarity[chosen], -much[chosen]))]
        numbers = docs[chosen].tolist()
        if not only.is_open:
            meeting = self._meeting(numbers, set(docs.tolist()), only)
            chosen, numbers = chosen[[doc in meeting for doc in numbers]], list(meeting.values())
        chosen = chosen[:_MOST]
        figures = (resemblance[chosen], containment[chosen], contains[chosen], hits[chosen])
        columns = (self.sightings(numbers[:_MOST]), *(figure.tolist() for figure in figures))
        return [QueryHit(*values) for values in zip(*columns, strict=True)]

    def _meeting(self, docs: Sequence[int], found: set[int], only: DocumentFilter) -> dict[int, int]:
        """For each of these documents one that meets the conditions, if there is one: itself, or one that it stands
        for and that was not found by itself."""
        meeting: dict[int, int] = {}
        given: set[int] = set()
        for doc in docs:
            equals = (other for other in self._equals(self.kept_for(doc)) if other not in found and other not in given)
            for other in chain([doc], equals):
                if self.meets(other, only):
                    meeting[doc] = other
                    given.add(other)
                    break
        return meeting

    def _sizes(self, S: Hashes, docs: Numbers) -> tuple[Numbers, Numbers]:
        """How many shingles of the query are 0 in the bits of each document's mask, and the size of its sketch."""
        mine = np.array([np.count_nonzero(S & mask == 0) for mask in self._mask_values], np.int64)
        own = self._same_as[docs] == docs  # else its sketch is stored for another one
        return mine[self._mask_numbers[docs]], np.where(own, self._sketches[docs], 0)

    def resembling(self, document: CorpusDocument, least: float) -> list[tuple[int, float]]:
        """The kept documents that resemble this one by at least so much, as their sketches tell, the most similar
        first."""
        words, _ = streams([document])
        S = shingles(words.codes, self.recipe.shingle)
        shared = count_shared(self._sketch_postings, self._stored(S), COMMON)
        if self._common_may_do(S, shared.common, least):
            shared = count_shared(self._sketch_postings, self._stored(S), len(self))
        sizes = np.add(*self._sizes(S, shared.docs))
        most = shared.hits + len(shared.common)  # that each can have
        able = np.flatnonzero(most / np.maximum(1, sizes - most) >= least)
        hits = with_common(self._sketch_postings, shared.only(able))
        resemblance = hits / np.maximum(1, sizes[able] - hits)
        chosen = np.flatnonzero(resemblance >= least)
        chosen = chosen[np.argsort(-resemblance[chosen], kind="stable")][:_MOST]
        return list(zip(shared.docs[able][chosen].tolist(), resemblance[chosen].tolist(), strict=True))

    def _common_may_do(self, S: Hashes, common: Hashes, least: float) -> bool:
        """Whether common shingles alone can make a document resemble one with the shingles S by so much. It shares at
        least this part of those that are 0 in the bits of its mask."""
        counts = ((int((some & mask == 0).sum()) for some in (common, S)) for mask in self._mask_values)
        return len(common) > 0 and any(0 < few >= least * wanted for few, wanted in counts)

    def _aligned(self, document: CorpusDocument, found: Sequence[QueryHit], shown: int) -> list[QueryHit]:
        """The best of these hits with their passages; hits that have none are replaced by the next."""
        tokens = scan(document)
        aligned: list[QueryHit] = []
        done = 0
        while done < len(found) and (places := shown - sum(bool(item.passages) for item in aligned)) > 0:
            some = found[done : done + places]
            texts = self.texts([item.sighting.doc for item in some])
            for item in some:
                there = texts[item.sighting.doc]
                passages, copied = shared_passages(document, there, tokens)
                if passages or item.resemblance:
                    aligned.append(replace(item, copied=copied, passages=tuple(passages), text=there.text))
            done += len(some)
        aligned.sort(key=lambda item: (-item.copied, -item.resemblance, item.sighting.doc))
        return [*aligned, *found[done:]]

    # Documents

    def _lookup(self, doc: int) -> Lookup:
        return self._lookups[int(np.searchsorted(self._firsts, doc, side="right")) - 1]

    def sighting(self, doc: int) -> CorpusSighting:
        """A document by its number."""
        return self.sightings([doc])[0]

    def sightings(self, docs: Sequence[int]) -> list[CorpusSighting]:
        """Documents by their numbers."""
        numbers = np.array(docs, np.int64)
        segments = (np.searchsorted(self._firsts, numbers, side="right") - 1).tolist()
        dates = self._dates[numbers].astype("datetime64[us]").tolist()
        return [
            CorpusSighting(doc, self._lookups[segment].address(doc), date and date.replace(tzinfo=UTC))
            for doc, segment, date in zip(numbers.tolist(), segments, dates, strict=True)
        ]

    def meets(self, doc: int, only: DocumentFilter) -> bool:
        """Whether a document is one that a question is about."""
        lookup = self._lookup(doc)
        return only.is_open or only.accepts(lookup.address(doc), lookup.tongue(doc), int(self._words[doc]))

    def at(self, address: str) -> list[CorpusSighting]:
        """All sightings at an address, in the order of their dates; those without one first."""
        return self.at_all([address])[address]

    def at_all(self, addresses: Collection[str]) -> dict[str, list[CorpusSighting]]:
        """All sightings at each of these addresses, in the order of their dates; those without one first."""
        found: dict[str, list[CorpusSighting]] = {address: [] for address in addresses}
        wanted = np.unique(address_hashes(list(found)))
        docs = [doc for lookup in self._lookups for doc in lookup.at_addresses(wanted)]
        for sighting in sorted(self.sightings(docs), key=_when):
            if sighting.address in found:  # else another address has the same hash
                found[sighting.address].append(sighting)
        return found

    def kept_for(self, doc: int) -> int:
        """The document that is kept for this one, and whose sketch is this one's."""
        return int(self._same_as[doc])

    def texts(self, docs: Sequence[int]) -> dict[int, CorpusDocument]:
        """Documents with their texts; one that is identical to another has the other's."""
        return {doc: self._document(doc) for doc in docs}

    def _document(self, doc: int) -> CorpusDocument:
        source = self._text_source(doc)
        lookup = self._lookup(source)
        return CorpusDocument(
            self._lookup(doc).address(doc), lookup.text(source), content=0, size=0, language=lookup.language(source)
        )

    def _text_source(self, doc: int) -> int:
        """The document for which the text of this one is stored: itself, or the first that is identical."""
        lookup = self._lookup(doc)
        if lookup.has_text(doc):
            return doc
        for other in self._equals(self.kept_for(doc)):
            if self._lookup(other).content(other) == lookup.content(doc) and self._lookup(other).has_text(other):
                return other
        raise CorpusError(gettext("the corpus is damaged: a text is missing"))

    def _equals(self, kept: int) -> list[int]:
        """The numbers of all documents that one is kept for, ascending, itself included."""
        low, high = np.searchsorted(self._kept_for_others, [kept, kept + 1])
        own = [kept] if self._same_as[kept] == kept else []
        return sorted([*own, *self._others[low:high].tolist()])

    def same_as(self, kept: int) -> list[CorpusSighting]:
        """All documents that one is kept for, itself included."""
        return self.sightings(self._equals(kept))

    def with_equals(self, docs: Collection[int], common: int = COMMON) -> list[int]:
        """These documents and those that are equal to them, ascending; without equals where there are very many."""
        asked = np.array(sorted(docs), np.int64)
        kept = np.unique(self._same_as[asked])
        equals = np.flatnonzero(np.isin(self._same_as, kept))
        group = np.searchsorted(kept, self._same_as[equals])
        few = np.bincount(group, minlength=len(kept)) <= common
        together: list[int] = np.union1d(asked, equals[few[group]]).tolist()
        return together

    def fetch(self, sql: str) -> dict[str, NDArray[Any]]:
        """The columns of a query over the corpus's tables."""
        return self._engine.fetch(sql)

    # Lost and found

    def locate(self, address: str, resemblance: float = 0.5) -> list[tuple[CorpusSighting, float]]:
        """The sightings of documents that resemble the newest version of an address, the newest first: where the page
        is now."""
        versions = self.at(address)
        if not versions:
            raise CorpusError(gettext("nothing in the corpus was ever at %(address)s", address=address))
        page = versions[-1]
        text = self.texts([page.doc])[page.doc]
        alike = self.resembling(text, resemblance)
        found = {sighting.doc: (sighting, value) for doc, value in alike for sighting in self.same_as(doc)}
        for sighting in self.same_as(self.kept_for(page.doc)):
            found.setdefault(sighting.doc, (sighting, 1.0))
        return sorted(found.values(), key=lambda item: (_when(item[0]), item[0].address != address), reverse=True)

    def close(self) -> None:
        """Close the files and locks of the corpus."""
        self._engine.close()
        self._snapshot.close()

    def __enter__(self) -> Corpus:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _when(sighting: CorpusSighting) -> tuple[bool, datetime, int]:
    return sighting.date is not None, sighting.date or datetime.min.replace(tzinfo=UTC), sighting.doc
