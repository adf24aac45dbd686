"""Ordering by packed numbers, against numpy's stable argsort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss.engine import sort_order
from moss.engine.sort_order import ascending, descending, median

near = st.integers(0, 2**64 - 1) | st.integers(0, 40) | st.integers(2**63, 2**63 + 40)


@pytest.fixture(autouse=True)
def _also_for_few(monkeypatch):
    monkeypatch.setattr(sort_order, "_FEW", 0)


@given(st.lists(near, max_size=60))
def test_the_order_is_that_of_a_stable_sort(values):
    numbers = np.array(values, np.uint64)
    assert ascending(numbers).tolist() == np.argsort(numbers, kind="stable").tolist()


@given(st.lists(st.floats(0, 1) | st.sampled_from([0.0, -0.0, 0.5, 1.0, 5e-324]), max_size=60))
def test_scores_stand_best_first_and_equal_ones_as_they_came(values):
    scores = np.array(values, np.float64)
    assert descending(scores).tolist() == np.argsort(-scores, kind="stable").tolist()


def test_many_numbers_of_which_many_are_equal_or_differ_in_the_last_bits_only():
    random = np.random.default_rng(5)
    numbers = np.concatenate([random.integers(0, 50, 5000), random.integers(0, 2**63, 5000)]).astype(np.uint64)
    random.shuffle(numbers)
    assert ascending(numbers).tolist() == np.argsort(numbers, kind="stable").tolist()


@given(st.lists(st.integers(-1000, 1000) | st.floats(-1, 1), min_size=1))
def test_the_median_is_numpys(values):
    assert median(np.array(values)) == np.median(values)
