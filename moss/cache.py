"""The cache: results and token streams of earlier comparisons, in one file of the user's cache folder.

It is an SQLite file with a table from keys to checksummed bytes, and one that says when each was used last: to note
that, large entries need not be written again. A key is a digest of all that its bytes depend on,
so an entry is either right or not there. Any number of processes may use it at once; each write is one transaction, so
one that is killed leaves nothing half written. When the entries exceed the limit, those not used for longest are
deleted.

A cache must never be the reason that a run fails: if the file is damaged it is made anew, and if it cannot be written
or is locked for long, the run goes on without.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

LIMIT = 1 << 30  # bytes, unless the user says
_FILE = "moss.sqlite3"
_WAIT = 5.0  # seconds for another process to finish its writing
_AT_ONCE = 500  # keys asked for at a time: SQLite takes only so many
_VERSION = 2  # of these tables; a file with others is made anew
_TABLES = (
    "CREATE TABLE entries (key TEXT PRIMARY KEY, checksum INTEGER NOT NULL, value BLOB NOT NULL)",
    "CREATE TABLE uses (key TEXT PRIMARY KEY, used REAL NOT NULL, size INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX by_use ON uses (used, size)",
    f"PRAGMA user_version = {_VERSION}",
)


def default_folder() -> Path:
    """The cache's folder unless the user names one: `MOSS_CACHE`, or `moss` in the desktop's folder for caches."""
    if chosen := os.environ.get("MOSS_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "moss"


def limit() -> int:
    """How many bytes of entries there may be: `MOSS_CACHE_SIZE`, in megabytes, or a gigabyte."""
    chosen = os.environ.get("MOSS_CACHE_SIZE", "")
    return int(chosen) << 20 if chosen.isdecimal() else LIMIT


@dataclass(frozen=True, slots=True)
class Contents:
    """How much is in a cache."""

    entries: int
    size: int  # bytes of all entries
    oldest: float | None  # when the entry was used that will go first, in seconds since 1970


@dataclass(frozen=True, slots=True)
class Cache:
    """Entries in a folder, at most `limit` bytes of them."""

    folder: Path
    limit: int = LIMIT
    say: Callable[[str], None] = lambda sentence: None  # tells the user what happened to the file

    @property
    def everything(self) -> bool:
        """False: streams of our own scanners are not cached, because reading is as fast as unpacking."""
        return False

    @property
    def file(self) -> Path:
        """The file of the cache."""
        return self.folder / _FILE

    def get(self, keys: Collection[str]) -> Mapping[str, bytes]:
        """The values under these keys that are in the cache and undamaged."""
        wanted, found = sorted(keys), dict[str, bytes]()
        if not self.file.exists():
            return found
        with suppress(sqlite3.Error, OSError), self._open() as connection:
            for first in range(0, len(wanted), _AT_ONCE):
                some = wanted[first : first + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = connection.execute(f"SELECT key, checksum, value FROM entries WHERE key IN ({marks})", some)
                found |= {key: value for key, checksum, value in rows if zlib.crc32(value) == checksum}
            with connection:
                used = [(time.time(), key) for key in found]
                connection.executemany("UPDATE uses SET used = ? WHERE key = ?", used)
        return found

    def put(self, packed: Mapping[str, bytes], digests: Mapping[str, str] | None = None) -> None:
        """Store entries in place of others under the same keys, but none that would fill a quarter of the cache,
        because it would drive out too many others."""
        kept = {key: value for key, value in packed.items() if 4 * len(value) <= self.limit}
        entries = [(key, zlib.crc32(value), value) for key, value in kept.items()]
        uses = [(key, time.time(), len(value)) for key, value in kept.items()]
        with suppress(sqlite3.Error, OSError):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._open() as connection, connection:
                connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", entries)
                connection.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?, ?)", uses)
                _shrink(connection, self.limit)

    def contents(self) -> Contents:
        """The number and size of the entries."""
        if not self.file.exists():
            return Contents(0, 0, None)
        with self._open() as connection:
            count, size, oldest = connection.execute("SELECT count(*), sum(size), min(used) FROM uses").fetchone()
        return Contents(count, size or 0, oldest)

    def prune(self, limit: int) -> None:
        """Delete entries, those not used for longest first, until at most so many bytes are left."""
        if self.file.exists():
            with self._open() as connection:
                with connection:
                    _shrink(connection, limit)
                connection.execute("VACUUM")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """The file, made anew if it is damaged."""
        try:
            connection = self._connect()
        except sqlite3.OperationalError:
            raise  # locked, or not ours to write
        except sqlite3.DatabaseError as error:
            self._begin_anew(error)
            connection = self._connect()
        with closing(connection):
            try:
                yield connection
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                self._begin_anew(error)
                raise
            except (TypeError, ValueError) as error:  # SQLite keeps a text where a number belongs, if it is given one
                self._begin_anew(error)
                raise sqlite3.DatabaseError("a value of the wrong type") from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.file, timeout=_WAIT)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may lose the last entries, no others
            _make_tables(connection)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _begin_anew(self, error: Exception) -> None:
        if not isinstance(error, _OtherVersionError):
            self.say(f"the cache {self.file} was damaged, and is made anew")
        for ending in ("", "-wal", "-shm"):
            Path(f"{self.file}{ending}").unlink(missing_ok=True)


class _OtherVersionError(sqlite3.DatabaseError):
    """The file is whole, and was made by another version."""


def _make_tables(connection: sqlite3.Connection) -> None:
    """Make the tables if there are none; raises DatabaseError if there are others."""
    if _version(connection) == _VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")  # so that no other process makes them at the same time
    with connection:
        if _version(connection) == _VERSION:
            return
        if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise _OtherVersionError("these are another version's tables")
        for statement in _TABLES:
            connection.execute(statement)


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _shrink(connection: sqlite3.Connection, limit: int) -> None:
    """Delete the entries not used for longest until the rest is within the limit."""
    (size,) = connection.execute("SELECT coalesce(sum(size), 0) FROM uses").fetchone()
    if size <= limit:
        return
    too_old = []
    for key, of_this in connection.execute("SELECT key, size FROM uses ORDER BY used, key"):
        if size <= limit:
            break
        too_old.append((key,))
        size -= of_this
    connection.executemany("DELETE FROM entries WHERE key = ?", too_old)
    connection.executemany("DELETE FROM uses WHERE key = ?", too_old)
