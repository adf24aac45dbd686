"""Request: what one client asked for, complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

DEFAULT_LANGUAGE = "c"
DEFAULT_MAX_MATCHES = 10
DEFAULT_SHOW = 250


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file as it came: its name is for display, and never a path on disk."""

    name: str  # with forward slashes and without whitespace
    program: int  # files with one number are one program; 0 is handed-out code
    language: str  # as the client calls it
    size: int  # in bytes
    chunks: Callable[[], Iterator[bytes]] = field(repr=False, compare=False)

    def read(self) -> bytes:
        """The content as a whole."""
        return b"".join(self.chunks())


def file_of_bytes(name: str, program: int, language: str, content: bytes) -> SentFile:
    """A file whose content is in memory; such a one can be sent to another process."""
    return SentFile(name, program, language, len(content), partial(_whole, content))


def _whole(content: bytes) -> Iterator[bytes]:
    yield content


@dataclass(frozen=True, slots=True)
class Request:
    """One job: who wants what compared, and how. The options are MOSS's, with its defaults."""

    user: str
    language: str  # as the client calls it; a front end has this name or alias, or it is `auto`
    files: tuple[SentFile, ...]  # in the order in which they came
    base: tuple[SentFile, ...] = ()
    directory: bool = False  # -d
    experimental: bool = False  # -x, which changes nothing
    max_matches: int = DEFAULT_MAX_MATCHES  # -m
    show: int = DEFAULT_SHOW  # -n
    comment: str = ""  # -c
    address: str = ""  # from which it came
