"""Requests: what a client asks for, while it is being sent and when it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from frontends import UnknownLanguageError, by_name
from moss.intake.limits import human_size
from moss.wire.commands import FileHeader
from moss.wire.limits import WireLimits

AUTOMATIC = "auto"  # the language by each file's ending
DEFAULT_LANGUAGE = "c"
DEFAULT_MAX_MATCHES = 10
DEFAULT_SHOW = 250
FEWEST_MATCHES = 2
MOST_MATCHES = 1_000_000  # MOSS's way to say "never too common"

NO_FILES = "No files uploaded to compare."  # exactly this sentence: clients look for it


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
