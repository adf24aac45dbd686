"""Locks on folders: readers share a lock on a file inside, and who removes the folder needs it alone. Of those who make
the same results in a folder, one does, and the others wait and find them."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_IN_USE = "in-use"
_COMPUTING = "computing"


def hold(folder: Path) -> IO[bytes]:
    """A file that keeps others from removing a folder until it is closed; raises FileNotFoundError if the folder is
    gone."""
    file = open(folder / _IN_USE, "rb")  # noqa: SIM115
    fcntl.flock(file, fcntl.LOCK_SH)
    if not (folder / _IN_USE).exists():  # removed before it was locked
        file.close()
        raise FileNotFoundError(folder)
    return file


def holdable(folder: Path) -> None:
    """Prepare a folder so that it can be held."""
    (folder / _IN_USE).touch()


def remove_if_idle(folder: Path) -> bool:
    """Remove a folder unless somebody holds it; returns whether it was removed."""
    try:
        with open(folder / _IN_USE, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            (folder / _IN_USE).unlink()  # a reader that comes now finds it gone, and looks at the manifest again
            shutil.rmtree(folder, ignore_errors=True)
    except FileNotFoundError:
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return False
    return True


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait until nobody else computes results in a folder, and keep others from it meanwhile."""
    with open(folder / _COMPUTING, "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
