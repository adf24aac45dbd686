"""The real server that the program can be run with, PostgreSQL, started for the tests alone.

Each process that runs tests starts its own when a test first asks (a second of work, so sharing it is not worth the
trouble), behind a socket in a folder that only it can enter, and `support.keeper` removes it. Every test gets a
database of its own.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count, cycle, islice
from pathlib import Path

import pytest
from browser.tools import needed

from support.installed import postgres_programs
from support.keeper import Order, stop

ROOM = 2**30  # bytes that have to be free in memory before anything is put there
PATIENCE = 600  # seconds until a server that neither answers nor ends is given up

# The order of words and the time zone are those of a real place: what relies on the order of bytes or on UTC fails.
INITDB = [
    "--username=postgres",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=icu",
    "--icu-locale=en-US",
    "--wal-segsize=1",
    "--no-sync",
    "--no-instructions",
]
POSTGRES = {
    "listen_addresses": "",
    "port": "5432",
    "timezone": "America/St_Johns",
    "shared_buffers": "16MB",
    "max_connections": "60",
    "max_wal_size": "64MB",
    "max_wal_senders": "0",
    "wal_level": "minimal",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
}


def ordinary_user() -> str | None:
    """Who runs PostgreSQL, which refuses to be run by root: None is whoever runs the tests."""
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "_postgres", "nobody") if name in names) if os.geteuid() == 0 else None


def answers(ask: Callable[[], object], refusal: type[Exception]) -> bool:
    """Whether a server answers yet."""
    try:
        ask()
    except refusal:
        return False
    return True


# Below those that the system gives to whoever asks for any: nobody takes one before its server does. Each process that
# runs tests begins somewhere else.
_PORTS = islice(cycle(range(10_000, 32_000)), os.getpid() * 97 % 22_000, None)


def free_port() -> int:
    """A port that nobody uses."""
    while True:
        with suppress(OSError), socket.create_server(("127.0.0.1", port := next(_PORTS))):
            return port


@contextmanager
def kept(order: Order, ready: Callable[[], bool]) -> Iterator[None]:
    """A server that is ready, and gone afterwards; when it does not start, what it said is the failure."""
    with tempfile.TemporaryFile() as output:
        keeper = order.start(output)
        try:
            end = time.monotonic() + PATIENCE
            while not ready():
                if keeper.poll() is not None or time.monotonic() > end:
                    output.seek(0)
                    said = output.read().decode(errors="replace")
                    pytest.fail(f"{order.server[0]} did not start:\n{said}", pytrace=False)
                time.sleep(0.02)
            yield
        finally:
            stop(keeper)


def folder_for(name: str) -> Path:
    """A new folder where any user can get, with the short name that a socket needs.

    In memory, if there is room: a new database is some hundred files, made ten times faster there than on a busy disk.
    """
    memory = "/dev/shm"
    roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= ROOM
    return Path(tempfile.mkdtemp(prefix=f"moss-{name}-", dir=memory if roomy else "/tmp"))


@dataclass(frozen=True)
class PostgresServer:
    """A private PostgreSQL; its databases belong to an ordinary role, as they do where somebody cares."""

    folder: Path
    numbers: Iterator[int] = field(default_factory=count)

    def create(self, name: str, template: str = "template0") -> str:
        """A new database, as another one is; its address."""
        self.execute(f"CREATE DATABASE {name} OWNER moss TEMPLATE {template} STRATEGY file_copy")
        return self.url(name)

    def drop(self, name: str) -> None:
        """Remove a database, whoever still uses it."""
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, statement: str) -> None:
        """Do something that only the administrator may do."""
        psycopg = needed("psycopg", "psycopg[binary]")
        with psycopg.connect(
            host=str(self.folder), port=5432, user="postgres", dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(statement)

    def url(self, database: str) -> str:
        """The address of a database, as SQLAlchemy wants it."""
        return f"postgresql+psycopg://moss@/{database}?host={self.folder}&port=5432"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """PostgreSQL for the whole session."""
    psycopg = needed("psycopg", "psycopg[binary]")
    programs = postgres_programs()
    folder = folder_for("postgres")
    server, data = PostgresServer(folder), str(folder / "data")
    settings = [word for name, value in POSTGRES.items() for word in ("-c", f"{name}={value}")]
    command = [str(programs / "postgres"), "-D", data, "-k", str(folder), *settings]
    order = Order(str(folder), command, [[str(programs / "initdb"), "-D", data, *INITDB]], ordinary_user())
    with kept(order, lambda: answers(lambda: server.execute("SELECT 1"), psycopg.OperationalError)):
        server.execute("CREATE ROLE moss LOGIN")
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A new and empty database in PostgreSQL."""
    name = f"test_{next(postgres_server.numbers)}"
    yield postgres_server.create(name)
    postgres_server.drop(name)


@pytest.fixture(scope="session")
def postgres_template(postgres_server: PostgresServer) -> str:
    """The name of a database with nothing but the schema, for others to be copied from."""
    from support.schema import migrate

    migrate(postgres_server.create("migrated"))
    return "migrated"


@pytest.fixture
def migrated_postgres_url(postgres_server: PostgresServer, postgres_template: str) -> Iterator[str]:
    """A new database in PostgreSQL with the schema."""
    name = f"test_{next(postgres_server.numbers)}"
    yield postgres_server.create(name, postgres_template)
    postgres_server.drop(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database_url(request: pytest.FixtureRequest) -> str:
    """A new and empty database of each kind that the program can keep its data in."""
    if request.param == "postgresql":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{request.getfixturevalue('tmp_path') / 'moss.sqlite3'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A new database of each kind, with the schema and nothing in it."""
    if request.param == "postgresql":
        return request.getfixturevalue("migrated_postgres_url")
    from support.schema import migrated_file

    file = request.getfixturevalue("tmp_path") / "moss.sqlite3"
    file.write_bytes(migrated_file())
    return f"sqlite:///{file}"
