"""Removing: afterwards nothing tells that the documents were ever there."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpora import (
    ADDITIONS,
    TEXTS,
    add_here,
    edited,
    grow,
    prose,
    tables,
    write_files,
)

from moss.corpus.cluster.clusters import LinkCriteria, cluster, clusters
from moss.corpus.engines.duckdb import DuckEngine
from moss.corpus.errors import CorpusError
from moss.corpus.ingest.documents import CorpusDocument
from moss.corpus.near.duplicates import near_all
from moss.corpus.search.histories import changing, versions
from moss.corpus.search.queries import Corpus
from moss.corpus.storage.manifest import read_manifest
from moss.corpus.storage.removal import all_addresses, remove
from moss.corpus.storage.segments import CorpusWriter, Snapshot
from moss.corpus.storage.tables import DOCUMENTS, DuplicateKind


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """For all that tests ask themselves: to make a database takes longer than to ask it."""
    with closing(DuckEngine(tmp_path_factory.mktemp("scratch"))) as engine:
        yield engine


def sums(corpus):
    """What the manifest says, whatever the segments are."""
    manifest = read_manifest(corpus)
    firsts = [segment.first for segment in manifest.segments]
    assert firsts == [sum(s.documents for s in manifest.segments[:n]) for n in range(len(firsts))]
    return {
        what: sum(getattr(s, what) for s in manifest.segments)
        for what in ("documents", "kept", "shingles", "fingerprints")
    }


def answers(corpus, engine):
    """Everything that can be asked."""
    with Snapshot(corpus) as snapshot:
        found = near_all(snapshot, engine, 3)
        near = [found.documents, found.a.tolist(), found.b.tolist(), [group.tolist() for group in found.groups]]
        joined = cluster(snapshot, engine, LinkCriteria(resemblance=0.2, containment=0.5))
        groups = list(clusters(joined, engine))
    with Corpus(corpus) as opened:
        asked = [opened.query(CorpusDocument("asked", text, 0, 0)) for text in TEXTS[1::3]]
        addresses = sorted(set(all_addresses(corpus)))
        found_again = [opened.locate(address, 0.3) for address in addresses[:2]]
        return near, groups, asked, found_again, [versions(opened, a) for a in addresses], changing(opened)


@settings(max_examples=4, deadline=None)
@given(additions=ADDITIONS, gone=st.sets(st.sampled_from(["a/1", "a/2", "b/1", "b/2", "c"]), min_size=1, max_size=4))
def test_what_is_left_is_what_would_have_been(engine, additions, gone):
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        removed = grow(Path(one), additions)
        Corpus(removed).close()  # which leaves lookups behind
        before = read_manifest(removed).documents
        count = remove(removed, gone.__contains__)
        never = grow(Path(other), [[r for r in records if r["url"] not in gone] for records in additions])
        assert tables(removed, engine) == tables(never, engine)
        assert sums(removed) == sums(never)
        assert before - count == sums(never)["documents"]
        assert answers(removed, engine) == answers(never, engine)
        for corpus in (removed, never):  # what was removed can come back
            add_here(corpus, *sorted(Path(one).glob("*.jsonl")))
        assert tables(removed, engine) == tables(never, engine)


@pytest.fixture
def corpus(tmp_path):
    """Three segments; of the first one's text there are equal ones in all of them."""
    text = prose(1, 300)
    for number, texts in enumerate(
        [
            {"a.txt": text, "b.txt": prose(2)},
            {"c.txt": text, "d.txt": text.upper(), "e.txt": prose(3)},
            {"f.txt": text.upper(), "g.txt": edited(text, 1, 3)},
        ]
    ):
        add_here(tmp_path / "corpus", write_files(tmp_path / f"in{number}", texts))
    return tmp_path / "corpus"


def ending(*names):
    return lambda address: address.endswith(names)


def test_another_one_is_kept_in_its_place(corpus, engine):
    assert remove(corpus, ending("a.txt")) == 1
    found = tables(corpus, engine)[DOCUMENTS]
    assert found["doc"] == [str(n) for n in range(6)]
    assert [Path(address).name for address in found["address"]] == [f"{letter}.txt" for letter in "bcdefg"]
    assert found["same_as"] == ["0", "1", "1", "3", "1", "5"]
    assert found["kind"] == [
        str(kind)
        for kind in (
            DuplicateKind.KEPT,
            DuplicateKind.KEPT,
            DuplicateKind.LEXICAL,
            DuplicateKind.KEPT,
            DuplicateKind.IDENTICAL,
            DuplicateKind.KEPT,
        )
    ]
    with Corpus(corpus) as opened:
        best = opened.query(CorpusDocument("asked", prose(1, 300), 0, 0))[0]
        assert best.sighting.address.endswith("c.txt")
        assert best.copied == 1


def test_segments_before_the_first_removed_document_stay(corpus):
    before = [segment.name for segment in read_manifest(corpus).segments]
    remove(corpus, ending("e.txt"))
    manifest = read_manifest(corpus)
    after = [segment.name for segment in manifest.segments]
    assert after[0] == before[0]
    assert not set(after[1:]) & set(before)
    assert sorted(path.name for path in (corpus / "segments").iterdir()) == sorted(after)
    assert max(map(int, after)) == manifest.made


def test_a_segment_of_which_nothing_is_left_goes(corpus, tmp_path):
    remove(corpus, ending("f.txt", "g.txt", "a.txt", "b.txt"))
    assert [(s.first, s.documents) for s in read_manifest(corpus).segments] == [(0, 3)]
    remove(corpus, ending(".txt"))
    assert read_manifest(corpus).segments == ()
    assert add_here(corpus, tmp_path / "in0").documents == 2


def test_nothing_to_remove_changes_nothing(corpus):
    before = (corpus / "corpus.json").read_bytes()
    assert remove(corpus, ending("nowhere")) == 0
    assert (corpus / "corpus.json").read_bytes() == before
    assert len(list((corpus / "segments").iterdir())) == 3


def test_nothing_of_it_is_left_on_disk(tmp_path, engine):
    secret = "Zwölfboxkämpfer"
    texts = {f"{secret}.txt": f"{secret} {prose(1)}", "b.txt": prose(2), "c.txt": edited(prose(1), 1, 2)}
    add_here(tmp_path / "corpus", write_files(tmp_path / "in", texts))
    answers(tmp_path / "corpus", engine)
    remove(tmp_path / "corpus", lambda address: secret in address)
    files = [path for path in (tmp_path / "corpus").rglob("*") if path.is_file()]
    assert not [path for path in files if secret.encode() in path.read_bytes()]
    with Corpus(tmp_path / "corpus") as opened:
        assert all(secret not in document.text for document in opened.texts(range(len(opened))).values())
    assert not list((tmp_path / "corpus" / "phases").glob("*/sorted-*"))  # hashes of it, too


def test_readers_go_on_and_the_next_writer_erases(corpus):
    with Corpus(corpus) as reader:
        remove(corpus, ending("a.txt"))
        assert reader.texts([0])[0].text == prose(1, 300)
        assert read_manifest(corpus).retired
        with Corpus(corpus) as later:
            assert len(later) == 6
    CorpusWriter(corpus).close()
    assert read_manifest(corpus).retired == ()
    assert len(list((corpus / "segments").iterdir())) == 3


def test_one_writer_at_a_time(corpus):
    with CorpusWriter(corpus), pytest.raises(CorpusError, match="another process is writing"):
        remove(corpus, ending("a.txt"))
    assert read_manifest(corpus).documents == 7


def test_there_is_nothing_to_remove_from_where_there_is_no_corpus(tmp_path):
    with pytest.raises(CorpusError, match="no corpus at"):
        remove(tmp_path / "corpus", ending("a.txt"))
    assert list(tmp_path.iterdir()) == []


KILLING = """
import os, shutil, signal, sys
from pathlib import Path
from moss.corpus.storage.removal import remove

corpus, copies = sys.argv[1:]
CHANGES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree")


def kill_after(steps, folder):
    def step(event, arguments):
        nonlocal steps
        if event in CHANGES and str(arguments[0]).startswith(folder):
            steps -= 1
            if steps < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(step)


status, number = -1, 0
while status:
    copy = os.path.join(copies, f"{number:03}")
    shutil.copytree(corpus, copy)
    child = os.fork()
    if not child:
        kill_after(number, copy)
        remove(Path(copy), lambda address: address.endswith(("a.txt", "e.txt")))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), status
    number += 1
"""


def test_whoever_is_killed_leaves_the_old_corpus_or_the_new(corpus, tmp_path, engine):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", KILLING, corpus, tmp_path / "copies"], env=environment, check=True)
    left = sorted((tmp_path / "copies").iterdir())
    old, new = tables(corpus, engine), tables(left[-1], engine)  # the last one was not killed
    assert old != new
    seen = []
    for copy in left:
        found = tables(copy, engine)
        assert found in (old, new)
        seen.append(found == new)
        CorpusWriter(copy).close()  # sweeps
        assert tables(copy, engine) == found
        known = {segment.name for segment in read_manifest(copy).segments}
        assert {path.name for path in (copy / "segments").iterdir()} == known
    assert len(seen) > 10
    assert seen == sorted(seen)  # the old one up to a moment, and then the new one
    assert (seen[0], seen[-2]) == (False, True)
