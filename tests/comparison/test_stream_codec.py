"""Token streams become bytes and come back, and bytes that are not what they were are refused."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.programs import LEDGER

from moss.comparison.scan import read_file
from moss.comparison.scanned_files import FilePart, FilePlan, FileStreams, PartStreams, ScannedFile
from moss.comparison.stream_codec import DamagedError, pack, unpack
from moss.model import Channel, Status, TokenStream

spans = st.lists(st.tuples(st.integers(0, 2**31), st.integers(0, 2**31)), max_size=3).map(tuple)
sizes = st.sampled_from([0, 1, 255, 256, 65_535, 65_536, 2**31])


@st.composite
def token_streams(draw):
    tokens = draw(st.lists(st.tuples(st.integers(0, 2**64 - 1), sizes, sizes), max_size=12))
    end = np.cumsum(np.array([gap + length for _, gap, length in tokens], np.int64))
    lengths = np.array([length for _, _, length in tokens], np.int64)
    return TokenStream(np.array([code for code, _, _ in tokens], np.uint64), end - lengths, end)


parts = st.builds(PartStreams, st.text(), spans, st.dictionaries(st.sampled_from(Channel), token_streams()))
scanned_files = st.builds(ScannedFile, st.text(), st.integers(0, 2**40), st.sampled_from(Status), st.text())
file_streams = st.builds(FileStreams, scanned_files, st.lists(parts, max_size=3).map(tuple))


def plain(streams):
    """Streams in a form that can be compared."""
    return streams.file, [
        (part.language, part.spans,
         [(channel, [(array.dtype, array.tolist()) for array in (stream.codes, stream.start, stream.end)])
          for channel, stream in part.tokens.items()])
        for part in streams.parts
    ]  # fmt: skip


@given(file_streams)
def test_what_is_packed_is_unpacked(streams):
    assert plain(unpack(pack(streams))) == plain(streams)


def test_tokens_in_any_order_are_unpacked():
    """No front end gives such, but the format does not rely on it."""
    stream = TokenStream(np.array([3, 4], np.uint64), np.array([9, 2]), np.array([12, 3]))
    streams = FileStreams(ScannedFile("java", 2, Status.OK), (PartStreams("java", (), {Channel.TEXT: stream}),))
    assert plain(unpack(pack(streams))) == plain(streams)


PACKED = pack(read_file(FilePlan(LEDGER, (FilePart("java", ((0, len(LEDGER)),)),))))


@given(st.integers(0, 8 * len(PACKED) - 1))
def test_a_flipped_bit_is_noticed(bit):
    harmed = bytearray(PACKED)
    harmed[bit // 8] ^= 1 << bit % 8
    with pytest.raises(DamagedError):
        unpack(bytes(harmed))


@given(st.integers(0, len(PACKED) - 1), st.binary(min_size=1, max_size=9))
def test_what_is_cut_or_longer_is_noticed(size, more):
    for harmed in (PACKED[:size], PACKED + more, more):
        with pytest.raises(DamagedError):
            unpack(harmed)


_PACKED = """
from moss.comparison.stream_codec import pack
from moss.comparison.scanned_files import FilePart, FilePlan
from moss.comparison.scan import read_file
print(pack(read_file(FilePlan("x = 1\\ny = 2\\n", (FilePart("python", ((0, 6), (6, 12))),)))).hex())
"""


def test_it_does_not_matter_which_process_read_a_file():
    """One that is not forked has a hash seed of its own."""
    packed = [
        subprocess.run([sys.executable, "-c", _PACKED], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True)
        for seed in "1234"
    ]
    assert all(each.returncode == 0 for each in packed), packed[0].stderr
    assert len({each.stdout for each in packed}) == 1
