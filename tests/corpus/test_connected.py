"""Union–find as relations gives what union–find in arrays gives."""

from __future__ import annotations

from contextlib import closing
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpora import add_here, edited, prose, write_files

from moss.corpus.cluster.cluster_tables import cluster_tables
from moss.corpus.cluster.clusters import LinkCriteria, cluster, clusters
from moss.corpus.cluster.connected import LABELS, connect
from moss.corpus.engines.duckdb import MEMORY, DuckEngine
from moss.corpus.storage.segments import Snapshot, local_engine
from moss.engine.union_find import components


def in_arrays(links):
    """The label of each document that a link names."""
    a, b = np.array(links, np.int64).reshape(-1, 2).T
    root = components(max([-1, *a, *b]) + 1, a, b)
    return {doc: int(root[doc]) for doc in {*a.tolist(), *b.tolist()} - {x for x in a if _alone(x, links)}}


def _alone(doc, links):
    """Whether all links of a document are with itself."""
    return all(one == other for one, other in links if doc in (one, other))


def as_relations(engine, folder, links, few):
    columns = dict(zip("ab", np.array(links, np.int64).reshape(-1, 2).T, strict=True))
    engine.write_arrays(columns, folder / "links.parquet")
    engine.table("given", [folder / "links.parquet"], {"a": "BIGINT", "b": "BIGINT"})
    connect(engine, "SELECT a, b FROM given", folder, few)
    found = engine.fetch(f"SELECT doc, label FROM {LABELS}")
    return dict(zip(found["doc"].tolist(), found["label"].tolist(), strict=True))


def checked(links, few):
    with TemporaryDirectory() as name, closing(DuckEngine(Path(name), threads=1)) as engine:
        assert as_relations(engine, Path(name), links, few) == in_arrays(links)


def test_clusters_as_tables_are_those_in_arrays(tmp_path, monkeypatch):
    monkeypatch.setattr("moss.corpus.engines.duckdb.PORTION", 7)  # rows: so there are several
    texts = {f"{n:02}.txt": edited(prose(n // 3), n, 4 * (n % 3)) for n in range(30)}
    add_here(
        tmp_path / "corpus", write_files(tmp_path / "in", texts | {"copy.txt": prose(1), "loud.txt": prose(1).upper()})
    )
    with Snapshot(tmp_path / "corpus") as snapshot, closing(local_engine(tmp_path / "corpus")) as engine:
        for choice in (LinkCriteria(), LinkCriteria(0.2, containment=0.5), LinkCriteria(super_shingle=3)):
            found = cluster(snapshot, engine, choice)
            tables = cluster_tables(snapshot, engine, choice, tmp_path / f"{choice.resemblance}-{choice.super_shingle}")
            assert list(tables.clusters(tmp_path, MEMORY)) == list(clusters(found, engine))
            assert (tables.documents, tables.pairs, tuple(tables.mostly_common)) == (
                32,
                found.pairs,
                found.mostly_common,
            )
            assert found.pairs > 10


docs = st.integers(0, 15)


@settings(max_examples=25)
@given(st.lists(st.tuples(docs, docs), max_size=20), st.sampled_from([0, 3]))
def test_random_links(links, few):
    checked(links, few)


def path(numbers):
    return list(pairwise(numbers))


@pytest.mark.parametrize("few", [0, 100])
def test_a_long_path_in_any_order(few):
    shuffled = Random(1).sample(range(2000), 2000)
    checked(path(range(2000)), few)
    checked(path(shuffled), few)
    zigzag = [number // 2 if number % 2 else 999 - number // 2 for number in range(1000)]
    checked(path(zigzag), few)
