"""The Hamming distance problem: online, in batches and all against all, each against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fingerprints import brute_near, brute_pairs, crowded, few_bits, planted

from moss.corpus.near.compressed_blocks import BlockTable
from moss.corpus.near.hamming_tables import HammingTables, PlainTable, batch, distinct, pairs
from moss.corpus.near.table_designs import designs

kinds = st.sampled_from([PlainTable, BlockTable])


@given(crowded(), crowded(max_size=5), few_bits, kinds, st.data())
def test_one_fingerprint_finds_what_brute_force_finds(collection, others, k, kind, data):
    design = data.draw(st.sampled_from(designs(k)))
    tables = HammingTables(collection, k, design, kind)
    for query in [*collection[:5].tolist(), *others.tolist()]:
        assert tables.near(query).tolist() == brute_near(collection, query, k)


@given(crowded(), crowded(), few_bits, kinds, st.data())
def test_many_at_once_find_what_each_finds(collection, others, k, kind, data):
    design = data.draw(st.sampled_from(designs(k)))
    queries = np.concatenate([others, collection, others])
    which, found = HammingTables(collection, k, design, kind).near_each(queries)
    expected = [(i, near) for i, query in enumerate(queries.tolist()) for near in brute_near(collection, query, k)]
    assert list(zip(which.tolist(), found.tolist(), strict=True)) == expected


@given(st.lists(crowded(max_size=12), max_size=4), crowded(), few_bits)
def test_a_batch_finds_what_brute_force_finds_in_every_chunk(chunks, queries, k):
    check_batch(chunks, queries, k)


@pytest.mark.parametrize("count", [30, 400], ids=str)
def test_large_and_small_batches(count):
    rng = np.random.default_rng(3)
    collection = planted(rng, 200, 2, 3)
    queries = np.concatenate([planted(rng, count // 2, 0, 0), rng.choice(collection, count)])
    check_batch(np.array_split(collection, 3), queries, 3)


def check_batch(chunks, queries, k):
    answers = list(batch(queries, iter(chunks), k))
    assert len(answers) == len(chunks)
    for chunk, (query, row) in zip(chunks, answers, strict=True):
        expected = [
            (i, j)
            for i, one in enumerate(queries.tolist())
            for j, other in enumerate(chunk.tolist())
            if (one ^ other).bit_count() <= k
        ]
        assert list(zip(query.tolist(), row.tolist(), strict=True)) == expected


@given(crowded(), few_bits, st.data())
def test_all_pairs_each_once(collection, k, data):
    design = data.draw(st.none() | st.sampled_from(designs(k)))
    found = [pair for a, b in pairs(collection, k, design) for pair in zip(a.tolist(), b.tolist(), strict=True)]
    assert len(found) == len(set(found))
    assert set(found) == brute_pairs(collection, k)


@pytest.mark.parametrize("k", [1, 3, 7], ids=str)
def test_planted_pairs_among_many_others(k):
    rng = np.random.default_rng(k)
    collection = planted(rng, 1500, 1, k)
    expected = brute_pairs(collection, k)
    assert len(expected) > 1000
    for design in [None, *designs(k)][:4]:
        found = [pair for a, b in pairs(collection, k, design) for pair in zip(a.tolist(), b.tolist(), strict=True)]
        assert sorted(found) == sorted(expected)


def test_many_alike_do_not_need_memory_for_all_their_pairs(monkeypatch):
    monkeypatch.setattr("moss.corpus.near.hamming_tables._CANDIDATES", 64)
    rng = np.random.default_rng(4)
    collection = planted(rng, 1, 150, 2)
    assert sum(len(a) for a, _ in pairs(collection, 3)) == len(brute_pairs(collection, 3))
    which, _ = HammingTables(collection, 3).near_each(collection)
    assert len(which) == sum(len(brute_near(collection, query, 3)) for query in collection.tolist())


@given(crowded())
def test_distinct_is_each_once_in_order(collection):
    assert distinct(collection).tolist() == sorted(set(collection.tolist()))
