"""Documents: many scanned together are as each scanned alone."""

from __future__ import annotations

from datetime import UTC

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.documents import docx
from support.thue_morse import twin_words, twins

from moss.corpus.ingest.batches import make_batch, microseconds, pack, unpack
from moss.corpus.ingest.documents import CorpusDocument, is_program, language_of, scan, streams, words
from moss.corpus.ingest.sources import read_file
from moss.corpus.storage.recipe import Recipe
from moss.model import Channel, Problem
from moss.processes.pool import map_isolated

ALPHABET = st.sampled_from(list("abcAB \n\t.'é漢Σσ\u200b\\u0061")) | st.characters(codec="utf-8")
TEXTS = st.lists(st.text(ALPHABET, max_size=40), max_size=8)
LANGUAGES = st.sampled_from(["text", "html", "python"])


def document(text, language="text"):
    return CorpusDocument("a", text, 0, len(text), None, language)


@given(st.lists(st.tuples(st.text(ALPHABET, max_size=40), LANGUAGES), max_size=8))
def test_each_has_the_tokens_it_has_alone(given):
    documents = [document(text, language) for text, language in given]
    text, structure = streams(documents)
    for number, each in enumerate(documents):
        low, high = text.offsets[number : number + 2]
        alone = scan(each)[Channel.TEXT]
        assert text.codes[low:high].tolist() == alone.codes.tolist()
        assert text.start[low:high].tolist() == alone.start.tolist()
        assert text.end[low:high].tolist() == alone.end.tolist()
        low, high = structure.offsets[number : number + 2]
        expected = scan(each)[Channel.STRUCTURE].codes.tolist() if each.language == "python" else []
        assert structure.codes[low:high].tolist() == expected


@given(TEXTS)
def test_a_batch_is_its_documents_one_by_one(texts):
    documents = [document(text) for text in texts]
    together = make_batch(documents, Recipe(shingle=2, noise=2, guarantee=4))
    for number, each in enumerate(documents):
        alone = make_batch([each], Recipe(shingle=2, noise=2, guarantee=4))
        for column in ("lexical", "shingled", "simhash", "keys", "words", "masks"):
            assert getattr(together, column)[number] == getattr(alone, column)[0]
        assert together.sketches[number].tolist() == alone.sketches[0].tolist()
        mine = together.fingerprints.owner == number
        assert together.fingerprints.hashes[mine].tolist() == alone.fingerprints.hashes.tolist()
        assert together.fingerprints.start[mine].tolist() == alone.fingerprints.start.tolist()


def test_other_words_and_other_addresses_are_not_taken_for_the_same():
    a, b = (
        CorpusDocument(word, " ".join(words), 0, 0, None, "text")
        for word, words in zip(twin_words("a", "b"), twins("yes", "no"), strict=True)
    )
    batch = make_batch([a, b], Recipe())
    assert batch.lexical[0] != batch.lexical[1]
    assert batch.keys[0] != batch.keys[1]


@given(st.text())
def test_a_stored_text_is_the_text(text):
    assert unpack(pack(text)) == text


def test_what_a_page_says_are_its_words():
    page = document("<p>To be <b>or</b> not</p><script>var x</script>", "html")
    assert words(page).tolist() == words(document("to BE or not")).tolist()
    assert not is_program("html")
    assert is_program("java")
    assert language_of("a/b.py", "x = 1") == "python"


def test_a_notebook_is_read_by_what_its_cells_say(tmp_path):
    cells = '[{"cell_type": "markdown", "metadata": {}, "source": ["some words here"]}]'
    path = tmp_path / "n.ipynb"
    path.write_text(f'{{"cells": {cells}, "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}')
    (found,) = read_file(str(path))
    assert "some words here" in found.text
    assert "cell_type" not in found.text


def test_a_file_that_is_not_there_is_a_problem(tmp_path):
    (found,) = read_file(str(tmp_path / "missing.txt"))
    assert isinstance(found, Problem)
    assert "cannot be read" in found.reason


@pytest.mark.parametrize("size", [0, 1, 7])
def test_an_empty_batch_has_no_rows(size):
    batch = make_batch([document("")] * size, Recipe())
    assert len(batch) == size
    assert len(batch.sketches.hashes) == len(batch.fingerprints.hashes) == 0
    assert np.array_equal(batch.words, np.zeros(size))


def test_documents_of_word_processors_are_read_in_any_process(tmp_path):
    (tmp_path / "essay.docx").write_bytes(docx([["An essay that is kept."]]))
    (tmp_path / "broken.docx").write_bytes(docx([["Words."]])[:200])
    files = [str(tmp_path / name) for name in ("essay.docx", "broken.docx")]
    here = [read_file(path) for path in files]
    there = dict(map_isolated(read_file, files, jobs=2, deadline=lambda path: 60.0))
    assert here == [there[0], there[1]]
    assert (here[0][0].text, here[0][0].language) == ("An essay that is kept.\n", "text")
    assert isinstance(here[1][0], Problem)


@given(st.lists(st.one_of(st.none(), st.datetimes(), st.datetimes(timezones=st.just(UTC))), max_size=8))
def test_dates_are_kept_to_the_microsecond(dates):
    expected = [date if date is None else date.replace(tzinfo=None) for date in dates]
    assert microseconds(dates).tolist() == expected
