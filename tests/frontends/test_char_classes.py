"""Cutting, shrinking and joining: what arrays do for whole texts at once is what the definitions say for each."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import OPENERS

from frontends import FRONTENDS, TEXT, scan_all
from frontends.lexing import batching
from frontends.lexing.char_classes import BLANK, PART, WHOLE, cut
from frontends.lexing.masked_text import mask
from frontends.lexing.scanner import LexiconScanner
from moss.hashing import HashLookup

OWN = [frontend for frontend in FRONTENDS if isinstance(frontend.scan, LexiconScanner)]
JOINED = [*OWN, TEXT]
JUNK = st.lists(st.sampled_from([*OPENERS, "r'", "x1 ", "©", "你", "Ѕ", "\\\n", "if", "\n"]), max_size=20).map("".join)


@given(roles=st.lists(st.sampled_from([BLANK, PART, WHOLE])))
def test_tokens_are_runs_of_parts_and_each_that_is_whole(roles: list[int]) -> None:
    written = "".join(" aX"[role] for role in roles)
    start, end = cut(np.array([BLANK, *roles, BLANK], np.uint8))
    assert [*zip(start, end, strict=True)] == [match.span() for match in re.finditer("a+|X", written)]


@given(texts=st.lists(st.text("ab(). "), min_size=1, max_size=4))
def test_what_was_shrunk_is_put_back_where_it_was(texts: list[str]) -> None:
    joined, pattern = " ".join(texts), re.compile(r"(\([^()]*\))|(\.+)")
    masked = mask(texts, pattern, "12")
    assert masked.text == " ".join(pattern.sub(lambda match: str(match.lastindex), text) for text in texts)
    places = np.arange(len(masked.text))
    start, end = masked.original(places, places + 1)
    assert [joined[i] for i in start] == [
        joined[i] if c not in "12" else "(."[int(c) - 1] for i, c in zip(start, masked.text, strict=True)
    ]
    assert "".join(joined[i:j] for i, j in zip(start, end, strict=True)) == joined


@given(texts=st.lists(JUNK, max_size=8), limit=st.integers(1, 100))
@settings(max_examples=30, deadline=None)
def test_texts_read_together_are_read_as_each_by_itself(texts: list[str], limit: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batching, "_BATCH", limit)
        for frontend in JOINED:
            for together, alone in zip(scan_all(frontend, texts), map(frontend.scan, texts), strict=True):
                assert together.keys() == alone.keys()
                for channel in alone:
                    for field in ("codes", "start", "end"):
                        found, expected = getattr(together[channel], field), getattr(alone[channel], field)
                        assert found.tolist() == expected.tolist(), frontend.name


@given(
    members=st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=300),
    asked=st.lists(st.integers(0, 2**64 - 1), max_size=20),
)
def test_places_are_those_of_a_search(members: list[int], asked: list[int]) -> None:
    asked = [*asked, *members[::2], *members[:3]]
    where, which = HashLookup(np.array(members, np.uint64)).find(np.array(asked, np.uint64))
    found = dict(zip(where.tolist(), which.tolist(), strict=True))
    assert found == {i: members.index(hash_) for i, hash_ in enumerate(asked) if hash_ in members}
