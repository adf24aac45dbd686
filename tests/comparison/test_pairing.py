"""Which tokens of a submission lie in given passages of its files."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from moss.comparison.pairing import tokens_inside, tokens_touching
from moss.comparison.scanned import Located
from moss.engine.documents import make_document
from moss.model import TokenStream

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
