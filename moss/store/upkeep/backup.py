"""Backup: a copy of the embedded database, taken while the server is running, as it was at one moment."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

_PAGES_AT_ONCE = 1000  # pages copied before others may write again


class BackupError(ValueError):
    """A backup that cannot be made; the message is one sentence for the operator."""


def back_up(database: Path, copy: Path) -> int:
    """Copy a database, under a temporary name until the copy is complete; returns its size in bytes."""
    if copy.exists():
        raise BackupError(f"{copy} exists already; choose another name")
    partial = copy.with_name(f"{copy.name}.partial")
    try:
        _copy(database, partial)
        os.replace(partial, copy)
    except (OSError, sqlite3.Error) as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise BackupError(f"the backup {copy} cannot be written: {error}") from None
    return copy.stat().st_size


def _copy(database: Path, copy: Path) -> None:
    copy.touch(mode=0o600, exist_ok=False)
    with contextlib.closing(sqlite3.connect(database)) as source, contextlib.closing(sqlite3.connect(copy)) as target:
        source.backup(target, pages=_PAGES_AT_ONCE)
        found = target.execute("PRAGMA integrity_check").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(f"the copy is damaged ({found})")
