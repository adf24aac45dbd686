"""Spark gives the same rows as DuckDB, on a real cluster, also when a worker is lost."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from support.corpora import add_here, edited, prose, write_crawl, write_files
from support.spark import MEMORY

import moss.corpus.engines.spark as spark_engine
from moss.cli.corpus.near import _all
from moss.corpus.cluster.cluster_tables import cluster_tables
from moss.corpus.cluster.clusters import LinkCriteria, cluster, clusters
from moss.corpus.cluster.phases import Phases
from moss.corpus.cluster.relations import PAIRS
from moss.corpus.engines.spark import SparkEngine
from moss.corpus.engines.spark import spark_cluster as on_cluster
from moss.corpus.errors import CorpusError
from moss.corpus.ingest.add import add
from moss.corpus.ingest.add_by_many import add_by_many, write_segment
from moss.corpus.ingest.sources import SourceFiles
from moss.corpus.near.duplicates import near_each
from moss.corpus.near.near_by_many import near_all_by_many, near_each_by_many
from moss.corpus.search.batch_queries import QueryBatch, query_files
from moss.corpus.storage.compaction import compact
from moss.corpus.storage.manifest import read_manifest
from moss.corpus.storage.removal import AddressChoice, remove
from moss.corpus.storage.removal_by_many import missing_by_many, remove_by_many
from moss.corpus.storage.segments import CorpusWriter, Snapshot, local_engine, scratch_of
from moss.corpus.storage.tables import SCHEMAS

PHRASE = " ".join(f"phrase{number}" for number in range(12))
ROWS = 5000  # of shingles in a slice: so there are several
ODD = "odd [1] {2} name"


def test_the_command_takes_a_cluster(spark_cluster, tmp_path):
    spark_cluster.have(1)
    corpus = tmp_path / ODD
    alike = {f"{n}.txt": edited(prose(1), n, 2) for n in range(3)}
    add_here(corpus, write_files(tmp_path / "in", alike | {f"other{n}.txt": prose(n + 2) for n in range(90)}))
    command = [sys.executable, "-m", "moss", "corpus", "clusters", f"./{corpus.name}", "--json", "-"]
    cluster = ["--engine", "spark", "--master", spark_cluster.master, "--memory", "512MB", "--local", "24KB"]
    ran = subprocess.run([*command, *cluster], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (ran.stderr, ran.returncode) == ("", 0)
    assert spark_cluster.workers[0].said("Asked to launch executor")  # for the shingles, which take more than --local
    assert list(scratch_of(corpus).iterdir()) == []
    found = json.loads(ran.stdout)["clusters"]
    assert [len(group["documents"]) for group in found] == [3]


def write_documents(folder):
    """Texts, programs, a page and a crawl: copies, edited copies, a phrase that many have, and what cannot be read."""
    files = {"page.html": f"<p>{prose(1)}</p>", "copy.txt": prose(2), "shouted.txt": prose(2).upper(), "empty.txt": ""}
    for number in range(48):
        text = edited(prose(number // 4), number, 3 * (number % 4))
        files[f"{number:02}.txt"] = f"{text} {PHRASE}" if number % 3 else text
    for number in range(4):
        files[f"{number}.py"] = "\n".join(f"def f{n}(a):\n    return a * {n + number // 2}" for n in range(9))
    write_files(folder, files | {"long.txt": prose(90, 4000), "longer.txt": f"{prose(90, 4000)} {prose(91, 900)}"})
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    records = [{"url": f"u{n}", "text": edited(prose(n // 2), n, 9), "date": f"2024-05-{n + 1:02}"} for n in range(20)]
    write_crawl(folder / "crawl.jsonl", [*records, {"text": prose(200)}, {"url": "no text"}])
    return folder


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The corpus as one machine makes it, of documents that are named as they are from where we are."""
    write_documents(tmp_path / "in")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("moss.corpus.ingest.sources._FILES", 4)
    monkeypatch.setattr("moss.corpus.ingest.sources.PORTION", 8000)
    return tmp_path / "home", add(tmp_path / "home", ["in"])


@pytest.fixture(scope="module")
def workers(spark_cluster):
    """Workers that read and write. To have a session takes long, so it is the one for SQL, too.

    It takes all that the workers have: what needs a session of its own has to come before.
    """
    spark_cluster.have(2)
    with on_cluster(spark_cluster.master, MEMORY, small=0) as workers:
        yield workers


def rows(engine, table):
    columns = {name: column.tolist() for name, column in engine.fetch(f"SELECT * FROM {table}").items()}
    assert columns
    return list(columns), sorted(zip(*columns.values(), strict=True), key=repr)


def stored(corpus):
    with Snapshot(corpus) as snapshot, closing(local_engine(corpus)) as engine:
        snapshot.tables(engine)
        return {table: rows(engine, table) for table in SCHEMAS}


class Unlucky:
    """Workers of which one is lost while segments are written, as soon as anything of the first is there."""

    def __init__(self, cluster, workers, segments):
        self.cluster, self.workers, self.segments, self.small = cluster, workers, segments, 0
        self.engine_at, self.each = workers.engine_at, workers.each

    def all(self, function, items):
        if function is not write_segment:
            return self.workers.all(function, items)
        return self._losing(function, items)

    def _losing(self, function, items):
        assert len(items) > 4  # so there is more to do for the others
        striking = threading.Thread(target=self._strike)
        striking.start()
        yield from self.workers.all(function, items)
        striking.join()

    def _strike(self):
        while not (self.segments.is_dir() and any(self.segments.iterdir())):
            time.sleep(0.001)
        self.cluster.lose_worker()


def test_workers_read_and_write_what_one_machine_does(spark, workers, home, tmp_path, monkeypatch):
    monkeypatch.setattr("moss.corpus.ingest.add_by_many.SEGMENT_DOCUMENTS", 9)  # so there are several
    corpus, added = home
    segments = tmp_path / "there" / "segments"
    there = add_by_many(tmp_path / "there", ["in"], Unlucky(spark, workers, segments))
    assert len(spark.workers) == 1
    assert there == added
    assert (there.documents, len(there.problems)) == (79, 2)
    assert stored(tmp_path / "there") == stored(corpus)
    names = {segment.name for segment in read_manifest(tmp_path / "there").segments}
    assert len(names) > 4
    assert {path.name for path in segments.iterdir()} >= names
    with CorpusWriter(tmp_path / "there"):  # which sweeps away what the lost worker left
        assert {path.name for path in segments.iterdir()} == names

    spark.have(2)
    again = add_by_many(tmp_path / "there", ["in"], workers)
    assert (again.documents, again.known) == (0, 79)

    write_files(tmp_path / "more", {"copy.txt": prose(2), "new.txt": prose(300), "like.txt": prose(300).upper()})
    assert add_by_many(tmp_path / "there", ["more"], workers) == add(corpus, ["more"])
    assert stored(tmp_path / "there") == stored(corpus)
    monkeypatch.setattr("moss.corpus.storage.compaction.MERGED_DOCUMENTS", 40)
    with CorpusWriter(tmp_path / "there") as writer:
        compact(writer, workers)
        assert len(writer.manifest.segments) == 3
    assert stored(tmp_path / "there") == stored(corpus)

    def at_home(folder):
        with closing(local_engine(folder)) as engine:
            return outcome(folder, engine, ALL)

    assert at_home(corpus) == at_home(tmp_path / "there")
    unwanted = AddressChoice(("in/0", "in/copy", "u3"), prefix=True)
    assert missing_by_many(tmp_path / "there", unwanted, workers) == []
    assert missing_by_many(tmp_path / "there", AddressChoice(("in/0", "u3", "u33")), workers) == ["in/0", "u33"]
    assert remove_by_many(tmp_path / "there", unwanted, workers) == remove(corpus, unwanted) == 13
    assert stored(tmp_path / "there") == stored(corpus)
    assert at_home(corpus) == at_home(tmp_path / "there")
    with CorpusWriter(tmp_path / "there") as writer:
        assert writer.manifest.retired == ()


def pairs_of(snapshot, engine, choice):
    phases = Phases(snapshot, engine, rows=ROWS)
    try:
        if choice.super_shingle is not None:
            phases.super_pairs(choice.super_shingle, choice.common)
        else:
            phases.pairs(choice.common, choice.resemblance, choice.containment)
        return rows(engine, PAIRS)
    finally:
        phases.close()


def outcome(corpus, engine, choice):
    """The pairs, and the clusters with names, as one machine finds them."""
    with Snapshot(corpus) as snapshot:
        found = cluster(snapshot, engine, choice, rows=ROWS)
        return pairs_of(snapshot, engine, choice), found.pairs, list(clusters(found, engine)), found.mostly_common


def outcome_there(corpus, engine, choice, progress=lambda stage, done, total: None):
    """The pairs as they were written, and the clusters with names, as a cluster finds them."""
    with (
        Snapshot(corpus) as snapshot,
        closing(local_engine(corpus)) as local,
        TemporaryDirectory(dir=scratch_of(corpus)) as folder,
    ):
        found = cluster_tables(snapshot, engine, choice, Path(folder), progress, rows=ROWS)
        listed = list(found.clusters(Path(folder), MEMORY))
        return pairs_of(snapshot, local, choice), found.pairs, listed, tuple(found.mostly_common)


def near_lists(found):
    return found.documents, *(list(each()) for each in (found.groups, found.pairs, found.same))


ALL = LinkCriteria()
FEWER = LinkCriteria(1 / 3, containment=0.7, common=5)  # so the phrase is ignored, and some are mostly common
SUPER = LinkCriteria(super_shingle=3)


def test_clusters_are_the_same_on_the_cluster(spark, workers, home, tmp_path, monkeypatch):
    monkeypatch.setattr(spark_engine, "_PARTITION", 20_000)  # bytes: so there are several
    corpus, _ = home
    there = shutil.copytree(corpus, Path(ODD))  # from where we are, which is not where the workers are
    with closing(local_engine(corpus)) as engine:
        expected = {choice: outcome(corpus, engine, choice) for choice in (ALL, FEWER, SUPER)}
    assert all(len(found) > 10 for _, _, found, _ in expected.values())
    assert not expected[ALL][3]
    assert expected[FEWER][3]
    with closing(SparkEngine(workers.session, scratch_of(there), MEMORY, small=0)) as engine:
        assert outcome_there(there, engine, SUPER) == expected[SUPER]
        with Snapshot(there) as snapshot, TemporaryDirectory(dir=scratch_of(there)) as folder:
            near = near_lists(near_all_by_many(snapshot, engine, Path(folder), 6))
            asked = np.array([0, *engine.fetch("SELECT simhash FROM documents WHERE doc < 9")["simhash"]]).view(
                np.uint64
            )
            answers = near_each_by_many(snapshot, workers, asked, 6)
        batch = QueryBatch(there, SourceFiles(()), shown=2)
        assert list(query_files(batch, ["in"], workers)) == list(query_files(batch, ["in"]))
        with Snapshot(corpus) as snapshot, closing(local_engine(corpus)) as local:
            assert near == near_lists(_all(snapshot, local, 6))
            assert answers == near_each(snapshot, local, asked, 6)
        assert len(near[1]) > 10

        def unlucky(stage, done, total):
            if stage == "count pairs" and len(spark.workers) == 2:
                spark.lose_worker()  # of which the tasks of the stage hear when they are sent there

        # A run of SQL takes long, and what there is of it for all pairs is all in this one.
        assert outcome_there(there, engine, FEWER, unlucky) == expected[FEWER]
        assert len(spark.workers) == 1
        with pytest.MonkeyPatch.context() as patch:  # a folder that the workers see as another one
            patch.setattr(spark_engine, "_address", lambda path: f"file://{tmp_path / 'elsewhere'}")
            with pytest.raises(CorpusError, match=r"0 of 5 rows have arrived: all machines must see one folder at"):
                engine.fetch("SELECT id FROM range(5)")
    assert list(scratch_of(there).iterdir()) == []
