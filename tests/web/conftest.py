"""A server for each test: its app on a fresh database, and people who use it."""

from __future__ import annotations

import pytest
from support.classes import SAMPLES, add_class, add_run
from support.server import Server, database_of, make_server


@pytest.fixture
def server(tmp_path) -> Server:
    """A server on SQLite with an administrator, an instructor, an assistant and a stranger (see `support.server`)."""
    with make_server(tmp_path) as made:
        yield made


@pytest.fixture(scope="session")
def finished_database(tmp_path_factory):
    """A database in which the essays have been compared: course 1, assignment 1, run 1."""
    folder = tmp_path_factory.mktemp("finished")
    with make_server(folder) as made:
        add_run(made.store, add_class(made.store, made.add_course(), SAMPLES / "essays"))
        made.work()
    return database_of(folder)


@pytest.fixture
def reported(tmp_path, finished_database) -> Server:
    """A server whose course 1 has an assignment 1 with a finished run 1, of the sample essays."""
    (tmp_path / "moss.sqlite3").write_bytes(finished_database)
    with make_server(tmp_path) as made:
        yield made
