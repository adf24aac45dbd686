"""The promise: of a shared run of T tokens all tokens of one side lie in passages, whatever is around it."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.shared_runs import broken, fewest_broken, planted, shared_runs, used_by
from support.strategies import stream

from frontends import by_name
from moss.engine import alignment, seeds
from moss.engine.alignment import WORK, align
from moss.engine.documents import make_document
from moss.engine.promise import keep
from moss.engine.seeds import Places, find_seeds
from moss.engine.tiles import Tile, Tiling
from moss.model import Channel

SAMPLES = Path(__file__).parents[2] / "sample_submissions"
NONE = np.zeros(0, np.uint64)


def tiles_of(a, b, k, t):
    """What is shown of two texts: disjoint tiles of equal tokens, none shorter than k."""
    documents = (make_document([stream(tokens)], k, t - k + 1) for tokens in (a, b))
    tiles = [each for passage in align(*documents, NONE, k, k, t) for each in passage]
    assert all(each.length >= k and a[each.a : each.a_end] == b[each.b : each.b_end] for each in tiles)
    return tiles


def is_shown(first, second, run, at, k, t):
    """Whether a run that is planted into two documents at these places is."""
    a, b = first[: at[0]] + run + first[at[0] :], second[: at[1]] + run + second[at[1] :]
    return not broken([(*at, len(run))], used_by(tiles_of(a, b, k, t)))


def kept(runs, size, k, t):
    """The tiles of these runs, after whatever it takes to keep the promise."""
    tiling = Tiling((size, size), k)
    tiling.fill(runs)
    left = keep(tiling, runs, t, tuple, WORK)
    return tiling.tiles, WORK - left


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
        tiles, _ = kept(some, 500, k, k)
        assert not broken(some, used_by(tiles))
        assert all(each.length >= k for each in tiles)


def test_a_neighbour_is_trimmed_for_the_rest_of_a_run():
    runs = [Tile(0, 0, 30), Tile(24, 100, 16)]
    (first, second), _ = kept(runs, 200, 12, 16)
    assert (first.a, second.a_end) == (0, 40)
    assert not broken(runs, used_by([first, second]))


@pytest.mark.parametrize("length", range(13, 24))
def test_of_two_runs_without_room_for_both_the_longer_is_shown(length):
    """Together they have fewer than 24 tokens, which is room for one tile of 12."""
    runs = [Tile(0, 0, 12), Tile(23 - length, 100, length)]
    tiles, _ = kept(runs, 200, 12, 12)
    assert len(tiles) == 1
    assert broken(runs, used_by(tiles)) == ([] if length == 23 else [runs[0]])


def texts(most):
    return st.integers(1, 4).flatmap(lambda tokens: st.lists(st.integers(1, tokens), max_size=most))


@given(texts(60), texts(60), st.integers(1, 5), st.integers(0, 4))
@example([1, 1], [1, 2, 1, 1], 1, 1)  # winnowing selects the second 1 here, and the one behind 2 there
def test_of_a_shared_run_no_k_tokens_in_a_row_are_left_out(a, b, k, more):
    """This holds always, also where a run cannot be shown whole."""
    t = k + more
    used = used_by(tiles_of(a, b, k, t))
    runs = shared_runs(a, b, t)
    assert not [(i, j) for i, j, n in runs for at in range(n - k + 1) if all_free(used, i + at, j + at, k)]


def all_free(used, i, j, k):
    mask = (1 << k) - 1
    return not used[0] >> i & mask and not used[1] >> j & mask


# different tokens in the texts (0: the structure of real programs), and how many runs more may be broken than must be
SMALL = [(2, 30), (3, 4), (5, 0), (20, 0), (0, 0)]


@pytest.mark.parametrize(("tokens", "more"), SMALL)
def test_hardly_more_runs_are_broken_than_in_the_best_of_all_tilings(tokens, more):
    """A run among 12 tokens on either side that have nothing to do with each other; all tilings are tried."""
    chance, programs = random.Random(2), real_programs()
    ours = least = 0
    for _ in range(60):
        pieces = [piece(chance, tokens, programs, size) for size in (12, 12, 4)]
        a, b, _ = planted(chance, *pieces)
        ours += len(broken(shared_runs(a, b, 4), used_by(tiles_of(a, b, 3, 4))))
        least += fewest_broken(a, b, 3, 4)
    assert least <= ours <= least + more


def piece(chance, tokens, programs, size):
    if tokens:
        return chance.choices(range(1, tokens + 1), k=size)
    program = chance.choice(programs)
    start = chance.randrange(len(program) - size)
    return program[start : start + size]


@pytest.mark.parametrize(("tokens", "lost"), [(2, 2), (3, 0), (5, 0), (20, 0), (0, 1)])
def test_a_run_planted_in_repetitive_texts_is_shown(tokens, lost):
    """But for one in thirty that overlaps with others and finds no room."""
    chance, programs, missed = random.Random(3), real_programs(), []
    for k, t in ((12, 16), (6, 9), (4, 8)):
        for _ in range(10):
            a, b, run = planted(chance, *(piece(chance, tokens, programs, size) for size in (150, 150, t)))
            missed += broken([run], used_by(tiles_of(a, b, k, t)))
    assert len(missed) <= lost


def test_the_work_for_texts_that_repeat_themselves_is_bounded(monkeypatch):
    """Of two tokens everything is everywhere: no search would come to an end by itself."""
    chance, left = random.Random(1), []

    def counted(*arguments):
        left.append(keep(*arguments))
        return left[-1]

    monkeypatch.setattr(alignment, "keep", counted)
    monkeypatch.setattr(alignment, "WORK", 10**6)
    a, b = (chance.choices((1, 2), k=2000) for _ in range(2))
    tiles = tiles_of(a, b, 4, 8)
    assert left[0] <= 0
    assert min(left) > -(10**6)
    assert sum(tile.length for tile in tiles) > 1500


def test_a_run_whose_places_were_not_all_tried_is_found_again(monkeypatch):
    """So few seeds are followed that nearly all runs have to be found by what the tiles leave out."""
    monkeypatch.setattr(seeds, "_SEEDS", 0)
    monkeypatch.setattr(seeds, "_FREE", 0)
    monkeypatch.setattr(seeds, "_CROWD", 0)
    chance, (k, t) = random.Random(5), (6, 9)
    lost = 0
    for _ in range(20):
        a, b, _ = planted(chance, *(chance.choices(range(1, 4), k=size) for size in (200, 200, t)))
        lost += len(broken(shared_runs(a, b, t), used_by(tiles_of(a, b, k, t))))
    assert lost <= 2


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
    assert sorted(zip(found.here.tolist(), found.there.tolist(), strict=True)) == sorted(expected)
    assert found.are_all


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
    i, j, are_all = find_seeds(first, second, NONE, 12)
    assert not are_all
    assert len(i) <= 4 * places
    assert np.isin(first.codes[i], second.codes[j]).all()


def repetitive(seed, statements):
    """A long program of few statements in any order: each k-gram is at many places, and none at the end of a period."""
    chance = random.Random(seed)
    kinds = [random.Random(kind).choices(range(1, 30), k=6 + kind) for kind in range(8)]
    return make_document([stream([token for _ in range(statements) for token in chance.choice(kinds)])], 12, 5)


def test_seeds_stay_in_proportion_to_the_shorter_document():
    """As many tokens as the shorter one has can be in passages: nobody needs more seeds than that, however long the
    other is, and one huge file in a class does not cost as much with each program as with another huge one."""
    short, long = repetitive(1, 100), repetitive(2, 20_000)
    assert len(long.hashes) > 100 * len(short.hashes)
    for pair in ((short, long), (long, short)):
        found = find_seeds(*pair, NONE, 12)
        assert not found.are_all
        assert len(found.here) <= seeds._FREE + (seeds._SEEDS + 5) * len(short.hashes)


def test_memory_stays_in_proportion_to_the_documents():
    first, second = repetitive(1, 1200), repetitive(2, 1200)
    tracemalloc.start()
    try:
        assert align(first, second, NONE, 12, 12, 16)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 1500 * (first.size + second.size)
