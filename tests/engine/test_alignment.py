"""Alignment: exact, maximal, disjoint, and nothing missed that is long enough."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import codes, stream, words

from moss.engine import alignment
from moss.engine.alignment import align, align_all, join, split
from moss.engine.documents import BREAK, base_hashes, make_document
from moss.engine.runs import DocumentPair
from moss.engine.tiles import Tile, Tiling
from moss.engine.token_spans import FREE, token_spans

NONE = np.zeros(0, np.uint64)
K, W = 4, 3
T = K + W - 1


def document(*files, base=NONE):
    return make_document([stream(list(file)) for file in files], K, W, base)


def tiles_of(a, b):
    return [t for passage in align(a, b, NONE, K, 0, T) for t in passage]


@given(st.lists(codes, max_size=3), st.lists(codes, max_size=3))
def test_tiles_are_equal_tokens_of_one_file(a_files, b_files):
    a, b = document(*a_files), document(*b_files)
    for t in tiles_of(a, b):
        ours, theirs = a.codes[t.a : t.a_end], b.codes[t.b : t.b_end]
        assert np.array_equal(ours, theirs)
        assert BREAK not in ours


@given(st.lists(codes, max_size=3), st.lists(codes, max_size=3))
def test_tiles_do_not_overlap_and_none_is_noise(a_files, b_files):
    tiles = tiles_of(document(*a_files), document(*b_files))
    assert all(t.length >= K for t in tiles)
    for x, y in combinations(tiles, 2):
        assert x.a_end <= y.a or y.a_end <= x.a
        assert x.b_end <= y.b or y.b_end <= x.b


@given(words, words, st.integers(0, 100), st.integers(0, 100), st.integers(T, 40))
def test_a_shared_run_of_t_is_found_wherever_it_is_moved(a, b, at_a, at_b, length):
    """The run has tokens of its own, and the surroundings of each side too, so exactly it is shared."""
    run = list(range(1000, 1000 + length))
    a, b = [x + 100 for x in a], [x + 200 for x in b]
    at_a, at_b = min(at_a, len(a)), min(at_b, len(b))
    found = tiles_of(document(a[:at_a] + run + a[at_a:]), document(b[:at_b] + run + b[at_b:]))
    assert found == [Tile(at_a, at_b, length)]


@given(codes, codes, st.lists(st.integers(1, 6), min_size=T, max_size=30))
def test_of_any_shared_run_of_t_a_part_is_found(a, b, run):
    """Also where everything repeats: one side of the run is touched by a match."""
    first, second = document(a + run + b), document(b + run + a)
    tiles = tiles_of(first, second)
    assert any(t.a < len(a) + len(run) and len(a) < t.a_end for t in tiles) or any(
        t.b < len(b) + len(run) and len(b) < t.b_end for t in tiles
    )


@given(st.lists(st.integers(1, 6), min_size=T, max_size=80))
def test_equal_documents_are_one_tile(tokens):
    assert tiles_of(document(tokens), document(tokens)) == [Tile(0, 0, len(tokens))]


@given(codes, codes)
def test_swapping_the_sides_matches_as_much(a, b):
    there, back = tiles_of(document(a), document(b)), tiles_of(document(b), document(a))
    assert max((t.length for t in there), default=0) == max((t.length for t in back), default=0)


def test_a_hash_collision_is_no_match(monkeypatch):
    """With a hash of seven values nearly every fingerprint collides; tokens decide."""
    from moss.engine import documents

    monkeypatch.setattr(documents, "hash_kgrams", lambda codes, k: codes[: max(0, len(codes) - k + 1)] % np.uint64(7))
    a = document([7 * i for i in range(1, 60)])
    b = document([7 * i for i in range(500, 560)])
    assert len(np.intersect1d(a.hashes, b.hashes))
    assert tiles_of(a, b) == []


def test_base_code_is_in_no_tile():
    handout = list(range(1, 40))
    base = base_hashes([document(handout)], K)
    own = list(range(100, 120))
    a, b = document([*handout, *own], base=base), document([*own, *handout], base=base)
    assert tiles_of(a, b) == [Tile(len(handout), 0, len(own))]


@given(st.lists(st.integers(1, 6), min_size=K, max_size=40), words, words)
def test_every_stretch_between_base_code_is_found_again(handout, own, more):
    """Equal documents match in all that is not base, however the base code cuts them up."""
    base = base_hashes([document(handout)], K)
    text = [*own, *handout, *more, *handout, *own]
    a, b = document(text, base=base), document(text, base=base)
    matched = np.zeros(len(a.codes), np.bool_)
    for t in tiles_of(a, b):
        matched[t.a : t.a_end] = True
    assert (matched | ~a.in_own_runs_of(K)).all()


def test_taken_tokens_are_in_no_tile_and_bridged_by_no_gap():
    run = list(range(1, 31))
    a, b = document(run), document(run)
    for taken in (token_spans([(15, 16)]), FREE), (FREE, token_spans([(15, 16)])):
        assert align_all([DocumentPair(a, b, taken)], NONE, K, 5, T) == [[(Tile(0, 0, 15),), (Tile(16, 16, 14),)]]


def test_common_fingerprints_find_nothing():
    run = list(range(1, 31))
    a = document(run)
    assert align(a, document(run), np.unique(a.hashes), K, 0, T) == []


def test_an_inserted_statement_does_not_split_a_copy():
    before, after = list(range(1, 20)), list(range(20, 40))
    a, b = document(before + after), document([*before, 900, 901, 902, *after])
    assert align(a, b, NONE, K, 3, T) == [(Tile(0, 0, 19), Tile(19, 22, 20))]
    assert len(align(a, b, NONE, K, 2, T)) == 2


@given(st.lists(st.tuples(st.lists(codes, max_size=2), st.lists(codes, max_size=2)), min_size=1, max_size=4))
def test_pairs_are_aligned_together_as_each_by_itself(pairs):
    documents = [(document(*a), document(*b)) for a, b in pairs]
    together = align_all([DocumentPair(a, b) for a, b in documents], NONE, K, 2, T)
    assert together == [align(a, b, NONE, K, 2, T) for a, b in documents]


@given(st.lists(st.tuples(codes, st.integers(0, 20), st.integers(0, 6)), min_size=2, max_size=4))
def test_what_is_taken_in_one_pair_is_not_in_another(pairs):
    found = [
        DocumentPair(
            document(tokens), document(tokens), (token_spans([(start, min(start + length, len(tokens)))]), FREE)
        )
        for tokens, start, length in pairs
    ]
    assert align_all(found, NONE, K, 2, T) == [align_all([both], NONE, K, 2, T)[0] for both in found]


def test_tiles_in_another_order_are_not_joined():
    tiles = [Tile(0, 20, 10), Tile(10, 10, 10), Tile(20, 0, 10)]
    assert join(tiles, [], [], 5) == [(t,) for t in tiles]


def filled(runs, size, k):
    tiling = Tiling((size, size), k)
    tiling.fill(runs)
    return tiling.tiles


def tiled_by_hand(runs, k):
    """The longest stretch of any run that is still free on both sides, again and again; the earliest of equal ones."""
    a_used, b_used, tiles = set(), set(), []
    while True:
        token_spans = []
        for run in runs:
            free = [run.a + n not in a_used and run.b + n not in b_used for n in range(run.length)] + [False]
            begin = 0
            for at, is_free in enumerate(free):
                if not is_free:
                    token_spans.append((begin - at, run.a + begin, run.b + begin))
                    begin = at + 1
        negative, a, b = min(token_spans, default=(0, 0, 0))
        if -negative < k:
            return sorted(tiles)
        tiles.append(Tile(a, b, -negative))
        a_used |= {*range(a, a - negative)}
        b_used |= {*range(b, b - negative)}


@given(st.lists(st.builds(Tile, st.integers(0, 20), st.integers(0, 20), st.integers(1, 12)), max_size=6, unique=True),
       st.integers(1, 4))  # fmt: skip
def test_tiles_are_those_that_somebody_would_find_by_hand(runs, k):
    runs = [run for run in runs if run.length >= k]
    assert filled(runs, 40, k) == tiled_by_hand(runs, k)


def test_the_longest_run_comes_first():
    assert filled([Tile(0, 0, 10), Tile(5, 20, 30)], 60, 4) == [Tile(0, 0, 5), Tile(5, 20, 30)]


def test_what_is_repeated_very_often_stays_cheap(monkeypatch):
    """One k-gram thousands of times on both sides is not tried at millions of places."""
    tries = []
    real = alignment.maximal_runs

    def counted(a, b, places, *others):
        tries.append(len(places[0]))
        return real(a, b, places, *others)

    monkeypatch.setattr(alignment, "maximal_runs", counted)
    a, b = document([1] * 3000), document([1] * 3000)
    assert tiles_of(a, b) == [Tile(0, 0, 3000)]
    assert tries[0] <= 3000


def test_a_passage_is_cut_at_joints_of_either_side():
    passage = (Tile(0, 10, 8), Tile(10, 20, 5))
    none, three, twenty = np.array([], np.int64), np.array([3]), np.array([20])
    assert split(passage, none, none) == [passage]
    assert split(passage, three, none) == [(Tile(0, 10, 3),), (Tile(3, 13, 5), Tile(10, 20, 5))]
    assert split(passage, none, twenty) == [(Tile(0, 10, 8),), (Tile(10, 20, 5),)]
