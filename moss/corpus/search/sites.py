"""Hosts of addresses, and which documents a question is about: of which host, in which language, of which length."""

from __future__ import annotations

import re
from dataclasses import dataclass

from moss.corpus.errors import CorpusError
from moss.messages import gettext

HOST_SQL = "lower(regexp_extract(address, '^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#:]+)', 1))"
"""The host of the column `address` in SQL; nothing where it is not the address of a page."""

PATH_SQL = "regexp_extract(address, '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*(.*)$', 1)"
"""What follows the host."""

_HOST_NAME = re.compile(r"[^\s/?#:@]+")
_TONGUE = re.compile("[a-z]{2,3}")
_HOST = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#:]+)")


def host_of(address: str) -> str:
    """The host of a page's address in lower case; nothing for the path of a file.

    >>> host_of("https://user@WWW.Example.org:8080/a?b"), host_of("essays/a.txt")
    ('www.example.org', '')
    """
    found = _HOST.match(address)
    return found[1].lower() if found else ""


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Conditions that a document of an answer has to meet; without one all do."""

    host: str = ""
    tongue: str = ""
    least_words: int = 0
    most_words: int | None = None

    def __post_init__(self) -> None:
        if self.least_words < 0 or (self.most_words is not None and self.most_words < self.least_words):
            raise CorpusError(gettext("the fewest words must be at least 0, and the most words no fewer than that"))
        if self.host and not _HOST_NAME.fullmatch(self.host):
            raise CorpusError(gettext("%(host)r is not a host such as www.example.org", host=self.host))
        if self.tongue and not _TONGUE.fullmatch(self.tongue):
            raise CorpusError(gettext("%(code)r is not the code of a language, such as en", code=self.tongue))

    @property
    def is_open(self) -> bool:
        """Whether every document meets it."""
        return not (self.host or self.tongue or self.least_words) and self.most_words is None

    def accepts(self, address: str, tongue: str, words: int) -> bool:
        """Whether a document meets it: its host is this one or below it, its language and length are as asked."""
        if self.host:
            host = host_of(address)
            if host != self.host.lower() and not host.endswith(f".{self.host.lower()}"):
                return False
        if self.tongue and tongue != self.tongue:
            return False
        return self.least_words <= words and (self.most_words is None or words <= self.most_words)
