"""Which tables are kept: the paper's designs for three bits, and that every near pair meets for any number of bits."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss.corpus.near.table_designs import ALL, ALONE, MANY, MOST_BITS, choose, designs

few_bits = st.integers(0, 5)


def test_three_bits_have_the_four_designs_of_the_paper():
    leading = [sorted({permutation.leading for permutation in design.permutations}) for design in designs(3)]
    assert [len(design.permutations) for design in designs(3)] == [4, 10, 16, 20]
    assert leading == [[16], [25, 26], [28], [31, 32, 33]]


@pytest.mark.parametrize("k", range(MOST_BITS + 1), ids=str)
def test_a_permutation_has_every_bit_once(k):
    for design in designs(k):
        for permutation in design.permutations:
            assert sorted(permutation.order) == list(range(64))
            assert int(permutation.mask).bit_count() == permutation.leading


@pytest.mark.parametrize("k", range(4), ids=str)
def test_whichever_bits_differ_some_table_leads_with_none_of_them(k):
    """All sets of k bits are too many to try; that a set meets only depends on which blocks it touches, and each block
    of each design has one of every third bit."""
    for design in designs(k):
        for differing in combinations(range(0, 64, 3), k):
            bits = sum(1 << bit for bit in differing)
            assert any(int(permutation.mask) & bits == 0 for permutation in design.permutations)


@given(few_bits, st.data())
def test_any_differing_bits_meet(k, data):
    bits = sum(1 << bit for bit in data.draw(st.sets(st.integers(0, 63), max_size=k)))
    for design in designs(k):
        assert any(int(permutation.mask) & bits == 0 for permutation in design.permutations)


@given(few_bits, st.lists(st.integers(0, 2**64 - 1), max_size=10), st.data())
def test_a_permutation_moves_bits_and_undoes_it(k, fingerprints, data):
    permutation = data.draw(st.sampled_from(data.draw(st.sampled_from(designs(k))).permutations))
    array = np.array(fingerprints, np.uint64)
    expected = [
        sum((fingerprint >> (63 - old) & 1) << (63 - new) for new, old in enumerate(permutation.order))
        for fingerprint in fingerprints
    ]
    assert permutation(array).tolist() == expected == [permutation.one(fingerprint) for fingerprint in fingerprints]
    assert permutation.undo(permutation(array)).tolist() == fingerprints


def test_more_fingerprints_take_more_tables():
    chosen = [len(choose(3, 2**d).permutations) for d in range(10, 40)]
    assert chosen == sorted(chosen)
    assert set(chosen) == {4, 10, 16, 20}


def test_the_paper_s_collection_takes_twenty_tables():
    assert len(choose(3, 2**34).permutations) == 20


@given(few_bits, st.integers(1, 2**36), st.sampled_from([ALONE, MANY, ALL]))
def test_the_chosen_design_is_the_cheapest_by_the_rule(k, size, probe):
    def cost(design):
        return sum(probe + size / 2**permutation.leading for permutation in design.permutations)

    assert cost(choose(k, size, probe)) == pytest.approx(min(map(cost, designs(k))))


def test_little_memory_takes_fewer_tables():
    size = 2**34
    assert len(choose(3, size, memory=8 * size * 12).permutations) == 10
    assert len(choose(3, size, memory=1).permutations) == 4


@pytest.mark.parametrize("k", [-1, MOST_BITS + 1], ids=str)
def test_impossible_numbers_of_bits_are_refused(k):
    with pytest.raises(ValueError, match="bits that may differ"):
        choose(k, 10)
