"""`moss compare --archive corpus:NAME`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from support.corpora import add_here, edited, prose, write_files

from moss.cli import main
from moss.comparison import detection


@pytest.fixture
def compare(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOSS_DATA", str(tmp_path / "data"))
    return lambda *arguments: CliRunner().invoke(main, ["compare", "--json", "-", "--quiet", "-j", "1", *arguments])


@pytest.fixture
def kept(tmp_path):
    """Two hundred essays of earlier years, and two new ones, of which one has an old one's middle."""
    old = write_files(tmp_path / "old", {f"{n:03}/essay.txt": prose(n, 300) for n in range(200)})
    add_here(tmp_path / "data" / "corpora" / "essays", old)
    middle = edited(" ".join(prose(77, 300).split()[80:220]), 1, 3)
    write_files(
        tmp_path / "new",
        {"ada/essay.txt": f"{prose(900, 100)} {middle} {prose(901, 100)}", "bob/essay.txt": prose(902, 300)},
    )


def test_what_a_corpus_holds_is_the_archive(kept, compare, tmp_path):
    plain = json.loads(compare("-a", "corpus:essays", "new").output)
    roles = {s["id"].replace(str(tmp_path), ""): s["role"] for s in plain["submissions"]}
    assert roles == {"ada": "new", "bob": "new", "/old/077/essay.txt": "archive"}
    (pair,) = plain["pairs"]
    assert {pair["a"].replace(str(tmp_path), ""), pair["b"].replace(str(tmp_path), "")} == {"ada", "/old/077/essay.txt"}
    assert sum(match["tokens"] for match in pair["matches"]) > 120
    assert "corpora/essays" in str(plain["parameters"])


def test_a_corpus_may_be_given_by_its_path(kept, compare):
    by_path = json.loads(compare("-a", "data/corpora/essays", "new").output)
    by_name = json.loads(compare("-a", "corpus:essays", "new").output)
    assert by_path["pairs"] == by_name["pairs"] != []


def test_the_score_is_that_of_a_folder_as_archive(kept, compare, tmp_path):
    """The corpus only chooses: what it chooses is compared as anything else is."""
    from_corpus = json.loads(compare("-a", "corpus:essays", "new").output)["pairs"][0]
    write_files(tmp_path / "one", {"077/essay.txt": prose(77, 300)})
    from_folder = json.loads(compare("-a", "one", "new").output)["pairs"][0]
    assert from_corpus["score"] == pytest.approx(from_folder["score"])
    assert [m["tokens"] for m in from_corpus["matches"]] == [m["tokens"] for m in from_folder["matches"]]


def test_a_corpus_without_a_name_is_one_sentence(kept, compare):
    result = compare("-a", "corpus:", "new")
    assert (result.exit_code, result.output) == (2, "moss: the name of the corpus is empty\n")


def test_no_such_corpus_is_one_sentence(kept, compare):
    result = compare("-a", "corpus:nothing", "new")
    assert result.exit_code == 2
    assert "no corpus at" in result.output


def test_what_was_found_is_kept_until_the_corpus_has_more(kept, compare, tmp_path, monkeypatch):
    first = json.loads(compare("-a", "corpus:essays", "new").output)
    searches = []
    real = detection.find
    monkeypatch.setattr(detection, "find", lambda *given: searches.append(given) or real(*given))
    assert json.loads(compare("-a", "corpus:essays", "new").output)["pairs"] == first["pairs"]
    assert searches == []
    write_files(tmp_path / "more", {"copy.txt": prose(902, 300)})
    add_here(tmp_path / "data" / "corpora" / "essays", tmp_path / "more")
    assert len(json.loads(compare("-a", "corpus:essays", "new").output)["pairs"]) == 2
    assert len(searches) == 1
