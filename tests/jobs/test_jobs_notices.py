"""Notices go out: mail to a real mail server, webhooks to a real web server, each once or tried again."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import socket
import ssl
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from support.classes import SAMPLES, add_class, add_run
from support.server import make_server

from moss.config import Config
from moss.jobs import ledger
from moss.jobs.handlers.notices import MailError, send_mail
from moss.jobs.job_process import do
from moss.jobs.ledger import claim
from moss.jobs.webhooks import SIGNATURE, WebhookError, _is_public, check_webhook, post_signed
from moss.store.accounts.notices import add_notice, latest_notices
from moss.store.courses.webhooks import webhook_secret
from moss.store.tables import CourseRow, JobRow, JobState, NoticeRow, RunRow

SECRET = "a secret"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A file with a certificate that nobody vouches for, as mail servers sign their own, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("certificate") / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


class Letters:
    """Keeps what arrives."""

    def __init__(self):
        self.got = []
        self.refuse = 0

    async def handle_DATA(self, server, session, envelope):
        if self.refuse:
            self.refuse -= 1
            return "451 try later"
        self.got.append((session, envelope))
        return "250 OK"


@contextmanager
def mail_server(certificate=None, **options):
    """A real mail server on this machine: its letters, and its address."""
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    letters = Letters()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(letters, hostname="127.0.0.1", port=port, tls_context=context, **options)
    controller.start()
    try:
        yield letters, port
    finally:
        controller.stop()


def mail_config(url):
    return Config(mail_url=url, mail_from="moss@example.org")


def test_a_mail_arrives_as_it_was_meant():
    with mail_server() as (letters, port):
        send_mail(
            mail_config(f"smtp://127.0.0.1:{port}"), "Inés Ω\nBcc: x", "ines@example.org", "A\nsubject ✓", "Text ✓\n"
        )
    ((_, envelope),) = letters.got
    message = message_from_bytes(envelope.content, policy=policy.default)
    assert (envelope.mail_from, envelope.rcpt_tos) == ("moss@example.org", ["ines@example.org"])
    assert (message["Subject"], message["To"].addresses[0].display_name) == ("A subject ✓", "Inés Ω Bcc: x")
    assert message.get_content().strip() == "Text ✓"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Bcc"] is None


def test_encryption_is_used_when_it_is_offered_and_the_password_is_sent_then(certificate):
    seen = []

    def check(server, session, envelope, mechanism, data):
        seen.append((data.login, data.password))
        return AuthResult(success=True)

    with mail_server(certificate, authenticator=check, auth_required=True) as (letters, port):
        send_mail(mail_config(f"smtp://us%40er:pass%3Aword@127.0.0.1:{port}"), "A", "a@example.org", "S", "T")
    assert seen == [(b"us@er", b"pass:word")]
    assert letters.got[0][0].ssl is not None


def test_a_mail_server_that_refuses_or_is_not_there_is_an_error_in_words():
    with mail_server() as (letters, port):
        letters.refuse = 1
        with pytest.raises(MailError, match="try later"):
            send_mail(mail_config(f"smtp://127.0.0.1:{port}"), "A", "a@example.org", "S", "T")
    with pytest.raises(MailError, match=r"the mail server 127\.0\.0\.1 says: "):
        send_mail(mail_config(f"smtp://127.0.0.1:{port}"), "A", "a@example.org", "S", "T")


@contextmanager
def web_server(status=200, headers=()):
    """A real web server on this machine: the requests that came, and its address."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            requests.append((self.path, dict(self.headers), body))
            self.send_response(status if isinstance(status, int) else status.pop(0))
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield requests, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_webhook_is_signed():
    with web_server(204) as (requests, url):
        post_signed(f"{url}/hook?a=b", {"text": "é"}, SECRET, private=True)
    ((path, headers, body),) = requests
    assert (path, json.loads(body)) == ("/hook?a=b", {"text": "é"})
    assert headers[SIGNATURE] == f"sha256={hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()}"
    assert headers["Host"] == url.removeprefix("http://")


@pytest.mark.parametrize("status", [302, 404, 500])
def test_an_answer_that_is_no_yes_is_an_error_and_no_redirection_is_followed(status):
    with web_server(status, [("Location", "/elsewhere")]) as (requests, url):
        with pytest.raises(WebhookError, match=f"127.0.0.1 answered with status {status}"):
            post_signed(url, {}, SECRET, private=True)
        assert len(requests) == 1


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "10.1.2.3", "169.254.169.254", "192.168.1.1", "[::ffff:10.0.0.1]", "0.0.0.0",
     "[fe80::1]", "[fd00::1]", "2130706433", "0x7f.1", "[64:ff9b::a00:1]", "[2002:a00:1::]", "224.0.0.1",
     "[64:ff9b:1::a00:1]", "[::10.0.0.1]", "[::ffff:0:10.0.0.1]", "[2600::5efe:10.0.0.1]", "[2600::200:5efe:a00:1]",
     "[fec0::1]", "[ff0e::1]", "[::]", "[5f00::1]", "[2001:0:a00:1::1]"],
)  # fmt: skip
def test_an_address_in_the_house_is_refused(host):
    with pytest.raises(WebhookError, match=r"private address|no host"):
        post_signed(f"http://{host}/", {}, SECRET)


def test_public_addresses_are_public():
    public = ("93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:93.184.216.34", "2002:5db8:d822::1")
    assert all(map(_is_public, public))


@pytest.mark.parametrize("url", ["ftp://example.org/", "file:///etc/passwd", "https://", "javascript:alert(1)", "x",
                                 "http://a b/", "http://user:password@example.org/", "http://h:99999/",
                                 "http://h/\r\nX: y"])  # fmt: skip
def test_what_is_no_address_of_the_web_is_refused(url):
    with pytest.raises(WebhookError, match="The webhook’s address must"):
        check_webhook(url)


def test_nobody_there_is_an_error_in_words():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(WebhookError, match=r"127\.0\.0\.1 can’t be reached"):
        post_signed(f"http://127.0.0.1:{port}/", {}, SECRET, private=True)


def work_off(server):
    """Do all jobs that wait, again and again if they are to be tried again."""
    while True:
        with server.store.reading() as session:
            waiting = [job for (job,) in session.query(JobRow.id).filter_by(state=JobState.QUEUED)]
        if not waiting:
            return
        for job_id in waiting:
            with server.store.session() as session:
                lease = claim(session, job_id)
            if lease:
                do(server.store, server.config, job_id, lease)


def finished_run(server, webhook):
    """A run of the essays that the instructor started, done with all that follows."""
    run_id = add_run(server.store, add_class(server.store, server.add_course(), SAMPLES / "essays"))
    with server.store.session() as session:
        session.get_one(CourseRow, 1).webhook = webhook
        session.get_one(RunRow, run_id).job.user_id = server.id_of("instructor")
    work_off(server)


def notify_jobs(server):
    with server.store.reading() as session:
        jobs = session.query(JobRow).filter_by(kind="notify").order_by(JobRow.id)
        return {job.payload["by"]: (job.state.value, job.attempts) for job in jobs}


def test_a_finished_run_tells_by_all_ways_once_though_one_must_be_tried_again(tmp_path, database_url, monkeypatch):
    monkeypatch.setattr(ledger, "_FIRST_PAUSE", 0)
    with mail_server() as (letters, port), web_server([500, 200]) as (requests, url):
        settings = {"mail_url": f"smtp://127.0.0.1:{port}", "mail_from": "moss@example.org", "webhooks_private": True,
                    "public_url": "https://moss.example.org"}  # fmt: skip
        with make_server(tmp_path, database_url, **settings) as server:
            finished_run(server, f"{url}/hook")
            assert notify_jobs(server) == {"mail": ("done", 1), "webhook": ("done", 2)}
            with server.store.session() as session:
                secret = webhook_secret(session, 1)
                assert [notice.text for notice in session.query(NoticeRow)] == [
                    "Run 1 of Homework 1 (Programming 1, 2026) is finished."
                ]
    (_, envelope), *more = letters.got
    assert not more
    message = message_from_bytes(envelope.content, policy=policy.default)
    assert message["Subject"] == "Run 1 of Homework 1 (Programming 1, 2026) is finished"
    assert "https://moss.example.org/runs/1/" in message.get_content()
    first, second = requests
    assert first[2] == second[2]
    told = json.loads(second[2])
    assert (told["event"], told["run"]["url"]) == ("run.finished", "https://moss.example.org/runs/1/")
    assert second[1][SIGNATURE] == f"sha256={hmac.new(secret.encode(), second[2], hashlib.sha256).hexdigest()}"
    described, program = documented()
    assert shape(described) == shape(told)
    assert program["is_genuine"](second[2], second[1][SIGNATURE], secret)
    assert not program["is_genuine"](second[2] + b" ", second[1][SIGNATURE], secret)


def documented():
    """The message and the receiver's program in docs/http-api.md."""
    page = (Path(__file__).parents[2] / "docs" / "http-api.md").read_text()
    section = page[page.index("## Webhooks") : page.index("## What there is")]
    message, program = re.findall(r"```(?:json|python)\n(.*?)```", section, re.DOTALL)
    defined = {}
    exec(program, defined)
    return json.loads(message), defined


def shape(value):
    return {name: shape(each) for name, each in value.items()} if isinstance(value, dict) else type(value)


def test_what_cannot_be_sent_is_said_in_the_browser(tmp_path, monkeypatch):
    monkeypatch.setattr(ledger, "_FIRST_PAUSE", 0)
    with make_server(tmp_path) as server:
        finished_run(server, "http://127.0.0.1:9/")
        assert notify_jobs(server) == {"mail": ("done", 1), "webhook": ("failed", 3)}
        with server.store.reading() as session:
            words = latest_notices(session, server.id_of("instructor"))[0].text
    assert words.startswith("The webhook about a run failed. It was tried 3 times. The last time, ")
    assert "private address" in words


def test_old_notices_make_room(tmp_path):
    with make_server(tmp_path) as server:
        for number in range(205):
            with server.store.session() as session:
                add_notice(session, 2, str(number), "")
                add_notice(session, 3, str(number), "")
        with server.store.reading() as session:
            kept = [int(notice.text) for notice in session.query(NoticeRow).filter_by(user_id=2).order_by(NoticeRow.id)]
    assert kept == list(range(5, 205))
