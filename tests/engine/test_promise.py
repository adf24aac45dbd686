"""The promise: of a shared run of T tokens all tokens of one side lie in passages, whatever is around it."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import stream

from frontends import by_name
from moss.engine import seeds
from moss.engine.alignment import align
from moss.engine.documents import make_document
from moss.engine.seeds import Places, find_seeds
from moss.engine.tiles import Tile, tile
from moss.model import Channel

SAMPLES = Path(__file__).parents[2] / "sample_submissions"
NONE = np.zeros(0, np.uint64)


def is_covered(tiles, run):
    """Whether all tokens of one side of a run lie in tiles."""
    a = {n for t in tiles for n in range(t.a, t.a_end)}
    b = {n for t in tiles for n in range(t.b, t.b_end)}
    return a.issuperset(range(run.a, run.a_end)) or b.issuperset(range(run.b, run.b_end))


def is_shown(first, second, run, at, k, t):
    """Whether a run that is planted into two documents at these places is."""
    a, b = first[: at[0]] + run + first[at[0] :], second[: at[1]] + run + second[at[1] :]
    documents = (make_document([stream(tokens)], k, t - k + 1) for tokens in (a, b))
    tiles = [each for passage in align(*documents, NONE, k, k, t) for each in passage]
    for x, y in combinations(tiles, 2):
        assert x.a_end <= y.a or y.a_end <= x.a
        assert x.b_end <= y.b or y.b_end <= x.b
    assert all(each.length >= k for each in tiles)
    return is_covered(tiles, Tile(*at, len(run)))


@pytest.mark.parametrize("seed", range(30))
def test_a_run_is_shown_though_parts_of_it_are_all_over_the_place(seed):
    """Its k-grams are at eight places of both documents, among tokens that occur once: 64 pairs of places for each."""
    chance, (k, t) = random.Random(seed), (12, 16)
    run = chance.sample(range(1, 10**6), t)
    crumbs = [run[n : n + k] for n in range(t - k + 1)]

    def around():
        return [token for n in range(8) for crumb in crumbs for token in (*crumb, chance.randrange(10**6, 10**9))]

    first, second = around(), around()
    at = chance.randrange(len(first)), chance.randrange(len(second))
    at = at[0] // 13 * 13, at[1] // 13 * 13  # between two crumbs
    assert is_shown(first, second, run, at, k, t)


def real_programs():
    scan = by_name("java").scan
    paths = sorted(SAMPLES.glob("java-*/submissions/*/*.java"))
    return [codes for path in paths if len(codes := scan(path.read_text())[Channel.STRUCTURE].codes.tolist()) > 200]


def test_a_run_that_is_planted_in_real_programs_is_shown():
    """Structure repeats itself: nearly every run overlaps with others that are as long."""
    chance, (k, t) = random.Random(7), (4, 8)
    programs = real_programs()
    for _ in range(80):
        first, second, third = chance.sample(programs, 3)
        start = chance.randrange(len(third) - t)
        at = chance.randrange(len(first)), chance.randrange(len(second))
        assert is_shown(first, second, third[start : start + t], at, k, t)


@given(st.integers(2, 9), st.data())
def test_of_two_runs_that_overlap_both_are_shown_if_there_is_room_for_both(k, data):
    long, short = sorted(data.draw(st.tuples(st.integers(k, 4 * k), st.integers(k, 4 * k))), reverse=True)
    overlap = data.draw(st.integers(0, min(short, long + short - 2 * k)))
    runs = [Tile(0, 100, long), Tile(long - overlap, 300, short)]
    swapped = [Tile(run.b, run.a, run.length) for run in runs]
    for some in runs, swapped:
        tiles = tile(some, (500, 500), k, k)
        assert all(is_covered(tiles, run) for run in some)
        assert all(each.length >= k for each in tiles)


def test_a_neighbour_is_trimmed_for_the_rest_of_a_run():
    assert tile([Tile(0, 0, 30), Tile(24, 100, 16)], (200, 200), 12, 16) == [Tile(0, 0, 28), Tile(28, 104, 12)]


@given(st.lists(st.integers(1, 40), max_size=8, unique=True), st.integers(1, 6), st.integers(1, 9), st.integers(3, 9))
def test_of_what_repeats_itself_the_ends_are_kept(others, period, times, k):
    at = np.array(sorted({*(100 + period * n for n in range(times)), *(n * 997 + 500 for n in others)}))
    kept = Places(at, np.array([len(at)])).without_inner(k)
    expected = [n for n in at.tolist() if period > k or not 100 + 2 * period <= n < 100 + (times - 2) * period]
    assert kept.at.tolist() == expected
    assert kept.counts.tolist() == [len(expected)]


@given(st.lists(st.integers(1, 3), max_size=60), st.lists(st.integers(1, 3), max_size=60))
def test_all_places_of_equal_fingerprints_are_seeds(a, b):
    first, second = (make_document([stream(tokens)], 3, 2) for tokens in (a, b))
    expected = [
        (i, j)
        for h, i in zip(first.hashes.tolist(), first.positions.tolist(), strict=True)
        for g, j in zip(second.hashes.tolist(), second.positions.tolist(), strict=True)
        if h == g
    ]
    found = find_seeds(first, second, NONE, 3)
    assert sorted(zip(*(side.tolist() for side in found), strict=True)) == sorted(expected)


def test_seeds_stay_in_proportion_to_the_documents(monkeypatch):
    """One k-gram everywhere between tokens that occur once: not even a period to rely on."""
    chance = random.Random(1)
    crumb = list(range(1, 13))
    a, b = ([t for _ in range(400) for t in (*crumb, *chance.choices(range(100, 10**6), k=2))] for _ in range(2))
    first, second = (make_document([stream(tokens)], 12, 5) for tokens in (a, b))
    places = sum(len(document.hashes) for document in (first, second))
    assert len(find_seeds(first, second, NONE, 12)[0]) > 100_000 / 4
    monkeypatch.setattr(seeds, "_SEEDS", 1)
    monkeypatch.setattr(seeds, "_FREE", 0)
    i, j = find_seeds(first, second, NONE, 12)
    assert len(i) <= 4 * places
    assert np.isin(first.codes[i], second.codes[j]).all()
