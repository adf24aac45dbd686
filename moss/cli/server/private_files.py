"""Private files: whatever commands write for a server is readable by this user alone, and older files that are not are
named."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from moss.cli.output import complain
from moss.messages import gettext

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@contextmanager
def private_files() -> Iterator[None]:
    """Let files and folders that are made inside be readable by this user alone, also those of child processes."""
    before = os.umask(_OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def warn_of_open_files(data: Path) -> None:
    """Name the parts of a data folder that others on this machine may read: an older version made them, or a copy."""
    if os.name != "posix" or not data.is_dir():
        return
    found = [gettext("the folder itself")] if _is_open(data) else []
    found += sorted(path.name for path in data.iterdir() if _is_open(path))
    if found:
        complain(
            gettext(
                "other users of this machine can read what is in %(data)s: %(files)s. To prevent that: chmod -R go= "
                "%(data)s",
                data=data,
                files=", ".join(found),
            )
        )


def _is_open(path: Path) -> bool:
    return bool(path.lstat().st_mode & _OTHERS) and not path.is_symlink()
