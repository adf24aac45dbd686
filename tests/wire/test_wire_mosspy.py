"""mosspy as it is on the package index, against a whole server: the client that most courses use from Python."""

from __future__ import annotations

import re
from html import unescape

import mosspy
import pytest
from support.programs import LEDGER, MAZE, dead_code

from wire.serving import service


@pytest.fixture(scope="module")
def server():
    with service() as running:
        yield running


@pytest.fixture
def port(server):
    return server[0]


def read(page):
    return unescape(page.read_text(encoding="utf-8"))


def report_of(server, url):
    return server[1][url.rpartition("/")[2]]


def pairs(report):
    return {(pair.a.rpartition("work/")[2], pair.b.rpartition("work/")[2]) for pair in report.pairs}


def test_two_files_and_a_base_file(server, client, write):
    client.addBaseFile(write("base/Maze.java", MAZE))
    client.addFile(write("work/ann.java", LEDGER + MAZE))
    client.addFile(write("work/bob the second.java", LEDGER))
    client.addFile(write("work/cem.java", MAZE))
    client.setCommentString("homework 1")
    seen = []
    url = client.send(lambda path, name: seen.append(name))
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/results/\d/\d{12,13}", url)
    assert len(url) < 99
    assert len(seen) == 4
    report = report_of(server, url)
    assert pairs(report) == {("ann.java", "bob_the_second.java")}
    assert report.parameters["comment"] == "homework 1"


def test_directory_mode(server, client, write):
    for name, parts in {"ann": [LEDGER, MAZE], "bob": [MAZE], "cem": [dead_code(7, 60)]}.items():
        for number, text in enumerate(parts):
            write(f"work/{name}/Part{number}.java", text)
    client.setDirectoryMode(1)
    client.addFilesByWildcard(write("work/x", "").removesuffix("x") + "*/*.java")
    report = report_of(server, client.send())
    assert pairs(report) == {("ann", "bob")}
    assert {record.id.rpartition("/")[2]: len(record.files) for record in report.submissions} == {
        "ann": 2, "bob": 1, "cem": 1,
    }  # fmt: skip


def test_a_file_of_two_megabytes(server, client, write):
    large = "".join(dead_code(seed, 400) for seed in range(130))[:2_000_000]
    assert len(large) == 2_000_000
    client.addFile(write("work/large.java", large + "\n" + LEDGER), "large.java")
    client.addFile(write("work/small.java", LEDGER), "small.java")
    report = report_of(server, client.send())
    assert pairs(report) == {("large.java", "small.java")}
    assert report.submissions[0].files[0].text == large + "\n" + LEDGER


def test_a_language_beyond_mosspys_list(server, client, write):
    client.options["l"] = "kotlin"
    client.addFile(write("work/a.kt", MAZE))
    client.addFile(write("work/b.kt", MAZE))
    assert report_of(server, client.send()).submissions[0].language == "kotlin"


def test_an_unknown_language_is_told_at_the_end(client, write):
    client.options["l"] = "klingon"
    client.addFile(write("work/a.java", LEDGER))
    client.addFile(write("work/b.java", LEDGER))
    assert client.send() == "Error: unknown language klingon"


def test_nothing_to_compare_is_told(client, write):
    assert client.send() == "Error: No files uploaded to compare."
    client.addFile(write("work/a.java", LEDGER))
    assert client.send().startswith("Error: there is nothing to compare")


def test_save_web_page_and_download_report(client, write, tmp_path):
    client.addFile(write("work/ann.java", LEDGER + MAZE), "ünï/ann.java")
    client.addFile(write("work/bob.java", LEDGER), "bob.java")
    client.addFile(write("work/cem.java", LEDGER + "// ümlaut"), "cem.java")
    url = client.send()
    client.saveWebPage(url, str(tmp_path / "index.html"))
    saved = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<TITLE>Moss Results</TITLE>" in saved
    assert saved.count("<TR>") == 1 + 3
    # With more connections, mosspy may stop before it has followed the links of the pages it fetched last.
    mosspy.download_report(url, str(tmp_path / "report"), connections=1, log_level=30)
    names = {path.name for path in (tmp_path / "report").iterdir()}
    parts = {f"match{k}{part}.html" for k in range(3) for part in ("", "-top", "-0", "-1")}
    assert names == {"index.html"} | parts
    index = read(tmp_path / "report" / "index.html")
    assert 'href="match0.html"' in index
    assert "ünï/ann.java" in index
    sides = [read(tmp_path / "report" / f"match{k}-1.html") for k in range(3)]
    assert any("// ümlaut" in side for side in sides)
