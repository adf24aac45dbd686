"""Packed pages: what a browser unpacks is the page, whatever its slots hold."""

from __future__ import annotations

import gzip

from hypothesis import given
from hypothesis import strategies as st

from moss.report.packed_page import PackedPage, with_states
from moss.report.served import fill_slots

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<"), max_size=200) | st.just("äb" * 40_000)
NAMES = st.sampled_from(["head", "masthead", "case", "passage-1", "passage-12", "submission"])
CONTENTS = st.dictionaries(NAMES, TEXTS)


@st.composite
def pages(draw, names=NAMES):
    parts = draw(st.lists(st.tuples(TEXTS, names), max_size=5))
    return "".join(f"{text}<!--moss:slot {name}-->" for text, name in parts) + draw(TEXTS)


@given(pages(), CONTENTS)
def test_a_page_is_filled_in_the_same_way_packed_or_not(page, contents):
    packed = PackedPage.from_bytes(PackedPage.of(page).to_bytes())
    assert packed.text == page
    assert packed.filled(contents) == fill_slots(page, contents)
    assert gzip.decompress(packed.gzipped(contents)).decode() == fill_slots(page, contents)


@given(pages(NAMES | st.sampled_from(["state-1", "state-2", "state-30"])), CONTENTS)
def test_states_are_filled_first_and_for_all_readers(page, contents):
    with_badges = with_states(PackedPage.of(page), ((2, "confirmed"), (30, "unreviewed")))
    states = {"state-1": "", "state-2": "confirmed", "state-30": "unreviewed"}
    assert with_badges.filled(contents) == fill_slots(page, contents | states)
    assert gzip.decompress(with_badges.gzipped(contents)).decode() == fill_slots(page, contents | states)


def test_states_cost_no_pieces():
    rows = "".join(f"<tr>pair {n}<!--moss:slot state-{n}--></tr>" for n in range(500))
    assert len(PackedPage.of(f"<!--moss:slot head-->{rows}").pieces) == 2


def test_a_page_of_an_earlier_version_is_not_read():
    assert PackedPage.from_bytes(b"x\x9c\x03\x00\x00\x00\x00\x01") is None
