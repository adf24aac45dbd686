"""The service over HTTP: JSON in, JSON out, by waitress.

    GET  /                                              the corpus
    POST /near    {"text": …} or {"texts": […]}         near-duplicates
    POST /query   {"text": …, "show": 10}               what shares something with it
    GET  /locate?address=…&resemblance=0.5              where a page is now
    POST /group   {"addresses": […]}                    search results in groups

`near` and `query` take the conditions "host", "language", "least_words" and "most_words". Without a token only programs
on this machine are answered, and only if they name it so: a page in a browser cannot make itself one of them.

One process computes on one core, however many threads it has. So several may answer at one address: each has the corpus
open. A connection stays with the process that accepts it, so one that has more of them than another lets that go first:
else whoever wakes first would take all that come together, and the others would idle.
"""

from __future__ import annotations

import hmac
import json
import mmap
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import parse_qs

from moss.corpus.cluster.clusters import LEAST, RESEMBLANCE
from moss.corpus.errors import CorpusError
from moss.corpus.search.sites import DocumentFilter
from moss.corpus.service.answers import ChangedError, CorpusService
from moss.intake.limits import MIB

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LARGEST = 16 * MIB  # bytes in a question
RECEIVED = 2 * _LARGEST  # of a question at most, before it is refused in words
_TEXTS = 1000  # in a batch
_AFTER_YOU = 0.002  # seconds in which a process that is idle accepts a connection
_STATUS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
           405: "Method Not Allowed", 413: "Content Too Large", 500: "Internal Server Error",
           503: "Service Unavailable"}  # fmt: skip
_CONDITIONS = {"host", "language", "least_words", "most_words"}
_FIELDS = {
    "/": set[str](),
    "/near": {"text", "texts", *_CONDITIONS},
    "/query": {"text", "show", *_CONDITIONS},
    "/locate": {"address", "resemblance"},
    "/group": {"addresses"},
}  # of a question

Environment = dict[str, Any]
Start = Callable[[str, list[tuple[str, str]]], object]


@dataclass(frozen=True, slots=True)
class SharedListener:
    """A socket at which several processes accept connections, as one of them has it."""

    socket: socket.socket
    connections: memoryview  # of each process, in memory that all share
    number: int = 0  # of this process

    def take_turns(self, server: Any) -> None:
        """Let waitress's server accept a connection only after processes that have fewer had the time to do so."""
        readable, accept = server.readable, server.accept

        def count() -> int:
            mine = self.connections[self.number] = len(server.active_channels)
            return mine

        def counted() -> bool:
            count()
            return bool(readable())

        def politely() -> Any:
            if count() > min(self.connections):
                time.sleep(_AFTER_YOU)
            return accept()  # None if another process was quicker

        server.readable, server.accept = counted, politely


Running = Callable[[SharedListener, Callable[[], None]], None]
"""Answers questions that come to a socket; calls the function when it is ready."""


class QuestionError(Exception):
    """Why a question is not answered: a status of HTTP and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class CorpusApp:
    """The service as an application of WSGI."""

    def __init__(self, service: CorpusService, token: str = "") -> None:
        self._service, self._token = service, token
        self._answers: dict[tuple[str, str], Callable[[dict[str, Any]], dict[str, Any]]] = {
            ("GET", "/"): lambda given: service.about(),
            ("POST", "/near"): self._near,
            ("POST", "/query"): self._query,
            ("GET", "/locate"): self._locate,
            ("POST", "/group"): self._group,
        }

    def __call__(self, environ: Environment, start: Start) -> Iterable[bytes]:
        came, computed = time.perf_counter(), time.thread_time()
        status, plain = self._answered(environ)
        body = json.dumps(plain, ensure_ascii=False).encode("utf-8", "surrogatepass")
        taken, cpu = (1000 * (time.perf_counter() - came), 1000 * (time.thread_time() - computed))
        headers = [
            ("Content-Type", "application/json; charset=utf-8"),
            ("Content-Length", str(len(body))),
            ("Server-Timing", f"answer;dur={taken:.2f}, cpu;dur={cpu:.2f}"),
        ]
        start(f"{status} {_STATUS[status]}", headers)
        return [body]

    def _answered(self, environ: Environment) -> tuple[int, dict[str, Any]]:
        try:
            self._check(environ)
            method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO") or "/"
            answer = self._answers.get((method, path))
            if answer is None:
                known = any(path == other for _, other in self._answers)
                raise QuestionError(405 if known else 404, "ask GET /, /locate or POST /near, /query, /group")
            return 200, answer(_known(_given(environ), path))
        except QuestionError as refused:
            return refused.status, {"error": str(refused)}
        except ChangedError as error:
            return 503, {"error": str(error)}
        except CorpusError as error:
            return 400, {"error": str(error)}

    def _check(self, environ: Environment) -> None:
        if self._token:
            given = environ.get("HTTP_AUTHORIZATION", "")
            if not hmac.compare_digest(given.encode(), f"Bearer {self._token}".encode()):
                raise QuestionError(401, "a token is missing: Authorization: Bearer TOKEN")
            return
        host = environ.get("HTTP_HOST", "127.0.0.1")
        if host.rsplit(":", 1)[0].strip("[]") not in LOOPBACK and host.strip("[]") not in LOOPBACK:
            raise QuestionError(403, "only programs on this machine are answered")

    # Questions

    def _near(self, given: dict[str, Any]) -> dict[str, Any]:
        only = _filter(given)
        if "texts" in given and "text" in given:
            raise QuestionError(400, 'either "text" or "texts"')
        if "texts" in given:
            texts = _strings(given, "texts")
            if len(texts) > _TEXTS:
                raise QuestionError(400, f"more than {_TEXTS:,} texts")
            return {"near": self._service.near(texts, only)}
        return {"near": self._service.near([_string(given, "text")], only)[0]}

    def _query(self, given: dict[str, Any]) -> dict[str, Any]:
        shown = _number(given, "show", 10)
        return {"found": self._service.query(_string(given, "text"), int(shown), _filter(given))}

    def _locate(self, given: dict[str, Any]) -> dict[str, Any]:
        resemblance = _number(given, "resemblance", RESEMBLANCE)
        if not LEAST <= resemblance <= 1:
            raise QuestionError(400, f'"resemblance" is a number from {LEAST} to 1')
        found = self._service.locate(_string(given, "address"), resemblance)
        return {"best": found[0]["address"] if found else None, "found": found}

    def _group(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"groups": self._service.group(_strings(given, "addresses"))}


def _given(environ: Environment) -> dict[str, Any]:
    """The question: the query of an address, or the object in a body."""
    if environ["REQUEST_METHOD"] == "GET":
        return {name: values[-1] for name, values in parse_qs(environ.get("QUERY_STRING", "")).items()}
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > _LARGEST:
        raise QuestionError(413, f"a question has at most {_LARGEST // MIB} MB")
    try:
        given = json.loads(environ["wsgi.input"].read(length))
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise QuestionError(400, "the body is not an object in JSON")
    return given


def _known(given: dict[str, Any], path: str) -> dict[str, Any]:
    """The question, if there is nothing in it that would be passed over: a condition that is misspelt is none."""
    unknown = sorted(given.keys() - _FIELDS[path])
    if unknown:
        known = ", ".join(f'"{name}"' for name in sorted(_FIELDS[path])) or "nothing"
        raise QuestionError(400, f'"{unknown[0]}" is not known here; {path} takes {known}')
    return given


def _string(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not value:
        raise QuestionError(400, f'"{name}" is missing, or not a text')
    return value


def _strings(given: dict[str, Any], name: str) -> list[str]:
    values = given.get(name)
    if not isinstance(values, list) or not all(isinstance(value, str) and value for value in values):
        raise QuestionError(400, f'"{name}" is missing, or not a list of texts')
    return values


def _number(given: dict[str, Any], name: str, default: float) -> float:
    try:
        value = float(given.get(name, default))
    except (TypeError, ValueError):
        value = -1.0
    if not 0 <= value <= 1_000_000_000:
        raise QuestionError(400, f'"{name}" is not a number that makes sense')
    return value


def _filter(given: dict[str, Any]) -> DocumentFilter:
    host, tongue = (given.get(name, "") for name in ("host", "language"))
    if not isinstance(host, str) or not isinstance(tongue, str):
        raise QuestionError(400, '"host" and "language" are texts')
    most = int(_number(given, "most_words", 0)) if "most_words" in given else None
    return DocumentFilter(host, tongue, int(_number(given, "least_words", 0)), most)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address; raises OSError if it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def run_in_processes(count: int, listener: socket.socket, run: Running, ready: Callable[[], None]) -> None:
    """Run so many processes, this one among them, until this one is interrupted; call `ready` when all can answer."""
    reading, writing = os.pipe()
    shared = SharedListener(listener, memoryview(mmap.mmap(-1, 8 * count)).cast("q"))
    children = [_child(replace(shared, number=number), run, writing, reading) for number in range(1, count)]

    def mine_is_ready() -> None:
        os.close(writing)
        waiting = threading.Thread(target=_wait, args=(reading, len(children), ready), daemon=True)
        waiting.start()

    try:
        run(shared, mine_is_ready)
    finally:
        for child in children:
            os.kill(child, signal.SIGTERM)
        for child in children:
            os.waitpid(child, 0)


def _child(listener: SharedListener, run: Running, writing: int, reading: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        os.close(reading)
        signal.signal(signal.SIGTERM, lambda number, frame: os._exit(0))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
        threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
        run(listener, partial(_tell, writing))
        status = 0
    finally:
        os._exit(status)


def _tell(writing: int) -> None:
    os.write(writing, b".")
    os.close(writing)


def _follow(parent: int) -> None:
    """End when the parent has."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _wait(reading: int, count: int, ready: Callable[[], None]) -> None:
    """Wait until so many have written a byte, or have ended."""
    while count > 0 and (some := os.read(reading, count)):
        count -= len(some)
    os.close(reading)
    ready()
