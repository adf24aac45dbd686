"""The cache: whatever happens to its file, it gives back what was put in, or nothing."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss.cache import LIMIT, Cache, Contents, default_folder, limit

KEYS = [f"{n:064x}" for n in range(50)]


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "kept" / "here", 10_000)


def test_what_was_put_is_there(cache):
    cache.put({KEYS[0]: b"one", KEYS[1]: b""})
    assert cache.get(KEYS) == {KEYS[0]: b"one", KEYS[1]: b""}
    cache.put({KEYS[0]: b"another"})
    assert cache.get(KEYS[:1]) == {KEYS[0]: b"another"}


def test_asking_an_empty_cache_makes_nothing(cache):
    assert cache.get(KEYS) == {}
    assert cache.contents() == Contents(0, 0, None)
    cache.prune(0)
    assert not cache.folder.exists()


def test_nobody_else_may_look_into_it(cache):
    cache.put({KEYS[0]: b"one"})
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700


def test_what_was_not_used_for_longest_goes_first(cache, monkeypatch):
    for second, key in enumerate(KEYS[:5]):
        monkeypatch.setattr("time.time", lambda second=second: float(second))
        cache.put({key: bytes(2000)})
    monkeypatch.setattr("time.time", lambda: 10.0)
    cache.get(KEYS[:1])  # the first is used again
    cache.put({KEYS[5]: bytes(2000), KEYS[6]: bytes(2000)})
    assert set(cache.get(KEYS)) == {KEYS[0], *KEYS[3:7]}
    cache.prune(4000)
    assert cache.contents().size <= 4000


def test_what_would_fill_it_is_not_kept(cache):
    cache.put({KEYS[0]: b"small"})
    cache.put({KEYS[1]: bytes(2501)})
    assert set(cache.get(KEYS)) == {KEYS[0]}


@given(sizes=st.lists(st.integers(0, 3000), max_size=12))
def test_it_is_never_larger_than_its_limit(sizes, tmp_path_factory):
    cache = Cache(tmp_path_factory.mktemp("cache"), 10_000)
    for key, size in zip(KEYS, sizes, strict=False):
        cache.put({key: bytes(size)})
        assert cache.contents().size <= 10_000


def test_a_damaged_entry_is_not_there_until_it_is_put_again(cache):
    cache.put({KEYS[0]: b"right", KEYS[1]: b"right"})
    with sqlite3.connect(cache.file) as connection:
        connection.execute("UPDATE entries SET value = x'00' WHERE key = ?", KEYS[:1])
    connection.close()
    assert cache.get(KEYS) == {KEYS[1]: b"right"}
    cache.put({KEYS[0]: b"right"})
    assert cache.get(KEYS[:1]) == {KEYS[0]: b"right"}


@pytest.mark.parametrize("damage", [b"no database at all" * 500, b"", None])
def test_a_damaged_file_is_made_anew(cache, damage):
    cache.put({key: bytes(200) for key in KEYS})
    if damage is None:  # all of the file but its first page
        whole = cache.file.read_bytes()
        damage = whole[:4096] + os.urandom(len(whole) - 4096)
    cache.file.write_bytes(damage)
    cache.get(KEYS)
    cache.put({KEYS[0]: b"new"})
    cache.put({KEYS[0]: b"new"})
    assert cache.get(KEYS[:1]) == {KEYS[0]: b"new"}


def test_a_file_with_other_tables_is_made_anew(cache):
    cache.folder.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(cache.file) as connection:
        connection.execute("CREATE TABLE entries (key, checksum, used, size, value)")
    connection.close()
    cache.put({KEYS[0]: b"one"})
    assert cache.get(KEYS) == {KEYS[0]: b"one"}


def test_a_folder_that_cannot_be_made_is_no_reason_to_fail(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file" / "cache")
    cache.put({KEYS[0]: b"one"})
    assert cache.get(KEYS) == {}


PUT_AND_GET = """
import sys
from pathlib import Path
from moss.cache import Cache
cache = Cache(Path(sys.argv[1]))
for n in range(40):
    key = f"{n:064x}"
    cache.put({key: key.encode() * 50})
    assert all(value == name.encode() * 50 for name, value in cache.get([f"{m:064x}" for m in range(40)]).items())
"""


def test_several_processes_may_use_it_at_once(tmp_path):
    processes = [subprocess.Popen([sys.executable, "-c", PUT_AND_GET, str(tmp_path)]) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert Cache(tmp_path).contents().entries == 40


def test_where_it_is_and_how_large(monkeypatch, tmp_path):
    monkeypatch.setenv("MOSS_CACHE", str(tmp_path))
    assert default_folder() == tmp_path
    monkeypatch.delenv("MOSS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "moss"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_folder().parts[-2:] == (".cache", "moss")
    assert limit() == LIMIT
    monkeypatch.setenv("MOSS_CACHE_SIZE", "5")
    assert limit() == 5 << 20


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET value = 'a text'",
        "UPDATE entries SET value = 7",
        "UPDATE entries SET checksum = x'00'",
        "UPDATE uses SET size = 'large', used = 'soon'",
        "UPDATE uses SET size = 'large', used = 0",
    ],
)
def test_a_value_of_the_wrong_type_is_no_reason_to_fail(tmp_path, statement):
    said = []
    cache = Cache(tmp_path, 10_000, said.append)
    cache.put({KEYS[0]: b"x" * 2000})
    with closing(sqlite3.connect(cache.file)) as connection, connection:
        connection.execute(statement)
    cache.get(KEYS)
    for number in range(10):
        cache.put({KEYS[number]: b"x" * 2000})
    assert cache.get(KEYS[9:10]) == {KEYS[9]: b"x" * 2000}
    assert said in ([], [f"the cache {cache.file} was damaged, and is made anew"])
    assert said or "SET value" not in statement  # the others are like an entry that is not there, or not used
    assert 0 < cache.contents().size <= 10_000
