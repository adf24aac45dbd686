"""Compressed blocks: what goes in comes out, and every question is answered as by the plain table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fingerprints import crowded

from moss.corpus.near.compressed_blocks import LONGEST, BlockTable, HuffmanCode, bit_lengths
from moss.corpus.near.hamming_tables import PlainTable

hashes = st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 2**64 - 1])
tables = st.lists(hashes, max_size=60).map(lambda values: np.array(values, np.uint64)) | crowded(max_size=60)
block_bytes = st.sampled_from([32, 40, 64, 1024])


@given(tables, block_bytes)
def test_what_is_packed_is_unpacked(fingerprints, block_bytes):
    fingerprints = np.sort(fingerprints)
    table = BlockTable(fingerprints, block_bytes)
    assert len(table) == len(fingerprints)
    assert table.all().tolist() == fingerprints.tolist()
    rows = np.arange(len(fingerprints))[::-2]
    assert table.rows(rows).tolist() == fingerprints[rows].tolist()


@given(tables, block_bytes, st.lists(st.tuples(hashes, hashes), max_size=12))
def test_it_answers_as_the_plain_table(fingerprints, block_bytes, asked):
    fingerprints = np.sort(fingerprints)
    asked += [(int(value), int(value)) for value in fingerprints[:3]]
    low = np.array([min(pair) for pair in asked], np.uint64)
    high = np.array([max(pair) for pair in asked], np.uint64)
    packed, plain = BlockTable(fingerprints, block_bytes), PlainTable(fingerprints)
    for one, other in zip(
        packed.ranges(np.sort(low), np.sort(high)), plain.ranges(np.sort(low), np.sort(high)), strict=True
    ):
        assert one.tolist() == other.tolist()
    for a, b in zip(low.tolist(), high.tolist(), strict=True):
        assert packed.between(a, b).tolist() == plain.between(a, b).tolist()
        assert packed.between(a, b).tolist() == [value for value in fingerprints.tolist() if a <= value <= b]


@pytest.mark.parametrize("value", [0, 7, 2**64 - 1], ids=str)
def test_equal_fingerprints_that_fill_several_blocks_are_all_found(value):
    fingerprints = np.sort(np.array([*[value] * 1000, 3, 9], np.uint64))
    table, plain = BlockTable(fingerprints, 32), PlainTable(fingerprints)
    assert table.nbytes > 4 * 32
    assert table.between(value, value).tolist() == [value] * 1000
    ends = np.array([value], np.uint64)
    assert [found.tolist() for found in table.ranges(ends, ends)] == [
        found.tolist() for found in plain.ranges(ends, ends)
    ]


@pytest.mark.parametrize("size", [1, 2, 1000, 40_000], ids=str)
def test_random_tables_of_every_size(size):
    rng = np.random.default_rng(size)
    fingerprints = np.sort(rng.integers(0, 2**64, size, np.uint64))
    table = BlockTable(fingerprints)
    assert np.array_equal(table.all(), fingerprints)
    rows = rng.integers(0, size, 50)
    assert np.array_equal(table.rows(rows), fingerprints[rows])


def test_a_million_random_fingerprints_shrink_as_the_theory_says():
    """Successive ones share d = 20 bits; the code for where they differ takes three, the block's key one."""
    fingerprints = np.sort(np.random.default_rng(1).integers(0, 2**64, 1 << 20, np.uint64))
    bits = BlockTable(fingerprints).nbytes * 8 / len(fingerprints)
    assert 64 - 20 + 3 < bits < 64 - 20 + 5


def test_fingerprints_that_crowd_together_shrink_more():
    rng = np.random.default_rng(2)
    centres = np.repeat(rng.integers(0, 2**64, 500, np.uint64), 40)
    crowd = np.sort(centres ^ rng.integers(0, 2**16, len(centres)).astype(np.uint64))
    spread = np.sort(rng.integers(0, 2**64, len(centres), np.uint64))
    assert BlockTable(crowd).nbytes < 0.5 * BlockTable(spread).nbytes


@pytest.mark.parametrize("size", [0, 24, 33], ids=str)
def test_impossible_blocks_are_refused(size):
    with pytest.raises(ValueError, match="block"):
        BlockTable(np.empty(0, np.uint64), size)


counts = st.lists(st.integers(0, 5) | st.integers(0, 2**40), min_size=1, max_size=65)


@given(counts)
def test_no_code_begins_another_and_all_are_decoded(counts):
    code = HuffmanCode.of(np.array(counts))
    used = [symbol for symbol, count in enumerate(counts) if count]
    assert np.flatnonzero(code.lengths).tolist() == used
    for symbol in used:
        free = LONGEST - int(code.lengths[symbol])
        assert free >= 0
        for ahead in (int(code.codes[symbol]) << free, (int(code.codes[symbol]) + 1 << free) - 1):
            assert code.symbols[ahead] == symbol


@given(st.lists(st.integers(1, 1000), min_size=2, max_size=65))
def test_a_code_is_within_a_bit_of_the_entropy(counts):
    lengths = HuffmanCode.of(np.array(counts)).lengths
    share = np.array(counts) / sum(counts)
    entropy = -np.sum(share * np.log2(share))
    assert entropy - 1e-9 <= np.sum(share * lengths) <= entropy + 1


@given(st.lists(hashes, max_size=20))
def test_bit_lengths(values):
    assert bit_lengths(np.array(values, np.uint64)).tolist() == [value.bit_length() for value in values]
