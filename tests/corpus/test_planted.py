"""The benchmark in small: pages generated from real text, and what of the planted copies is found."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from support.corpora import add_here

from moss.corpus.cluster.clusters import LinkCriteria, cluster, clusters
from moss.corpus.ingest.documents import CorpusDocument
from moss.corpus.search.histories import versions
from moss.corpus.search.queries import Corpus
from moss.corpus.storage.segments import Snapshot, local_engine

ROOT = Path(__file__).parents[2]


def load(name):
    """A program of the benchmarks' folder, which is no package; only once, or its functions would not be its own."""
    file = ROOT / "benchmarks" / f"{name}.py"
    loaded = sys.modules.get(name)
    if getattr(loaded, "__file__", None) == str(file):
        return loaded
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def programs():
    return load("generated_pages"), load("planted")


@pytest.fixture(scope="module")
def planted(tmp_path_factory, programs):
    """Three thousand pages from the words of our own documentation, in two segments."""
    folder = tmp_path_factory.mktemp("planted")
    text = "\n".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md")))
    programs[0].generate(folder / "pages", 3000, seed=3, jobs=1, text=text)
    for part in "ab":
        add_here(folder / "corpus", *sorted((folder / "pages").glob(f"{part}-*.jsonl")))
    return folder / "corpus", programs[1].Truth.read(folder / "pages")


def found_in(corpus, programs, choice):
    with Snapshot(corpus) as snapshot:
        engine = local_engine(corpus)
        try:
            groups = clusters(cluster(snapshot, engine, choice), engine)
            return [[programs[1].number_of(url) for url in group.documents] for group in groups]
        finally:
            engine.close()


def test_clusters_are_what_was_planted(planted, programs):
    corpus, truth = planted
    found = found_in(corpus, programs, LinkCriteria(resemblance=0.5))
    recall = truth.recall(found)
    assert recall["moved"] == 1
    assert recall["edited"] > 0.99
    assert truth.precision(found) > 0.99
    held = found_in(corpus, programs, LinkCriteria(resemblance=0.5, containment=0.8))
    assert truth.recall(held)["contained"] > 0.97
    assert truth.precision(held) > 0.97


def test_super_shingles_find_most_of_it(planted, programs):
    corpus, truth = planted
    found = found_in(corpus, programs, LinkCriteria(super_shingle=3))
    assert truth.recall(found)["edited"] > 0.9
    assert truth.precision(found) > 0.99


def test_queries_find_originals(planted, programs):
    corpus, truth = planted
    address = programs[0].address
    with Corpus(corpus) as opened:
        for kind in ("edited", "moved", "contained"):
            rows = [row for row in truth.planted if row[0] == kind][::20]
            for _, original, copy in rows:
                doc = opened.at(address(copy))[0].doc
                text = opened.texts([doc])[doc].text
                found = opened.query(CorpusDocument("asked", text, 0, len(text)))
                assert address(original) in {
                    other.address for item in found[:10] for other in opened.same_as(item.sighting.doc)
                }
        for _, original, copy in [row for row in truth.planted if row[0] == "moved"][::20]:
            assert opened.locate(address(original))[0][0].address == address(copy)
        for _, original, _ in [row for row in truth.planted if row[0] == "version"][::20]:
            first, second = versions(opened, address(original))
            assert first.sighting.date < second.sighting.date
            assert 0.6 < second.resemblance < 1


def test_pages_are_the_same_for_the_same_seed(tmp_path, programs):
    text = (ROOT / "docs" / "architecture.md").read_text()
    for name in ("one", "two"):
        programs[0].generate(tmp_path / name, 200, seed=5, jobs=1, text=text)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_the_scales_of_the_benchmark_are_right(programs):
    truth = programs[1].Truth([("edited", 1, 10), ("edited", 2, 20), ("moved", 3, 30), ("version", 4, 4)])
    found = [[1, 10], [2, 3, 30], [20, 5]]
    assert truth.recall(found) == {"edited": 0.5, "moved": 1.0}
    assert truth.precision(found) == pytest.approx(2 / 5)


def test_two_numbers_of_documents_show_growth(capsys):
    *_, corpus = map(load, ("generated_pages", "planted", "asking", "measuring", "corpus"))  # each needs those before
    steps = [[corpus.Step("add", seconds, cpu, 10**9)] for seconds, cpu in ((1.0, 2.0), (4.0, 30.0))]
    answers = {"recall": {"moved": 1.0}, "milliseconds": {"lookup": [1, 2, 3]}, "making lookups": 1, "opening": 2}
    corpus.show(
        [
            corpus.Outcome(
                documents, taken, {"joining": 1.0}, {"of all": 9}, {"moved": 1.0}, 1.0, {"0.5": 1.0}, 1.0, answers, disk
            )
            for documents, taken, disk in zip((100, 1000), steps, (1e6, 5e6), strict=True)
        ]
    )
    shown = capsys.readouterr().out
    assert "| seconds (processor seconds; memory) | 100 | 1,000 | growth |" in shown
    assert "| add | 1.0 (2.0; 1.00 GB) | 4.0 (30.0; 1.00 GB) | 15.0× |" in shown
    assert "| on disk, MB | 1 | 5 | 5.0× |" in shown
