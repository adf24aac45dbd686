"""Clients without an account who hold connections, send headers without an end, or send what nobody asked for."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from contextlib import contextmanager
from functools import partial

import pytest
from support.server import make_server
from waitress import wasyncore

from moss.web.http_server import HttpLimits, make_http_server
from moss.web.request.cookies import knows_sender

LIMITS = HttpLimits(connections=12, per_address=8, stranger_bytes=1000, body_bytes=100_000)
HALF = b"GET /health HTTP/1.1\r\nHost: moss\r\nX-Slow: "
FOUND = b"HTTP/1.1 200 OK"
HANGS = 60  # seconds: only what hangs takes so long


class Gate:
    """An app around the app: it counts what it is asked, and lets slow pages wait for a sign."""

    def __init__(self, app):
        self.app, self.asked, self.sign = app, [], threading.Event()

    def __call__(self, environ, start_response):
        self.asked.append((environ["PATH_INFO"], int(environ.get("CONTENT_LENGTH") or 0)))
        if environ["PATH_INFO"] == "/slow":
            self.sign.wait()
        return self.app(environ, start_response)


@contextmanager
def serving(server, limits=LIMITS, threads=2):
    """The real server on a port of its own, in a thread; and its gate."""
    gate = Gate(server.app)
    knows = partial(knows_sender, server.store, server.config)
    http_server = make_http_server(gate, "127.0.0.1", 0, threads, limits, knows)
    loop = threading.Thread(target=http_server.run)
    loop.start()
    try:
        yield http_server, gate
    finally:
        gate.sign.set()
        http_server.trigger.pull_trigger(lambda: wasyncore.close_all(http_server._map))  # without sockets it ends
        loop.join()
        http_server.task_dispatcher.shutdown()


@pytest.fixture
def server(tmp_path):
    with make_server(tmp_path) as made:
        yield made


def connect(http_server):
    return socket.create_connection(("127.0.0.1", int(http_server.effective_port)), HANGS)


def answer_of(connection):
    """All that comes until the other side closes, or answers once."""
    said = b""
    while part := connection.recv(65536):
        said += part
        if b"\r\n\r\n" in said:
            return said
    return said


def ask_health(http_server):
    with connect(http_server) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: moss\r\n\r\n")
        return answer_of(connection)


def test_half_sent_headers_hold_no_more_than_their_share_and_others_are_heard(server):
    with serving(server) as (http_server, _):
        held = []
        for _ in range(40):
            held.append(connect(http_server))
            held[-1].sendall(HALF)
        assert ask_health(http_server).startswith(FOUND)
        wait_until(lambda: len(http_server.active_channels) <= LIMITS.per_address)
        for connection in held:
            connection.close()


def test_behind_a_proxy_all_addresses_share_the_connections(server):
    with serving(server, HttpLimits(connections=6, per_address=None)) as (http_server, _):
        held = []
        for _ in range(20):
            held.append(connect(http_server))
            held[-1].sendall(HALF)
        assert ask_health(http_server).startswith(FOUND)
        wait_until(lambda: len(http_server.active_channels) <= 6)
        for connection in held:
            connection.close()


def test_who_takes_too_long_is_closed(server):
    with serving(server) as (http_server, _):
        header, body, idle = (connect(http_server) for _ in range(3))
        header.sendall(HALF)
        body.sendall(b"POST /login HTTP/1.1\r\nHost: moss\r\nContent-Length: 900\r\n\r\nemail=")
        idle.sendall(b"")
        wait_until(lambda: len(http_server.active_channels) == 3 and all_read(http_server, 2))
        for seconds, left in ((14, 3), (16, 2), (29, 2), (31, 1), (61, 0)):
            http_server.trigger.pull_trigger(partial(http_server.maintenance, time.time() + seconds))
            wait_until(lambda left=left: len(http_server.active_channels) == left)
        for connection in (header, body, idle):
            assert connection.recv(1) == b""
            connection.close()


def all_read(http_server, number):
    return sum(channel.request is not None for channel in list(http_server.active_channels.values())) == number


def wait_until(condition):
    """Wait for what another thread is sure to do, however busy the machine."""
    end = time.monotonic() + HANGS
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def test_a_body_that_comes_as_fast_as_any_network_is_waited_for(server):
    with serving(server) as (http_server, _), connect(http_server) as connection:
        connection.sendall(b"POST /login HTTP/1.1\r\nHost: moss\r\nContent-Length: 900\r\n\r\n")
        wait_until(lambda: all_read(http_server, 1))
        (channel,) = http_server.active_channels.values()
        channel.request.body_bytes_received = 2048 * 100
        assert not channel.request.is_too_slow(time.time() + 129)
        assert channel.request.is_too_slow(time.time() + 131)


@pytest.mark.parametrize("how", ["length", "chunked"])
def test_a_stranger_sends_no_more_than_a_form_has(server, how):
    with serving(server) as (http_server, gate):
        assert _send(http_server, how, 5_000, {}) == 413
        assert _send(http_server, how, 5_000, {"Cookie": "moss=guessed"}) == 413
        assert _send(http_server, how, 5_000, {"Authorization": "Bearer moss_guessed"}) == 413
        assert gate.asked == []
        assert _send(http_server, how, 900, {}) == 400  # it is read, and is no form of ours


def test_somebody_with_an_account_may_send_a_large_body_and_no_larger_one(server):
    browser = server.client()
    with serving(server) as (http_server, gate):
        known = {"Cookie": f"moss={browser.cookie}"}
        assert _send(http_server, "length", 50_000, known) == 400  # it is read, and has no token of a form
        assert gate.asked == [("/login", 50_000)]
        assert _send(http_server, "length", 100_000, known) == 413


def _send(http_server, how, size, headers):
    """The status of the answer to a body of this size, of which the first bytes are sent."""
    connection = http.client.HTTPConnection("127.0.0.1", int(http_server.effective_port))
    connection.putrequest("POST", "/login")
    for name, value in headers.items():
        connection.putheader(name, value)
    if how == "chunked":
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        connection.send(b"%x\r\n%s\r\n0\r\n\r\n" % (size, b"x" * size))
    else:
        connection.putheader("Content-Length", str(size))
        connection.endheaders()
        if size < LIMITS.body_bytes and (headers.get("Cookie", "guessed").endswith("guessed") is False or size < 1000):
            connection.send(b"x" * size)
    status = connection.getresponse().status
    connection.close()
    return status


def test_health_is_answered_while_all_threads_are_busy(server):
    with serving(server, threads=2) as (http_server, gate):
        busy = [connect(http_server) for _ in range(4)]
        for connection in busy:
            connection.sendall(b"GET /slow HTTP/1.1\r\nHost: moss\r\n\r\n")
        wait_until(lambda: len(gate.asked) == 2)
        assert ask_health(http_server).startswith(FOUND)
        assert len(gate.asked) == 3  # the others still wait for a thread
        gate.sign.set()
        for connection in busy:
            assert answer_of(connection).startswith(b"HTTP/1.1 404")
            connection.close()


def test_who_finds_every_connection_busy_is_told_so(server):
    limits = HttpLimits(connections=3, per_address=None)
    with serving(server, limits, threads=3) as (http_server, gate):
        busy = [connect(http_server) for _ in range(3)]
        for connection in busy:
            connection.sendall(b"GET /slow HTTP/1.1\r\nHost: moss\r\n\r\n")
        wait_until(lambda: len(gate.asked) == 3)
        with connect(http_server) as connection:
            assert answer_of(connection).startswith(b"HTTP/1.1 503")
        gate.sign.set()
        for connection in busy:
            connection.close()
