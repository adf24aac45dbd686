"""Interpolation search, against binary search."""

from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss.corpus.search.interpolation import search, search_one

LARGEST = 2**64 - 1
hashes = st.integers(0, LARGEST) | st.sampled_from([0, 1, LARGEST - 1, LARGEST])


def check(table, values):
    table = sorted(table)
    expected = [bisect_left(table, value) for value in values]
    array = np.array(table, np.uint64)
    assert search(array, np.array(values, np.uint64)).tolist() == expected
    assert [search_one(array, value) for value in values] == expected
    assert search_one(array, LARGEST + 1) == len(table)


@given(st.lists(hashes, max_size=200), st.lists(hashes, max_size=20))
def test_any_table(table, values):
    check(table, [*values, *table[:20]])


@given(st.integers(0, 2**32), st.lists(hashes, max_size=5), st.integers(0, 60))
def test_tables_whose_values_crowd_together(seed, values, shift):
    rng = np.random.default_rng(seed)
    table = [*(rng.integers(0, 2**64, 300, np.uint64) >> np.uint64(shift)).tolist(), *values]
    check(table, [*values, *table[:20], *(value + 1 for value in table[:20] if value < LARGEST)])


@pytest.mark.parametrize("size", [1, 63, 64, 65, 20_000], ids=str)
def test_even_tables_of_every_size(size):
    rng = np.random.default_rng(size)
    table = rng.integers(0, 2**64, size, np.uint64).tolist()
    check(table, [0, LARGEST, *table[:300], *rng.integers(0, 2**64, 300, np.uint64).tolist()])


def test_more_values_than_a_block():
    rng = np.random.default_rng(5)
    table, values = np.sort(rng.integers(0, 2**64, 5000, np.uint64)), rng.integers(0, 2**64, 40_000, np.uint64)
    assert np.array_equal(search(table, values), np.searchsorted(table, values))


def test_an_even_table_is_looked_at_in_few_places():
    class Counted:
        def __init__(self, table):
            self.table, self.looks = table, 0

        def __len__(self):
            return len(self.table)

        def __getitem__(self, where):
            self.looks += 1
            return self.table[where]

    rng = np.random.default_rng(6)
    table = Counted(np.sort(rng.integers(0, 2**64, 1_000_000, np.uint64)))
    values = rng.integers(0, 2**64, 200, np.uint64).tolist()
    for value in values:
        search_one(table, value)
    assert table.looks / len(values) < 8  # halving looks 20 times
