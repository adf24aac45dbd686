"""The database: sessions that hold or leave no trace, and a schema that is what the code believes."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, Table, func, inspect, select

from moss.store import Store
from moss.store.database import StoreError, alembic_configuration, has_newest_schema, newest_schema, upgrade_schema
from moss.store.tables import Base, CourseRow, JobRow, PersonRow, UserRow


@pytest.fixture
def store(empty_database_url):
    made = Store(empty_database_url)
    yield made
    made.close()


def test_the_migrations_lead_to_the_tables_that_the_code_uses(store):
    store.migrate()
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_migrating_again_changes_nothing(store):
    store.migrate()
    with store.session() as session:
        session.add(UserRow(email="a@example.org", name="A"))
    store.migrate()
    with store.reading() as session:
        assert session.scalar(select(func.count()).select_from(UserRow)) == 1


def test_every_released_schema_can_be_brought_up_to_date(store):
    for revision in reversed(list(ScriptDirectory.from_config(alembic_configuration()).walk_revisions())):
        upgrade_schema(store.engine, revision.revision)
        assert "users" in inspect(store.engine).get_table_names()
    store.migrate()


def test_how_long_the_stages_of_earlier_runs_took_is_read_from_their_logs_once(store):
    upgrade_schema(store.engine, "0006")
    start = datetime(2026, 11, 1, tzinfo=UTC)
    with store.engine.connect().execution_options(moss_writes=True) as connection, connection.begin():
        for number, kind in enumerate(("run", "export"), 1):
            connection.execute(
                Table("jobs", MetaData(), autoload_with=connection).insert(),
                {"id": number, "kind": kind, "payload": {}, "state": "done", "created": start, "started": start,
                 "stage": "storing", "done": 0, "total": 0, "lease": "", "attempts": 2, "cancel": False, "reason": ""},
            )  # fmt: skip
            lines = [
                (-9, "Reading"),
                (-5, "Scanning"),
                (0, "Reading"),
                (3, "A remark"),
                (4, "Scanning"),
                (9, "Storing"),
            ]
            connection.execute(
                Table("log_lines", MetaData(), autoload_with=connection).insert(),
                [{"job_id": number, "at": start + timedelta(seconds=after), "text": text} for after, text in lines],
            )
    store.migrate()
    with store.reading() as session:
        assert session.get_one(JobRow, 1).stage_seconds == {"reading": 4.0, "scanning": 5.0}
        assert session.get_one(JobRow, 2).stage_seconds == {}


def test_the_newest_schema_is_known_without_alembic(store):
    assert newest_schema() == ScriptDirectory.from_config(alembic_configuration()).get_current_head()
    assert not has_newest_schema(store.engine)
    store.migrate()
    assert has_newest_schema(store.engine)


def test_several_processes_that_start_at_once_migrate_once(empty_database_url):
    stores = [Store(empty_database_url) for _ in range(4)]
    threads = [threading.Thread(target=each.migrate) for each in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with stores[0].session() as session:
        session.add(UserRow(email="a@example.org", name="A"))
    for each in stores:
        each.close()


def test_a_new_file_in_which_somebody_writes_is_waited_for(tmp_path):
    """SQLite itself does not wait before it turns the write-ahead log on."""
    file = tmp_path / "new.sqlite3"
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE something (other)")
        other.execute("BEGIN IMMEDIATE")
        ending = threading.Timer(0.3, other.execute, ["ROLLBACK"])
        ending.start()
        with closing(Store(f"sqlite:///{file}")) as store, store.engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        ending.join()


def test_what_goes_wrong_leaves_no_trace(store):
    store.migrate()

    def fail():
        with store.session() as session:
            session.add(UserRow(email="a@example.org", name="A"))
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with store.reading() as session:
        assert session.scalars(select(UserRow)).all() == []


def test_what_belongs_to_a_row_goes_with_it(store):
    store.migrate()
    with store.session() as session:
        session.add(CourseRow(name="P1", people=[PersonRow(name="ann")]))
    with store.session() as session:
        session.delete(session.scalars(select(CourseRow)).one())
    with store.reading() as session:
        assert session.scalars(select(PersonRow)).all() == []


def test_writers_wait_for_each_other(store):
    store.migrate()
    with store.session() as session:
        session.add(CourseRow(name="0"))

    def count_up():
        for _ in range(20):
            with store.session() as session:
                course = session.scalars(select(CourseRow).with_for_update()).one()
                course.name = str(int(course.name) + 1)

    threads = [threading.Thread(target=count_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.reading() as session:
        assert session.scalars(select(CourseRow.name)).one() == "80"


def test_times_come_back_with_their_zone(store):
    store.migrate()
    with store.session() as session:
        user = UserRow(email="a@example.org", name="A")
        session.add(user)
    with store.reading() as session:
        read = session.scalars(select(UserRow)).one()
        assert read.created.utcoffset() is not None
        assert read.created == user.created


def test_an_address_that_makes_no_sense_is_refused_without_its_password():
    with pytest.raises(StoreError) as refusal:
        Store("postgresql//me:secret@host")
    assert "secret" not in str(refusal.value)
