"""Documents of a corpus, and their tokens.

Everything is read by its words: prose as written, a page as a reader sees it, a program with its comments. So a text
is recognised whatever it was wrapped in. Programs are read by their structure too, in which renaming changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate

import numpy as np

from frontends import TEXT, by_name, scan_all, word_codes
from frontends.selection import choose
from moss.hashing import Positions
from moss.model import Channel, Codes, Offsets, Tokens, TokenStream

PROSE = TEXT.name


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """One text at one address, as it was at a time."""

    address: str  # a path or a URL
    text: str = field(repr=False)
    content: int  # 64 bits of a digest of its text
    size: int  # in bytes
    date: datetime | None = None
    language: str = PROSE
    dated: bool = False  # whoever gave it says when it was seen: the same text at a later date is another sighting
    tongue: str = ""  # its human language, by two letters, if that is known


@dataclass(frozen=True, slots=True)
class TokenColumns:
    """The tokens of several documents, one after another: document d has those from offsets[d] to offsets[d + 1]."""

    codes: Codes
    start: Offsets  # character offsets in the document's own text
    end: Offsets
    offsets: Positions


def language_of(path: str, text: str) -> str:
    """The name of the front end for a file."""
    return choose(path, text, None, None).name


def is_program(language: str) -> bool:
    """Whether documents in this language are read by their structure, too."""
    frontend = by_name(language)
    return frontend.channel is Channel.STRUCTURE and not frontend.markup


def scan(document: CorpusDocument) -> Tokens:
    """All channels of one document."""
    return by_name(document.language).scan(document.text)


def words(document: CorpusDocument) -> Codes:
    """The codes of the words of one document, which are equal on every machine and for ever."""
    return scan(document)[Channel.TEXT].codes


def streams(documents: Sequence[CorpusDocument]) -> tuple[TokenColumns, TokenColumns]:
    """The words of all documents, and the structure of all programs (which is empty for other documents)."""
    by_language: dict[str, list[int]] = {}
    for number, document in enumerate(documents):
        by_language.setdefault(document.language, []).append(number)
    text, structure = [_NOTHING] * len(documents), [_NOTHING] * len(documents)
    for language, numbers in by_language.items():
        program = is_program(language)
        found = scan_all(by_name(language), [documents[number].text for number in numbers])
        for number, tokens in zip(numbers, found, strict=True):
            text[number] = tokens[Channel.TEXT]
            if program:
                structure[number] = tokens.get(Channel.STRUCTURE, _NOTHING)
    return _joined(text), _joined(structure)


def word_columns(documents: Sequence[CorpusDocument]) -> tuple[Codes, Positions]:
    """The codes of the words of all documents, and where each document's begin: what `streams` gives, without places in
    the texts."""
    if len({document.language for document in documents}) > 1:
        text, _ = streams(documents)
        return text.codes, text.offsets
    language = documents[0].language if documents else PROSE
    codes, counts = word_codes(by_name(language), [document.text for document in documents])
    return codes, np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


_NONE = np.zeros(0, np.int64)
_NOTHING = TokenStream(np.zeros(0, np.uint64), _NONE, _NONE)


def _joined(found: Sequence[TokenStream]) -> TokenColumns:
    return TokenColumns(
        np.concatenate([_NOTHING.codes, *(stream.codes for stream in found)]),
        np.concatenate([_NONE, *(stream.start for stream in found)]),
        np.concatenate([_NONE, *(stream.end for stream in found)]),
        np.array([0, *accumulate(map(len, found))]),
    )
