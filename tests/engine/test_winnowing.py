"""Selections of fingerprints, against the paper's own figures and definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import any_values, few_values, hashes, windows

from moss.engine.winnowing import select_all, select_mod, winnow, winnow_all, winnow_plain

FIGURE_2 = hashes([77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98])


def by_definition_3(h: np.ndarray, w: int) -> list[int]:
    """Robust winnowing, window by window, as the paper words it."""
    w = min(w, len(h))
    selected: list[int] = []
    for i in range(len(h) - w + 1 if len(h) else 0):
        least = min(h[i : i + w])
        if selected and selected[-1] >= i and h[selected[-1]] == least:
            continue
        selected.append(max(j for j in range(i, i + w) if h[j] == least))
    return selected


def by_definition_1(h: np.ndarray, w: int) -> list[int]:
    """Winnowing, window by window, as the paper words it."""
    w = min(w, len(h))
    starts = range(len(h) - w + 1 if len(h) else 0)
    return sorted({max(j for j in range(i, i + w) if h[j] == min(h[i : i + w])) for i in starts})


def test_figure_2():
    for select in (winnow, winnow_plain):
        position = select(FIGURE_2, 4)
        assert list(zip(FIGURE_2[position].tolist(), position.tolist(), strict=True)) == [
            (17, 3), (17, 6), (8, 8), (39, 11), (17, 15),
        ]  # fmt: skip


def test_figure_1_selects_0_mod_4():
    h = hashes([77, 72, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 72, 42, 17, 98])
    assert h[select_mod(h, 4)].tolist() == [72, 8, 88, 72]


@given(few_values | any_values, windows)
def test_robust_winnowing_is_definition_3(h, w):
    assert winnow(h, w).tolist() == by_definition_3(h, w)


@given(few_values | any_values, windows)
def test_plain_winnowing_is_definition_1(h, w):
    assert winnow_plain(h, w).tolist() == by_definition_1(h, w)


@given(few_values | any_values, windows)
def test_every_window_has_a_selected_hash(h, w):
    selected = set(winnow(h, w).tolist())
    for i in range(len(h) - w + 1):
        assert selected & set(range(i, i + w))


@given(any_values, windows, st.integers(0, 10))
def test_a_wider_window_selects_a_subset(h, w, more):
    assert set(h[winnow(h, w + more)]) <= set(h[winnow(h, w)])
    assert set(winnow_plain(h, w + more)) <= set(winnow_plain(h, w))


@pytest.mark.parametrize(("k", "w"), [(50, 100), (12, 5), (5, 4)])
def test_density_on_random_data(k, w):
    """2/(w + 1): for the paper's k = 50 and w = 100, 0.0198."""
    from moss.engine.kgrams import hash_kgrams

    codes = np.random.default_rng(2003).integers(1, 2**63, 400_000).astype(np.uint64)
    density = len(winnow(hash_kgrams(codes, k), w)) / (len(codes) - k + 1)
    assert density == pytest.approx(2 / (w + 1), rel=0.03)


def test_density_of_0_mod_p():
    h = np.random.default_rng(2003).integers(0, 2**63, 400_000).astype(np.uint64)
    assert len(select_mod(h, 50)) / len(h) == pytest.approx(1 / 50, rel=0.03)


def test_a_constant_text_has_one_fingerprint_for_each_window():
    constant = np.zeros(1000, np.uint64)
    assert np.diff(winnow(constant, 10)).tolist() == [10] * 99
    assert len(winnow_plain(constant, 10)) == 991  # what robust winnowing was invented against


def test_all_and_none():
    assert select_all(FIGURE_2).tolist() == list(range(17))
    assert winnow(hashes([]), 4).tolist() == []
    assert winnow(hashes([5, 3]), 4).tolist() == [1]  # shorter than a window: one window


def test_a_window_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        winnow(FIGURE_2, 0)


@given(st.lists(few_values, min_size=1, max_size=5), windows, st.integers(0, 3))
def test_many_documents_at_once_are_each_as_if_alone(documents, w, gap):
    """Between two documents are hashes that belong to none, some of them 0."""
    between = np.arange(gap, dtype=np.uint64)
    h = np.concatenate([part for one in documents for part in (one, between)])
    sizes = np.array([len(one) for one in documents])
    first = np.cumsum(sizes + gap) - sizes - gap
    expected = [
        position + start for one, start in zip(documents, first, strict=True) for position in by_definition_3(one, w)
    ]
    assert winnow_all(h, w, first, sizes).tolist() == expected
