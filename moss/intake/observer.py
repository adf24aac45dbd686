"""Watching: whoever looks on while strangers' files are read.

A server reads them in a process that one of them may end. It is told which file comes next, so that it knows which one
that was; it may object to a file; and it takes each text away once it is read, so that they need not all fit in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from moss.intake.entries import UnreadableError
from moss.model import SourceFile


def _no_objection(shown: str) -> str:
    return ""


def _as_it_is(file: SourceFile) -> SourceFile:
    return file


class Watch(NamedTuple):
    """Two functions: one that may object to a file before it is read, and one that is given each file that was."""

    before: Callable[[str], str] = _no_objection  # why not to read the file that is shown by this name, or nothing
    after: Callable[[SourceFile], SourceFile] = _as_it_is  # what stands for the file from then on

    def announce(self, shown: str) -> None:
        """Tell that a file comes next; raises UnreadableError if it is not to be read."""
        if reason := self.before(shown):
            raise UnreadableError(reason)


NOBODY = Watch()
