"""The real server, as `moss serve` runs it: mosspy as it is on the package index, ids, ports, and its processes."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
import threading
from html import unescape

import mosspy
import pytest
from click.testing import CliRunner
from support.programs import LEDGER, MAZE, dead_code
from support.refusals import refusal
from support.serving import serving_alone

from moss.cli.server.admin import admin
from wire.real import CLEAN, answer, begin, free_port, is_right, page, serving, status, wait_until


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("server"), workers=2) as running:
        yield running


@pytest.fixture
def port(server):
    return server.port


def rows(text):
    """Names, percentages and lines of an index."""
    found = re.findall(r"\((\d+)%\)</A>\n.*?>(\S+) \((\d+)%\)</A>\n<TD ALIGN=right>(\d+)\n", text)
    names = re.findall(r'<TR><TD><A HREF="\S+">(\S+) ', text)
    return [(a.rpartition("work/")[2], b.rpartition("work/")[2]) for a, (_, b, _, _) in zip(names, found, strict=True)]


def test_mosspy_with_a_base_file_and_directories(client, server, write, tmp_path):
    client.addBaseFile(write("base/Maze.java", MAZE))
    for name, parts in {"ann": [LEDGER, MAZE], "bob": [LEDGER], "cem": [MAZE, dead_code(7, 60)]}.items():
        for number, text in enumerate(parts):
            write(f"work/{name}/Part{number}.java", text)
    client.setDirectoryMode(1)
    client.addFilesByWildcard(f"{tmp_path}/work/*/*.java")
    client.setCommentString("homework 1")
    address = client.send()
    assert re.fullmatch(rf"{re.escape(server.address)}/results/\d/\d{{19}}", address)
    text = page(address)
    assert "Options -l java -d -m 10\n<p>homework 1\n" in text
    assert [sorted(row) for row in rows(text)] == [["ann/", "bob/"]]  # mosspy sends them in no certain order


def test_mosspy_downloads_the_whole_report_which_leads_to_the_modern_one(client, server, write, tmp_path):
    client.addFile(write("work/zoe.java", LEDGER + MAZE), "ünï/zoe.java")
    client.addFile(write("work/bob.java", LEDGER), "bob.java")
    client.addFile(write("work/cem.java", LEDGER + "// ümlaut"), "cem.java")
    address = client.send()
    client.saveWebPage(address, str(tmp_path / "index.html"))
    saved = unescape((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert saved.count("<TR>") == 1 + 3
    assert [first for first, _ in rows(saved)].count("ünï/zoe.java") == 2  # it was sent first
    mosspy.download_report(address, str(tmp_path / "report"), connections=1, log_level=30)
    parts = {f"match{k}{part}.html" for k in range(3) for part in ("", "-top", "-0", "-1")}
    assert {path.name for path in (tmp_path / "report").iterdir()} == {"index.html"} | parts
    assert status(f"{address}/match3-top.html") == 404
    modern = re.search(r'HREF="([^"]+)" TARGET="_top"> Full Report', saved)[1]
    overview = page(modern)
    assert "zoe.java" in overview
    assert status(modern + re.search(r'href="(assets/moss\.css[^"]*)"', overview)[1]) == 200
    assert status(f"{modern}pairs/1") == 200


def test_mosspy_with_a_file_of_two_megabytes(client, write):
    large = "".join(dead_code(seed, 400) for seed in range(130))[:2_000_000]
    client.addFile(write("work/large.java", large + "\n" + LEDGER), "large.java")
    client.addFile(write("work/small.java", LEDGER), "small.java")
    address = client.send()
    assert rows(page(address)) == [("large.java", "small.java")]
    assert len(page(f"{address}/match0-0.html")) > 2_000_000


def test_what_cannot_be_compared_is_told(client, write):
    client.addFile(write("work/a.o", "\x7fELF\x02\x01\x01\0" + "\0\1\2" * 400))
    assert client.send().startswith("Error: there is nothing to compare")


def test_a_client_that_is_gone_has_its_job_done_all_the_same(server):
    begin(server.port, 77).close()
    with server.store() as store:
        from moss.store.tables import DropRow

        def done():
            with store.reading() as session:
                drop = session.query(DropRow).filter_by(sent_as="77").one_or_none()
                return drop and drop.run.finished and drop.place

        wait_until(done, "the job of a client that is gone")
        assert is_right(page(f"{server.address}/results/{done()}"), 77)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_clients_only_wait_while_the_protocols_server_is_started_again(server):
    wait_until(lambda: server.companion("wire"), "the protocol's server")
    first = server.companion("wire")
    os.kill(first, signal.SIGKILL)
    address = answer(begin(server.port, 5))
    assert is_right(page(address), 5)
    assert server.companion("wire") not in (None, first)


def test_where_strangers_can_connect_ids_are_issued_and_revoked(tmp_path, monkeypatch):
    monkeypatch.setenv("MOSS_DATA", str(tmp_path))

    def administer(*arguments):
        done = CliRunner().invoke(admin, arguments)
        assert done.exit_code == 0, done.output
        return done.output

    def submit(port, user):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"moss %s\nquery 0 \n" % user.encode())
        return answer(client)

    with serving(tmp_path, worker=False, wire_ids="issued") as server:
        assert submit(server.port, "123").startswith("Error: unknown user id 123")
        number = administer("add-moss-user", "Ada Lovelace").strip()
        assert re.fullmatch(r"\d{9}", number)
        assert (
            administer("add-moss-user", "Bob", "--id", "bob@example.org", "--jobs-per-day", "3") == "bob@example.org\n"
        )
        for known in (number, "bob@example.org"):  # the words by which automoss knows that an id is valid
            assert submit(server.port, known) == "Error: No files uploaded to compare."
        assert CliRunner().invoke(admin, ["add-moss-user", "Eve", "--id", number]).exit_code == 1
        listed = administer("list-moss-users")
        assert re.search(rf"{number} +Ada Lovelace +100", listed)
        assert "revoked" not in listed
        administer("revoke-moss-user", number)
        assert "revoked" in administer("list-moss-users")
        assert submit(server.port, number).startswith(f"Error: unknown user id {number}")
        assert CliRunner().invoke(admin, ["revoke-moss-user", number]).exit_code == 1


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        found = refusal("serve", "--data", str(tmp_path), "--port", "0", "--wire-port", port)
    assert found == (1, f"Error: cannot listen on 127.0.0.1, port {port}, for MOSS's scripts: Address already in use; "
                        "choose another --wire-port, or 0 for none")  # fmt: skip
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("waitress")] == []


def test_an_address_that_clients_could_not_read_is_refused(tmp_path):
    endless = f"https://{'x' * 60}.example.org"
    found = refusal(
        "serve", "--data", str(tmp_path), "--port", "0", MOSS_PUBLIC_URL=endless, MOSS_WIRE_PORT=str(free_port())
    )
    assert found == (1, "Error: wire-url, or public-url, must have at most 68 bytes: clients read no more")


def test_the_port_can_be_left_closed(tmp_path):
    with serving_alone("--data", str(tmp_path), "--port", "0", "--wire-port", "0", environment=CLEAN) as process:
        address = re.match(r"Open (\S+) ", process.output.readline())[1]
        assert json.loads(page(f"{address}/health")) == {"status": "ok"}
        process.terminate()
        assert process.output.read() == ""
