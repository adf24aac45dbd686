"""Backups: taken while others write, whole, and enough to start a server from."""

from __future__ import annotations

import threading

import pytest
from click.testing import CliRunner
from sqlalchemy import func, select
from support.schema import open_migrated

from moss.cli import main
from moss.cli.server.database import BackupError, back_up
from moss.config import Config
from moss.store import Store
from moss.store.tables import CourseRow


@pytest.fixture
def store(tmp_path):
    made = open_migrated(Config(data=tmp_path).database)
    with made.session() as session:
        session.add(CourseRow(name="Programming 1"))
    yield made
    made.close()


def backup(tmp_path, *options):
    return CliRunner().invoke(main, ["admin", "--data", str(tmp_path), "backup", *map(str, options)])


def test_a_server_starts_from_its_backup(tmp_path, store):
    copy = tmp_path / "elsewhere" / "moss.sqlite3"
    copy.parent.mkdir()
    assert "MB" in backup(tmp_path, copy).output
    restored = Store(Config(data=copy.parent).database)
    restored.migrate()
    with restored.reading() as session:
        assert session.scalars(select(CourseRow.name)).all() == ["Programming 1"]
    restored.close()
    assert copy.stat().st_mode & 0o077 == 0  # for the operator alone


def test_a_backup_is_of_one_moment_while_others_write(tmp_path, store):
    stop = threading.Event()

    def write():
        while not stop.is_set():
            with store.session() as session:
                session.add_all([CourseRow(name="one"), CourseRow(name="the other")])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            back_up(tmp_path / "moss.sqlite3", tmp_path / f"copy-{number}")
    finally:
        stop.set()
        writer.join()
    for number in range(5):
        copied = Store(f"sqlite:///{tmp_path / f'copy-{number}'}")
        with copied.reading() as session:
            counts = dict(session.execute(select(CourseRow.name, func.count()).group_by(CourseRow.name)).all())
            assert counts.get("one", 0) == counts.get("the other", 0)
        copied.close()


def test_nothing_is_overwritten(tmp_path, store):
    (tmp_path / "kept").write_text("precious")
    refused = backup(tmp_path, tmp_path / "kept")
    assert refused.exit_code == 1
    assert "exists already" in refused.output
    assert (tmp_path / "kept").read_text() == "precious"


def test_what_cannot_be_written_leaves_nothing(tmp_path, store):
    with pytest.raises(BackupError, match="cannot be written"):
        back_up(tmp_path / "moss.sqlite3", tmp_path / "missing" / "copy")
    (tmp_path / "damaged").write_bytes(b"no database at all" * 100)
    with pytest.raises(BackupError):
        back_up(tmp_path / "damaged", tmp_path / "copy")
    assert not list(tmp_path.glob("copy*"))
