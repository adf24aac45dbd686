"""Queries: what holds a document, where a page went, how it changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.corpora import add_here, edited, planted, prose, write_crawl, write_files

from moss.corpus.errors import CorpusError
from moss.corpus.ingest.documents import CorpusDocument, words
from moss.corpus.ingest.shingles import containment, resemblance, shingles
from moss.corpus.search.hash_postings import HashPostings, SegmentPostings
from moss.corpus.search.histories import changing, versions
from moss.corpus.search.queries import Corpus
from moss.corpus.search.shared_hashes import count_shared, hash_holders, with_common
from moss.corpus.search.sites import DocumentFilter
from moss.corpus.storage.compaction import compact
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.segments import CorpusWriter


def document(text, name="asked.txt", language="text"):
    return CorpusDocument(name, text, 0, len(text), None, language)


@pytest.fixture(scope="module")
def essays(tmp_path_factory):
    """Thirty essays in three segments; one is another's copy, one quotes another."""
    folder = tmp_path_factory.mktemp("essays")
    for part in range(3):
        texts = {f"{n:02}.txt": prose(n, 150 + 10 * n) for n in range(10 * part, 10 * part + 10)}
        if part == 2:
            quoted = " ".join(prose(3, 180).split()[50:90])
            texts["quote.txt"] = f"{prose(90, 3000)} {quoted} {prose(91, 3000)}"
            texts["copy.txt"] = prose(7, 220)
        add_here(folder / "corpus", write_files(folder / "in", texts))
    return folder / "corpus"


@pytest.fixture(scope="module")
def corpus(essays):
    with Corpus(essays) as opened:
        yield opened


def name(found):
    return found.sighting.address.rpartition("/")[2]


def test_a_copy_that_meets_the_conditions_is_found_where_the_kept_document_does_not(tmp_path):
    text = prose(1)
    texts = {"a": text, "b": text, "c": text.upper(), "d": text, "e": prose(2)}
    records = [{"url": f"http://{host}.example/", "text": each} for host, each in texts.items()]
    add_here(tmp_path / "corpus", write_crawl(tmp_path / "c.jsonl", records))
    with Corpus(tmp_path / "corpus") as corpus:
        for host in "abcd":
            (hit,) = corpus.query(document(text), only=DocumentFilter(host=f"{host}.example"))
            assert (hit.sighting.address, hit.copied, hit.resemblance) == (f"http://{host}.example/", 1, 1)
        assert not corpus.query(document(text), only=DocumentFilter(host="e.example"))


def test_a_document_is_found_by_itself(corpus):
    for number in (0, 12, 29):
        found = corpus.query(document(prose(number, 150 + 10 * number)))
        assert name(found[0]) == f"{number:02}.txt"
        assert (found[0].resemblance, found[0].containment, found[0].contains) == (1, 1, 1)
        assert found[0].copied == 1
        assert len(found) == 1


def test_something_else_finds_nothing(corpus):
    assert corpus.query(document(prose(1000))) == []
    assert corpus.query(document("")) == []
    assert corpus.query(document("three short words")) == []


def test_an_edited_copy_is_found_with_its_passages(corpus):
    original = prose(5, 200)
    text = edited(original, 1, 4)
    best = corpus.query(document(text))[0]
    assert name(best) == "05.txt"
    assert 0.7 < best.resemblance < 1
    for passage in best.passages:
        here, there = text[passage.here.start : passage.here.end], best.text[passage.there.start : passage.there.end]
        equal = sum(a == b for a, b in zip(here.split(), there.split(), strict=True))
        assert equal >= passage.tokens
    assert best.copied > 0.9


def test_lines_of_passages_are_those_of_the_texts(corpus):
    text = "\n".join(["unrelated first line", *prose(5, 200).split()[20:60]])
    (passage,) = corpus.query(document(text))[0].passages
    assert (passage.here.start_line, passage.here.end_line) == (2, 41)
    assert (passage.there.start_line, passage.there.end_line) == (1, 1)


def test_a_passage_is_found_in_a_text_of_any_length(corpus):
    """The guarantee: twenty words, although sketches of long texts do not show them."""
    original = prose(3, 180).split()
    for start in range(50, 70, 3):
        text = f"{prose(500 + start, 100)} {' '.join(original[start : start + 20])} {prose(600 + start, 100)}"
        names = {name(found) for found in corpus.query(document(text))}
        assert {"03.txt", "quote.txt"} <= names


LENGTHS = (0, 5, 30, 300, 980, 4000)


def test_every_planted_run_of_twenty_words_is_found_and_shown(tmp_path):
    """One shared fingerprint is all that such a run may leave."""
    pairs = planted(100, 20, LENGTHS)
    add_here(tmp_path / "corpus", write_files(tmp_path / "in", {f"{n}.txt": old for n, (old, _) in enumerate(pairs)}))
    with Corpus(tmp_path / "corpus") as opened:
        for number, (_, new) in enumerate(pairs):
            found = {name(f): f for f in opened.query(document(new))}
            assert sum(passage.tokens for passage in found[f"{number}.txt"].passages) >= 20


@pytest.mark.parametrize("phrase", ["0 ", f"{prose(77, 40)} "], ids=["one word", "forty words"])
def test_who_repeats_a_phrase_is_one_document(tmp_path, phrase):
    """However often it is repeated, it says as much as in any other document, and is stored once."""
    texts = {"repeated.txt": phrase * (44_000 // len(phrase.split())), "other.txt": prose(1)}
    add_here(tmp_path / "corpus", write_files(tmp_path / "in", texts))
    with Corpus(tmp_path / "corpus") as opened:
        stored = opened.fetch("SELECT count(*) AS rows, count(DISTINCT (hash, doc)) AS different FROM fingerprints")
        assert stored["rows"] == stored["different"]
        asked = f"{prose(400, 80)} {phrase * (200 // len(phrase.split()))} {prose(401, 80)}"
        assert [name(f) for f in opened.query(document(asked))] == ["repeated.txt"]


def test_documents_are_counted_where_an_older_corpus_has_a_row_for_each_repetition():
    rows = np.array([0] * 5000 + [3] * 7000 + [4], np.int32)
    postings = SegmentPostings([HashPostings.of(np.zeros(len(rows), np.uint64), rows)])
    asked = np.zeros(1, np.uint64) ^ np.uint64(1 << 63)
    which, documents = hash_holders(postings, *postings.find(asked), most=1000)
    assert (set(which.tolist()), documents.tolist()) == ({0}, [0, 3, 4])
    many = SegmentPostings([HashPostings.of(np.zeros(9000, np.uint64), np.arange(9000, dtype=np.int32))])
    assert 1000 < len(hash_holders(many, *many.find(asked), most=1000)[1]) < 9000


def test_those_without_a_passage_make_room_for_others(tmp_path):
    """Some share a phrase that is too short to be shown, and are as good as the one with a passage until they are
    aligned."""
    phrases, passage = [prose(60 + n, 11) for n in range(20)], prose(1062, 20)
    texts = {f"{n:02}.txt": f"{prose(n, 1000)} {phrase} {prose(n + 30, 1000)}" for n, phrase in enumerate(phrases)}
    texts["long.txt"] = f"{prose(90, 2000)} {passage} {prose(91, 2000)}"
    add_here(tmp_path / "corpus", write_files(tmp_path / "in", texts))
    with Corpus(tmp_path / "corpus") as opened:
        asked = document(" ".join(f"{part} {prose(500 + n, 100)}" for n, part in enumerate([*phrases, passage])))
        estimated = [name(f) for f in opened.query(asked, shown=0)]
        assert estimated.index("long.txt") > 0
        assert name(opened.query(asked, shown=1)[0]) == "long.txt"


def test_containment_tells_who_holds_whom(corpus):
    part = " ".join(prose(20, 350).split()[100:200])
    found = corpus.query(document(part))[0]
    assert name(found) == "20.txt"
    assert found.containment > 0.95
    assert found.contains < 0.5
    whole = corpus.query(document(f"{prose(700, 400)} {prose(20, 350)}"))[0]
    assert whole.contains > 0.95
    assert whole.containment < 0.6


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(st.integers(0, 29), st.integers(0, 100), st.integers(1, 300))
def test_figures_of_short_documents_are_exact(corpus, number, start, length):
    """At mask 0 nothing is sampled; at any other mask the figures are those of the sketches."""
    text = " ".join(prose(number, 150 + 10 * number).split()[start : start + length]) + " and " + prose(999, 20)
    S = shingles(words(document(text)), 5)
    for found in corpus.query(document(text), shown=0):
        B = shingles(words(document(corpus.texts([found.sighting.doc])[found.sighting.doc].text)), 5)
        mask = np.uint64(corpus._masks[found.sighting.doc])
        a, b = S[S & mask == 0], B[B & mask == 0]
        assert found.resemblance == pytest.approx(resemblance(a, b) if len(a) + len(b) else 0)
        assert found.containment == pytest.approx(containment(a, b) if len(a) else 0)
        assert found.contains == pytest.approx(containment(b, a) if len(b) else 0)


def test_a_wider_window_finds_less_but_nothing_else(corpus):
    text = document(f"{prose(300, 60)} {' '.join(prose(8, 230).split()[10:200])} {prose(301, 60)}")
    narrow, wide = corpus.query(text, shown=0), corpus.query(text, shown=0, widen=5)
    assert {name(f) for f in wide} <= {name(f) for f in narrow}
    assert 0 < wide[0].fingerprints < narrow[0].fingerprints
    with pytest.raises(CorpusError, match="whole number"):
        corpus.query(text, widen=0)


def test_programs_are_found_after_renaming(tmp_path):
    lines = [f"def step{n}(alpha, beta):\n    gamma = alpha * {n} + beta\n    return gamma or {n}" for n in range(20)]
    program = "\n".join(lines)
    add_here(tmp_path / "corpus", write_files(tmp_path / "in", {"a.py": program, "b.txt": prose(1)}))
    renamed = program.replace("alpha", "x").replace("beta", "y").replace("gamma", "z").replace("step", "f")
    with Corpus(tmp_path / "corpus") as opened:
        found = opened.query(document(renamed, "r.py", "python"))
        assert [name(f) for f in found] == ["a.py"]
        assert found[0].copied > 0.9


def test_what_very_many_have_says_nothing(tmp_path):
    footer = prose(0, 40)
    texts = {f"{n}.txt": f"{prose(n + 1, 60)} {footer}" for n in range(20)}
    add_here(tmp_path / "corpus", write_files(tmp_path / "in", texts))
    with Corpus(tmp_path / "corpus") as opened:
        asked = document(f"{footer} {prose(400, 80)}")
        assert len(opened.query(asked)) == 20
        assert opened.query(asked, common=10) == []


def test_answers_are_those_of_the_moment_it_was_opened(tmp_path):
    folder = write_files(tmp_path / "in", {"a.txt": prose(1), "b.txt": prose(2)})
    add_here(tmp_path / "corpus", folder)
    with Corpus(tmp_path / "corpus") as early:
        add_here(tmp_path / "corpus", write_files(folder, {"c.txt": prose(3)}))
        with CorpusWriter(tmp_path / "corpus") as writer:
            compact(writer)
            assert writer.manifest.retired  # somebody still reads it
        assert early.query(document(prose(3))) == []
        assert name(early.query(document(prose(1)))[0]) == "a.txt"
        with Corpus(tmp_path / "corpus") as late:
            assert name(late.query(document(prose(3)))[0]) == "c.txt"
    with CorpusWriter(tmp_path / "corpus") as writer:
        assert not writer.manifest.retired
    assert len(list((tmp_path / "corpus" / "segments").iterdir())) == 1


def test_the_order_of_answers_is_that_of_what_was_copied(corpus):
    half, quarter = prose(10, 250).split()[:80], prose(11, 260).split()[:40]
    found = corpus.query(document(" ".join([*half, *quarter])))
    assert [name(f) for f in found] == ["10.txt", "11.txt"]


def test_an_identical_text_is_shown_as_it_was_written(tmp_path):
    text = prose(1)
    texts = {"a.txt": text, "b.txt": text.replace(" ", "\n"), "c.txt": text.replace(" ", "\n")}
    add_here(tmp_path / "corpus", write_files(tmp_path / "in", texts))
    with Corpus(tmp_path / "corpus") as opened:
        assert [opened.kept_for(doc) for doc in range(3)] == [0, 0, 0]
        assert [document.text for document in opened.texts([2, 0, 1]).values()] == [
            texts[name] for name in ("c.txt", "a.txt", "b.txt")
        ]


# Lost and found, versions


@pytest.fixture(scope="module")
def sweeps(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweeps")
    page, other = prose(1), prose(2)
    sweep = lambda n, *rows: write_crawl(  # noqa: E731
        folder / f"{n}.jsonl", [{"url": url, "date": f"2024-0{n}-01", "text": text} for url, text in rows]
    )
    add_here(folder / "corpus", sweep(1, ("http://a/old", page), ("http://b/", other)))
    add_here(folder / "corpus", sweep(2, ("http://a/old", edited(page, 1, 3)), ("http://b/", other)))
    add_here(folder / "corpus", sweep(3, ("http://c/new", edited(page, 2, 5)), ("http://b/", edited(other, 3, 60))))
    add_here(folder / "corpus", sweep(4, ("http://c/new", edited(page, 2, 5)), ("http://mirror/", other)))
    return folder / "corpus"


def test_the_newest_address_of_a_page_that_moved(sweeps):
    with Corpus(sweeps) as opened:
        found = opened.locate("http://a/old")
        assert (found[0][0].address, found[0][0].date.month) == ("http://c/new", 4)
        assert {s.address for s, _ in found} == {"http://a/old", "http://c/new"}
        assert opened.locate("http://c/new")[0][0].address == "http://c/new"
        with pytest.raises(CorpusError, match="nothing in the corpus was ever at"):
            opened.locate("http://nowhere/")


def test_versions_say_when_and_how_much(sweeps):
    with Corpus(sweeps) as opened:
        found = versions(opened, "http://b/")
        assert [v.sighting.date.month for v in found] == [1, 2, 3]
        assert [v.changed for v in found] == [False, False, True]
        assert found[0].resemblance is None
        assert (found[1].resemblance, found[1].kept, found[1].new) == (1, 1, 0)
        assert 0 < found[2].resemblance < 0.6
        assert found[2].words == 200
        assert [(h.address, h.sightings, h.texts) for h in changing(opened)] == [
            ("http://b/", 3, 2),
            ("http://a/old", 2, 2),
        ]
        assert versions(opened, "http://nowhere/") == []


HASHES = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), max_size=200)


@pytest.mark.parametrize("together", [7, 1 << 14])
@given(st.lists(HASHES, max_size=3), st.lists(st.integers(-3, 3)))
@example([[*range(-9, 9), 2**63 - 1, 2**63 - 1], []], [0, 20, -(2**63), 2**63 - 2])
@example([[-(2**63)] * 30 + [2**62] * 9, [2**62] * 7], [0])
def test_postings_find_all_places_in_all_segments(together, stored, asked):
    signed = [np.sort(np.array(hashes, np.int64)) for hashes in stored]
    segments = [
        HashPostings.of(s.view(np.uint64) ^ np.uint64(1 << 63), np.arange(len(s), dtype=np.int32)) for s in signed
    ]
    keys = np.array([*asked, *(key for hashes in stored for key in hashes[:20])], np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("moss.corpus.search.hash_postings._TOGETHER", together)
        low, high = SegmentPostings(segments).find(keys.view(np.uint64))
    assert low.shape == high.shape == (len(stored), len(keys))
    for number, hashes in enumerate(stored):
        for key, first, last in zip(keys.tolist(), low[number].tolist(), high[number].tolist(), strict=True):
            assert last - first == hashes.count(key)
            assert (signed[number][first:last] == key).all()


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), unique=True), max_size=3),
    st.lists(st.integers(0, 4), unique=True),
    st.integers(1, 6),
)
def test_common_hashes_are_told_without_reading_who_has_them(stored, asked, most):
    """If nobody has one twice; and what they add is that of all others."""
    segments = []
    for number, rows in enumerate(stored):
        hashes, docs = (np.array([row[side] for row in sorted(rows)], np.int64) for side in (0, 1))
        segments.append(
            HashPostings.of(hashes.view(np.uint64) ^ np.uint64(1 << 63), docs.astype(np.int32), 10 * number)
        )
    keys = np.array(sorted(asked), np.uint64)
    told, read = (count_shared(SegmentPostings(segments, once=once), keys, most) for once in (True, False))
    for one, other in zip(told[:4], read[:4], strict=True):
        assert one.tolist() == other.tolist()
    every = {10 * number + doc: set() for number, rows in enumerate(stored) for _, doc in rows}
    for number, rows in enumerate(stored):
        for hashed, doc in rows:
            every[10 * number + doc].add(hashed)
    hits = with_common(SegmentPostings(segments, once=True), told)
    assert hits.tolist() == [len(every[doc] & set(asked)) for doc in told.docs.tolist()]


def test_a_damaged_corpus_is_told(tmp_path):
    add_here(tmp_path / "corpus", write_files(tmp_path / "in", {"a.txt": prose(1)}), recipe=Recipe())
    shutil.rmtree(tmp_path / "corpus" / "segments" / "00000001")
    with pytest.raises(CorpusError, match="damaged"):
        Corpus(tmp_path / "corpus")


def test_documents_resemble_each_other_by_shingles_that_very_many_have(tmp_path, monkeypatch):
    """They are not read for all who have them, and count all the same."""
    footer = prose(500, 60)
    texts = {f"{n}.txt": f"{prose(n // 2, 90)} {prose(n, 10)} {footer}" for n in range(24)}
    texts |= {f"short{n}.txt": f"{footer} {prose(600 + n, 8)}" for n in range(8)}
    add_here(tmp_path / "corpus", write_files(tmp_path / "in", texts), recipe=Recipe(sample=16))
    monkeypatch.setattr("moss.corpus.search.queries.COMMON", 3)
    with Corpus(tmp_path / "corpus") as opened:
        for text in (*texts.values(), footer, prose(700)):
            every = opened.query(document(text), shown=0, common=len(opened))
            for least in (0.2, 0.5, 0.9):
                expected = {hit.sighting.doc: hit.resemblance for hit in every if hit.resemblance >= least}
                assert dict(opened.resembling(document(text), least)) == expected


def test_texts_are_read_from_a_copy_where_they_are_not_stored_one_after_another(tmp_path):
    texts = {f"{n}.txt": prose(n % 4, 200) for n in range(6)}
    add_here(tmp_path / "corpus", write_files(tmp_path / "in", texts))
    with Corpus(tmp_path / "corpus") as opened:
        expected = opened.texts(range(6))
    assert not list((tmp_path / "corpus").rglob("texts.packed"))
    shutil.rmtree(tmp_path / "corpus" / "lookups")
    (file,) = (tmp_path / "corpus" / "segments").rglob("texts.parquet")
    duckdb.sql(f"COPY (FROM read_parquet('{file}') ORDER BY doc DESC) TO '{file}.new' (FORMAT parquet)")
    Path(f"{file}.new").replace(file)
    with Corpus(tmp_path / "corpus") as opened:
        assert opened.texts(range(6)) == expected
    assert list((tmp_path / "corpus").rglob("texts.packed"))
