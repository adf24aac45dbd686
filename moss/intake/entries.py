"""Entries: the files and folders of a source, before any of them is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from moss.shipped import extra_with, how_to_install

CHUNK = 64 * 1024

ENTRIES_REFUSED = "not looked at completely, because the limit of {limit:,} files was reached"
NO_NAME = "refused, because it has no name"
NOT_A_FILE = "a pipe, socket or device, never opened"


class UnreadableError(Exception):
    """Why one file cannot be read, in one sentence."""

    def __init__(self, reason: str, *, binary: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.binary = binary


def without_extra(what: str, missing: ModuleNotFoundError) -> UnreadableError:
    """Why something is not read of which the library is not installed, and how to install that."""
    extra = extra_with(missing.name or "")
    if extra is None:
        raise missing
    return UnreadableError(f"{what}, not read; to read such: {how_to_install(extra)}")


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that may be read; or, with a `refusal`, one that never is; or, with neither, a folder.

    The path is relative to the folder or archive, safe, displayable and written with forward slashes; the empty path
    stands for the folder or archive itself.
    """

    path: str
    chunks: Callable[[], Iterator[bytes]] | None = None
    refusal: str = ""
    folder: bool = False  # it stands for all that is in a folder
    ignored: bool = False  # not handed in on purpose, so its absence says nothing about a submission
    nameless: bool = False  # its name was refused, so its path says nothing about where it belongs
    position: int = 0  # where reading must go to; archives are fastest read in this order
    claimed: int = 0  # the size it claims to have
