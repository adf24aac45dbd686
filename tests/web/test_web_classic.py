"""Results in the form of MOSS's pages, as the app serves them; and drops by the API."""

from __future__ import annotations

import asyncio
import hashlib
import re
from dataclasses import replace

import pytest
from sqlalchemy import event
from support.programs import LEDGER, MAZE
from support.server import make_server

from moss.model import Problem
from moss.report.classic.pages import ClassicAddress, classic_pages
from moss.store.accounts.credentials import digest
from moss.store.results.reports import load_report
from moss.store.submissions.drops import drop_at, labels_in_order
from moss.store.submissions.uploads import CHUNK
from moss.store.tables import (
    ApiTokenRow,
    CourseRow,
    DropRow,
    JobRow,
    PairRow,
    PersonRow,
    RunEntryRow,
    RunRow,
    SubmissionRow,
    UploadChunkRow,
)
from moss.submit import for_server, source
from moss.wire import Request
from moss.wire.request import file_of_bytes
from moss.wire.store_backend import StoreBackend

PROGRAMS = {"zoe.java": LEDGER + MAZE, "ann.java": LEDGER, "bob.java": LEDGER, "broken.java": "\0\1\2" * 500}


def bring(server, programs=None, user="123", **options):
    """Bring programs to the desk and compare them; the path of the result."""
    texts = (programs or PROGRAMS).items()
    files = [file_of_bytes(name, i, "java", text.encode()) for i, (name, text) in enumerate(texts, 1)]
    desk = StoreBackend(server.store, server.config)
    place = asyncio.run(desk.accept(Request(user, "java", tuple(files), **options)))
    desk.close()
    server.work()
    return f"/results/{place}"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A server that has a result, and where that is."""
    with make_server(tmp_path_factory.mktemp("classic")) as server:
        yield server, bring(server, comment="<b>homework</b>"), server.app.test_client()


def test_the_index_is_found_with_and_without_a_slash(shown):
    _, path, client = shown
    plain, slashed = client.get(path), client.get(f"{path}/")
    assert plain.status_code == slashed.status_code == 200
    assert plain.data == slashed.data
    assert plain.headers["Content-Type"] == "text/html; charset=UTF-8"
    assert plain.headers["X-Robots-Tag"] == "noindex"
    assert f'<A HREF="http://localhost{path}/match0.html">zoe.java (' in plain.text
    assert "&lt;b>homework" in plain.text or "&lt;b&gt;homework" in plain.text
    assert "broken.java" in plain.text.partition("Any errors encountered")[2]


def test_each_pair_has_its_pages_and_nothing_else_has(shown):
    _, path, client = shown
    count = client.get(path).text.count("<TR>") - 1
    assert count == 3
    for k in range(count):
        for part in ("", "-top", "-0", "-1"):
            assert client.get(f"{path}/match{k}{part}.html").status_code == 200
    for wrong in (f"match{count}-top.html", "match0-2.html", "match-1.html", "match00.html", "index.html", "x"):
        assert client.get(f"{path}/{wrong}").status_code == 404
    assert client.get("/results/1/1234567890123456789").status_code == 404
    assert client.get("/results/1/x/match0.html").status_code == 404


def test_pages_of_a_pair_have_its_texts_marked(shown):
    _, path, client = shown
    text = client.get(f"{path}/match0-0.html").text
    assert '<A NAME="0"></A><FONT color = #FF0000>' in text
    assert LEDGER.splitlines()[3].strip() in text
    frames = client.get(f"{path}/match0.html")
    assert '<FRAME SRC="match0-top.html"' in frames.text
    policy = frames.headers["Content-Security-Policy"]
    assert "frame-src 'self'" in policy
    assert "frame-ancestors 'self'" in policy
    assert frames.headers["X-Frame-Options"] == "SAMEORIGIN"
    top = client.get(f"{path}/match0-top.html").text
    picture = re.search(r'SRC="http://localhost(/bitmaps/\S+\.gif)"', top)[1]
    assert client.get(picture).data.startswith(b"GIF8")
    assert client.get("/bitmaps/tm_9_9.gif").status_code == 404


def test_the_pages_to_which_every_index_links_are_there(shown):
    _, path, client = shown
    for address in re.findall(r'HREF="http://localhost(/general/\S+?)"', client.get(path).text):
        assert client.get(address).status_code == 200
    assert client.get("/general/nothing.html").status_code == 404


def test_the_modern_report_is_for_whoever_has_the_address(shown):
    _, path, client = shown
    modern = re.search(r'HREF="http://localhost(/shared/[^"]+)" TARGET="_top"> Full Report', client.get(path).text)[1]
    assert "match" not in modern
    assert client.get(modern).status_code == 200
    assert client.get(f"{modern}pairs/1").status_code == 200


def test_links_begin_with_what_the_client_was_told(tmp_path):
    with make_server(tmp_path, wire_url="http://moss.stanford.edu", public_url="https://moss.example.org") as server:
        path = bring(server)
        text = server.app.test_client().get(path).text
        assert f'"http://moss.stanford.edu{path}/match0.html"' in text
        assert '"http://moss.stanford.edu/general/format.html"' in text
        assert '"https://moss.example.org/shared/' in text


def test_results_are_there_before_anybody_has_set_the_server_up(tmp_path):
    with make_server(tmp_path) as server:
        with server.store.session() as session:
            session.connection().exec_driver_sql("DELETE FROM users")
        path = bring(server)
        client = server.app.test_client()
        assert client.get(path).status_code == 200
        assert client.get("/moss-submit").status_code == 200
        assert client.get("/courses/").status_code == 302


def test_who_is_erased_is_gone_from_the_pages_and_the_rest_stays(tmp_path):
    from moss.jobs.handlers.deletion import erase

    with make_server(tmp_path) as server:
        path = bring(server)
        with server.store.session() as session:
            erase(session, session.query(PersonRow).filter_by(name="ann.java").one())
        client = server.app.test_client()
        text = client.get(path).text
        assert "ann.java" not in text
        assert text.count("<TR>") == 1 + 1
        assert "zoe.java (" in text
        assert "bob.java (" in text
        assert client.get(f"{path}/match0-1.html").status_code == 200
        assert client.get(f"{path}/match1.html").status_code == 404


def test_jobs_of_scripts_are_hidden_from_lists_but_administrators_may_look(shown):
    server, path, _ = shown
    with server.store.reading() as session:
        drop = drop_at(session, path.removeprefix("/results/"))
        course, run = drop.run.assignment.course_id, drop.run_id
    assert "Jobs of scripts" not in server.client("administrator").get("/courses/").text
    assert server.client("administrator").get(f"/courses/{course}/").status_code == 200
    assert server.client("administrator").get(f"/runs/{run}/").status_code == 200
    for person in ("instructor", "assistant", "stranger"):
        assert server.client(person).get(f"/runs/{run}/").status_code == 404


def test_the_script_is_handed_out_with_this_servers_address(tmp_path):
    with make_server(tmp_path, public_url="https://moss.example.org/below/") as server:
        answer = server.app.test_client().get("/moss-submit")
        assert answer.text == for_server(source(), "https://moss.example.org/below")
        assert '\nSERVER = "https://moss.example.org/below"\n' in answer.text
        compile(answer.text, "moss-submit", "exec")


def api(server, person="instructor"):
    """What a program of this person does."""
    secret = f"moss_{person}"
    with server.store.session() as session:
        if session.query(ApiTokenRow).filter_by(digest=digest(secret)).count() == 0:
            session.add(ApiTokenRow(user_id=server.id_of(person), name="test", digest=digest(secret)))
    client = server.app.test_client()

    def ask(method, path, expected, **options):
        headers = {"Authorization": f"Bearer {secret}"}
        answer = client.open(f"/api/v1{path}", method=method, headers=headers, **options)
        assert answer.status_code == expected, answer.text
        return answer.get_json()

    return ask


def wish(content, key="k1", programs=PROGRAMS, **options):
    sizes = [len(text.encode()) for text in programs.values()]
    files = [{"name": n, "program": i, "size": s} for i, (n, s) in enumerate(zip(programs, sizes, strict=True), 1)]
    return {"key": key, "files": files, "sha256": hashlib.sha256(content).hexdigest(), "language": "java", **options}


def content_of(programs=PROGRAMS):
    return "".join(programs.values()).encode()


def test_a_drop_by_the_api(server):
    ask, content = api(server), content_of()
    drop = ask("POST", "/drops", 201, json=wish(content, comment="by a script"))
    assert (drop["state"], drop["missing"], drop["chunk"]) == ("receiving", [0], CHUNK)
    assert ask("POST", f"/drops/{drop['id']}/finish", 202)["state"] == "receiving"  # nothing has come yet
    for _ in range(2):
        assert ask("PUT", f"/drops/{drop['id']}/content?start=0", 200, data=content)["missing"] == []
    for _ in range(2):
        assert ask("POST", f"/drops/{drop['id']}/finish", 202)["state"] == "queued"
    assert ask("POST", "/drops", 201, json=wish(content, comment="by a script"))["id"] == drop["id"]
    server.work()
    done = ask("GET", f"/drops/{drop['id']}", 200)
    assert done["state"] == "done"
    assert ask("PUT", f"/drops/{drop['id']}/content?start=0", 200, data=content)["state"] == "done"
    client = server.app.test_client()
    assert "zoe.java" in client.get(done["report"]).text
    assert "<p>by a script\n" in client.get(done["classic"]).text
    with server.store.reading() as session:
        assert [session.query(table).count() for table in (DropRow, RunRow, JobRow, UploadChunkRow)] == [1, 1, 1, 0]
        assert session.query(SubmissionRow).count() == 4
        course = session.query(CourseRow).one()
        assert course.retention_days == 14
    assert course.name in server.client().get("/courses/").text  # it is the instructor's own
    assert server.client("stranger").get(f"/courses/{course.id}/").status_code == 404


def test_a_drop_of_many_chunks_says_which_are_missing(server):
    ask = api(server)
    programs = {"a.txt": "a" * (CHUNK + 5), "b.txt": "b" * CHUNK}
    content = content_of(programs)
    drop = ask("POST", "/drops", 201, json=wish(content, programs=programs, language="text"))
    assert drop["missing"] == [0, CHUNK, 2 * CHUNK]
    where = f"/drops/{drop['id']}/content?start="
    assert ask("PUT", f"{where}{CHUNK}", 200, data=content[CHUNK : 2 * CHUNK])["missing"] == [0, 2 * CHUNK]
    ask("PUT", f"{where}{CHUNK}", 422, data=b"too short")
    ask("PUT", f"{where}7", 422, data=content[:CHUNK])
    ask("PUT", f"{where}{3 * CHUNK}", 422, data=b"beyond")
    assert ask("GET", f"/drops/{drop['id']}", 200)["missing"] == [0, 2 * CHUNK]


def test_a_key_stands_for_one_job_of_one_user(server):
    ask, content = api(server), content_of()
    first = ask("POST", "/drops", 201, json=wish(content))
    assert "used before" in ask("POST", "/drops", 409, json=wish(content, comment="other"))["error"]["message"]
    other = api(server, "assistant")("POST", "/drops", 201, json=wish(content))
    assert other["id"] != first["id"]
    ask("GET", f"/drops/{other['id']}", 404)


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"language": "klingon"}, 422, "klingon"),
        ({"files": []}, 422, "files"),
        ({"key": ""}, 422, "key"),
        ({"max_matches": 1}, 422, "max_matches"),
        ({"sha256": "x"}, 422, "sha256"),
        ({"files": [{"name": "a", "program": 0, "size": 5}]}, 422, "nothing to compare"),
        ({"files": [{"name": "a", "size": 17 * 1024**2}]}, 413, "limit of 16 MB for one file"),
        ({"files": [{"name": str(i), "size": 16 * 1024**2} for i in range(33)]}, 413, "limit of 512 MB"),
        ({"files": [{"name": str(i), "size": 1} for i in range(20_001)]}, 413, "more than 20,000 files"),
    ],
)
def test_what_cannot_be_is_refused_in_words(server, change, status, words):
    answer = api(server)("POST", "/drops", status, json=wish(content_of()) | change)
    assert words in answer["error"]["message"]


def test_quotas_hold_for_accounts_too(tmp_path):
    with make_server(tmp_path, jobs_per_day=2, jobs_at_once=1) as server:
        ask, content = api(server), content_of()

        def whole(key):
            drop = ask("POST", "/drops", 201, json=wish(content, key))
            ask("PUT", f"/drops/{drop['id']}/content?start=0", 200, data=content)
            ask("POST", f"/drops/{drop['id']}/finish", 202)

        whole("1")
        assert "1 unfinished" in ask("POST", "/drops", 503, json=wish(content, "2"))["error"]["message"]
        server.work()
        whole("2")
        server.work()
        assert "2 jobs within a day" in ask("POST", "/drops", 422, json=wish(content, "3"))["error"]["message"]


def test_a_job_that_cannot_be_done_says_why(server):
    binary = "\x7fELF\x02\x01\x01\0" + "\0\1\2" * 400
    ask, content = api(server), binary.encode()
    drop = ask("POST", "/drops", 201, json=wish(content, programs={"a.o": binary}))
    ask("PUT", f"/drops/{drop['id']}/content?start=0", 200, data=content)
    ask("POST", f"/drops/{drop['id']}/finish", 202)
    server.work()
    failed = ask("GET", f"/drops/{drop['id']}", 200)
    assert failed["state"] == "failed"
    assert failed["reason"].startswith("there is nothing to compare")


def test_every_page_is_the_one_that_the_whole_report_gives(shown):
    server, path, client = shown
    with server.store.reading() as session:
        drop = drop_at(session, path.removeprefix("/results/"))
        report = load_report(session, drop.run)
        unread = tuple(Problem(*each) for each in drop.upload.problems)
        order = {**report.parameters, "paths": labels_in_order(session, drop.run)}
    whole = replace(report, parameters=order, problems=(*report.problems, *unread))
    modern = re.search(r'HREF="(\S+)" TARGET="_top"> Full Report', client.get(path).text)[1]
    place = ClassicAddress(f"http://localhost{path}", "http://localhost", modern)
    for _ in range(2):  # made, and then as it was stored
        for name, content in classic_pages(whole, place):
            assert client.get(f"{path}/{name}").data == content


def test_a_page_of_a_pair_loads_nothing_of_the_others(shown, monkeypatch):
    _, path, client = shown
    client.get(path), client.get(f"{path}/match0.html")  # the list and the order are stored now
    loaded = []
    monkeypatch.setattr("moss.web.pages.classic.load_report", lambda *given, **options: pytest.fail("all was loaded"))
    for table in (PairRow, RunEntryRow):
        event.listen(table, "load", lambda row, context: loaded.append(row))
    client.get(path)
    assert not loaded
    for part in ("", "-top", "-0", "-1"):
        del loaded[:]
        assert client.get(f"{path}/match1{part}.html").status_code == 200
        assert len(loaded) == 3  # the pair and its two sides
    for wrong in ("match3.html", "match-1.html", "nothing"):
        assert client.get(f"{path}/{wrong}").status_code == 404
