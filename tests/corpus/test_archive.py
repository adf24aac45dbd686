"""A corpus as the archive of a comparison."""

from __future__ import annotations

import pytest
from support.corpora import add_here, edited, planted, prose, write_crawl, write_files

import moss
from moss.comparison import compare
from moss.corpus.search import queries
from moss.corpus.search.archive import CorpusArchive
from moss.corpus.search.queries import Corpus
from moss.model import Role, SourceFile, Submission


def asked(text):
    return [Submission("ada", "ada", (SourceFile("essay.txt", text),))]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "corpus"


def addresses(folder, text):
    found = CorpusArchive(folder, "essays").about(asked(text))
    assert all(s.role is Role.ARCHIVE and s.owner == s.id for s in found)
    return [s.owner for s in found]


def test_documents_that_share_something_come_with_their_texts(folder, tmp_path):
    add_here(folder, write_files(tmp_path / "old", {f"{n}.txt": prose(n) for n in range(30)}))
    told = []
    found = CorpusArchive(folder, "essays").about(asked(edited(prose(7), 1, 5)), lambda *now: told.append(now))
    assert [(s.files[0].path, s.files[0].text) for s in found] == [("7.txt", prose(7))]
    assert told == [(0, 1), (1, 1)]


def test_equal_documents_of_others_come_too(folder, tmp_path):
    """A corpus keeps one of them; whose that is says nothing about who copied."""
    texts = {"bob.txt": prose(1), "cyd.txt": prose(1), "dan.txt": prose(1).upper(), "eve.txt": prose(2)}
    add_here(folder, write_files(tmp_path / "old", texts))
    names = [address.rpartition("/")[2] for address in addresses(folder, prose(1))]
    assert names == ["bob.txt", "cyd.txt", "dan.txt"]


def test_what_very_many_have_comes_once(folder, tmp_path, monkeypatch):
    add_here(folder, write_files(tmp_path / "old", {f"{n}.txt": prose(1) for n in range(4)}))
    with Corpus(folder) as corpus:
        assert corpus.with_equals([0], common=4) == [0, 1, 2, 3]
        assert corpus.with_equals([0], common=3) == [0]
        assert corpus.with_equals([2], common=3) == [2]
        assert corpus.with_equals([]) == []
    assert queries.COMMON >= 100


def test_a_page_that_did_not_change_is_one_and_one_that_did_is_two(folder, tmp_path):
    texts = [prose(1), prose(1), edited(prose(1), 1, 20)]
    records = [
        {"url": "https://example.org/a", "date": f"2024-05-0{day}", "text": text} for day, text in enumerate(texts, 1)
    ]
    add_here(folder, write_crawl(tmp_path / "crawl.jsonl", records))
    assert addresses(folder, prose(1)) == ["https://example.org/a"] * 2


def test_every_planted_run_of_twenty_words_is_shown_by_a_comparison(folder, tmp_path):
    """Also where files are so long that pairs with nothing but short phrases in common rank before it."""
    pairs = planted(60, 20, (0, 30, 980, 4000))
    add_here(folder, write_files(tmp_path / "old", {f"{n}.txt": old for n, (old, _) in enumerate(pairs)}))
    new = write_files(tmp_path / "new", {f"s{n}/essay.txt": new for n, (_, new) in enumerate(pairs)})
    archive = CorpusArchive(folder, "essays")
    report = compare([new], kept=[archive], settings=moss.Settings(jobs=1, show=100))
    shown = {(pair.b, pair.a.rpartition("/")[2]) for pair in report.pairs}
    assert {(f"s{n}", f"{n}.txt") for n in range(60)} - shown == set()
