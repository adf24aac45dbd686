"""Pairing: which tokens lie in given passages, and which fingerprints passages have."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frontends import Thresholds
from moss.comparison.align import PairAligner, tokens_inside, tokens_touching
from moss.comparison.scanned_files import LayerKey, Located, ScannedFile, ScannedSubmission
from moss.engine.documents import make_document
from moss.model import Channel, Status, TokenStream

GAP = (0, 0)  # what stands in the place of a break


@st.composite
def stretches_of_files(draw):
    """Some stretches, each with the number of its file and its tokens' places; of one file there may be several, as of
    a notebook that is read in two languages."""
    stretches = []
    for file in draw(st.lists(st.integers(0, 2), min_size=1, max_size=4)):
        steps = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), max_size=6))
        places, at = [], 0
        for gap, length in steps:
            places.append((at + gap, at + gap + length))
            at += gap + length
        stretches.append((file, places))
    return stretches


REGIONS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(1, 12)), max_size=5).map(
    lambda found: [(file, start, start + length) for file, start, length in found]
)


def located(stretches):
    streams = [
        TokenStream(np.ones(len(places), np.uint64), *np.array(places, np.int64).reshape(-1, 2).T)
        for _, places in stretches
    ]
    places = np.array([place for _, some in stretches for place in (*some, GAP)], np.int32)
    files = tuple(file for file, _ in stretches)
    return Located(make_document(streams, 3, 2), *places.T, files, np.zeros(0, np.int64))


def chosen(stretches, belongs):
    """The numbers of the tokens that belong, breaks counted and never chosen."""
    tokens = [(file, place) for file, places in stretches for place in (*((s, e) for s, e in places), None)]
    return {number for number, (file, place) in enumerate(tokens) if place is not None and belongs(file, *place)}


def numbers(found):
    return {
        token
        for start, end in zip(found.start.tolist(), found.end.tolist(), strict=True)
        for token in range(start, end)
    }


@given(stretches_of_files(), REGIONS)
def test_tokens_inside_lie_wholly_in_a_region(stretches, regions):
    inside = chosen(
        stretches, lambda file, s, e: any(file == f and start <= s and e <= end for f, start, end in regions)
    )
    assert numbers(tokens_inside(located(stretches), regions)) == inside


@given(stretches_of_files(), REGIONS)
def test_tokens_touching_have_a_character_in_a_region(stretches, regions):
    touching = chosen(
        stretches,
        lambda file, s, e: any(file == f and s < end and start < e for f, start, end in regions),
    )
    assert numbers(tokens_touching(located(stretches), regions)) == touching


K, W = 3, 6
KEY = LayerKey(Channel.TEXT, Thresholds(K, K + W - 1, K), own=True)
CHUNKS = [tuple(range(10 * number, 10 * number + length)) for number, length in enumerate((1, 2, 4, 8, 9), 1)]
TEXTS = st.lists(st.sampled_from(CHUNKS), max_size=8).map(lambda chunks: [code for chunk in chunks for code in chunk])


def scanned(codes):
    """A submission of one file with these tokens, a character each."""
    places = np.arange(len(codes), dtype=np.int64)
    document = make_document([TokenStream(np.array(codes, np.uint64), places, places + 1)], K, W)
    start = np.append(places, 0).astype(np.int32)
    found = Located(document, start, start + 1, (0,), np.zeros(0, np.int64))
    return ScannedSubmission((ScannedFile("text", len(codes), Status.OK),), {KEY: found})


@given(TEXTS, TEXTS)
def test_a_passage_has_the_fingerprints_of_its_runs_that_both_selected(a, b):
    ours, theirs = scanned(a), scanned(b)
    document, other = ours.layers[KEY].document, theirs.layers[KEY].document
    (figures,) = PairAligner({})([(ours, theirs)])
    for passage in figures.passages:
        within = {
            value
            for value, position in zip(document.hashes.tolist(), document.positions.tolist(), strict=True)
            if any(run.a_start <= position and position + K <= run.a_end for run in passage.runs)
        }
        assert passage.hashes.tolist() == sorted(within & set(other.hashes.tolist()))
