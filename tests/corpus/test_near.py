"""Near-duplicates of a corpus, against brute force, as functions and as `moss corpus near`."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from support.corpora import add_here, edited, prose, write_crawl, write_files
from support.fingerprints import brute_pairs, crowded, few_bits

import moss.corpus.storage.texts as addresses
from moss.cli import main
from moss.cli.corpus.near import _all
from moss.corpus.ingest.sources import read_file
from moss.corpus.near.duplicates import Fingerprinted, NearIndex, fingerprints_of, near_all, near_among, near_each
from moss.corpus.near.near_by_many import near_all_by_many
from moss.corpus.storage.segments import Snapshot, local_engine
from moss.corpus.storage.texts import addresses_of


def brute_groups(fingerprints, k):
    """Groups by walking from document to document."""
    values, groups, seen = fingerprints.tolist(), [], set()
    for start in range(len(values)):
        group, waiting = [], [start]
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                group.append(one)
                waiting += [other for other, value in enumerate(values) if (value ^ values[one]).bit_count() <= k]
        if len(group) > 1:
            groups.append(sorted(group))
    return sorted(groups, key=lambda group: (-len(group), group[0]))


@given(crowded(), few_bits)
def test_pairs_and_groups_are_those_of_brute_force(fingerprints, k):
    docs = np.arange(len(fingerprints))[::-1].copy()  # numbers need not come in order
    found = near_among(Fingerprinted.of(docs, fingerprints[docs]), k)
    values = fingerprints.tolist()
    pairs = {tuple(sorted((values[a], values[b]))) for a, b in zip(found.a.tolist(), found.b.tolist(), strict=True)}
    assert pairs == brute_pairs(fingerprints, k)
    assert len(found.a) == len(pairs)
    for a, b, bits in zip(found.a.tolist(), found.b.tolist(), found.bits.tolist(), strict=True):
        assert (values[a] ^ values[b]).bit_count() == bits
    same = [[doc for doc, value in enumerate(values) if value == one] for one in sorted(set(values))]
    assert [docs.tolist() for docs in found.same] == [docs for docs in same if len(docs) > 1]
    assert [group.tolist() for group in found.groups] == brute_groups(fingerprints, k)
    assert found.documents == len(fingerprints)


@given(crowded(), crowded(max_size=3), few_bits)
def test_an_index_answers_as_brute_force(fingerprints, others, k):
    known = Fingerprinted.of(np.arange(len(fingerprints)), fingerprints)
    for compressed in (False, True):
        index = NearIndex(known, k, compressed)
        for query in [*fingerprints[:3].tolist(), *others.tolist()]:
            near = [(doc, (value ^ query).bit_count()) for doc, value in enumerate(fingerprints.tolist())]
            expected = sorted((found for found in near if found[1] <= k), key=lambda found: (found[1], found[0]))
            assert index.near(query) == expected


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Two segments: essays with a near copy each, an exact copy in other words' case, an empty file, and a crawl in
    which one page is seen twice."""
    folder = tmp_path_factory.mktemp("near")
    texts = {f"essays/{seed:02}.txt": prose(seed, 400) for seed in range(12)}
    copies = {f"copies/{seed:02}.txt": edited(prose(seed, 400), seed, 1) for seed in range(4)}
    copies |= {"copies/loud.txt": prose(5, 400).upper(), "copies/nothing.txt": "", "copies/signs.txt": "!!"}
    add_here(folder / "corpus", write_files(folder / "first", texts))
    records = [
        {"url": "page.example", "date": f"2024-01-0{day}", "text": edited(prose(77, 300), day, 1)} for day in (1, 2)
    ]
    add_here(folder / "corpus", write_files(folder / "second", copies), write_crawl(folder / "crawl.jsonl", records))
    return folder / "corpus"


@pytest.fixture
def opened(corpus):
    with Snapshot(corpus) as snapshot:
        engine = local_engine(corpus)
        yield snapshot, engine
        engine.close()


def stored(snapshot, engine):
    snapshot.tables(engine)
    rows = engine.fetch("SELECT doc, address, simhash, words FROM documents ORDER BY doc")
    return rows["doc"], rows["address"].tolist(), rows["simhash"].view(np.uint64), rows["words"] > 0


@pytest.mark.parametrize("k", [0, 3, 8], ids=str)
def test_all_of_a_corpus_is_found(opened, k, monkeypatch):
    snapshot, engine = opened
    docs, _, fingerprints, wordy = stored(snapshot, engine)
    found = near_all(snapshot, engine, k)
    expected = brute_groups(fingerprints[wordy], k)
    assert [group.tolist() for group in found.groups] == [docs[wordy][group].tolist() for group in expected]
    assert found.documents == wordy.sum() == len(docs) - 2
    monkeypatch.setattr("moss.corpus.engines.duckdb.PORTION", 3)  # rows: so there are several
    with TemporaryDirectory() as folder:
        by_many = near_all_by_many(snapshot, engine, Path(folder), k)
        assert lists_of(by_many) == lists_of(_all(snapshot, engine, k))


def lists_of(found):
    return found.documents, list(found.groups()), list(found.pairs()), list(found.same())


@pytest.mark.parametrize("k", [0, 3, 8], ids=str)
def test_a_file_finds_its_copies_in_every_segment(opened, corpus, k):
    snapshot, engine = opened
    docs, _, fingerprints, wordy = stored(snapshot, engine)
    again, _ = fingerprints_of(read_file(str(corpus.parent / "first" / "essays" / "00.txt")))
    assert again.tolist() == fingerprints[:1].tolist()  # a file is read as it was when it was added
    asked = fingerprints[wordy][:5]
    answers = near_each(snapshot, engine, asked, k)
    index = NearIndex.open(snapshot, engine, k)
    for query, answer in zip(asked.tolist(), answers, strict=True):
        near = [
            (doc, (value ^ query).bit_count())
            for doc, value, has in zip(docs.tolist(), fingerprints.tolist(), wordy.tolist(), strict=True)
            if has and (value ^ query).bit_count() <= k
        ]
        assert answer == sorted(near, key=lambda found: (found[1], found[0]))
        assert answer == index.near(query)


def test_addresses_are_found_by_number_and_by_window(opened, monkeypatch):
    snapshot, engine = opened
    docs, names, _, _ = stored(snapshot, engine)
    wanted = docs[[0, 3, 4, 11, 15]]
    expected = {int(doc): names[int(doc)] for doc in wanted}
    assert addresses_of(engine, wanted) == expected
    monkeypatch.setattr(addresses, "_FEW", 2)
    monkeypatch.setattr(addresses, "_WINDOW", 4)
    assert addresses_of(engine, wanted) == expected
    assert addresses_of(engine, wanted[:0]) == {}


def run(*arguments):
    return CliRunner().invoke(main, ["corpus", "near", *map(str, arguments)])


def test_the_command_groups_copies(corpus):
    result = run(corpus, "--bits", 6, "--json", "-")
    assert result.exit_code == 0, result.output
    plain = json.loads(result.output)
    groups = [{address.rpartition("/")[2] for address in group["documents"]} for group in plain["groups"]]
    assert (plain["bits"], plain["documents"]) == (6, 19)
    assert {"05.txt", "loud.txt"} in groups
    assert [{address.rpartition("/")[2] for address in group} for group in plain["same"]].count({"05.txt", "loud.txt"})
    assert not any("nothing.txt" in group for group in groups)
    assert not any("page.example" in group for group in groups)  # two sightings of one page
    assert all(pair["bits"] <= 6 for pair in plain["pairs"])


def test_the_command_prints_a_table_and_writes_a_file(corpus, tmp_path):
    result = run(corpus, "--json", tmp_path / "near.json")
    assert result.exit_code == 0
    assert "loud.txt" in result.output
    assert "of 19 documents that differ in at most 3 bits" in result.output
    assert json.loads((tmp_path / "near.json").read_text())["format"] == "moss-corpus-near"


def test_the_command_finds_what_is_near_a_file(corpus, tmp_path):
    (tmp_path / "mine.txt").write_text(prose(5, 400))
    result = run(corpus, "--file", tmp_path / "mine.txt", "--json", "-")
    (query,) = json.loads(result.output)["queries"]
    assert {found["address"].rpartition("/")[2] for found in query["near"] if found["bits"] == 0} == {
        "05.txt",
        "loud.txt",
    }
    printed = run(corpus, "--file", tmp_path / "mine.txt").output
    assert "2 documents differ in at most 3 bits from" in printed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--bits", 17), "17 is not in the range"),
        (("--file", "absent.txt"), "absent.txt"),
        (("--json", "absent/near.json"), "cannot write"),
    ],
    ids=["bits", "file", "json"],
)
def test_what_cannot_be_is_said_in_a_sentence(corpus, arguments, said):
    result = run(corpus, *arguments)
    assert result.exit_code == 2
    assert said in result.output
    assert "Traceback" not in result.output


def test_a_corpus_that_is_not_there(tmp_path):
    result = run(tmp_path / "none" / "here")
    assert (result.exit_code, "no corpus at" in result.output) == (2, True)


def test_a_file_without_words(corpus, tmp_path):
    (tmp_path / "signs.txt").write_text("!!")
    result = run(corpus, "--file", tmp_path / "signs.txt")
    assert (result.exit_code, "no words" in result.output) == (2, True)
