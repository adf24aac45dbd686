"""What a document of a corpus is, and its words.

Everything is read by its words: prose as written, a page as a reader sees it, a program with its comments. So a text
is recognised whatever it was wrapped in. Programs are read by their structure too, in which renaming changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate

import numpy as np

from frontends import by_name
from frontends.selection import choose
from frontends.words import scan_words
from moss.hashing import Positions
from moss.model import Channel, Codes, Offsets, Tokens, TokenStream

PROSE = "text"
_PAGE = "html"  # its structure is markup: what a page says are its words


@dataclass(frozen=True, slots=True)
class Document:
    """One text at one address, as it was at a time."""

    address: str  # a path or a URL
    text: str = field(repr=False)
    content: int  # 64 bits of a digest of its text
    size: int  # in bytes
    date: datetime | None = None
    language: str = PROSE
    dated: bool = False  # whoever gave it says when it was seen: the same text at a later date is another sighting


@dataclass(frozen=True, slots=True)
class Streams:
    """The tokens of several documents, one after another: document d has those from offsets[d] to offsets[d + 1]."""

    codes: Codes
    start: Offsets  # character offsets in the document's own text
    end: Offsets
    offsets: Positions


def language_of(path: str, text: str) -> str:
    """The name of the front end for a file."""
    return choose(path, text, None, None).name


def is_program(language: str) -> bool:
    """Whether documents in it are read by their structure, too."""
    return language != _PAGE and by_name(language).channel is Channel.STRUCTURE


def scan(document: Document) -> Tokens:
    """All channels of one document."""
    return by_name(document.language).scan(document.text)


def words(document: Document) -> Codes:
    """The words of one document, as numbers that stand for them on every machine and for ever."""
    return scan(document)[Channel.TEXT].codes


def streams(documents: Sequence[Document]) -> tuple[Streams, Streams]:
    """The words of all documents, and the structure of those that are programs (the others have nothing there).

    Prose is scanned together: many short scans cost several times one long one."""
    plain = [number for number, document in enumerate(documents) if document.language == PROSE]
    # One foreign letter makes scanning slower for all that is scanned with it.
    simple = [number for number in plain if documents[number].text.isascii()]
    foreign = [number for number in plain if not documents[number].text.isascii()]
    text = [(numbers, _scan_together([documents[n].text for n in numbers])) for numbers in (simple, foreign) if numbers]
    structure: list[Group] = []
    for number, document in enumerate(documents):
        if document.language != PROSE:
            tokens = scan(document)
            text.append(([number], _alone(tokens[Channel.TEXT])))
            if is_program(document.language) and Channel.STRUCTURE in tokens:
                structure.append(([number], _alone(tokens[Channel.STRUCTURE])))
    return _in_order(text, len(documents)), _in_order(structure, len(documents))


Group = tuple[list[int], Streams]
"""Some documents, by their numbers, and their tokens."""


def _scan_together(texts: Sequence[str]) -> Streams:
    """The words of each text, found by one scan of all of them, a line apart: no word and no escape spans two lines."""
    first = np.array([0, *accumulate(len(text) + 1 for text in texts)])
    together = scan_words("\n".join(texts))[Channel.TEXT]
    offsets = np.searchsorted(together.start, first)
    begin = np.repeat(first[:-1], np.diff(offsets))
    return Streams(together.codes, together.start - begin, together.end - begin, offsets)


def _alone(stream: TokenStream) -> Streams:
    return Streams(stream.codes, stream.start, stream.end, np.array([0, len(stream)]))


def _in_order(groups: Sequence[Group], documents: int) -> Streams:
    """The tokens of all groups' documents, by the documents' numbers; who is in no group has none."""
    if len(groups) == 1 and len(groups[0][0]) == documents:
        return groups[0][1]
    numbers = np.array([number for group, _ in groups for number in group], np.int64)
    lengths = np.concatenate([_NONE, *(np.diff(found.offsets) for _, found in groups)])
    order = np.argsort(numbers)
    within = np.cumsum(lengths) - lengths  # where each document begins in the groups put together
    sizes = np.zeros(documents, np.int64)
    sizes[numbers] = lengths
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    sorted_lengths = lengths[order]
    shift = np.repeat(within[order] - (np.cumsum(sorted_lengths) - sorted_lengths), sorted_lengths)
    take = np.arange(int(offsets[-1])) + shift
    return Streams(
        np.concatenate([_NONE.astype(np.uint64), *(found.codes for _, found in groups)])[take],
        np.concatenate([_NONE, *(found.start for _, found in groups)])[take],
        np.concatenate([_NONE, *(found.end for _, found in groups)])[take],
        offsets,
    )


_NONE = np.zeros(0, np.int64)
