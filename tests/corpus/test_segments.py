"""Segments and manifest: whole or not at all, and never pulled away from a reader."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from support.corpora import add_here, prose, write_files

from moss.corpus.engines.duckdb import DuckEngine, whole_folder
from moss.corpus.errors import CorpusError
from moss.corpus.storage.compaction import compact
from moss.corpus.storage.manifest import exists, read_manifest
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.segments import CorpusWriter, Snapshot, local_engine


@pytest.fixture
def corpus(tmp_path):
    for n in range(3):
        add_here(tmp_path / "corpus", write_files(tmp_path / f"in{n}", {"a.txt": prose(n), "b.txt": prose(n + 10)}))
    return tmp_path / "corpus"


def addresses(corpus):
    with Snapshot(corpus) as snapshot:
        engine = local_engine(corpus)
        try:
            snapshot.tables(engine)
            return engine.fetch("SELECT address FROM documents ORDER BY doc")["address"].tolist()
        finally:
            engine.close()


def test_each_addition_is_a_segment(corpus):
    manifest = read_manifest(corpus)
    assert [(segment.first, segment.documents) for segment in manifest.segments] == [(0, 2), (2, 2), (4, 2)]
    assert manifest.documents == 6


def test_rows_are_sorted_by_hash(corpus):
    with Snapshot(corpus) as snapshot:
        paths = snapshot.paths("shingles")
    for path in paths:
        engine = local_engine(corpus)
        engine.table("one", [path], {})
        values = engine.fetch("SELECT shingle FROM one")["shingle"]
        engine.close()
        assert (values[1:] >= values[:-1]).all()


def test_what_an_interrupted_writer_left_is_swept_away(corpus):
    (corpus / "segments" / "00000099").mkdir()
    (corpus / "segments" / "unfinished-x").mkdir()
    before = addresses(corpus)
    CorpusWriter(corpus).close()
    assert sorted(path.name for path in (corpus / "segments").iterdir()) == ["00000001", "00000002", "00000003"]
    assert addresses(corpus) == before


def test_compaction_waits_for_readers(corpus):
    before = addresses(corpus)
    with Snapshot(corpus) as reader:
        with CorpusWriter(corpus) as writer:
            compact(writer)
        assert len(read_manifest(corpus).segments) == 1
        assert all(path.exists() for path in reader.paths("shingles"))
        assert addresses(corpus) == before
    CorpusWriter(corpus).close()
    assert not any(path.exists() for path in reader.paths("shingles"))
    assert addresses(corpus) == before
    assert read_manifest(corpus).retired == ()


def test_compacting_one_segment_is_nothing_to_do(corpus):
    with CorpusWriter(corpus) as writer:
        compact(writer)
        generation = writer.manifest.generation
        compact(writer)
        assert writer.manifest.generation == generation


def test_numbers_go_on_after_compaction(corpus, tmp_path):
    with CorpusWriter(corpus) as writer:
        compact(writer)
    add_here(corpus, write_files(tmp_path / "more", {"c.txt": prose(50)}))
    assert [segment.first for segment in read_manifest(corpus).segments] == [0, 6]
    assert addresses(corpus)[-1].endswith("more/c.txt")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("nonsense", "cannot be read"),
        ("[]", "another version"),
        ('{"format": "moss-corpus", "version": 99}', "another"),
    ],
    ids=["no-json", "no-object", "newer"],
)
def test_a_manifest_that_is_not_ours_is_refused(corpus, content, sentence):
    (corpus / "corpus.json").write_text(content)
    with pytest.raises(CorpusError, match=sentence):
        read_manifest(corpus)


def test_a_recipe_of_another_version_is_refused(corpus):
    plain = json.loads((corpus / "corpus.json").read_text())
    plain["recipe"]["novelty"] = 3
    (corpus / "corpus.json").write_text(json.dumps(plain))
    with pytest.raises(CorpusError, match="another version"):
        read_manifest(corpus)


@pytest.mark.parametrize(
    "wrong", [{"shingle": 0}, {"sample": True}, {"noise": 30}, {"guarantee": 2.5}], ids=lambda w: next(iter(w))
)
def test_impossible_recipes_are_refused(wrong):
    with pytest.raises(CorpusError):
        Recipe(**wrong)


def test_nothing_half_written_has_its_name(tmp_path):
    def interrupted():
        with whole_folder(tmp_path / "made") as unfinished:
            (unfinished / "part").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_there_is_no_corpus_where_there_is_none(tmp_path):
    assert not exists(tmp_path)
    with pytest.raises(CorpusError, match="no corpus at"):
        Snapshot(tmp_path)


def test_too_little_memory_is_one_sentence(tmp_path):
    engine = DuckEngine(tmp_path, memory=1024**2, threads=1)
    try:
        with pytest.raises(CorpusError, match="memory"):
            engine.fetch("SELECT * FROM range(10000000) AS r(x) ORDER BY hash(x)")
    finally:
        engine.close()
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import os, signal, sys, threading
from pathlib import Path
from moss.corpus.engines.duckdb import DuckEngine

signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background would ignore it
engine = DuckEngine(Path(sys.argv[1]))
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
sql = "SELECT x FROM range(1000000000000) AS r(x) WHERE hash(x) = 3"
try:
    engine.fetch(sql) if sys.argv[2] == "fetch" else engine.write(sql, Path(sys.argv[1], "never"))
except KeyboardInterrupt:
    print("interrupted")
finally:
    engine.close()
"""


@pytest.mark.parametrize("how", ["fetch", "write"])
def test_an_interrupted_query_leaves_nothing(tmp_path, how):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path), how]
    assert subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout == b"interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_an_engine_names_no_rows(tmp_path):
    engine = DuckEngine(tmp_path)
    try:
        engine.table("none", [], {"doc": "BIGINT", "text": "BINARY", "date": "TIMESTAMP", "address": "STRING"})
        assert {name: len(column) for name, column in engine.fetch("SELECT * FROM none").items()} == {
            "doc": 0, "text": 0, "date": 0, "address": 0,
        }  # fmt: skip
    finally:
        engine.close()
