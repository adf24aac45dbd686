"""Adding: nothing twice, nothing lost, the same in any order of work."""

from __future__ import annotations

import json
import os

import pytest
from support.corpora import add_here, edited, prose, write_crawl, write_files

import moss.corpus.ingest.segment_builder as growing
from moss.corpus.errors import CorpusError
from moss.corpus.ingest.add import add, in_turn, side_by_side
from moss.corpus.ingest.batches import unpack
from moss.corpus.ingest.sources import SourceFiles
from moss.corpus.storage.manifest import read_manifest
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.segments import CorpusWriter, Snapshot, local_engine
from moss.corpus.storage.tables import DuplicateKind
from moss.intake import IntakeError
from moss.processes.pool import Failure


def fetch(corpus, sql):
    with Snapshot(corpus) as snapshot:
        engine = local_engine(corpus)
        try:
            snapshot.tables(engine)
            return {name: column.tolist() for name, column in engine.fetch(sql).items()}
        finally:
            engine.close()


def documents(corpus, columns="*"):
    return fetch(corpus, f"SELECT {columns} FROM documents ORDER BY doc")


@pytest.fixture
def corpus(tmp_path):
    return tmp_path / "corpus"


def test_three_fingerprints_tell_what_is_kept_once(tmp_path, corpus):
    text = prose(1, 300)
    long = prose(2, 5000)
    folder = write_files(
        tmp_path / "in",
        {
            "a.txt": text,
            "b.txt": text,  # identical
            "c.txt": text.upper().replace(" ", "\n\n"),  # the same words
            "d.txt": prose(3),
            "e.txt": long,
            "f.txt": f"{long} {long}",  # no other shingles but those across the seam
        },
    )
    added = add_here(corpus, folder)
    found = documents(corpus, "address, same_as, kind, doc")
    kinds = dict(zip([os.path.basename(a) for a in found["address"]], found["kind"], strict=True))
    assert kinds["a.txt"] == kinds["d.txt"] == kinds["e.txt"] == DuplicateKind.KEPT
    assert kinds["b.txt"] == DuplicateKind.IDENTICAL
    assert kinds["c.txt"] == DuplicateKind.LEXICAL
    assert found["same_as"][:3] == [0, 0, 0]
    assert (added.documents, added.identical, added.lexical) == (6, 1, 1)
    assert added.kept + added.shingled == 4
    assert set(fetch(corpus, "SELECT DISTINCT doc FROM shingles")["doc"]) == {
        d for d, kind in zip(found["doc"], found["kind"], strict=True) if kind == DuplicateKind.KEPT
    }
    texts = fetch(corpus, "SELECT doc, text FROM texts ORDER BY doc")
    assert 1 not in texts["doc"]
    assert 2 in texts["doc"]
    assert unpack(texts["text"][0]) == text


def test_the_same_bytes_may_be_two_texts(tmp_path, corpus):
    cell = {"cell_type": "markdown", "metadata": {}, "source": prose(1)}
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    add_here(corpus, write_files(tmp_path / "in", {"a.ipynb": notebook, "b.txt": notebook}))
    assert documents(corpus, "kind")["kind"] == [DuplicateKind.KEPT, DuplicateKind.KEPT]
    cells, plain = map(unpack, fetch(corpus, "SELECT text FROM texts ORDER BY doc")["text"])
    assert plain == notebook
    assert cells.strip() == prose(1)


def test_equal_sketches_are_kept_once(tmp_path, corpus):
    text = prose(4, 3000)
    folder = write_files(tmp_path / "in", {f"{n}.txt": edited(text, n, 1) for n in range(40)})
    added = add_here(corpus, folder)
    assert added.shingled > 0
    assert added.kept + added.shingled == 40
    prints = fetch(corpus, "SELECT DISTINCT doc FROM fingerprints")["doc"]
    assert len(prints) == 40  # each can still be found by the passage in which it differs


def test_what_was_added_before_is_passed_over(tmp_path, corpus):
    folder = write_files(tmp_path / "in", {f"{n}.txt": prose(n) for n in range(5)})
    assert add_here(corpus, folder).documents == 5
    assert add_here(corpus, folder).documents == 0
    write_files(folder, {"5.txt": prose(5), "0.txt": prose(6)})
    assert add_here(corpus, folder).documents == 2  # a new one, and a new version
    found = documents(corpus, "address, doc")
    assert found["doc"] == list(range(7))
    assert sum(a.endswith("/0.txt") for a in found["address"]) == 2
    assert len(read_manifest(corpus).segments) == 2


def test_a_crawl_sees_the_same_page_again(tmp_path, corpus):
    page = {"url": "http://a.example/", "date": "2024-01-01", "text": prose(1)}
    later = {**page, "date": "2024-02-01"}
    crawl = write_crawl(tmp_path / "c.jsonl", [page, later, page])
    assert add_here(corpus, crawl).documents == 2
    found = documents(corpus, "same_as, kind, CAST(date AS STRING) AS date")
    assert found["same_as"] == [0, 0]
    assert [date[:10] for date in found["date"]] == ["2024-01-01", "2024-02-01"]


def test_pages_and_their_words_are_the_same(tmp_path, corpus):
    text = prose(1)
    page = "<html><script>var x = 1</script><body><p>" + text.replace(" ", " <b>", 1) + "</b></p></body></html>"
    crawl = write_crawl(tmp_path / "c.jsonl", [{"url": "t", "text": text}, {"url": "h", "html": page}])
    add_here(corpus, crawl)
    assert documents(corpus, "kind")["kind"] == [DuplicateKind.KEPT, DuplicateKind.LEXICAL]


def test_the_result_does_not_depend_on_the_order_of_work(tmp_path, corpus, monkeypatch):
    monkeypatch.setattr("moss.corpus.ingest.sources._FILES", 3)
    folder = write_files(tmp_path / "in", {f"{n:02}.txt": prose(n % 15) for n in range(20)})
    add_here(corpus, folder)

    def backwards(reading, tasks):
        return reversed(list(in_turn(reading, tasks)))

    other = tmp_path / "other"
    add(other, [str(folder)], reader=backwards)
    for table in ("documents", "shingles", "fingerprints", "texts"):
        assert fetch(corpus, f"SELECT * FROM {table}") == fetch(other, f"SELECT * FROM {table}")


def test_processes_give_what_one_does(tmp_path, corpus, monkeypatch):
    monkeypatch.setattr("moss.corpus.ingest.sources._FILES", 4)
    files = {f"{n}.txt": prose(n) for n in range(6)} | {"p.py": "def f(x):\n    return x * 2\n" * 20}
    folder = write_files(tmp_path / "in", files)
    add_here(corpus, folder)
    other = tmp_path / "other"
    add(other, [str(folder)], reader=side_by_side(2))
    assert documents(corpus) == documents(other)
    assert fetch(corpus, "SELECT * FROM fingerprints") == fetch(other, "SELECT * FROM fingerprints")


def test_an_interrupted_run_goes_on_where_it_was(tmp_path, corpus, monkeypatch):
    monkeypatch.setattr("moss.corpus.ingest.sources._FILES", 2)
    monkeypatch.setattr(growing, "SEGMENT_DOCUMENTS", 4)
    folder = write_files(tmp_path / "in", {f"{n:02}.txt": prose(n) for n in range(10)})

    def interrupted(reading, tasks):
        yield from list(in_turn(reading, tasks))[:3]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add(corpus, [str(folder)], reader=interrupted)
    assert read_manifest(corpus).documents == 4
    assert add_here(corpus, folder).documents == 6
    assert sorted(documents(corpus, "address")["address"]) == sorted(str(folder / f"{n:02}.txt") for n in range(10))


def test_a_document_that_kills_its_reader_costs_itself_alone(tmp_path, corpus):
    folder = write_files(tmp_path / "in", {f"{n}.txt": prose(n) for n in range(4)})

    def fragile(reading, tasks):
        for number, task in enumerate(tasks):
            assert isinstance(task, SourceFiles)
            fatal = any(address.endswith("2.txt") for address, _ in task.paths)
            yield number, Failure("crashed") if fatal else reading(task)

    added = add(corpus, [str(folder)], reader=fragile)
    assert added.documents == 3
    assert [(problem.path[-5:], problem.reason) for problem in added.problems] == [("2.txt", "reading it crashed")]


def test_what_cannot_be_read_is_told(tmp_path, corpus):
    folder = write_files(tmp_path / "in", {"good.txt": prose(1)})
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    crawl = tmp_path / "c.jsonl"
    crawl.write_text(
        '{"url": "a", "text": "one two"}\nnonsense\n[1]\n{"url": "b"}\n\n{"url": "c", "text": "x", "date": "soon"}\n'
    )
    added = add_here(corpus, folder, crawl)
    assert added.documents == 2
    reasons = [problem.reason for problem in added.problems]
    assert len(reasons) == 5
    assert any("PNG" in reason for reason in reasons)
    assert any('no "text"' in reason for reason in reasons)
    assert any('"date"' in reason for reason in reasons)


def test_lines_of_a_crawl_are_read_once_wherever_it_is_cut(tmp_path, corpus, monkeypatch):
    monkeypatch.setattr("moss.corpus.ingest.sources.PORTION", 100)
    records = [{"url": f"u{n}", "text": prose(n, n % 40)} for n in range(30)]
    add_here(corpus, write_crawl(tmp_path / "c.jsonl", records))
    assert documents(corpus, "address")["address"] == [f"u{n}" for n in range(30)]


def test_empty_documents_are_equal_only_to_the_byte(tmp_path, corpus):
    add_here(corpus, write_files(tmp_path / "in", {"a.txt": "", "b.txt": "", "c.txt": "\n\n", "d.txt": "..."}))
    assert documents(corpus, "kind")["kind"] == [
        DuplicateKind.KEPT,
        DuplicateKind.IDENTICAL,
        DuplicateKind.KEPT,
        DuplicateKind.KEPT,
    ]


def test_archives_are_read(tmp_path, corpus):
    import zipfile

    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("x/a.txt", prose(1))
        archive.writestr("x/b.txt", prose(2))
    add_here(corpus, tmp_path / "all.zip")
    assert [a.removeprefix(f"{tmp_path}/all.zip/") for a in documents(corpus, "address")["address"]] in (
        ["x/a.txt", "x/b.txt"],
        ["a.txt", "b.txt"],
    )


def test_programs_are_read_by_structure_too(tmp_path, corpus):
    program = "\n".join(f"def f{n}(alpha, beta):\n    return alpha * {n} + beta" for n in range(10))
    renamed = program.replace("alpha", "left").replace("beta", "right").replace("def f", "def g")
    add_here(corpus, write_files(tmp_path / "in", {"a.py": program, "b.py": renamed}))
    shared = fetch(corpus, "SELECT a.hash FROM fingerprints a JOIN fingerprints b ON a.hash = b.hash AND a.doc < b.doc")
    assert len(shared["hash"]) > 0


def test_a_wrong_path_makes_no_corpus(tmp_path, corpus):
    with pytest.raises(IntakeError, match="no such file"):
        add_here(corpus, tmp_path / "nowhere")
    assert not corpus.exists()


def test_recipes_do_not_mix(tmp_path, corpus):
    folder = write_files(tmp_path / "in", {"a.txt": prose(1)})
    add_here(corpus, folder, recipe=Recipe(shingle=3))
    add_here(corpus, folder)
    with pytest.raises(CorpusError, match="other sizes"):
        add_here(corpus, folder, recipe=Recipe(shingle=4))


def test_hashes_are_the_same_for_ever(tmp_path, corpus):
    """What is stored today is compared with what is added in years: this changes only with the manifest's version."""
    add_here(corpus, write_crawl(tmp_path / "c.jsonl", [{"url": "u", "text": "the quick brown fox jumps over it"}]))
    found = fetch(corpus, "SELECT content, lexical, shingled, key FROM documents")
    assert found == {
        "content": [-556616339257637543],
        "lexical": [5983059672948309178],
        "shingled": [5360343797749473427],
        "key": [5808616312394754285],
    }
    shingles = fetch(corpus, "SELECT shingle FROM shingles")["shingle"]
    assert shingles == [
        -8282251117712447475,
        -534019477799194760,
        5962901956288637493,
    ]


def test_one_process_writes(tmp_path, corpus):
    with CorpusWriter(corpus), pytest.raises(CorpusError, match="another process"):
        CorpusWriter(corpus)
