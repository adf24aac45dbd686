"""Fingerprints of kept files are those of a comparison, and find every passage that is long enough."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.programs import DIARY_PY, LEDGER

from moss.comparison.passage_fingerprints import fingerprints_in, fingerprints_of, layer_name
from moss.comparison.scan import Scanner, read_file
from moss.comparison.scanned_files import FilePart, FilePlan
from moss.comparison.stream_codec import pack

PERL = 'my %seen;\nforeach my $word (split /\\s+/, <STDIN>) {\n    print "$word\\n" unless $seen{$word}++;\n}\n'


def plan_of(text, language="java"):
    return FilePlan(text, (FilePart(language, ((0, len(text)),)),))


def kept_file(text, language="java"):
    return pack(read_file(plan_of(text, language)))


def layers_of(text, language):
    """The fingerprints that a comparison would use, by layer."""
    scanned = Scanner(None, {}, None)((plan_of(text, language),))
    return {layer_name(key): located.document.hashes for key, located in scanned.layers.items()}


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        (LEDGER, "java", {"structure/12/16/own", "text/6/9/shared"}),
        (LEDGER, "text", {"text/3/4/own", "text/6/9/shared"}),
        (PERL, "perl", {"structure/12/16/own", "text/6/9/shared"}),
        ("", "java", {"structure/12/16/own", "text/6/9/shared"}),
    ],
)
def test_fingerprints_are_those_of_a_comparison(text, language, names):
    found = fingerprints_of(kept_file(text, language))
    expected = layers_of(text, language)
    assert found.keys() == names == expected.keys()
    for name, fingerprints in found.items():
        assert fingerprints.hashes.dtype == np.uint64
        assert fingerprints.hashes.tolist() == expected[name].tolist()
        assert all(a < b for a, b in pairwise(fingerprints.start.tolist()))


def test_a_fingerprint_stands_where_it_says():
    found = fingerprints_of(kept_file(LEDGER))["text/6/9/shared"]
    for value, start, end in zip(found.hashes, found.start, found.end, strict=True):
        passage = fingerprints_of(kept_file(LEDGER[start:end]))["text/6/9/shared"]
        assert passage.hashes.tolist() == [value]


def test_a_notebook_has_a_layer_for_each_of_its_languages():
    text = "# Diary, in short, for all who want to read it\n" + DIARY_PY
    cut = text.index("\n") + 1
    plan = FilePlan(text, (FilePart("text", ((0, cut),)), FilePart("python", ((cut, len(text)),))))
    packed = pack(read_file(plan))
    assert fingerprints_of(packed).keys() == {"text/3/4/own", "structure/12/16/own", "text/6/9/shared"}
    inside = fingerprints_in(packed, 0, cut)
    assert len(inside["text/3/4/own"]) == 10 - 3 + 1
    assert not len(inside["structure/12/16/own"])


@settings(deadline=None)
@given(st.data())
def test_a_passage_is_found_in_whatever_has_it(data):
    """Every run of words as long as the guarantee, in whatever surroundings."""
    words = st.lists(st.sampled_from([f"word{n}" for n in range(40)]), max_size=30)
    copied = data.draw(st.lists(st.sampled_from([f"word{n}" for n in range(40)]), min_size=9, max_size=15))
    there, here = (" ".join([*data.draw(words), *copied, *data.draw(words)]) for _ in range(2))
    start = here.index(passage := " ".join(copied))
    earlier = fingerprints_of(kept_file(there, "text"))
    for name, asked in fingerprints_in(kept_file(here, "text"), start, start + len(passage)).items():
        assert set(asked.hashes.tolist()) & set(earlier[name].hashes.tolist())
        assert (asked.start >= start).all()
        assert (asked.end <= start + len(passage)).all()


def test_only_whole_tokens_inside_the_passage_count():
    packed = kept_file("one two three four five six seven", "text")
    for start, end, count in ((0, 33, 5), (1, 33, 4), (0, 32, 4), (4, 18, 1), (5, 18, 0), (33, 99, 0), (9, 3, 0)):
        assert len(fingerprints_in(packed, start, end)["text/3/4/own"]) == count, (start, end)
