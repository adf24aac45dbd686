"""Draft: a request while it is being dictated, and why it will be refused, if it will."""

from __future__ import annotations

from dataclasses import dataclass, field

from moss.intake.limits import human_size
from moss.wire.commands import FileHeader
from moss.wire.languages import is_language
from moss.wire.limits import WireLimits
from moss.wire.request import DEFAULT_LANGUAGE, DEFAULT_MAX_MATCHES, DEFAULT_SHOW, Request, SentFile

FEWEST_MATCHES = 2
MOST_MATCHES = 1_000_000  # MOSS's own word for "never common"

NO_FILES = "No files uploaded to compare."  # to the letter: clients look for it


@dataclass(slots=True)
class RequestDraft:
    """What a client has said so far."""

    limits: WireLimits
    user: str | None = None
    language: str | None = None  # None: it never asked
    options: dict[str, int] = field(default_factory=dict)
    refusal: str = ""  # the first reason is the one that is told

    def refuse(self, reason: str) -> None:
        """Note why there will be no comparison; the client is told when it asks for one."""
        self.refusal = self.refusal or reason

    def check(self, header: FileHeader, files: int, size: int) -> None:
        """Refuse a file that is one too many or too large, if there are already so many of this size together."""
        limits = self.limits
        if header.size > limits.file_bytes:
            self.refuse(f"{header.name} is larger than the limit of {human_size(limits.file_bytes)} for one file")
        elif size + header.size > limits.total_bytes:
            self.refuse(f"all files together are larger than the limit of {human_size(limits.total_bytes)}")
        elif files >= limits.files:
            self.refuse(f"there are more than {limits.files:,} files")

    def request(self, comment: str, sent: list[SentFile]) -> Request | str:
        """The request, or why it cannot be granted, in the words that follow `Error: `."""
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
        """The one asked for; some clients never ask, and say it with each file only."""
        return self.language or next((file.language for file in sent), DEFAULT_LANGUAGE)
