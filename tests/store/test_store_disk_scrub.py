"""What was deleted leaves the disk, and nobody waits for that."""

from __future__ import annotations

import threading

import pytest

from moss.store import Store
from moss.store.database import scrub
from moss.store.tables import ServerValueRow

SECRET = "nobody shall find this again"


@pytest.fixture
def store(tmp_path):
    """A database in a file, with something that was deleted."""
    store = Store(f"sqlite:///{tmp_path / 'moss.db'}")
    store.migrate()
    with store.session() as session:
        session.add(ServerValueRow(name="gone", value=SECRET))
    with store.session() as session:
        session.delete(session.get_one(ServerValueRow, "gone"))
    yield store
    store.close()


def traces(folder):
    """The files in which the deleted can still be read."""
    return [path.name for path in folder.iterdir() if SECRET.encode() in path.read_bytes()]


def test_what_was_deleted_leaves_the_disk(store, tmp_path):
    assert traces(tmp_path)  # in the journal
    assert scrub(store)
    assert traces(tmp_path) == []


def test_who_reads_may_write_meanwhile(store, tmp_path):
    emptied = []
    cleaning = threading.Thread(target=lambda: emptied.append(scrub(store)))
    with store.reading() as reading:
        assert reading.get(ServerValueRow, "gone") is None
        cleaning.start()
        for number in range(5):
            with store.session() as session:
                session.add(ServerValueRow(name=f"new {number}", value=""))
    cleaning.join()
    assert emptied == [True]
    assert traces(tmp_path) == []


def test_a_journal_that_is_read_all_the_time_is_left(store, tmp_path):
    with store.reading() as reading:
        reading.get(ServerValueRow, "gone")
        assert not scrub(store, tries=2)
    assert scrub(store)
    assert traces(tmp_path) == []
