"""Views: what each submission's trace is made of, in each of the views that its pairs are ranked by.

A view reads the submission in one way and takes the k-grams of that which winnowing with window w selects.
`moss.engine.scoring` says what each view is for; here is what it sees.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontends.outline import outlines
from frontends.spelling import letters, spelled
from moss.engine.scoring import View, Views, make_view
from moss.engine.traces import Bags, make_bags, together
from moss.hashing import Hashes, distinct
from moss.model import Codes, TokenStream
from moss.workers import each_trusted

_LONG = 4_000  # characters: of more than this letters say little, and take long to say it


class Passages(NamedTuple):
    """What was read of one file in one language: stretches of text, each with its words, counted from where it begins;
    and the file's structure if it has any."""

    texts: tuple[tuple[str, TokenStream], ...]
    structure: TokenStream | None


@dataclass(frozen=True, slots=True)
class Reading:
    """A submission, read in all the ways that a view may want."""

    outlines: list[Codes] = field(default_factory=list)
    wordings: list[Codes] = field(default_factory=list)
    phrases: list[Codes] = field(default_factory=list)
    letters: list[Codes] = field(default_factory=list)


class Reader(NamedTuple):
    """One view: what it sees of a submission, the length of its k-grams, and the window of which one is kept."""

    name: str
    streams: Callable[[Reading], Sequence[Codes]]
    k: int
    w: int = 1
    once: bool = False  # count each k-gram only once


READERS = (
    Reader("outline", lambda read: read.outlines, 6),
    Reader("runs", lambda read: read.outlines, 16, 4),
    Reader("wording", lambda read: read.wordings, 3),
    Reader("phrases", lambda read: read.phrases, 2),
    Reader("letters", lambda read: read.letters, 3, once=True),
)

Traces = Mapping[str, Bags]
"""For each view, by name, what some submissions leave in it."""

Handout = Mapping[str, Hashes]
"""For each view, by name, what base code leaves in it, sorted."""

_NONE = np.zeros(0, np.uint64)


def make_traces(
    submissions: Sequence[Sequence[Passages]], base: Handout | None, readers: Sequence[Reader] = READERS
) -> Traces:
    """The traces of submissions with these files; what is in those of the handout (`base`) is left out. Of the handout
    itself (None) every k-gram is kept: in other surroundings others are selected."""
    read = _read(submissions, always=base is None)
    return {reader.name: _bags(reader, read, base) for reader in readers}


def _bags(reader: Reader, read: Sequence[Reading], base: Handout | None) -> Bags:
    streams = [reader.streams(reading) for reading in read]
    if base is not None:
        bags = make_bags(streams, reader.k, reader.w, base[reader.name])
        return _each_once(bags) if reader.once else bags
    return _each_once(make_bags(streams, reader.k, 1, _NONE))


def _each_once(bags: Bags) -> Bags:
    return together([distinct(hashes) for hashes in bags.split()])


def _read(submissions: Sequence[Sequence[Passages]], always: bool) -> list[Reading]:
    """The submissions in all ways; letters of long ones only if they are to be read `always`."""
    files = [file for submission in submissions for file in submission]
    wordings = iter(spelled([text for file in files for text in file.texts]))
    structures = iter(outlines([file.structure.codes for file in files if file.structure is not None]))
    result: list[Reading] = []
    for submission in submissions:
        read = Reading()
        for file in submission:
            wording = list(islice(wordings, len(file.texts)))
            read.wordings.extend(wording)
            if file.structure is None:
                read.phrases.extend(wording)
            else:
                read.outlines.append(next(structures))
        texts = [text for file in submission for text, _ in file.texts]
        if always or sum(map(len, texts)) <= _LONG:
            read.letters.extend(map(letters, texts))
        result.append(read)
    return result


def united(handouts: Sequence[Traces]) -> Handout:
    """All that is in any of these, in each view."""
    return {r.name: distinct(np.concatenate([_NONE, *(traces[r.name].hashes for traces in handouts)])) for r in READERS}


def make_views(
    all_traces: Sequence[Traces], author: NDArray[np.int64], max_matches: int, jobs: int, room: int = sys.maxsize
) -> Views:
    """The views of a class whose submissions, some at a time, have these traces; made in about so many bytes."""
    names = [reader.name for reader in READERS]

    def view(name: str) -> View:
        return make_view([traces[name] for traces in all_traces], author, max_matches, room // jobs)

    made = each_trusted(view, names, jobs=jobs)
    return Views(**dict(zip(names, made, strict=True)))
