"""Requests: what a client asks for, while it is being sent and when it is complete.

`WireLimits` says how much a client may send, and how long it may take. A `Backend` takes complete requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Protocol

from frontends import UnknownLanguageError, by_name
from moss.intake.limits import human_size
from moss.wire.commands import FileHeader

MIB = 1024 * 1024
AUTOMATIC = "auto"  # the language by each file's ending
DEFAULT_LANGUAGE = "c"
DEFAULT_MAX_MATCHES = 10
DEFAULT_SHOW = 250
FEWEST_MATCHES = 2
MOST_MATCHES = 1_000_000  # MOSS's way to say "never too common"
NO_FILES = "No files uploaded to compare."  # exactly this sentence: clients look for it


@dataclass(frozen=True, slots=True)
class WireLimits:
    """The limits for one client, and for all of them together."""

    line_bytes: int = 16 * 1024  # one command
    file_bytes: int = 16 * MIB
    total_bytes: int = 512 * MIB  # all files of one request
    spool_bytes: int = 8192 * MIB  # files on disk of all requests that are being sent
    files: int = 20_000
    pairs: int = 1000  # shown at most, even if a client asks for more
    idle_seconds: float = 60.0  # without a byte from the client
    upload_seconds: float = 1800.0  # from the first byte to the query
    answer_seconds: float = 7200.0  # from the query to the result
    yield_seconds: float = 3.0  # of silence after which a client makes room for one that waits
    grace_seconds: float = 3.0  # from the answer to the client's `end`
    stop_seconds: float = 10.0  # for conversations that are under way when the server stops
    conversations: int = 200  # at a time
    waiting: int = 200  # clients that wait for one of these to end; further ones are turned away
    per_address: int | None = None  # conversations and waiting clients from one address

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"the limit {limit.name} must be above 0, not {value!r}")


NO_WIRE_LIMITS_GIVEN = WireLimits()


def is_language(name: str) -> bool:
    """Whether a front end has this name or alias; all that the historical script offers are among them."""
    try:
        by_name(name)
    except UnknownLanguageError:
        return name.lower() == AUTOMATIC
    return True


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file as it came. Its name is for display, and never a path on disk."""

    name: str  # with forward slashes and without whitespace
    program: int  # files with the same number are one program; 0 is starter code
    language: str  # as the client calls it
    size: int  # in bytes
    chunks: Callable[[], Iterator[bytes]] = field(repr=False, compare=False)

    def read(self) -> bytes:
        """The whole content."""
        return b"".join(self.chunks())


def file_of_bytes(name: str, program: int, language: str, content: bytes) -> SentFile:
    """A file whose content is in memory, so that it can be sent to another process."""
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
    address: str = ""  # of the client


@dataclass(slots=True)
class RequestDraft:
    """The request that a client is sending, and the reason why it will be refused, if there is one."""

    limits: WireLimits
    user: str | None = None
    language: str | None = None  # None: the client never asked
    options: dict[str, int] = field(default_factory=dict)
    refusal: str = ""  # the first reason counts

    def refuse(self, reason: str) -> None:
        """Note why there will be no comparison; the client is told after its query."""
        self.refusal = self.refusal or reason

    def check(self, header: FileHeader, files: int, size: int) -> None:
        """Refuse a file that is too large or one too many, given the number and size of those before it."""
        limits = self.limits
        if header.size > limits.file_bytes:
            self.refuse(f"{header.name} is larger than the limit of {human_size(limits.file_bytes)} for one file")
        elif size + header.size > limits.total_bytes:
            self.refuse(f"all files together are larger than the limit of {human_size(limits.total_bytes)}")
        elif files >= limits.files:
            self.refuse(f"there are more than {limits.files:,} files")

    def request(self, comment: str, sent: list[SentFile]) -> Request | str:
        """The complete request, or the reason why it is refused, in the words that follow `Error: `."""
        language = self._language(sent)
        if self.refusal:
            return self.refusal
        if not is_language(language):
            return f"unknown language {language}"
        if not any(file.program for file in sent):
            return NO_FILES
        return Request(
            user=self.user or "",
            language=language,
            files=tuple(file for file in sent if file.program),
            base=tuple(file for file in sent if not file.program),
            directory=bool(self.options.get("directory")),
            experimental=bool(self.options.get("X")),
            max_matches=min(max(FEWEST_MATCHES, self.options.get("maxmatches", DEFAULT_MAX_MATCHES)), MOST_MATCHES),
            show=min(max(1, self.options.get("show", DEFAULT_SHOW)), self.limits.pairs),
            comment=comment,
        )

    def _language(self, sent: list[SentFile]) -> str:
        """The language that was asked for; some clients only name it with each file."""
        return self.language or next((file.language for file in sent), DEFAULT_LANGUAGE)


class Backend(Protocol):
    """Takes requests. None of its methods may block; each may raise WireRefusedError."""

    async def may_submit(self, user: str) -> str | None:
        """The reason why this user may not submit, in one sentence, or None; asked before anything is stored."""

    async def accept(self, request: Request) -> str:
        """Store the request and return the ticket by which it is known. Its files are deleted when this returns, so
        they must be stored by then."""

    async def wait(self, ticket: str) -> str:
        """The address of the result, once its pages exist; at most 98 bytes, because clients read no more at once."""


class WireRefusedError(Exception):
    """The reason why there is no result, in one sentence for the user."""
