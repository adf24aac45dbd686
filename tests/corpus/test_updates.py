"""Clusters of a corpus that has grown or shrunk are those of a corpus that is clustered for the first time."""

from __future__ import annotations

import shutil
from contextlib import closing

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support.corpora import add_here, edited, prose, write_crawl

import moss.corpus.cluster.phases as phases
from moss.corpus.cluster import update
from moss.corpus.cluster.clusters import LinkCriteria, cluster, clusters
from moss.corpus.storage.compaction import compact
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.removal import remove
from moss.corpus.storage.segments import CorpusWriter, Snapshot, local_engine

RECIPE = Recipe(shingle=2, sample=12)
CHOICE = LinkCriteria(resemblance=0.3, containment=0.6, common=4)
POOL = [
    *(edited(prose(seed, 30), copy, copy) for seed in range(3) for copy in range(4)),
    *(f"{prose(1, 30)} {prose(seed, length)}" for seed, length in ((7, 5), (8, 30), (9, 120))),
    prose(1, 30).upper(),
    prose(5, 3),
    "",
]


def outcome(corpus):
    """All pairs and clusters, and what was done to have them."""
    with Snapshot(corpus) as snapshot, closing(local_engine(corpus)) as engine:
        found = cluster(snapshot, engine, CHOICE)
        pairs = engine.fetch("SELECT * FROM pairs ORDER BY a, b")
        return (
            {name: column.tolist() for name, column in pairs.items()},
            list(clusters(found, engine)),
            found.mostly_common,
        ), found.times.seconds


def of_a_full_run(corpus, folder):
    copy = shutil.copytree(corpus, folder)
    shutil.rmtree(copy / "phases")
    try:
        return outcome(copy)[0]
    finally:
        shutil.rmtree(copy)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(st.integers(0, len(POOL) - 1), min_size=1, max_size=4)),
        st.tuples(st.just("remove"), st.integers(0, 12)),
        st.tuples(st.just("compact"), st.none()),
    ),
    min_size=1,
    max_size=5,
)


@given(first=st.lists(st.integers(0, len(POOL) - 1), min_size=6, max_size=12), steps=STEPS)
@settings(max_examples=5, deadline=None, phases=[Phase.explicit, Phase.generate])  # a corpus takes long to shrink
def test_an_updated_corpus_has_the_pairs_of_a_full_run(first, steps, tmp_path_factory):
    folder = tmp_path_factory.mktemp("grown")
    corpus, number = folder / "corpus", 0

    def added(texts):
        nonlocal number
        records = [{"url": f"u{number + place}", "text": POOL[text]} for place, text in enumerate(texts)]
        add_here(corpus, write_crawl(folder / f"{number}.jsonl", records), recipe=RECIPE)
        number += len(texts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(phases, "FEW", 0)  # however many have changed
        patch.setattr(update, "_LAYERS", 2)
        added([*first, 12, 14])
        outcome(corpus)
        for step, given_ in steps:
            if step == "add":
                added(given_)
            elif step == "remove":
                remove(corpus, lambda address, wanted=f"u{given_}": address == wanted)
            else:
                with CorpusWriter(corpus) as writer:
                    compact(writer)
        found, seconds = outcome(corpus)
    assert found == of_a_full_run(corpus, folder / "copy")
    assert "sort shingles" not in seconds


@pytest.fixture
def grown(tmp_path):
    """A corpus that was clustered, and then got one more document."""
    records = [{"url": f"u{n:02}", "text": edited(prose(n // 3, 80), n, 2 * (n % 3))} for n in range(60)]
    corpus = tmp_path / "corpus"
    add_here(corpus, write_crawl(tmp_path / "first.jsonl", records))
    outcome(corpus)
    add_here(corpus, write_crawl(tmp_path / "more.jsonl", [{"url": "new", "text": edited(prose(7, 80), 99, 3)}]))
    return corpus


def test_one_new_document_is_looked_up_and_nothing_else_is_counted(grown):
    (_, groups, _), seconds = outcome(grown)
    assert [group.documents for group in groups if "new" in group.documents] == [("new", "u21", "u22", "u23")]
    assert set(seconds) == {"update pairs", "union-find"}
    written = {path.parent.name.partition("-")[0]: path for path in (grown / "phases").glob("g2/*/*/*.parquet")}
    assert set(written) == {"pairs", "sizes"}
    assert outcome(grown)[1].keys() == {"union-find"}


def test_many_new_documents_are_counted_with_the_others(grown, tmp_path):
    records = [{"url": f"more{n}", "text": edited(prose(n, 80), 200 + n, 3)} for n in range(20)]
    add_here(grown, write_crawl(tmp_path / "many.jsonl", records))
    found, seconds = outcome(grown)
    assert "sort shingles" in seconds
    assert found == of_a_full_run(grown, tmp_path / "copy")


def test_nothing_of_a_removed_document_is_left_in_what_is_known(grown, tmp_path):
    outcome(grown)
    remove(grown, lambda address: address in {"u21", "new"})
    assert [path.name for path in (grown / "phases").iterdir()] == ["g3"]
    with closing(local_engine(grown)) as engine:
        engine.table("rows", sorted((grown / "phases").glob("*/*/pairs-*")), {})
        assert engine.fetch("SELECT MAX(b) AS b FROM rows")["b"][0] < 59
    found, seconds = outcome(grown)
    assert "sort shingles" not in seconds
    assert found == of_a_full_run(grown, tmp_path / "copy")


def test_damaged_results_are_made_anew(grown, tmp_path):
    expected = outcome(grown)[0]
    for path in (grown / "phases").glob("*/*/kept.json"):
        path.write_text("{")
    assert outcome(grown)[0] == expected
    for path in (grown / "phases").glob("*/*/pairs-*"):
        shutil.rmtree(path)
    assert outcome(grown)[0] == expected
