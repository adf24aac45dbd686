"""A server under test: the real app on a real database, whose jobs are done when the test says so."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from moss.config import Config
from moss.jobs.job_process import do
from moss.jobs.ledger import claim, waiting
from moss.server_jobs import register_jobs
from moss.store import Store
from moss.store.tables import CourseRole, CourseRow, LoginRow, MembershipRow, UserRow
from moss.web.request.cookies import digest
from support.compiled import app_on
from support.readers import readers_at_hand
from support.schema import open_migrated

register_jobs()

PEOPLE = {
    "administrator": "ada@example.org",
    "instructor": "ines@example.org",
    "assistant": "anton@example.org",
    "stranger": "sven@example.org",
}


@dataclass
class Server:
    """The app and its store."""

    config: Config
    store: Store
    app: Flask

    def client(self, person: str = "instructor") -> Browser:
        """A browser in which this person is logged in; "nobody" for one in which nobody is."""
        return Browser(self, person)

    def work(self) -> None:
        """Do all jobs that are waiting, in this process, one after another."""
        while jobs := self.waiting():
            with self.store.session() as session:
                lease = claim(session, jobs[0])
            if lease:
                with readers_at_hand():
                    do(self.store, self.config, jobs[0], lease)

    def waiting(self) -> Sequence[int]:
        """The jobs that are waiting."""
        with self.store.reading() as session:
            return waiting(session)

    def add_course(self, name: str = "Programming 1", term: str = "2026") -> int:
        """A course with the instructor and the assistant as members."""
        with self.store.session() as session:
            course = CourseRow(name=name, term=term)
            session.add(course)
            session.flush()
            for person, role in (("instructor", CourseRole.INSTRUCTOR), ("assistant", CourseRole.ASSISTANT)):
                session.add(MembershipRow(course_id=course.id, user_id=self.id_of(person), role=role))
            return course.id

    def id_of(self, person: str) -> int:
        """The id of one of the people."""
        return list(PEOPLE).index(person) + 1


class Browser:
    """A test client that keeps its cookie and sends the form's token by itself."""

    def __init__(self, server: Server, person: str) -> None:
        self.server = server
        self.flask: FlaskClient = server.app.test_client()
        self.cookie = f"cookie-of-{person}-{secrets.token_hex(8)}"
        self.flask.set_cookie("moss", self.cookie)
        if person != "nobody":
            with server.store.session() as session:
                session.add(LoginRow(digest=digest(self.cookie), user_id=server.id_of(person)))

    def get(self, path: str, **options: Any) -> Any:
        """A page."""
        return self.flask.get(path, **options)

    def post(self, path: str, data: Any = None, **options: Any) -> Any:
        """A form, or whatever is given, with the token that our pages carry."""
        return self._send("post", path, data, **options)

    def put(self, path: str, data: Any = None, **options: Any) -> Any:
        """Send a body by PUT, with the form's token."""
        return self._send("put", path, data, **options)

    def delete(self, path: str, **options: Any) -> Any:
        """Send a DELETE, with the form's token."""
        return self._send("delete", path, None, **options)

    def _send(self, method: str, path: str, data: Any, **options: Any) -> Any:
        headers = {"X-Form-Token": self.token()} | options.pop("headers", {})
        return getattr(self.flask, method)(path, data=data, headers=headers, **options)

    def token(self) -> str:
        """The token for the cookie that the browser has now."""
        import hashlib
        import hmac

        held = self.flask.get_cookie("moss")
        secret = self.server.app.extensions["moss"].secret
        return hmac.new(secret.encode(), (held.value if held else "").encode(), hashlib.sha256).hexdigest()


@contextmanager
def make_server(folder: Path, database_url: str = "", **settings: Any) -> Iterator[Server]:
    """A server whose data are in this folder, or in the database given."""
    config = Config(data=folder, database_url=database_url, **settings)
    store = open_migrated(config.database)
    with store.session() as session:
        for name, email in PEOPLE.items() if session.get(UserRow, 1) is None else ():
            session.add(UserRow(email=email, name=name.capitalize(), administrator=name == "administrator"))
    app = app_on(config, store)
    app.testing = False
    yield Server(config, store, app)
    store.close()


def database_of(folder: Path) -> bytes:
    """The database of a server that was closed, so that others can begin with a copy."""
    with sqlite3.connect(folder / "moss.sqlite3") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return (folder / "moss.sqlite3").read_bytes()
