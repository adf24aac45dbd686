"""Clusters: the four phases against brute force over the sketches."""

from __future__ import annotations

import random
import shutil
import threading
from collections import Counter
from contextlib import closing
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import VOCABULARY, add_here, edited, prose, write_crawl, write_files

import moss.corpus.cluster.phases as phases
from moss.corpus.cluster import local_sort, pair_filters, relations, rows_at_hand
from moss.corpus.cluster.clusters import LinkCriteria, cluster, clusters
from moss.corpus.cluster.phases import Phases
from moss.corpus.engines.duckdb import DuckEngine
from moss.corpus.errors import CorpusError
from moss.corpus.storage.cleanup import phases_of
from moss.corpus.storage.compaction import compact
from moss.corpus.storage.locks import alone
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.segments import CorpusWriter, Snapshot, local_engine
from moss.engine.union_find import components


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Documents of many lengths with copies of parts of each other, in two segments."""
    folder = tmp_path_factory.mktemp("mixed")
    chance = random.Random(7)
    texts = [prose(n, chance.choice((3, 30, 90, 150, 400, 900))) for n in range(40)]
    for n in range(40, 120):
        words = chance.choice(texts).split()
        start = chance.randrange(len(words))
        part = " ".join(words[start : start + chance.randrange(1, 400)])
        texts.append(f"{part} {prose(n, chance.choice((0, 10, 100, 300)))} to be or not to be that is the question")
    half = len(texts) // 2
    for part, chosen in (("one", texts[:half]), ("two", texts[half:])):
        first = half * (part == "two")
        records = [{"url": f"d{first + n:03}", "text": text} for n, text in enumerate(chosen)]
        add_here(folder / "corpus", write_crawl(folder / f"{part}.jsonl", records), recipe=Recipe(sample=40))
    return folder / "corpus"


def table(corpus, work, sql, rows=2000):
    with Snapshot(corpus) as snapshot:
        engine = local_engine(corpus)
        made = Phases(snapshot, engine, rows=rows)
        try:
            work(made)
            return engine.fetch(sql)
        finally:
            made.close()
            engine.close()


def brute_force(corpus, common=10**9):
    """{(a, b): (shared, size_a, size_b)} by looking at all pairs, in Python."""
    columns = table(corpus, lambda made: None, "SELECT doc, mask FROM documents WHERE doc = same_as")
    masks = dict(zip(columns["doc"].tolist(), columns["mask"].tolist(), strict=True))
    rows = table(corpus, lambda made: None, "SELECT shingle, doc FROM shingles")
    sketches = {doc: set() for doc in masks}
    holders = Counter(rows["shingle"].tolist())
    for shingle, doc in zip(rows["shingle"].tolist(), rows["doc"].tolist(), strict=True):
        sketches[doc].add(shingle)
    sketches = {doc: {s for s in sketch if holders[s] <= common} for doc, sketch in sketches.items()}

    @cache
    def at(doc, mask):
        return {s for s in sketches[doc] if s & mask == 0}

    found = {}
    for a, b in combinations(sorted(sketches), 2):
        at_a, at_b = at(a, masks[a] | masks[b]), at(b, masks[a] | masks[b])
        if shared := len(at_a & at_b):
            found[a, b] = shared, len(at_a), len(at_b)
    return found


@pytest.fixture(scope="module")
def phrases(tmp_path_factory):
    """Documents of many lengths that share phrases by chance, common ones and rare ones, and copies among them."""
    folder = tmp_path_factory.mktemp("phrases")
    chance = random.Random(8)
    vocabulary, weights = VOCABULARY[:150], [1 / rank for rank in range(1, 151)]
    texts = [" ".join(chance.choices(vocabulary, weights, k=chance.choice((9, 40, 90, 180, 350)))) for _ in range(150)]
    texts += [f"{chance.choice(texts)} {prose(n, chance.choice((5, 100, 1000)))}" for n in range(30)]
    records = [{"url": f"d{n:03}", "text": text} for n, text in enumerate(texts)]
    add_here(folder / "corpus", write_crawl(folder / "c.jsonl", records), recipe=Recipe(shingle=3))
    return folder / "corpus"


def passing(pairs, resemblance, containment=None):
    """Those of brute force's pairs that pass a threshold."""
    return {
        pair: (shared, a, b)
        for pair, (shared, a, b) in pairs.items()
        if shared >= resemblance * (a + b - shared) or (containment and shared >= containment * min(a, b))
    }


def figures(columns):
    names = ("a", "b", "shared", "size_a", "size_b")
    return {(a, b): tuple(rest) for a, b, *rest in zip(*(columns[name].tolist() for name in names), strict=True)}


ALL = "SELECT * FROM pairs ORDER BY a, b"


@pytest.mark.parametrize("common", [10**9, 60, 2])
@pytest.mark.parametrize("which", ["mixed", "phrases"])
def test_pairs_are_those_of_brute_force_and_a_lower_threshold_adds_those_that_are_missing(which, common, request):
    corpus = request.getfixturevalue(which)
    everything = brute_force(corpus, common)
    shutil.rmtree(corpus / "phases", ignore_errors=True)
    numbers = []
    for choice in ((0.75,), (0.5,), (0.5, 0.75), (0.125, 0.75), (0.0625, 0.0625)):
        found = figures(table(corpus, lambda made, choice=choice: made.pairs(common, *choice), ALL))
        assert found == passing(everything, *choice)
        numbers.append(len(found))
    assert numbers == sorted(numbers)
    if common >= 60:
        assert numbers[-1] > 2 * numbers[0] > 0
        assert which == "mixed" or numbers[-1] < len(everything)


def test_slices_and_parts_do_not_change_the_pairs(mixed, monkeypatch):
    whole = table(mixed, lambda made: made.pairs(999_999, 0.1, 0.3), ALL, rows=10**6)
    monkeypatch.setattr(phases, "MERGED", 10)
    monkeypatch.setattr(phases, "TOGETHER", 7)
    cut = table(mixed, lambda made: made.pairs(999_998, 0.1, 0.3), ALL, rows=500)
    assert figures(whole) == figures(cut)
    assert len(figures(whole)) > 20


@pytest.mark.parametrize("common", [999, 4])
@pytest.mark.parametrize("how", ["counted", "by segments", "by workers"])
def test_sorted_arrays_are_what_sql_would_give(mixed, tmp_path, monkeypatch, how, common):
    """Whoever sorts, with counters in memory or without, the rows are those of grouping and joining all rows."""
    monkeypatch.setattr(local_sort, "_COUNTERS", 10**9 if how == "counted" else 0)
    monkeypatch.setattr(phases, "COUPLED", 2)
    if how == "by workers":
        monkeypatch.setattr(DuckEngine, "here", lambda engine, tables: None)
    corpus = shutil.copytree(mixed, tmp_path / "corpus", ignore=shutil.ignore_patterns("phases"))
    with Snapshot(corpus) as snapshot, closing(local_engine(corpus)) as engine:
        masks = relations.masks_up_to(int(engine_max(snapshot, engine, "mask")))
        low = relations.lowest_bit("shingle", masks)
        holders = "SELECT shingle, COUNT(*) AS holders, MIN(doc) AS a, MAX(doc) AS b FROM shingles GROUP BY shingle"
        several = f"SELECT shingle, doc, holders FROM shingles JOIN ({holders}) USING (shingle) WHERE holders > 2"
        two = f"SELECT a, b, {low} AS low, COUNT(*) AS n FROM ({holders}) WHERE holders = 2 GROUP BY ALL"
        couples = f"SELECT a, b, low, SUM(n)::BIGINT AS n FROM {pair_filters.COUPLES} GROUP BY a, b, low"
        with closing(Phases(snapshot, engine, rows=500)) as made:
            made.pairs(common, 0.5)
            for found, sql, order in (
                (couples, two, "a, b, low"),
                (f"FROM {relations.SORTED}", several, "shingle, doc"),
                (
                    f"FROM {relations.DEPTHS}",
                    f"SELECT doc, {low} AS low, COUNT(*) AS n FROM shingles GROUP BY ALL",
                    "doc, low",
                ),
                (f"FROM {relations.SIZES}", relations.sizes(common, masks), "doc, mask"),
                (f"FROM {pair_filters.SHARES}", pair_filters.shares(common, masks), "doc, mask"),
            ):
                rows, expected = (engine.fetch(f"SELECT * FROM ({each}) ORDER BY {order}") for each in (found, sql))
                assert {n: c.tolist() for n, c in rows.items()} == {n: c.tolist() for n, c in expected.items()}
                assert len(next(iter(rows.values()))) > 80


def engine_max(snapshot, engine, column):
    snapshot.tables(engine)
    return engine.fetch(f"SELECT MAX({column}) AS most FROM documents")["most"][0]


@pytest.mark.parametrize(("runs", "portion"), [(0, 1), (100, 1), (100, 7), (100, 1 << 16)])
@given(
    rows=st.lists(
        st.tuples(st.integers(-5, 5) | st.sampled_from([-(2**63), 2**63 - 1]), st.integers(0, 3)),
        max_size=30,
        unique=True,
    )
)
def test_rows_may_come_in_any_order(runs, portion, rows):
    """Sorted anew or merged, in one portion or in many."""
    shingles, docs = (np.array([row[n] for row in rows], np.int64) for n in (0, 1))
    held = {s: sorted(d for t, d in rows if t == s) for s, _ in rows}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_sort, "_RUNS", runs)
        patch.setattr(local_sort, "_PORTION", portion)
        found = local_sort.SortedRows(shingles, docs)
    several = sorted(s for s, docs in held.items() if len(docs) > 1)
    expected = [(s, *held[s]) for s in several if len(held[s]) == 2]
    assert list(zip(*(column.tolist() for column in found.of_two.values()), strict=True)) == expected
    expected = [(s, d, len(held[s])) for s in several if len(held[s]) > 2 for d in held[s]]
    assert list(zip(*(column.tolist() for column in found.several.values()), strict=True)) == expected


@pytest.mark.parametrize("together", [1, 3, 1 << 16])
@given(
    rows=st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 6)), max_size=60, unique=True),
    pairs=st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=15),
    common=st.integers(3, 7),
)
def test_rows_at_hand_tell_what_pairs_share_of_shingles_that_more_have(together, rows, pairs, common):
    """Whatever rows come together, and however many partners a document has."""
    holders = {}
    for shingle, doc in rows:
        holders.setdefault(shingle, set()).add(doc)
    counted = [docs for docs in holders.values() if 2 < len(docs) <= common]
    shingles, docs = (np.array([row[side] for row in sorted(rows)], np.int64) for side in (0, 1))
    at_hand = rows_at_hand.RowsAtHand(documents=7, common=common)
    half = int(np.searchsorted(shingles, 0))
    for part in (slice(None, half), slice(half, None)):
        at_hand.add(local_sort.SortedRows(shingles[part], docs[part]))
    asked = sorted((a, b) for a, b in pairs if a < b)
    a, b = (np.array([pair[side] for pair in asked], np.int64) for side in (0, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_at_hand, "_TOGETHER", together)
        found = at_hand.shared(a, b).tolist()
    assert found == [sum({*pair} <= docs for docs in counted) for pair in asked]


def test_pairs_are_the_same_if_too_many_rows_came_to_keep_them(mixed, tmp_path, monkeypatch):
    found = []
    for most in (rows_at_hand.MOST, 0):
        monkeypatch.setattr(rows_at_hand, "MOST", most)
        copy = tmp_path / str(most)
        shutil.copytree(mixed, copy, ignore=shutil.ignore_patterns("phases"))
        columns = table(copy, lambda made: made.pairs(9, 0.1, 0.3), "SELECT * FROM pairs ORDER BY a, b")
        found.append({name: column.tolist() for name, column in columns.items()})
    assert found[0] == found[1]
    assert len(found[0]["a"]) > 50


@given(st.integers(0, 10**12), st.integers(1, 10**9))
def test_slices_cover_every_hash_once(rows, most):
    made = list(relations.slices(min(rows, 1000 * most), most))
    assert made[0][0] == -(2**63)
    assert made[-1][1] == 2**63 - 1
    assert all(high + 1 == low for (_, high), (low, _) in pairwise(made))


LINKS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=60)


@given(LINKS)
def test_components_are_what_links_connect(links):
    groups = {item: {item} for item in range(31)}
    for a, b in links:
        for item in (joined := groups[a] | groups[b]):
            groups[item] = joined
    a, b = (np.array([link[side] for link in links], np.int64) for side in (0, 1))
    root = components(31, a, b).tolist()
    for i in range(31):
        assert root[i] == min(groups[i])


def test_a_long_chain_is_one_component():
    order = np.random.default_rng(1).permutation(5000)
    assert not components(5000, order[:-1], order[1:]).any()


def run(corpus, **choice):
    with Snapshot(corpus) as snapshot:
        engine = local_engine(corpus)
        try:
            found = cluster(snapshot, engine, LinkCriteria(**choice))
            return list(clusters(found, engine)), found
        finally:
            engine.close()


def names(groups):
    return sorted(sorted(address.rpartition("/")[2] for address in group.documents) for group in groups)


@pytest.fixture
def family(tmp_path):
    text = prose(1, 300)
    folder = write_files(
        tmp_path / "in",
        {
            "a.txt": text,
            "a2.txt": text,
            "b.txt": edited(text, 1, 3),
            "c.txt": edited(text, 2, 40),
            "host.txt": f"{prose(5, 500)} {text} {prose(6, 500)}",
            "other.txt": prose(2, 300),
            "other2.txt": edited(prose(2, 300), 3, 2),
            "alone.txt": prose(3, 300),
        },
    )
    add_here(tmp_path / "corpus", folder)
    return tmp_path / "corpus"


def test_clusters_hold_what_resembles(family):
    groups, _ = run(family, resemblance=0.5)
    assert names(groups) == [["a.txt", "a2.txt", "b.txt"], ["other.txt", "other2.txt"]]
    assert [len(group.documents) for group in groups] == [3, 2]
    assert groups[0].representative.endswith("a.txt")
    assert (groups[0].sightings, groups[0].kept) == (3, 2)


def test_identical_documents_form_clusters_at_any_threshold(family):
    groups, _ = run(family, resemblance=1.0)
    assert names(groups) == [["a.txt", "a2.txt"]]


def test_containment_links_a_page_with_its_host(family):
    groups, _ = run(family, resemblance=0.5, containment=0.8)
    assert ["a.txt", "a2.txt", "b.txt", "host.txt"] in names(groups)


def test_a_higher_threshold_repeats_no_earlier_phase(family):
    groups, _ = run(family, resemblance=0.2)
    assert ["a.txt", "a2.txt", "b.txt", "c.txt"] in names(groups)
    before = written(family)
    groups, found = run(family, resemblance=0.5)
    assert written(family) == before
    assert "count pairs" not in found.times.seconds
    assert ["a.txt", "a2.txt", "b.txt"] in names(groups)


def written(corpus):
    return {path: path.stat().st_mtime_ns for path in (corpus / "phases").rglob("*.parquet")}


def test_a_lower_threshold_counts_only_pairs_that_are_missing(family):
    run(family, resemblance=0.5)
    before = written(family)
    groups, _ = run(family, resemblance=0.2)
    assert ["a.txt", "a2.txt", "b.txt", "c.txt"] in names(groups)
    after = written(family)
    assert before.items() <= after.items()  # nothing was made again
    rows = [figures(read_rows(path.parent)) for path in after if path.parent.name.startswith("pairs-")]
    assert len(rows) == 2
    assert all(rows)
    assert not rows[0].keys() & rows[1].keys()


def read_rows(folder):
    with closing(local_engine(folder.parents[3])) as engine:
        engine.table("rows", [folder], {})
        return engine.fetch("SELECT * FROM rows")


def test_a_grown_corpus_is_clustered_anew(family, tmp_path):
    run(family)
    add_here(family, write_files(tmp_path / "more", {"alone2.txt": edited(prose(3, 300), 1, 2)}))
    groups, _ = run(family)
    assert ["alone.txt", "alone2.txt"] in names(groups)
    assert ["a.txt", "a2.txt", "b.txt"] in names(groups)
    assert len(list((family / "phases").iterdir())) == 1


def test_compaction_changes_nothing(mixed, tmp_path):
    import shutil

    copy = shutil.copytree(mixed, tmp_path / "copy")
    before, _ = run(copy, resemblance=0.3)
    with CorpusWriter(copy) as writer:
        compact(writer)
        assert len(writer.manifest.segments) == 1
    after, _ = run(copy, resemblance=0.3)
    assert before == after
    assert [path.name for path in (copy / "segments").iterdir()] == ["00000003"]


def test_super_shingles_find_what_is_nearly_the_same(family):
    groups, _ = run(family, super_shingle=3)
    assert names(groups) == [["a.txt", "a2.txt", "b.txt"], ["other.txt", "other2.txt"]]


def test_super_shingles_count_as_shingles_do(mixed):
    by_runs, _ = run(mixed, resemblance=0.3, super_shingle=2)
    by_pairs, _ = run(mixed, resemblance=0.3)
    apart = {address for group in by_pairs for address in group.documents}
    assert {address for group in by_runs for address in group.documents} <= apart


@pytest.mark.parametrize(
    ("stage", "work"),
    [
        ("sort shingles", lambda made: made.pairs(999, 0.1)),
        ("count pairs", lambda made: made.pairs(998, 0.1)),
        ("match super shingles", lambda made: made.super_pairs(2, 999)),
    ],
    ids=["sorted", "counts", "candidates"],
)
def test_slices_of_an_interrupted_run_are_not_taken_for_others(mixed, tmp_path, stage, work):
    def pairs(corpus, rows, interrupted=False):
        def progress(now, done, total):
            if interrupted and (now, done) == (stage, 1):
                assert total > 2
                raise KeyboardInterrupt

        with Snapshot(corpus) as snapshot, closing(local_engine(corpus)) as engine:
            with closing(Phases(snapshot, engine, progress, rows)) as made:
                work(made)
            return {name: column.tolist() for name, column in engine.fetch("SELECT * FROM pairs").items()}

    fresh, corpus = (shutil.copytree(mixed, tmp_path / name) for name in ("fresh", "corpus"))
    for copy in (fresh, corpus):
        shutil.rmtree(copy / "phases", ignore_errors=True)
    with pytest.raises(KeyboardInterrupt):
        pairs(corpus, 100, interrupted=True)
    assert pairs(corpus, 10**9) == pairs(fresh, 10**9)


@pytest.mark.parametrize(
    "choice", [LinkCriteria(0.4), LinkCriteria(super_shingle=3)], ids=["shingles", "super shingles"]
)
def test_who_comes_second_waits_for_who_makes_the_same_pairs(tmp_path, choice):
    """Else one of two processes would remove what the other reads."""
    add_here(tmp_path / "corpus", write_files(tmp_path / "in", {f"{n}.txt": prose(n // 2) for n in range(6)}))
    found = []

    def find():
        with Snapshot(tmp_path / "corpus") as snapshot, closing(local_engine(tmp_path / "corpus")) as engine:
            found.append(cluster(snapshot, engine, choice).label.tolist())

    folder = phases_of(tmp_path / "corpus", generation=1)
    folder.mkdir(parents=True)
    second = threading.Thread(target=find)
    with alone(folder):
        second.start()
        second.join(1)
        assert not found
    second.join()
    assert found == [[0, 0, 2, 2, 4, 4]]


def test_common_shingles_are_ignored(tmp_path):
    """Forty pages with the same long footer and different contents are no cluster."""
    footer = prose(0, 120)
    texts = {f"{n}.txt": f"{prose(n + 1, 40)} {footer}" for n in range(40)}
    corpus = tmp_path / "corpus"
    add_here(corpus, write_files(tmp_path / "in", texts), recipe=Recipe(sample=1000))
    assert len(run(corpus, common=1000)[0]) == 1
    assert run(corpus, common=30)[0] == []


@pytest.mark.parametrize("count", [8, 12, 30])
def test_a_crowd_is_a_cluster_although_what_it_shares_is_in_many(tmp_path, count):
    """Each resembles each by about a quarter, and all by the same shingles."""
    corpus, shared = tmp_path / "corpus", prose(0, 40)
    texts = {f"{n}.txt": f"{shared} {prose(n + 1, 50)}" for n in range(count)}
    add_here(corpus, write_files(tmp_path / "in", texts))
    groups, found = run(corpus, common=30, resemblance=0.2)
    assert [len(group.documents) for group in groups] == [count]
    assert found.mostly_common == ()


def test_documents_that_consist_of_common_shingles_are_named(tmp_path):
    corpus, text = tmp_path / "corpus", prose(0, 60)
    texts = {f"{n:02}.txt": edited(text, n, 1) for n in range(31)} | {"other.txt": prose(1, 60)}
    add_here(corpus, write_files(tmp_path / "in", texts))
    groups, found = run(corpus, common=20)
    assert groups == []
    assert [address.rpartition("/")[2] for address in found.mostly_common] == sorted(texts)[:31]


@pytest.mark.parametrize(("choice", "named"), [({}, 0), ({"resemblance": 0.2}, 31), ({"containment": 0.2}, 31)])
def test_documents_are_named_if_what_is_ignored_could_link_them(tmp_path, choice, named):
    """Each has two fifths of its words from one text that too many have, so it resembles each by a quarter."""
    corpus, shared = tmp_path / "corpus", prose(0, 40)
    texts = {f"{n:02}.txt": f"{shared} {prose(n + 1, 60)}" for n in range(31)} | {"other.txt": prose(99, 60)}
    add_here(corpus, write_files(tmp_path / "in", texts), recipe=Recipe(sample=1000))
    groups, found = run(corpus, common=20, **choice)
    assert groups == []
    assert [address.rpartition("/")[2] for address in found.mostly_common] == sorted(texts)[:named]


def test_versions_of_one_address_are_no_cluster(tmp_path):
    records = [{"url": "u", "date": f"2024-01-0{n}", "text": edited(prose(1), n, 2)} for n in range(1, 4)]
    add_here(tmp_path / "corpus", write_crawl(tmp_path / "c.jsonl", records))
    assert run(tmp_path / "corpus")[0] == []


def test_an_empty_corpus_has_no_clusters(tmp_path):
    (tmp_path / "in").mkdir()
    add_here(tmp_path / "corpus", tmp_path / "in")
    assert run(tmp_path / "corpus")[0] == []


@pytest.mark.parametrize(
    "wrong",
    [{"resemblance": 0.0}, {"resemblance": 1.1}, {"containment": -1.0}, {"common": 1}, {"super_shingle": 1},
     {"super_shingle": 4, "containment": 0.5}, {"resemblance": float("nan")}],
    ids=lambda wrong: "-".join(map(str, wrong.items())),
)  # fmt: skip
def test_impossible_choices_are_refused(wrong):
    with pytest.raises(CorpusError):
        LinkCriteria(**wrong)
