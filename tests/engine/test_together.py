"""Documents and traces, which are made many at a time, against what the words say, stream by stream."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from moss.engine.alignment import align, align_all
from moss.engine.documents import BREAK, make_document, make_documents
from moss.engine.kgrams import hash_kgrams
from moss.engine.ranking.bags import make_bags
from moss.engine.runs import DocumentPair
from moss.engine.winnowing import winnow
from moss.model import TokenStream

streams = st.lists(st.integers(1, 4), max_size=30).map(lambda codes: np.array(codes, np.uint64))
submissions = st.lists(streams, max_size=3)
classes = st.lists(submissions, max_size=6)
handouts = streams.flatmap(lambda codes: st.sampled_from([codes, codes[:0]]))
sizes = st.integers(1, 5)


def selected(codes, k, w, handout):
    """Hash and place of each k-gram that winnowing selects of a stream; those handed out give way to all others."""
    h = hash_kgrams(codes, k)
    handed_out = np.isin(h, handout)
    places = winnow(np.where(handed_out, np.uint64(2**64 - 1), h), w)
    return [(int(h[place]), int(place)) for place in places if not handed_out[place]]


def touched(codes, k, handout):
    """Which tokens of a stream are in a k-gram that was handed out."""
    h = hash_kgrams(codes, k)
    return [any(h[i] in handout for i in range(max(0, n - k + 1), min(n + 1, len(h)))) for n in range(len(codes))]


@given(classes, handouts, sizes, sizes)
def test_documents(many, handout, k, w):
    base = np.unique(hash_kgrams(handout, k))
    found = list(make_documents(many, k, w, base).split())
    assert len(found) == len(many)
    for document, files in zip(found, many, strict=True):
        first = np.cumsum([0, *(len(codes) + 1 for codes in files)])
        places = [
            (h, at + begin) for begin, codes in zip(first, files, strict=False) for h, at in selected(codes, k, w, base)
        ]
        assert document.first.tolist() == first.tolist()
        assert document.codes.tolist() == [code for codes in files for code in (*codes.tolist(), int(BREAK))]
        assert list(zip(document.hashes.tolist(), document.positions.tolist(), strict=True)) == places
        assert document.base.tolist() == [each for codes in files for each in (*touched(codes, k, base), False)]


@given(submissions, handouts, sizes, sizes)
def test_one_document_is_one_of_many(files, handout, k, w):
    base = np.unique(hash_kgrams(handout, k))
    one = make_document(
        [TokenStream(codes, codes.astype(np.int64), codes.astype(np.int64)) for codes in files], k, w, base
    )
    _, other = make_documents([[np.arange(9, dtype=np.uint64)], files], k, w, base).split()
    for name in ("codes", "first", "hashes", "positions", "base"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@given(classes, handouts, sizes, sizes)
def test_traces(many, handout, k, w):
    base = np.unique(hash_kgrams(handout, k))
    bags = make_bags(many, k, w, base).split()
    assert [bag.tolist() for bag in bags] == [
        [h for codes in files for h, _ in selected(codes, k, w, base)] for files in many
    ]


@given(st.lists(st.tuples(submissions, submissions), max_size=5), sizes, st.integers(1, 9))
def test_pairs_that_are_aligned_together_have_the_passages_that_each_has_alone(pairs, k, w):
    """Also if a window is longer than a k-gram, and so reaches beyond the break behind a document."""
    common = np.zeros(0, np.uint64)
    documents = [tuple(make_documents(both, k, w, common).split()) for both in pairs]
    alone = [align(a, b, common, k, k, k + w - 1) for a, b in documents]
    found = align_all([DocumentPair(a, b) for a, b in documents], common, k, k, k + w - 1) if documents else []
    assert found == alone
