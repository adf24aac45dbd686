"""Free space on the disk: how much is reserved, so that a full server can still delete, and how a full disk is
recognised.

Deleting needs room, because what is deleted is first written to the database's journal.
"""

from __future__ import annotations

import errno
import shutil
import sqlite3

from sqlalchemy.exc import DBAPIError

from moss.config import MIB, Config
from moss.messages import marked

NO_ROOM = marked(
    "This server’s disk is full, so nothing was saved. Delete what is no longer needed, or tell the administrator."
)
_FULL = (errno.ENOSPC, errno.EDQUOT)
_POSTGRESQL_FULL = "53100"  # SQLSTATE disk_full


def free_bytes(config: Config) -> int:
    """The free bytes on the disk that holds the data folder."""
    try:
        return shutil.disk_usage(config.data).free
    except FileNotFoundError:  # the data folder does not exist yet
        return shutil.disk_usage(config.data.absolute().parent).free


def has_room(config: Config) -> bool:
    """Whether there is room to store more; the reserve below that is for deleting."""
    return free_bytes(config) >= config.reserve_megabytes * MIB


def is_full(error: BaseException | None) -> bool:
    """Whether an error was caused by a full disk, here or at the database."""
    if isinstance(error, DBAPIError):
        error = error.orig
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    if isinstance(error, OSError):
        return error.errno in _FULL
    return getattr(error, "sqlstate", None) == _POSTGRESQL_FULL
