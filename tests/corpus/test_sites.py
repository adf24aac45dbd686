"""Broder's applications: groups of results, changes by host and month, mirrors, the best address, and why."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from support.corpora import add_here, edited, prose, write_crawl

from moss.cli import main
from moss.corpus.errors import CorpusError
from moss.corpus.search.queries import Corpus
from moss.corpus.search.sites import DocumentFilter, host_of
from moss.corpus.search.why import explain

MAY, JUNE, JULY = "2024-05-03", "2024-06-03", "2024-07-03"


def page(url, date, text, **more):
    return {"url": url, "date": date, "text": text, **more}


CRAWL = [
    *(page(f"http://a.example/{n}", MAY, prose(n)) for n in range(6)),
    *(page(f"http://mirror.example/{n}", MAY, prose(n)) for n in range(5)),
    page("http://a.example/0", JUNE, prose(0)),  # as it was
    page("http://a.example/1", JUNE, edited(prose(1), 1, 4)),  # changed
    page("http://a.example/new", JUNE, prose(50)),
    page("http://b.example/found", JUNE, edited(prose(5), 2, 3)),  # what was at /5
    page("http://a.example/moved", JUNE, prose(4)),
    page("http://a.example/0", JULY, prose(0)),
    page("http://a.example/2", JULY, prose(2)),  # there again
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sites")
    add_here(folder / "corpus", write_crawl(folder / "crawl.jsonl", CRAWL))
    return folder / "corpus"


def moss(*arguments, **options):
    return CliRunner().invoke(main, ["corpus", *map(str, arguments)], **options)


def answer(*arguments, **options):
    done = moss(*arguments, "--json", "-", **options)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_changes_by_host_and_month(corpus):
    months = {(row["host"], row["month"][:7]): row for row in answer("changes", corpus)["months"]}
    kinds = ("pages", "new", "changed", "same", "gone", "moved", "elsewhere")
    assert [months["a.example", "2024-05"][kind] for kind in kinds] == [6, 6, 0, 0, 0, 0, 0]
    # 0 same, 1 changed, /new and /moved are new; 2, 3, 4, 5 are gone, of which 4 and 5 were seen elsewhere later
    assert [months["a.example", "2024-06"][kind] for kind in kinds] == [4, 2, 1, 1, 4, 2, 1]
    assert months["a.example", "2024-06"]["rate"] == 0.5
    assert [months["a.example", "2024-07"][kind] for kind in kinds] == [2, 1, 0, 1, 3, 0, 0]
    only = answer("changes", corpus, "--host", "B.example")["months"]
    assert [row["host"] for row in only] == ["b.example"]


def test_pages_that_appear_elsewhere_without_their_source(corpus):
    orphans = {row["address"]: row for row in answer("changes", corpus)["orphans"]}
    assert orphans["http://a.example/5"]["now_at"] == "http://b.example/found"
    assert orphans["http://a.example/5"]["elsewhere"] is True
    assert orphans["http://a.example/4"]["now_at"] == "http://a.example/moved"
    assert "http://a.example/0" not in orphans
    assert answer("changes", corpus)["lifetime_days"] == 0  # most of those that are gone were seen once
    assert "of them at another host" in moss("changes", corpus).output


def test_mirrors_have_most_of_their_texts_in_common(corpus):
    (pair,) = answer("mirrors", corpus)["mirrors"]
    assert (pair["a"], pair["b"], pair["shared"], pair["share"]) == ("a.example", "mirror.example", 5, 1.0)
    assert pair["same_paths"] == 5
    assert answer("mirrors", corpus, "--share", "0.9", "--resemblance", "0.9")["mirrors"]
    assert "1 pair of hosts" in moss("mirrors", corpus).output


def test_the_best_address_is_the_newest_that_is_still_there(corpus):
    found = answer("locate", corpus, "http://a.example/5")["found"]
    assert (found[0]["address"], found[0]["still_there"]) == ("http://b.example/found", True)
    there = {row["address"]: row["still_there"] for row in found}
    assert there == {"http://b.example/found": True, "http://a.example/5": False}
    # seen in the last month of its host, though another address was seen later
    again = answer("locate", corpus, "http://a.example/4")["found"]
    assert again[0]["address"] == "http://mirror.example/4"
    assert "still there" in moss("locate", corpus, "http://a.example/5").output


def test_search_results_are_grouped_in_their_order_and_names_last(corpus, tmp_path):
    results = ["http://b.example/found", "http://a.example/new", "http://none.example/", "http://a.example/5"]
    (tmp_path / "list").write_text("\n".join(results))
    groups = answer("group", corpus, "--list", tmp_path / "list")["groups"]
    assert [group["addresses"] for group in groups] == [
        ["http://b.example/found", "http://a.example/5"], ["http://a.example/new"], ["http://none.example/"],
    ]  # fmt: skip
    assert [bool(group["name"]) for group in groups] == [True, True, False]
    done = moss("group", corpus, "--list", "-", input="\n".join(results))
    assert "nothing in the corpus was ever at http://none.example/" in done.stderr
    names = {cluster["representative"]: cluster["name"] for cluster in answer("clusters", corpus)["clusters"]}
    assert groups[0]["name"] in names.values()


def test_a_cluster_keeps_its_name_while_documents_come_and_go(tmp_path):
    first = write_crawl(tmp_path / "1.jsonl", [page(f"http://a/{n}", MAY, prose(n // 2)) for n in range(8)])
    add_here(tmp_path / "c", first)
    before = {tuple(c["documents"]): c["name"] for c in answer("clusters", tmp_path / "c")["clusters"]}
    assert len(set(before.values())) == 4
    more = [page(f"http://b/{n}", JUNE, edited(prose(n), n, 2)) for n in range(4)]
    add_here(tmp_path / "c", write_crawl(tmp_path / "2.jsonl", more))
    moss("remove", tmp_path / "c", "http://a/1", "http://b/2")
    after = {tuple(c["documents"]): c["name"] for c in answer("clusters", tmp_path / "c")["clusters"]}
    assert sorted(after.values()) == sorted(before.values())
    assert after["http://a/2", "http://a/3", "http://b/1"] == before["http://a/2", "http://a/3"]


def test_why_says_what_two_documents_share(corpus):
    with Corpus(corpus) as opened:
        found = explain(opened, "http://a.example/5", "http://b.example/found")
        words = [text.split() for text in (prose(5), edited(prose(5), 2, 3))]
        runs = [{tuple(w[i : i + 5]) for i in range(len(w) - 4)} for w in words]
        assert found.shared == len(runs[0] & runs[1])
        assert found.resemblance == len(runs[0] & runs[1]) / len(runs[0] | runs[1])
        assert abs(found.estimate - found.resemblance) < 4 * found.error
        assert (found.bits <= 12, bool(found.passages)) == (True, True)
        assert all(example in prose(5) for example in found.examples)
        with pytest.raises(CorpusError, match="was ever at http://nowhere"):
            explain(opened, "http://nowhere/", "http://a.example/5")
    printed = moss("why", corpus, "http://a.example/5", "http://b.example/found").output
    assert "estimated from sketches" in printed
    assert "both have:" in printed


def test_answers_keep_to_host_language_and_length(tmp_path):
    text = "The committee met on Thursday and decided that the library should stay open until midnight. " * 3
    records = [
        page("http://www.one.example/", MAY, text, language="en"),
        page("http://two.example/", MAY, text + "It did.", language="de"),
        page("http://three.example/", MAY, text + prose(1, 9)),
    ]
    add_here(tmp_path / "c", write_crawl(tmp_path / "c.jsonl", records))
    (tmp_path / "asked.txt").write_text(text)
    (tmp_path / "list").write_text(f"{tmp_path}/asked.txt\n")

    def found(*options):
        asked = answer("query", tmp_path / "c", tmp_path / "asked.txt", *options)["found"]
        (near,) = answer("near", tmp_path / "c", "--list", tmp_path / "list", "--bits", 16, *options)["queries"]
        assert {each["address"] for each in near["near"]} == {each["address"] for each in asked}
        return {host_of(each["address"]) for each in asked}

    assert len(found()) == 3
    assert found("--host", "one.example") == {"www.one.example"}
    assert found("--language", "de") == {"two.example"}
    assert found("--least-words", 50) == {"three.example"}
    assert found("--most-words", 45) == {"www.one.example"}
    assert moss("near", tmp_path / "c", "--host", "x").exit_code == 2
    with pytest.raises(CorpusError):
        DocumentFilter(least_words=3, most_words=2)
