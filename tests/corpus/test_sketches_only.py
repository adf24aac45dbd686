"""Corpora of sketches only: the same clusters, and a sentence for everything else."""

from __future__ import annotations

from contextlib import closing

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import PROGRAM, add_here, edited, prose, write_files

from frontends import HTML, TEXT, by_name, scan_all, word_codes
from moss.cli import main
from moss.corpus.cluster.clusters import LinkCriteria, cluster, clusters
from moss.corpus.errors import CorpusError
from moss.corpus.storage.compaction import compact
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.removal import remove
from moss.corpus.storage.segments import CorpusWriter, Snapshot, local_engine
from moss.model import Channel


@pytest.fixture
def folder(tmp_path):
    texts = {f"{n:02}.txt": edited(prose(n // 4, 150), n, n % 4) for n in range(24)}
    more = {"same.txt": texts["00.txt"], "a.py": PROGRAM, "page.html": f"<p>{prose(3, 150)}</p>", "é.txt": "Café ﬁn"}
    return write_files(tmp_path / "in", texts | more)


@pytest.fixture
def both(folder, tmp_path):
    """The documents with all that is stored of them, and their sketches only."""
    whole, sketches = tmp_path / "whole", tmp_path / "sketches"
    add_here(whole, folder)
    add_here(sketches, folder, recipe=Recipe(sketches_only=True))
    return whole, sketches


def outcome(corpus):
    with Snapshot(corpus) as snapshot, closing(local_engine(corpus)) as engine:
        return list(clusters(cluster(snapshot, engine, LinkCriteria(0.3)), engine))


def columns(corpus, sql):
    with Snapshot(corpus) as snapshot, closing(local_engine(corpus)) as engine:
        snapshot.tables(engine)
        return {name: column.tolist() for name, column in engine.fetch(sql).items()}


def test_clusters_and_sketches_are_the_same_and_nothing_else_is_stored(both):
    whole, sketches = both
    assert outcome(sketches) == outcome(whole)
    assert len(outcome(whole)) > 4
    for sql in (
        "SELECT * FROM shingles ORDER BY shingle, doc",
        "SELECT doc, address, key, same_as, kind, words, lexical, shingled FROM documents ORDER BY doc",
    ):
        assert columns(sketches, sql) == columns(whole, sql)
    assert columns(sketches, "SELECT COUNT(*) AS n FROM texts UNION ALL SELECT COUNT(*) FROM fingerprints")["n"] == [
        0,
        0,
    ]


def test_a_corpus_of_sketches_grows_shrinks_and_is_compacted(both, folder, tmp_path):
    whole, sketches = both
    more = write_files(tmp_path / "more", {"new.txt": edited(prose(2, 150), 77, 2)})
    for corpus in both:
        add_here(corpus, more)
        remove(corpus, lambda address: address.endswith("05.txt"))
        with CorpusWriter(corpus) as writer:
            compact(writer)
    assert outcome(sketches) == outcome(whole)
    with pytest.raises(CorpusError, match="another document is identical to one of these"):
        remove(sketches, lambda address: address.endswith("00.txt"))
    assert outcome(sketches) == outcome(whole)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["query", "CORPUS", "FILE"], "it can only be used for clusters"),
        (["near", "CORPUS"], "it can only be used for clusters"),
        (["near", "CORPUS", "--file", "FILE"], "it can only be used for clusters"),
        (["rebuild", "CORPUS"], "it can only be used for clusters"),
        (["add", "CORPUS", "FILE", "--sample", "100"], "is decided when it is made"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_everything_else_is_refused_with_a_sentence(both, folder, command, said):
    words = [{"CORPUS": str(both[1]), "FILE": str(folder / "01.txt")}.get(word, word) for word in command]
    ran = CliRunner().invoke(main, ["corpus", *words])
    assert ran.exit_code != 0
    assert said in ran.output
    assert "Traceback" not in ran.output


def test_the_command_makes_such_a_corpus_and_adds_to_it(folder, tmp_path):
    corpus = str(tmp_path / "corpus")
    for option in (["--sketches-only"], []):
        ran = CliRunner().invoke(main, ["corpus", "add", corpus, str(folder), *option, "-j", "1"])
        assert ran.exit_code == 0, ran.output
    assert ran.output.startswith("0 documents added")
    assert CliRunner().invoke(main, ["corpus", "list", corpus]).exit_code == 0


@given(st.lists(st.text(st.one_of(st.characters(), st.sampled_from("ab \n\\u0061é你\u200b")), max_size=40), max_size=6))
def test_word_codes_are_those_of_the_text_channel(texts):
    for frontend in (TEXT, HTML, by_name("python")):
        expected = [tokens[Channel.TEXT].codes.tolist() for tokens in scan_all(frontend, texts)]
        codes, counts = word_codes(frontend, texts)
        assert counts.tolist() == [len(each) for each in expected]
        assert codes.tolist() == [code for each in expected for code in each]
