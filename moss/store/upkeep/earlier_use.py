"""Signs of earlier use in a data folder. A database that has vanished must not be taken for a new server, whose
administrator is whoever comes first."""

from __future__ import annotations

from pathlib import Path

from moss.store.database import StoreError

MARK = "set-up"
_NOTE = """This moss server has been set up; its accounts are in its database.
If the database is gone, restore it from a backup. Remove this file only to begin anew, without any accounts.
"""
_LEFT_BEHIND = ("moss.sqlite3-wal", "queue.sqlite3", "work")  # left beside the database by versions that set no mark


def mark_set_up(data: Path) -> None:
    """Leave a mark that there are accounts."""
    if not (data / MARK).exists():
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        (data / MARK).write_text(_NOTE, encoding="utf-8")


def check_file(database: Path) -> None:
    """Raise StoreError if the embedded database should be there and is not."""
    if database.exists() and database.stat().st_size:
        return
    signs = [name for name in (MARK, *_LEFT_BEHIND) if (database.parent / name).exists()]
    if signs:
        what = "is empty" if database.exists() else "is gone"
        raise StoreError(f"the database {database} {what}, but a server was used here ({signs[0]} is there): {_ADVICE}")


def check_accounts(data: Path, founded: bool) -> None:
    """Raise StoreError if there should be accounts in the database and there are none."""
    if (data / MARK).exists() and not founded:
        raise StoreError(
            f"the database has no accounts, but a server was set up here ({data / MARK} says so): {_ADVICE}"
        )


_ADVICE = "restore the database from a backup, or remove what is left to begin anew"
