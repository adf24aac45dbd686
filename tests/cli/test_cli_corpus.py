"""`moss corpus`: what a user types and sees."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from support.corpora import add_here, edited, prose, write_crawl, write_files

from moss.cli import main
from moss.corpus.storage.segments import Snapshot


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOSS_DATA", str(tmp_path / "data"))
    return lambda *arguments: CliRunner().invoke(main, ["corpus", *map(str, arguments)])


@pytest.fixture
def essays(tmp_path, run):
    text = prose(1, 300)
    write_files(tmp_path / "in", {"a.txt": text, "b.txt": edited(text, 1, 3), "c.txt": prose(2), "d.txt": text})
    add_here(tmp_path / "data" / "corpora" / "essays", Path("in"))
    return "essays"


def test_add_tells_what_became_of_it(essays, run):
    result = run("add", "fresh", "in")
    assert result.exit_code == 0, result.output
    assert "4 documents added: 3 kept, 1 identical" in result.output
    assert "0 documents added" in run("add", "fresh", "in", "-j", "1").output


def test_a_plain_name_is_below_the_data_folder(essays, tmp_path, run):
    assert (tmp_path / "data" / "corpora" / "essays" / "corpus.json").exists()
    result = run("list")
    assert "essays" in result.output
    assert "essays" in run("list", tmp_path / "data" / "corpora" / "essays").output


def test_a_folder_of_that_name_is_left_alone(essays, run, tmp_path):
    assert run("add", "in", "in").exit_code == 0
    assert (tmp_path / "data" / "corpora" / "in" / "corpus.json").exists()
    assert sorted(path.name for path in (tmp_path / "in").iterdir()) == ["a.txt", "b.txt", "c.txt", "d.txt"]


def test_a_damaged_file_is_one_sentence(essays, run, tmp_path):
    for path in (tmp_path / "data").rglob("shingles.parquet"):
        path.write_bytes(b"nothing of the kind")
    for arguments in (("clusters", essays), ("query", essays, "in/a.txt")):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "cannot be read" in result.output


def test_lookups_that_are_damaged_are_made_again(essays, run, tmp_path):
    whole = run("query", essays, "in/a.txt").output
    damage = {"mask.npy": b"", "shingles.npy": b"\x93NUMPY\x01\x00", "words.npy": None, "languages.json": b"["}
    for name, content in damage.items():
        (path,) = (tmp_path / "data").rglob(f"lookups/*/{name}")
        path.write_bytes(content) if content is not None else path.unlink()
        assert run("query", essays, "in/a.txt").output == whole, name


def test_a_text_that_is_damaged_is_one_sentence(essays, run, tmp_path):
    (path,) = (tmp_path / "data").rglob("texts.parquet")
    content = path.read_bytes()
    at = content.index(b"\x78\x01") + 40  # where zlib's first text begins, and a little further
    path.write_bytes(content[:at] + bytes(8) + content[at + 8 :])
    result = run("query", essays, "in/a.txt")
    assert result.exit_code == 2
    assert "damaged" in result.output


def test_clusters_as_json(essays, run, tmp_path):
    result = run("clusters", essays, "--resemblance", "0.5", "--json", "out.json")
    assert result.exit_code == 0
    plain = json.loads((tmp_path / "out.json").read_text())
    assert [cluster["documents"] for cluster in plain["clusters"]] == [["in/a.txt", "in/b.txt", "in/d.txt"]]
    assert plain["documents"] == 4
    assert "1 cluster with 3 of 4 documents" in result.output
    again = run("clusters", essays, "--resemblance", "0.5", "--json", "-")
    assert json.loads(again.output)["clusters"] == plain["clusters"]
    assert json.loads(run("clusters", essays, "--super", "--json", "-").output)["clusters"] == plain["clusters"]


def test_query_shows_where_a_text_comes_from(essays, run, tmp_path):
    (tmp_path / "asked.txt").write_text("\n".join(prose(2).split()[10:110]))
    result = run("query", essays, "asked.txt")
    assert result.exit_code == 0, result.output
    assert "in/c.txt" in result.output
    assert "lines 1–100 ↔ 1–1, 100 tokens" in result.output
    plain = json.loads(run("query", essays, "asked.txt", "--json", "-", "--widen", "2").output)
    assert [found["address"] for found in plain["found"]] == ["in/c.txt"]
    assert plain["found"][0]["copied"] == 1
    (tmp_path / "other.txt").write_text(prose(50))
    assert "No document of the corpus" in run("query", essays, "other.txt").output


def test_many_documents_are_asked_about_by_a_list(essays, run, tmp_path):
    write_crawl(tmp_path / "asked.jsonl", [{"url": "one", "text": prose(2)}, {"url": "two", "text": prose(50)}])
    write_files(tmp_path / "more", {"b.txt": edited(prose(1, 300), 1, 3)})
    (tmp_path / "more" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "list").write_text("asked.jsonl\nmore\n")
    printed = run("query", essays, "--list", "list", "--json", "all.json")
    assert printed.exit_code == 0, printed.output
    assert printed.stdout.splitlines() == [
        "one: 100% in in/c.txt", "two: nothing in common", "more/b.txt: 100% in in/b.txt"
    ]  # fmt: skip
    assert printed.stderr.startswith("moss: more/picture.png: ")
    answers = json.loads((tmp_path / "all.json").read_text())["answers"]
    alone = json.loads(run("query", essays, "more/b.txt", "--json", "-").stdout)
    assert [each["document"] for each in answers] == ["one", "two", "more/b.txt"]
    assert answers[2]["found"] == alone["found"]
    assert [len(each["found"]) for each in answers] == [1, 0, 2]
    assert run("query", essays).exit_code == 2


def test_locate_and_versions(run, tmp_path):
    page = prose(1)
    rows = [("u/old", "2024-01-01", page), ("u/new", "2024-03-01", edited(page, 1, 2)),
            ("u/old", "2024-02-01", edited(page, 2, 2))]  # fmt: skip
    write_crawl(tmp_path / "c.jsonl", [{"url": u, "date": d, "text": t} for u, d, t in rows])
    add_here(tmp_path / "data" / "corpora" / "pages", tmp_path / "c.jsonl")
    lines = run("locate", "pages", "u/old").output.splitlines()
    assert [lines[1].split()[at] for at in (0, -1)] == ["2024-03-01", "u/new"]
    lines = run("versions", "pages", "u/old").output.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["2024-01-01", "2024-02-01"]
    assert "u/old" in run("versions", "pages").output


def test_compact(essays, run, tmp_path):
    write_files(tmp_path / "in", {"e.txt": prose(9)})
    add_here(tmp_path / "data" / "corpora" / "essays", Path("in"))
    assert "Segments: 2 before, 1 now" in run("compact", essays).output
    assert json.loads(run("clusters", essays, "--json", "-").output)["documents"] == 5


def test_remove(essays, run):
    assert "1 document removed, 3 left" in run("remove", essays, "in/a.txt").output
    assert "in/d.txt" in run("query", essays, "in/a.txt").output  # the same text, kept in its place
    assert json.loads(run("clusters", essays, "--json", "-").output)["documents"] == 3
    assert run("versions", essays, "in/a.txt").exit_code == 2
    result = run("remove", essays, "--prefix", "in/b", "in/c")
    assert (result.exit_code, result.output) == (0, "2 documents removed, 1 left\n")


def test_remove_takes_all_or_nothing(essays, run):
    for arguments in (("in/a.txt", "in/x.txt"), ("--prefix", "in/", "out/")):
        result = run("remove", essays, *arguments)
        assert result.exit_code == 2
        assert "nothing was removed" in result.output
    assert json.loads(run("clusters", essays, "--json", "-").output)["documents"] == 4


def test_remove_says_that_others_still_read(essays, run, tmp_path):
    with Snapshot(tmp_path / "data" / "corpora" / "essays"):
        assert f"moss corpus compact {essays}" in run("remove", essays, "in/a.txt").output
    run("compact", essays)
    assert len(list((tmp_path / "data" / "corpora" / "essays" / "segments").iterdir())) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("clusters", "nothing"), "moss corpus add nothing PATH"),
        (("clusters", "./nothing"), "moss corpus add ./nothing PATH"),
        (("query", "nothing", "in/a.txt"), "no corpus at"),
        (("query", "essays", "missing.txt"), "no such file"),
        (("add", "essays", "missing"), "no such file or folder"),
        (("add", "essays", "in", "--shingle", "3"), "other sizes"),
        (("add", "new", "in", "--sample", "0"), "at least 1"),
        (("clusters", "essays", "--resemblance", "2"), "between"),
        (("clusters", "essays", "--json", "missing/out.json"), "cannot write"),
        (("locate", "essays", "nowhere"), "nothing in the corpus"),
        (("versions", "essays", "nowhere"), "nothing in the corpus"),
        (("clusters", "essays", "--engine", "spark"), "needs --master"),
        (("clusters", "essays", "--master", "local[2]"), "needs --engine spark"),
        (("compact", "nothing"), "no corpus at"),
        (("remove", "nothing", "in/a.txt"), "no corpus at"),
        (("remove", "essays"), "Missing argument"),
        (("remove", "essays", "--prefix", ""), "an ADDRESS is empty"),
        (("query", "essays", "in"), "in is a folder"),
        (("query", "essays", "picture.png"), "picture.png: a PNG image"),
        (("query", "essays", "two.zip"), "two.zip has 2 documents in it"),
        (("query", "essays", "foo://bucket/x"), "foo:// cannot be read"),
        (("query", "essays", "two.zip"), "to ask about all, name it in a file for --list"),
        (("locate", "essays", "in/a.txt", "--resemblance", "nan"), "'nan' is not a number"),
        (("mirrors", "essays", "--share", "nan"), "'nan' is not a number"),
        (("add", "in/a.txt", "in"), "in/a.txt is a file; a corpus is a folder"),
        (("near", "essays", "--file", "in/a.txt", "--host", "http://a/"), "is not a host"),
        (("list", "nothing"), "no corpus at"),
        (("add", "./in", "in"), "other things in it"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else None,
)
def test_mistakes_are_one_sentence(essays, run, tmp_path, arguments, sentence):
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with ZipFile(tmp_path / "two.zip", "w") as archive:
        for name in ("a.txt", "b.txt"):
            archive.writestr(name, prose(1))
    result = run(*arguments)
    assert result.exit_code == 2
    assert sentence in result.output
    assert "Traceback" not in result.output


def test_an_addition_of_nothing_deletes_no_file_of_somebody_else(run, tmp_path):
    """Also none in folders that have the names of a corpus's own."""
    (tmp_path / "nothing").mkdir()
    theirs = [tmp_path / "mine" / name / "deep" / "notes.txt" for name in ("segments", "scratch")]
    for path in theirs:
        path.parent.mkdir(parents=True)
        path.write_text("the only copy")
    assert run("add", str(tmp_path / "mine"), str(tmp_path / "nothing")).exit_code == 2
    assert [path.read_text() for path in theirs] == ["the only copy"] * 2
    assert not (tmp_path / "mine" / "corpus.json").exists()


def test_an_addition_of_nothing_leaves_no_corpus_with_its_sizes(run, tmp_path):
    write_files(tmp_path, {"none.jsonl": "", "some/a.txt": prose(1)})
    assert run("add", "new", "none.jsonl", "--shingle", "3").exit_code == 2
    assert "no corpus at" in run("clusters", "new").output
    assert run("add", "new", "some", "--shingle", "4").exit_code == 0
    assert run("add", "new", "none.jsonl").exit_code == 2
    assert "1 document" in run("remove", "new", "some/a.txt").output
    assert run("add", "new", "none.jsonl").exit_code == 2
    assert run("clusters", "new").exit_code == 0


def test_changes_of_a_host_that_the_corpus_does_not_have(essays, run):
    assert "has both a host and a date." in run("changes", essays).output
    assert "is from www.example.org." in run("changes", essays, "--host", "www.example.org").output


def test_an_interrupted_addition_is_one_sentence(tmp_path):
    write_crawl(tmp_path / "c.jsonl", [{"url": f"u{n}", "text": prose(n, 400)} for n in range(4000)])
    obedient = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # ours may ignore it
    run = f"{obedient}; from moss.cli import main; main()"
    command = [sys.executable, "-c", run, "corpus", "add", "./corpus", "c.jsonl"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    adding = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while not (tmp_path / "corpus" / "corpus.json").exists():
        assert adding.poll() is None
        time.sleep(0.01)
    os.killpg(adding.pid, signal.SIGINT)  # as Ctrl-C does: all processes get it
    _, said = adding.communicate()
    assert adding.returncode == 1
    assert said.strip().splitlines() == [
        "moss: interrupted; finished work is kept, and the same command continues from there"
    ]
    assert add_here(tmp_path / "corpus", tmp_path / "c.jsonl").documents == 4000


def test_every_command_teaches_by_an_example():
    corpus = main.commands["corpus"]
    for name in corpus.commands:
        assert f"moss corpus {name} " in CliRunner().invoke(main, ["corpus", name, "-h"]).output + " ", name
