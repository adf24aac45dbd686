"""A real server on loopback that has a large class, for the benchmarks that measure how it answers.

It gets the class by its API, as a program would send it: upload, recognition, run.
"""

from __future__ import annotations

import http.client
import io
import json
import re
import secrets
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

from moss.config import Config
from moss.store import Store
from moss.store.accounts.credentials import digest
from moss.store.tables import ApiTokenRow, UserRow

CHUNK = 1024 * 1024


class Client:
    """A connection to the server that keeps open, as browsers do."""

    def __init__(self, port: int, token: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """The answer; anything but success ends the benchmark."""
        status, content = self.answer(method, path, body)
        if status >= 400:
            sys.exit(f"{method} {path}: {status} {content[:300]!r}")
        return content

    def answer(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        """The status and the bytes of an answer, whatever it is."""
        self.connection.request(method, path, body, self.headers | headers)
        response = self.connection.getresponse()
        return response.status, response.read()

    def api(self, method: str, path: str, body: object = None) -> dict:
        """An answer of the API."""
        sent = json.dumps(body).encode() if body is not None else None
        return json.loads(self.ask(method, f"/api/v1{path}", sent) or b"null")


def start(folder: Path, threads: int) -> tuple[subprocess.Popen[str], int]:
    """A server on a free port."""
    command = [sys.executable, "-m", "moss", "serve", "--data", str(folder), "--port", "0", "--threads", str(threads)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in server.stdout:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if found:
            return server, int(found[1])
    sys.exit("the server did not start")


def make_token(folder: Path) -> str:
    """A token of a new administrator."""
    store = Store(Config(data=folder).database)
    secret = f"moss_{secrets.token_urlsafe(16)}"
    with store.session() as session:
        user = UserRow(email="bench@example.org", name="Benchmark", administrator=True)
        session.add(user)
        session.flush()
        session.add(ApiTokenRow(user_id=user.id, name="benchmark", digest=digest(secret)))
    store.close()
    return secret


def as_zip(archive: Path) -> bytes:
    """The submissions in an archive of the corpora, as a learning platform's download has them."""
    packed = io.BytesIO()
    with tarfile.open(archive) as given, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for member in given:
            _, inside, name = member.name.partition("/submissions/")
            if inside and member.isfile():
                made.writestr(name, given.extractfile(member).read())
    return packed.getvalue()


def send_class(client: Client, archive: Path) -> int:
    """Upload a class and have it recognised; the assignment's id."""
    course = client.api("POST", "/courses", {"name": "Benchmark"})["id"]
    assignment = client.api("POST", f"/courses/{course}/assignments", {"name": archive.name})["id"]
    upload = client.api("POST", f"/assignments/{assignment}/uploads", {})["id"]
    content = as_zip(archive)
    began = time.perf_counter()
    for at in range(0, len(content), CHUNK):
        where = f"path=class.zip&start={at}&total={len(content)}"
        client.ask("PUT", f"/api/v1/uploads/{upload}/parts?{where}", content[at : at + CHUNK])
    print(f"upload of {len(content) / 1e6:.1f} MB: {time.perf_counter() - began:.1f} s")
    began = time.perf_counter()
    client.api("POST", f"/uploads/{upload}/recognise", {})
    while client.api("GET", f"/uploads/{upload}")["state"] == "recognising":
        time.sleep(0.2)
    added = client.api("POST", f"/uploads/{upload}/confirm")["added"]
    print(f"recognition and confirmation of {added} submissions: {time.perf_counter() - began:.1f} s")
    return assignment


def run(client: Client, assignment: int, **settings: object) -> int:
    """Start a run; its id."""
    return client.api("POST", f"/assignments/{assignment}/runs", settings)["id"]


def finished(client: Client, run_id: int) -> bool:
    """Whether a run is over; one that failed ends the benchmark."""
    state = client.api("GET", f"/runs/{run_id}")
    if state["progress"]["state"] in ("failed", "cancelled"):
        sys.exit(f"the run failed: {state['progress']['reason']}")
    return state["finished"] is not None


def wait(client: Client, run_id: int) -> float:
    """Seconds until a run is finished."""
    began = time.perf_counter()
    while not finished(client, run_id):
        time.sleep(0.2)
    return time.perf_counter() - began
