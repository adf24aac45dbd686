"""Data folders that lost something: a server never begins anew where one was before, and damage is found."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner
from sqlalchemy import select
from support.accounts import new_server
from support.keeping import add_full_course
from support.server import make_server
from support.serving import serve_alone

from moss.cli import main
from moss.cli.server.database import open_store
from moss.config import Config
from moss.store import Store
from moss.store.accounts.first_admin import MARK
from moss.store.inspection import findings
from moss.store.tables import Base

FORM = {"name": "Ada Lovelace", "email": "ada@example.org", "password": "a long way to the sea",
        "again": "a long way to the sea"}  # fmt: skip


def refusal(folder):
    """What a server says that does not start with this data folder."""
    process = serve_alone("--data", str(folder), "--port", "0", "--wire-port", "0", environment={})
    said = ""
    for line in process.output:
        said += line
        if line.startswith("Open "):  # it serves, and would for ever
            process.terminate()
    assert process.wait() == 1
    return said


def found_server(folder):
    """A server that somebody has just set up."""
    with new_server(folder) as server:
        browser = server.client("nobody")
        assert browser.post("/setup", FORM).status_code == 303
        browser.get("/setup/course")


@pytest.mark.parametrize("vanish", ["gone", "empty", "other"])
def test_a_server_whose_database_vanished_does_not_start(tmp_path, vanish):
    found_server(tmp_path)
    for file in tmp_path.glob("moss.sqlite3*"):
        file.unlink()
    if vanish == "empty":
        (tmp_path / "moss.sqlite3").touch()
    if vanish == "other":
        store = Store(Config(data=tmp_path).database)
        store.migrate()
        store.close()
    said = refusal(tmp_path)
    assert "restore the database from a backup" in said
    assert str(tmp_path / "moss.sqlite3") in said or str(tmp_path / MARK) in said
    assert not (tmp_path / "moss.sqlite3").exists() or vanish != "gone"


def test_a_server_of_a_version_that_set_no_mark_does_not_start_anew_either(tmp_path):
    (tmp_path / "queue.sqlite3").touch()
    assert "queue.sqlite3 is there" in refusal(tmp_path)


def test_a_server_that_was_set_up_starts_again_and_one_with_corpora_only_is_new(tmp_path):
    found_server(tmp_path)
    assert (tmp_path / MARK).exists()
    open_store(Config(data=tmp_path)).close()
    (tmp_path / "new" / "corpora").mkdir(parents=True)
    open_store(Config(data=tmp_path / "new")).close()
    assert not (tmp_path / "new" / MARK).exists()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The database of a server with a full course, in one file."""
    folder = tmp_path_factory.mktemp("whole")
    with make_server(folder) as server:
        add_full_course(server)
    with closing(sqlite3.connect(folder / "moss.sqlite3")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    return folder / "moss.sqlite3"


@pytest.fixture
def copied(whole, tmp_path):
    return shutil.copy(whole, tmp_path / "moss.sqlite3")


def found_in(folder):
    store = Store(Config(data=folder).database)
    try:
        return list(findings(store))
    finally:
        store.close()


def everything_in(file):
    """All values of all tables, but for token streams, which have checksums and are made anew if these are wrong; None
    if they cannot be read."""
    store = Store(f"sqlite:///{file}")
    try:
        with store.reading() as session:
            return [session.execute(select(table)).all() for table in Base.metadata.sorted_tables
                    if table.name != "kept_streams"]  # fmt: skip
    except Exception:
        return None
    finally:
        store.close()


def check(folder):
    return CliRunner().invoke(main, ["admin", "--data", str(folder), "check"])


def test_a_whole_database_has_nothing_to_find(copied, tmp_path):
    assert found_in(tmp_path) == []
    assert check(tmp_path).output == "Everything is fine.\n"


def test_scattered_damage_is_found_or_has_touched_nothing(whole, tmp_path):
    original, before = whole.read_bytes(), everything_in(whole)
    harmless = 0
    for seed in range(25):
        damage, spoilt = random.Random(seed), bytearray(original)
        start, size = damage.randrange(len(spoilt) - 200), 200
        if seed % 2:  # a whole page, as when a disk fails
            start, size = start // 4096 * 4096, 4096
        spoilt[start : start + size] = damage.randbytes(size)
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / "moss.sqlite3").write_bytes(spoilt)
        if not found_in(folder):
            harmless += 1
            assert everything_in(folder / "moss.sqlite3") == before
    assert harmless <= 13


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DROP TABLE cases", "the table cases is missing"),
        ("ALTER TABLE jobs DROP COLUMN reason", "jobs has no column reason"),
        ("UPDATE alembic_version SET version_num = '0001'", "its schema has the version 0001"),
        ("UPDATE contents SET packed = x'00' WHERE id = 2", "row 2 of contents is damaged"),
        ("UPDATE contents SET packed = (SELECT packed FROM contents WHERE id = 1) WHERE id = 2",
         "its text is not the one that was stored"),
        ("UPDATE results SET ranking = x'00'", "row 1 of results is damaged"),
        ("UPDATE jobs SET state = 'odd' WHERE id = 1", "row 1 of jobs is damaged"),
        ("UPDATE jobs SET payload = '{' WHERE id = 1", "row 1 of jobs is damaged"),
        ("UPDATE runs SET created = 'soon'", "row 1 of runs is damaged"),
        ("DELETE FROM contents WHERE id = 1", "that is not there"),
    ],
)  # fmt: skip
def test_wrong_values_are_found_and_named(copied, tmp_path, statement, words):
    with closing(sqlite3.connect(copied)) as connection, connection:
        connection.execute(statement)
    answer = check(tmp_path)
    assert answer.exit_code == 1
    assert words in answer.output
    assert "Traceback" not in answer.output


def test_a_server_whose_database_lacks_a_table_does_not_start(copied, tmp_path):
    with closing(sqlite3.connect(copied)) as connection, connection:
        connection.execute("DROP TABLE cases")
    assert "the database is damaged: the table cases is missing; restore it from a backup" in refusal(tmp_path)
