"""The text channel: words as written, in any case."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frontends.lexing.codes import code, in_vocabulary
from frontends.normalise.words import scan_words
from moss.model import Channel, TokenStream


def words(text: str) -> list[str]:
    """The words that the text channel has tokens for."""
    stream = scan_words(text)[Channel.TEXT]
    return [text[start:end] for start, end in zip(stream.start, stream.end, strict=True)]


def stream(text: str) -> TokenStream:
    return scan_words(text)[Channel.TEXT]


@given(text=st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="\\")))
def test_words_are_runs_of_letters_digits_and_underscores(text: str) -> None:
    assert words(text) == re.findall(r"\w+", text)


@given(text=st.text(st.sampled_from("abAB1_ .")))
def test_codes_are_of_the_lower_case(text: str) -> None:
    hashes = np.array([code(word.lower()) for word in re.findall(r"\w+", text)], np.uint64)
    assert stream(text).codes.tolist() == in_vocabulary("words", hashes).tolist()


def test_case_does_not_matter() -> None:
    assert stream("Straße ÉCOLE Print").codes.tolist() == stream("STRAßE école pRINT").codes.tolist()


def test_writing_without_blanks_has_a_word_for_each_character() -> None:
    assert words("你好 world かな") == ["你", "好", "world", "か", "な"]


def test_words_of_other_alphabets_are_whole() -> None:
    assert words("Привет, мир! żółć 안녕") == ["Привет", "мир", "żółć", "안녕"]


def test_letters_that_grow_in_lower_case_keep_their_place() -> None:
    assert words("İstanbul İİ x") == ["İstanbul", "İİ", "x"]
