"""Token codes: what the array arithmetic gives is what the definition says, and it never changes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontends.codes import characters, code, hash_signs, in_vocabulary
from moss import hashing
from moss.hashing import SpanHasher, mix

MASK = (1 << 64) - 1
TEXT = st.text(st.characters(), max_size=60)


def naive_mix(value: int) -> int:
    """SplitMix64's finaliser in plain integers."""
    value ^= value >> 30
    value = value * 0xBF58476D1CE4E5B9 & MASK
    value ^= value >> 27
    value = value * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


def naive_hash(word: str) -> int:
    """The definition: the characters as the digits of a number in a large base, mixed."""
    return naive_mix(sum(ord(c) * pow(0x9E3779B97F4A7C15, i, 1 << 64) for i, c in enumerate(word)) & MASK)


@st.composite
def spans(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    """A text and ordered, non-overlapping, non-empty spans in it."""
    text = draw(TEXT)
    cuts = sorted(draw(st.sets(st.integers(0, len(text)))))
    chosen = [draw(st.booleans()) for _ in cuts[1:]]
    return text, [span for span, keep in zip(pairwise(cuts), chosen, strict=True) if keep]


def hashes(text: str, where: list[tuple[int, int]]) -> list[int]:
    start, end = np.array(where, np.int64).reshape(-1, 2).T
    return [int(value) for value in SpanHasher(characters(text))(start, end)]


@given(case=spans())
def test_span_hash_is_the_definition(case: tuple[str, list[tuple[int, int]]]) -> None:
    text, where = case
    assert hashes(text, where) == [naive_hash(text[start:end]) for start, end in where]


@given(case=spans(), block=st.integers(1, 12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_blocks_do_not_show(
    case: tuple[str, list[tuple[int, int]]], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words that span blocks, end with one or are longer than one have the same hash."""
    text, where = case
    with monkeypatch.context() as patch:
        patch.setattr(hashing, "_BLOCK", block)
        found = hashes(text, where)
    assert found == [naive_hash(text[start:end]) for start, end in where]


@given(word=st.text(st.characters(), min_size=1, max_size=20))
def test_code_of_a_word_is_its_span_hash(word: str) -> None:
    assert code(word) == naive_hash(word)


@given(text=TEXT)
def test_sign_hash_is_the_hash_of_a_span_of_one(text: str) -> None:
    assert hash_signs(characters(text)).tolist() == hashes(text, [(i, i + 1) for i in range(len(text))])


@given(values=st.lists(st.integers(0, MASK)))
def test_mix_is_the_definition(values: list[int]) -> None:
    assert mix(np.array(values, np.uint64)).tolist() == [naive_mix(value) for value in values]


def test_mix_is_a_bijection_on_neighbours() -> None:
    assert len(np.unique(mix(np.arange(100_000, dtype=np.uint64)))) == 100_000


def test_characters_are_code_points() -> None:
    for text in ("", "plain", "naïve 你好 \U0001f600", "\ud800"):
        assert characters(text).tolist() == [ord(c) for c in text]


def test_vocabularies_share_no_code() -> None:
    words = np.array([code(word) for word in ("if", "else", "any name", "(", ")")], np.uint64)
    assert not set(in_vocabulary("java", words).tolist()) & set(in_vocabulary("python", words).tolist())


def test_codes_never_change() -> None:
    """Fingerprints made of them are stored for years: a change here makes all of those worthless."""
    assert code("while") == PINNED["while"]
    assert code("any name") == PINNED["any name"]
    assert code("你好") == PINNED["你好"]
    assert int(in_vocabulary("java", np.array([code("while")], np.uint64))[0]) == PINNED["while in java"]


PINNED = {
    "while": 0xD128BE51409EADE9,
    "any name": 0x8F273CA5271FE62C,
    "你好": 0x6B00F40F21E0275F,
    "while in java": 0xEE30E5C6531E5637,
}
