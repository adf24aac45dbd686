"""The servers of the tests: every test has its own database, and no server outlives the tests, however they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, make_url, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool
from support import installed
from support.keeper import Order, stop
from support.services import kept

from moss.store import Store
from moss.store.tables import Base, UserRow

TESTS = Path(__file__).parent
ENOUGH = 60  # seconds after which what should have ended counts as left behind

# A test of its own, run by another pytest: it notes which servers it has, and then ends in one way or another.
INNER = """
import json, os, signal
from pathlib import Path
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

def test_of_servers(postgres_server, postgres_url):
    with create_engine(postgres_url, poolclass=NullPool).begin() as connection:
        connection.execute(text("CREATE TABLE words (word TEXT)"))
    pid = int((postgres_server.folder / "data" / "postmaster.pid").read_text().split()[0])
    notes = {"folders": [str(postgres_server.folder)], "pids": [pid]}
    (Path(__file__).parent / f"{os.getpid()}.json").write_text(json.dumps(notes))
    ENDING
"""


def run_inner(folder, source, *options):
    """Run tests by another pytest, which loads only what it needs; it has ended, and what it said."""
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    (folder / "conftest.py").write_text('pytest_plugins = ["support.services"]\n')
    (folder / "test_inner.py").write_text(source)
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = ours | {"PYTHONPATH": str(TESTS), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, str(folder)]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    print(ran.stdout, ran.stderr)
    return ran


def notes_in(folder):
    return [json.loads(note.read_text()) for note in folder.glob("*.json")]


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def left_behind(folder):
    """What is still there of the servers that the inner test has noted."""
    notes = notes_in(folder)
    assert notes
    pids = [pid for note in notes for pid in note["pids"] if runs(pid)]
    return pids + [path for note in notes for path in note["folders"] if Path(path).exists()]


@pytest.mark.parametrize("word", ["first", "second"])
def test_a_database_is_new_and_empty_for_each_test(empty_database_url, word):
    engine = create_engine(empty_database_url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE words (word TEXT)"))
        connection.execute(text("INSERT INTO words VALUES (:word)"), {"word": word})
    with engine.begin() as connection:
        assert connection.execute(text("SELECT word FROM words")).scalars().all() == [word]


@pytest.mark.parametrize("word", ["first", "second"])
def test_a_database_with_the_schema_is_as_the_migrations_leave_it(database_url, word):
    store = Store(database_url)
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    with store.session() as session:
        assert session.scalars(select(UserRow.name)).all() == []
        session.add(UserRow(email="a@example.org", name=word))
    store.migrate()
    with store.reading() as session:
        assert session.scalars(select(UserRow.name)).all() == [word]
    store.close()


def test_both_kinds_are_tried(tmp_path):
    told = run_inner(tmp_path, "def test_it(database_url): ...", "--collect-only", "-q").stdout
    tried = [line for line in told.splitlines() if "::" in line]
    assert tried == ["test_inner.py::test_it[sqlite]", "test_inner.py::test_it[postgresql]"]


def test_which_database(database_url, request):
    assert make_url(database_url).get_backend_name() == request.node.callspec.params["database_url"]


@pytest.fixture
def left_open():
    """Connections that nobody closes; when their database is gone, so are they."""
    connections = []
    yield connections
    for connection in connections:
        with pytest.raises(OperationalError):
            connection.execute(text("SELECT 1"))
        connection.close()


def test_a_connection_left_open_does_not_keep_a_database(left_open, postgres_url):
    left_open.append(create_engine(postgres_url, poolclass=NullPool).connect())
    assert left_open[0].execute(text("SELECT 1")).scalar() == 1


def test_the_database_is_one_of_a_real_place(postgres_url):
    with create_engine(postgres_url, poolclass=NullPool).connect() as connection:
        words = connection.execute(text("SELECT word FROM (VALUES ('b'), ('B'), ('ä'), ('a')) AS w (word) ORDER BY 1"))
        assert words.scalars().all() == ["a", "ä", "b", "B"]
        assert connection.execute(text("SELECT now()")).scalar_one().utcoffset()
        role = text("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        assert connection.execute(role).scalar() is False


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("pass", 0),
        ("assert False", 1),
        ("raise KeyboardInterrupt", 2),
        ("os.kill(os.getpid(), signal.SIGKILL)", -9),
    ],
)
def test_no_server_outlives_the_tests(tmp_path, ending, status):
    assert run_inner(tmp_path, INNER.replace("ENDING", ending)).returncode == status
    if status >= 0:
        assert left_behind(tmp_path) == []
    end = time.monotonic() + ENOUGH
    while left := left_behind(tmp_path):
        assert time.monotonic() < end, left
        time.sleep(0.05)


def test_two_workers_have_servers_of_their_own(tmp_path):
    assert (
        run_inner(tmp_path, INNER.replace("ENDING", "pass"), "-p", "xdist", "-n", "2", "--dist", "each").returncode == 0
    )
    first, second = notes_in(tmp_path)
    assert not {*first["folders"], *first["pids"]} & {*second["folders"], *second["pids"]}
    assert left_behind(tmp_path) == []


def an_order(*server):
    return Order(tempfile.mkdtemp(), list(server), [], None)


def test_a_server_that_does_not_start_says_why():
    order = an_order(sys.executable, "-c", "print('there is no room')")
    with pytest.raises(pytest.fail.Exception, match="there is no room"), kept(order, lambda: False):
        pass
    assert not Path(order.folder).exists()


def test_a_program_that_is_not_there_says_so():
    order = an_order("/no/such/program")
    with pytest.raises(pytest.fail.Exception, match="No such file"), kept(order, lambda: False):
        pass
    assert not Path(order.folder).exists()


def test_a_copy_of_the_pipe_keeps_no_server():
    order = an_order(sys.executable, "-c", "import time; time.sleep(1000)")
    keeper = order.start(subprocess.DEVNULL)
    copy = os.dup(keeper.stdin.fileno())
    stop(keeper)
    os.close(copy)
    assert not Path(order.folder).exists()


def test_a_server_hears_even_where_whoever_started_the_tests_is_deaf():
    """It would have to be killed, after a long wait, if it had inherited that."""
    with tempfile.NamedTemporaryFile() as note:
        told = f"open({note.name!r}, 'w').write(str(signal.getsignal(signal.SIGINT) is signal.SIG_IGN))"
        order = an_order(sys.executable, "-c", f"import signal, time; {told}; time.sleep(1000)")
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with kept(order, lambda: Path(note.name).read_text() != ""):
                assert Path(note.name).read_text() == "False"
        finally:
            signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_what_is_missing_is_skipped_at_home_and_fails_in_ci(monkeypatch, tmp_path, ci, outcome):
    monkeypatch.setattr(installed, "PLACES", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="apt install postgresql"):
        installed.postgres_programs()


def install_postgresql(monkeypatch, folder, *versions):
    """Let there be nothing but these versions."""
    for version in versions:
        program = folder / version / "initdb"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\necho "initdb (PostgreSQL) {version}"\n')
        program.chmod(0o755)
    monkeypatch.setattr(installed, "PLACES", (f"{folder}/*",))
    monkeypatch.setenv("PATH", "")


def test_an_old_postgresql_is_as_good_as_none(monkeypatch, tmp_path):
    install_postgresql(monkeypatch, tmp_path, "9.6.24", "14.20")
    monkeypatch.setenv("CI", "")
    with pytest.raises(pytest.skip.Exception, match="15 or newer"):
        installed.postgres_programs()


def test_the_newest_postgresql_is_taken(monkeypatch, tmp_path):
    install_postgresql(monkeypatch, tmp_path, "9.6.24", "15.9", "17.2", "16.11")
    assert installed.postgres_programs() == tmp_path / "17.2"
