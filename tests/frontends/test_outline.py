"""Outlines and spelling: what they leave out, and what they keep."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontends import by_name
from frontends.normalise.outline import outline, outlines
from frontends.normalise.verbatim import letters, spelled
from frontends.normalise.words import scan_words
from moss.comparison.scan import cut_spans
from moss.model import Channel

JAVA = by_name("java").scan("final int x = (f(3)); if (a.b) {}")[Channel.STRUCTURE].codes.tolist()


def outline_of(language, text):
    return outline(by_name(language).scan(text)[Channel.STRUCTURE].codes).tolist()


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("java", "final int x = (f(3));", "double y = g(n);"),
        ("java", "public static void run() { }", "void go() { }"),
        ("c", "unsigned int a; a = b[1];", "char c; c = d['x'];"),
        ("python", "x = f(1, 'a')", "total = compute(n, m)"),
    ],
)
def test_what_a_rewriting_student_changes_first_is_not_in_an_outline(language, one, other):
    assert outline_of(language, one) == outline_of(language, other) != []


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("java", "if (a < b) { f(); }", "while (a < b) { f(); }"), ("python", "a = b + c", "a = b * c")],
)
def test_keywords_and_operators_are(language, one, other):
    assert outline_of(language, one) != outline_of(language, other)


def test_languages_share_no_outline():
    assert not set(outline_of("java", "x = y;")) & set(outline_of("python", "x = y;"))


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_unknown_codes_stay(codes):
    assert outline(np.array(codes, np.uint64)).tolist() == [code for code in codes if code]


def spelling(text):
    return spelled([(text, scan_words(text)[Channel.TEXT])])[0].tolist()


def test_spelling_has_words_and_signs_in_order_and_no_case_or_layout():
    assert spelling("if (Count>1)\n  stop;") == spelling("IF(count > 1) stop;")
    assert len(spelling("a+b")) == 3
    assert spelling("a+b") != spelling("b+a")


@given(st.lists(st.text() | st.text("ab ;."), max_size=5))
def test_texts_are_spelled_together_as_each_is_alone(texts):
    found = spelled([(text, scan_words(text)[Channel.TEXT]) for text in texts])
    assert [codes.tolist() for codes in found] == [spelling(text) for text in texts]


def test_a_part_is_spelled_as_if_it_stood_alone():
    text = "first, second; third"
    words = scan_words(text)[Channel.TEXT]
    [(part, of_part)] = cut_spans(text, ((7, 14),), words)
    assert spelled([(part, of_part)])[0].tolist() == spelling("second;")


@given(st.lists(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from(JAVA), max_size=9), max_size=5))
def test_streams_are_outlined_together_as_each_is_alone(streams):
    codes = [np.array(stream, np.uint64) for stream in streams]
    assert [found.tolist() for found in outlines(codes)] == [outline(stream).tolist() for stream in codes]


@given(st.text())
def test_letters_are_the_same_with_any_blanks(text):
    assert letters(text + "  \n x").tolist() == letters(text + " x").tolist()
