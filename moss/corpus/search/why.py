"""Why two documents are, or are not, in one cluster: what they share, by estimate, exactly, and word for word."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from moss.corpus.errors import CorpusError
from moss.corpus.ingest.documents import CorpusDocument, scan, streams
from moss.corpus.ingest.shingles import at_mask, containment, masks_for, resemblance, shingles, spans_of
from moss.corpus.near.duplicates import fingerprints_of
from moss.corpus.search.passages import CorpusPassage, shared_passages
from moss.corpus.search.queries import Corpus, CorpusSighting
from moss.hashing import Hashes, SpanHasher
from moss.messages import gettext
from moss.model import Channel

_SHOWN = 5  # shared shingles that are written out


@dataclass(frozen=True, slots=True)
class Explanation:
    """Two documents side by side."""

    a: CorpusSighting
    b: CorpusSighting
    shingles_a: int
    shingles_b: int
    shared: int  # shingles that both have
    examples: tuple[str, ...]  # some of them, as they stand in the first
    resemblance: float  # exactly
    containment: float  # of the first in the second, exactly
    contained: float  # of the second in the first
    sampled: int  # shingles of both together in their sketches
    sampled_shared: int
    bits: int  # in which their simhashes differ
    copied: float  # the part of the first's tokens that lies in passages of the second
    passages: tuple[CorpusPassage, ...]
    text: str  # of the first

    @property
    def estimate(self) -> float:
        """The resemblance that their sketches tell."""
        return self.sampled_shared / self.sampled if self.sampled else 1.0

    @property
    def error(self) -> float:
        """The standard error of the estimate: that of a share among so many shingles, drawn at random; 0 if all
        shingles are in the sketches."""
        if not self.sampled or self.sampled == self.shingles_a + self.shingles_b - self.shared:
            return 0.0
        share = (self.sampled_shared + 1) / (self.sampled + 2)  # none of few does not mean none at all
        return sqrt(share * (1 - share) / self.sampled)


def explain(corpus: Corpus, a: str, b: str) -> Explanation:
    """Compare the newest versions of two addresses; raises CorpusError if nothing was ever at one of them."""
    first, second = (_newest(corpus, address) for address in (a, b))
    texts = corpus.texts([first.doc, second.doc])
    here, there = texts[first.doc], texts[second.doc]
    columns, _ = streams([here, there])
    A, B = (shingles(columns.codes[columns.offsets[n] : columns.offsets[n + 1]], corpus.recipe.shingle) for n in (0, 1))
    mask = int(masks_for(np.diff(columns.offsets), corpus.recipe.sample).max())
    V_a, V_b = at_mask(A, mask), at_mask(B, mask)
    both = np.intersect1d(A, B, assume_unique=True)
    prints, _ = fingerprints_of([here, there])
    passages, copied = shared_passages(here, there)
    return Explanation(
        first, second, len(A), len(B), len(both),
        _written(here, both, corpus.recipe.shingle),
        resemblance(A, B), containment(A, B), containment(B, A),
        len(np.union1d(V_a, V_b)), len(np.intersect1d(V_a, V_b, assume_unique=True)),
        int(np.bitwise_count(prints[0] ^ prints[1])),
        copied, tuple(passages), here.text,
    )  # fmt: skip


def _newest(corpus: Corpus, address: str) -> CorpusSighting:
    sightings = corpus.at(address)
    if not sightings:
        raise CorpusError(gettext("nothing in the corpus was ever at %(address)s", address=address))
    return sightings[-1]


def _written(document: CorpusDocument, wanted: Hashes, w: int) -> tuple[str, ...]:
    """Some of these shingles as they stand in a text: spread over it, in its order."""
    words = scan(document)[Channel.TEXT]
    start, end, _ = spans_of(np.array([0, len(words.codes)]), w)
    places = np.flatnonzero(np.isin(SpanHasher(words.codes)(start, end), wanted))
    chosen = places[:: max(1, len(places) // _SHOWN)][:_SHOWN]
    spans = [(int(words.start[start[at]]), int(words.end[end[at] - 1])) for at in chosen.tolist()]
    return tuple(" ".join(document.text[low:high].split()) for low, high in spans)
