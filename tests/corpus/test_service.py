"""The service: the same answers as the commands, over HTTP, for those who may ask."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from io import BytesIO

import pytest
from support.corpora import add_here, edited, prose, write_crawl
from waitress.server import create_server

from moss.corpus.service import answers, http
from moss.corpus.service.answers import CorpusService
from moss.corpus.service.http import CorpusApp

MEMORY = 2**28
PAGES = [{"url": f"http://h{n % 3}.example/{n}", "date": f"2024-0{1 + n % 3}-01", "text": prose(n)} for n in range(12)]
COPY = {"url": "http://copy.example/3", "date": "2024-05-01", "text": edited(prose(3), 1, 1)}


@pytest.fixture
def corpus(tmp_path):
    add_here(tmp_path / "corpus", write_crawl(tmp_path / "pages.jsonl", [*PAGES, COPY]))
    return tmp_path / "corpus"


@pytest.fixture
def service(corpus):
    service = CorpusService(corpus, MEMORY)
    yield service
    service.close()


def ask(app, method, path, given=None, **headers):
    """Status and answer."""
    path, _, query = path.partition("?")
    body = given if isinstance(given, bytes) else json.dumps(given).encode()
    said = []
    environ = {
        "REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body), "HTTP_HOST": "127.0.0.1:8750", **headers,
    }  # fmt: skip
    content = b"".join(app(environ, lambda status, _: said.append(int(status[:3]))))
    return said[0], json.loads(content)


def test_questions_are_answered(service):
    app = CorpusApp(service)
    status, near = ask(app, "POST", "/near", {"text": prose(3)})
    assert (status, near["near"][0]) == (
        200, {"address": "http://h0.example/3", "date": "2024-01-01T00:00:00+00:00", "bits": 0},
    )  # fmt: skip
    _, both = ask(app, "POST", "/near", {"texts": [prose(4), prose(999)]})
    assert [[found["address"] for found in each] for each in both["near"]] == [["http://h1.example/4"], []]
    _, only = ask(app, "POST", "/near", {"text": prose(3), "host": "copy.example"})
    assert {found["address"] for found in only["near"]} <= {"http://copy.example/3"}
    _, found = ask(app, "POST", "/query", {"text": prose(3, 60), "show": 1, "least_words": 1})
    assert {each["address"] for each in found["found"]} == {"http://h0.example/3", "http://copy.example/3"}
    assert found["found"][0]["passages"]
    _, located = ask(app, "GET", "/locate?address=http://h0.example/3")
    assert located["best"] == "http://copy.example/3"
    addresses = ["http://copy.example/3", "http://h1.example/4", "http://h0.example/3", "http://nowhere/"]
    _, groups = ask(app, "POST", "/group", {"addresses": addresses})
    assert [group["addresses"] for group in groups["groups"]] == [
        [addresses[0], addresses[2]],
        [addresses[1]],
        [addresses[3]],
    ]
    assert ask(app, "GET", "/")[1]["documents"] == 13


@pytest.mark.parametrize(
    ("method", "path", "given", "status", "sentence"),
    [
        ("GET", "/near", None, 405, "ask GET"),
        ("GET", "/else", None, 404, "ask GET"),
        ("POST", "/near", b"{", 400, "not an object"),
        ("POST", "/near", {}, 400, '"text" is missing'),
        ("POST", "/near", {"texts": ["a", 3]}, 400, '"texts" is missing'),
        ("POST", "/near", {"texts": ["a"] * 1001}, 400, "more than 1,000"),
        ("POST", "/near", {"text": "a b", "least_words": "x"}, 400, '"least_words"'),
        ("POST", "/near", {"text": "a b", "least_words": 3, "most_words": 2}, 400, "the fewest words must be"),
        ("POST", "/near", {"text": "a b", "host": 3}, 400, '"host"'),
        ("POST", "/near", {"text": "a b", "host": "http://h0.example/"}, 400, "is not a host such as www.example.org"),
        ("POST", "/query", {"text": "a b", "language": "English"}, 400, "'English' is not the code of a language"),
        ("POST", "/near", {"text": "a b", "hosts": "x"}, 400, '"hosts" is not known here; /near takes "host", '),
        ("POST", "/near", {"text": "a b", "texts": ["c"]}, 400, 'either "text" or "texts"'),
        ("GET", "/locate?address=http://h0.example/3&resemblance=7", None, 400, '"resemblance" is a number from 0.05'),
        ("GET", "/?documents=1", None, 400, '"documents" is not known here; / takes nothing'),
        ("GET", "/locate?address=http://nowhere/", None, 400, "was ever at http://nowhere/"),
    ],
)
def test_a_bad_question_gets_a_sentence(service, method, path, given, status, sentence):
    found, answer = ask(CorpusApp(service), method, path, given)
    assert (found, sentence in answer["error"]) == (status, True), answer


def test_who_may_ask(service):
    assert ask(CorpusApp(service), "GET", "/", HTTP_HOST="evil.example")[0] == 403
    assert ask(CorpusApp(service), "GET", "/", HTTP_HOST="[::1]:8750")[0] == 200
    guarded = CorpusApp(service, "secret")
    assert ask(guarded, "GET", "/", HTTP_HOST="corpus.example")[0] == 401
    assert ask(guarded, "GET", "/", HTTP_AUTHORIZATION="Bearer wrong")[0] == 401
    assert ask(guarded, "GET", "/", HTTP_HOST="corpus.example", HTTP_AUTHORIZATION="Bearer secret")[0] == 200


def test_what_is_added_is_found_a_little_later(corpus, service, tmp_path, monkeypatch):
    monkeypatch.setattr(answers, "_LOOK", 0)
    app = CorpusApp(service)
    assert not ask(app, "POST", "/near", {"text": prose(77)})[1]["near"]
    add_here(corpus, write_crawl(tmp_path / "more.jsonl", [{"url": "http://new/", "text": prose(77)}]))
    while ask(app, "GET", "/")[1]["documents"] == 13:
        time.sleep(0.05)
    assert ask(app, "POST", "/near", {"text": prose(77)})[1]["near"][0]["address"] == "http://new/"


def test_groups_of_a_corpus_that_has_just_changed_are_to_be_asked_for_again(corpus, service, tmp_path, monkeypatch):
    monkeypatch.setattr(answers, "_LOOK", 3600)
    app = CorpusApp(service)
    add_here(corpus, write_crawl(tmp_path / "more.jsonl", [{"url": "http://new/", "text": prose(77)}]))
    status, answer = ask(app, "POST", "/group", {"addresses": ["http://h0.example/3"]})
    assert (status, answer) == (503, {"error": "the corpus has just changed; ask again"})


MOSS = [sys.executable, "-c", "from moss.cli import main; main(prog_name='moss')", "corpus", "serve"]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_several_processes_answer_at_one_address_and_end_together(corpus, ending):
    command = [*MOSS, str(corpus), "--port", "0", "--processes", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as process:
        said = process.stdout.readline()
        url = re.search(r"13 documents; (http://127\.0\.0\.1:\d+/)", said)[1]
        for _ in range(8):
            request = urllib.request.Request(f"{url}near", json.dumps({"text": prose(5)}).encode())
            with urllib.request.urlopen(request) as answer:
                assert json.load(answer)["near"][0]["address"] == "http://h2.example/5"
        process.send_signal(ending)
        assert process.wait() == 0
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url)


def test_not_much_more_is_received_than_a_question_may_have(corpus):
    """Whoever has no token would be told so after a gigabyte."""
    command = [*MOSS, str(corpus), "--port", "0", "--processes", "1"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "MOSS_CORPUS_TOKEN": "secret"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())[1])
            with socket.create_connection(("127.0.0.1", port)) as connection, suppress(ConnectionError):
                length = http.RECEIVED + 1  # if the connection is cut meanwhile, that is refused, too
                connection.sendall(b"POST /near HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % length)
                connection.sendall(bytes(length))
                assert connection.recv(12) == b"HTTP/1.1 413"
        finally:
            process.terminate()


def test_who_has_more_connections_lets_others_accept_the_next(service, monkeypatch):
    monkeypatch.setattr(http, "_AFTER_YOU", 0.5)
    with closing(http.listening("127.0.0.1", 0)) as listener:
        connections = memoryview(bytearray(16)).cast("q")
        server = create_server(CorpusApp(service), sockets=[listener], threads=1, map={})
        http.SharedListener(listener, connections, number=1).take_turns(server)
        try:
            with socket.create_connection(listener.getsockname()):
                server.handle_accept()
                server.readable()
                assert connections.tolist() == [0, 1]
            with socket.create_connection(listener.getsockname()), ThreadPoolExecutor(1) as pool:
                ours = pool.submit(server.accept)
                with closing(listener.accept()[0]):  # the other process
                    assert ours.result() is None
        finally:
            for channel in list(server.active_channels.values()):
                channel.close()
            server.task_dispatcher.shutdown()
            server.trigger.close()


def test_others_need_a_token(corpus):
    clean = {name: value for name, value in os.environ.items() if name != "MOSS_CORPUS_TOKEN"}
    done = subprocess.run([*MOSS, str(corpus), "--host", "0.0.0.0"], capture_output=True, text=True, env=clean)
    assert (done.returncode, "set a token in MOSS_CORPUS_TOKEN" in done.stderr) == (2, True)
