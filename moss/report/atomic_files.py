"""Writing files so that a reader never meets half of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from stat import S_ISLNK, S_ISREG
from time import monotonic_ns
from typing import IO

from moss.messages import gettext

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class OutputError(OSError):
    """A file or folder that cannot be written; the message is one sentence for the user."""


@contextmanager
def whole_file(path: Path) -> Iterator[IO[str]]:
    """A text file to write to, which replaces `path` only once everything is written."""
    with whole_bytes(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="", errors="replace")
        try:
            yield text
            text.flush()
        finally:
            with suppress(OSError, ValueError):  # that the disk is full was reported before
                text.detach()


@contextmanager
def whole_bytes(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which replaces `path` only once everything is written.

    A device or a pipe is never replaced: it is written to directly."""
    try:
        mode = _mode(path)
        if S_ISLNK(mode):
            path = path.resolve()
            mode = _mode(path)
        if mode and not S_ISREG(mode):
            with path.open("wb") as file:
                yield file
            return
        temporary = path.with_name(f".{os.getpid()}-{monotonic_ns()}")  # as short as can be: names have limits
        try:
            with open(temporary, "xb") as file:  # closed before it is moved, because Windows moves no file that is open
                yield file
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _cannot_write(path, error) from error


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file: one that is there already is replaced once everything is written, a new one is written directly,
    which takes half as long, and is gone again if that fails."""
    try:
        file = os.open(path, _NEW, 0o666)
    except FileExistsError:
        with whole_bytes(path) as replaced:
            replaced.write(content)
        return
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        with open(file, "wb", buffering=0) as raw:
            left = memoryview(content)
            while left:
                left = left[raw.write(left) :]
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _cannot_write(path, error) from error
        raise


def _cannot_write(path: Path, error: OSError) -> OutputError:
    return OutputError(
        gettext("cannot write %(path)s: %(reason)s", path=path, reason=(error.strerror or str(error)).lower())
    )


def _mode(path: Path) -> int:
    """The sort of a file and its rights; 0 if there is none."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return 0


def make_folder(path: Path) -> None:
    """Make a folder if it does not exist; OutputError says why it cannot be made."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OutputError(gettext("cannot write to %(path)s: it is a file, not a folder", path=path)) from None
    except OSError as error:
        raise OutputError(
            gettext(
                "cannot create the folder %(path)s: %(reason)s",
                path=path,
                reason=(error.strerror or str(error)).lower(),
            )
        ) from error
