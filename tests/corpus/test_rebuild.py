"""Building a corpus anew: by new rules it answers again, and whatever happens on the way, nothing of it is lost."""

from __future__ import annotations

import json
import os
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from support.corpora import ADDITIONS, add_here, edited, grow, prose, tables, write_crawl, write_files

from moss.cli import main
from moss.corpus.engines.duckdb import DuckEngine
from moss.corpus.errors import CorpusError, OtherRulesError
from moss.corpus.ingest.add import add, in_turn, side_by_side
from moss.corpus.ingest.sources import read_file
from moss.corpus.search.queries import Corpus
from moss.corpus.storage.catalog import entries_in
from moss.corpus.storage.manifest import read_manifest
from moss.corpus.storage.rebuild import _first_address_hashes, rebuild
from moss.corpus.storage.removal import all_addresses, remove
from moss.corpus.storage.segments import CorpusWriter
from moss.processes.pool import Failure

RAISED = pytest.mark.parametrize("number", ["SCAN_VERSION", "HASH_VERSION"])


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    with closing(DuckEngine(tmp_path_factory.mktemp("scratch"))) as engine:
        yield engine


@pytest.fixture
def essays(tmp_path, monkeypatch):
    """A corpus of three segments, with copies, in a data folder."""
    monkeypatch.chdir(tmp_path)
    text = prose(1, 300)
    parts = (
        {"a.txt": text, "b.txt": edited(text, 1, 3)},
        {"copy.txt": text},
        {"c.txt": prose(2), "d.py": "print(1)\n" * 9},
    )
    for number, texts in enumerate(parts):
        add_here(tmp_path / "data/corpora/essays", write_files(Path(f"in{number}"), texts))
    return tmp_path / "data/corpora/essays"


@pytest.fixture
def raised(monkeypatch):
    """Raises a version, as a new program would."""
    return lambda number: monkeypatch.setattr(f"moss.version.{number}", 99)


def moss(*arguments):
    return CliRunner().invoke(main, ["corpus", *map(str, arguments), "--data", "data"])


@settings(max_examples=5, deadline=None)
@given(additions=ADDITIONS)
def test_by_the_same_rules_every_row_is_the_same(engine, additions):
    with TemporaryDirectory() as folder:
        corpus = grow(Path(folder), additions)
        before = tables(corpus, engine)
        added = rebuild(corpus, reader=in_turn)
        assert tables(corpus, engine) == before
        assert added.documents == len(before["documents"]["doc"])
        add_again = [add_here(corpus, Path(folder, f"{n}.jsonl")) for n in range(len(additions))]
        assert [each.documents for each in add_again] == [0] * len(additions)


@RAISED
def test_a_corpus_of_other_rules_says_so_wherever_new_texts_meet_it(essays, raised, number):
    raised(number)
    sentence = "was built by other rules .* to rebuild it: moss corpus rebuild"
    with pytest.raises(OtherRulesError, match=sentence):
        Corpus(essays)
    with pytest.raises(OtherRulesError, match=sentence):
        add_here(essays, Path("in0"))
    for arguments in (
        ("query", "essays", "in0/a.txt"),
        ("near", "essays", "--file", "in0/a.txt"),
        ("add", "essays", "in0"),
    ):
        told = moss(*arguments)
        assert (told.exit_code, told.stdout) == (2, ""), arguments
        assert f"moss corpus rebuild {Path('data/corpora/essays')}" in told.stderr
    assert "other rules" in moss("list").stderr
    (standing,) = entries_in(Path("data"))
    assert standing.problem.startswith("it was built by other rules")
    assert standing.problem.endswith("moss corpus rebuild essays")


@RAISED
def test_rebuilding_makes_it_answer_again(essays, raised, number):
    before = sorted(all_addresses(essays))
    raised(number)
    told = moss("rebuild", "essays", "-j", "1")
    assert told.exit_code == 0, told.output
    assert told.stdout.startswith("5 documents read again: 4 kept, 1 identical")
    assert sorted(all_addresses(essays)) == before
    assert moss("query", "essays", "in0/a.txt").stdout.count("in0/") >= 2
    assert moss("list").stderr == ""
    assert add_here(essays, Path("in0"), Path("in1"), Path("in2")).documents == 0


def test_what_needs_no_new_text_works_before_it_is_rebuilt(essays, raised):
    raised("SCAN_VERSION")
    assert "1 cluster " in moss("clusters", "essays").stdout
    assert moss("compact", "essays").exit_code == 0
    assert len(read_manifest(essays).segments) == 1


def test_processes_read_side_by_side(essays, raised, engine):
    raised("SCAN_VERSION")
    before = tables(essays, engine)
    rebuild(essays, reader=side_by_side(2))
    assert tables(essays, engine) == before


def test_documents_are_removed_whatever_the_rules(essays, raised, engine, tmp_path):
    raised("HASH_VERSION")
    assert remove(essays, lambda address: address == "nowhere") == 0
    assert read_manifest(essays).recipe.hash != 99
    assert remove(essays, lambda address: address == "in0/a.txt") == 1
    assert read_manifest(essays).recipe.hash == 99
    others = tmp_path / "others"
    for paths in (["in0/b.txt"], ["in1"], ["in2"]):
        add_here(others, *map(Path, paths))
    assert tables(essays, engine) == tables(others, engine)


@pytest.mark.parametrize("step", ["write", "become"])
def test_whoever_is_interrupted_leaves_the_corpus_as_it_was(essays, raised, engine, monkeypatch, step):
    before, manifest = tables(essays, engine), read_manifest(essays)
    raised("SCAN_VERSION")
    monkeypatch.setattr(
        "moss.corpus.ingest.segment_builder.SEGMENT_DOCUMENTS", 2
    )  # several segments are written before it becomes one
    with monkeypatch.context() as patch:
        patch.setattr(CorpusWriter, step, _interrupted(getattr(CorpusWriter, step)))
        with pytest.raises(KeyboardInterrupt):
            rebuild(essays, reader=in_turn)
    assert (tables(essays, engine), read_manifest(essays)) == (before, manifest)
    assert rebuild(essays, reader=in_turn).documents == 5
    assert {path.name for path in (essays / "segments").iterdir()} == {
        segment.name for segment in read_manifest(essays).segments
    }


def _interrupted(function):
    def interrupted(*arguments, **options):
        function(*arguments, **options) if function.__name__ == "write" else None
        raise KeyboardInterrupt

    return interrupted


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_is_killed_leaves_the_corpus_as_it_was(essays, raised, engine):
    before = tables(essays, engine)
    raised("SCAN_VERSION")
    child = os.fork()
    if not child:
        try:
            CorpusWriter.become = lambda *_, **__: os.kill(os.getpid(), 9)  # type: ignore[method-assign]
            rebuild(essays, reader=in_turn)
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 9
    assert tables(essays, engine) == before
    assert rebuild(essays, reader=in_turn).documents == 5


def test_a_document_that_its_scanner_cannot_read_is_read_as_prose(essays, raised):
    raised("SCAN_VERSION")
    added = rebuild(essays, reader=partial(_failing, gives_up=False))
    assert [(problem.path, problem.reason) for problem in added.problems] == [
        ("in2/d.py", "read as prose, because reading it took too long")
    ]
    with Corpus(essays) as corpus:
        (document,) = read_file("in2/d.py")
        (found,) = corpus.query(document)
        assert found.sighting.address == "in2/d.py"


def test_if_even_that_fails_nothing_is_changed(essays, raised, engine):
    before = tables(essays, engine)
    raised("SCAN_VERSION")
    with pytest.raises(CorpusError, match="the corpus was not changed"):
        rebuild(essays, reader=partial(_failing, gives_up=True))
    assert tables(essays, engine) == before


def _failing(reading, tasks, gives_up):
    """Reads all but the last document, which it can read as prose only, if at all."""
    for number, task in enumerate(tasks):
        possible = 4 not in task.docs or ("language" in reading.keywords and not gives_up)
        yield number, reading(task) if possible else Failure("took too long")


def test_sightings_by_the_first_hashes_keep_their_dates(tmp_path, monkeypatch):
    records = [{"url": "u", "date": f"2024-0{month}-01", "text": prose(1)} for month in (1, 2)]
    crawl, files = write_crawl(tmp_path / "c.jsonl", records), write_files(tmp_path / "in", {"a.txt": prose(2)})
    corpus = tmp_path / "corpus"
    with monkeypatch.context() as patch:
        patch.setattr("moss.version.HASH_VERSION", 1)
        patch.setattr("moss.corpus.ingest.batches.address_hashes", _first_address_hashes)
        assert add(corpus, [str(crawl), str(files)], reader=in_turn).documents == 3
    manifest = json.loads((corpus / "corpus.json").read_text())
    del manifest["recipe"]["scan"], manifest["recipe"]["hash"]  # as it was written then
    (corpus / "corpus.json").write_text(json.dumps(manifest | {"version": 1}))
    assert rebuild(corpus, reader=in_turn).documents == 3
    assert add_here(corpus, crawl, files).documents == 0
    with Corpus(corpus) as opened:
        assert len(opened.at("u")) == 2


def test_there_must_be_a_corpus(tmp_path):
    with pytest.raises(CorpusError, match="no corpus at"):
        rebuild(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
