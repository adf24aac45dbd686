"""Token codes: what the array arithmetic gives is what the definition says, and it never changes."""

from __future__ import annotations

from hashlib import blake2b
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.thue_morse import twin_words

from frontends import by_name
from frontends.lexing.codes import TokenHasher, characters, code, hash_signs, in_vocabulary
from moss import hashing
from moss.hashing import SpanHasher, digests, mix
from moss.model import Channel

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


def polynomial(word: str) -> int:
    return int(SpanHasher(characters(word))(np.array([0]), np.array([len(word)]))[0])


@pytest.mark.parametrize("letters", ["ab", "AZ", "07", "éü", "你b"])
def test_long_words_with_equal_polynomials_have_codes_of_their_own(letters: str) -> None:
    a, b = twin_words(*letters)
    assert a != b
    assert polynomial(a) == polynomial(b)  # or there is nothing to mend
    assert code(a) != code(b)


@pytest.mark.parametrize(
    ("language", "channel", "around"),
    [
        ("text", Channel.TEXT, "{}"),
        ("java", Channel.TEXT, "int {};"),
        ("html", Channel.TEXT, "<p>{}</p>"),
        ("html", Channel.STRUCTURE, "<p {}>"),
        ("generic", Channel.STRUCTURE, "{}"),
    ],
)
@pytest.mark.parametrize("letters", ["ab", "жb"])
def test_no_front_end_takes_one_long_word_for_another(
    language: str, channel: Channel, around: str, letters: str
) -> None:
    scan = by_name(language).scan
    a, b = (scan(around.format(word))[channel].codes.tolist() for word in twin_words(*letters))
    assert len(a) == len(b) > 0
    assert a != b


@given(word=st.text(st.characters(), max_size=200), before=st.text(st.characters(), max_size=3))
def test_a_token_of_any_length_has_one_hash_wherever_it_stands(word: str, before: str) -> None:
    start, end = np.array([0, len(before)]), np.array([len(before), len(before) + len(word)])
    found = TokenHasher(characters(f"{before}{word}你"))(start, end).tolist()
    assert found == [code(before), code(word)]
    assert (found[1] == polynomial(word)) == (len(word) <= 64)


@given(text=TEXT, block=st.integers(1, 12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_digest_is_that_of_the_values(text: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.array([0]), np.array([len(text)])
    with monkeypatch.context() as patch:
        patch.setattr(hashing, "_BLOCK", block)
        (found,) = digests(characters(text), *whole)
    assert found == digests(characters(text).astype(np.uint64), *whole)[0]
    expected = blake2b(b"".join(ord(c).to_bytes(8, "little") for c in text), digest_size=8).digest()
    assert found == int.from_bytes(expected, "little")


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
    assert code("x" * 65) == PINNED["65 x"]
    assert int(in_vocabulary("java", np.array([code("while")], np.uint64))[0]) == PINNED["while in java"]


PINNED = {
    "while": 0xD128BE51409EADE9,
    "any name": 0x8F273CA5271FE62C,
    "你好": 0x6B00F40F21E0275F,
    "65 x": 0x9D09B60712B10F23,
    "while in java": 0xEE30E5C6531E5637,
}
