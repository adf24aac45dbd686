"""Views: what each submission's trace is made of, in each of the views that its pairs are ranked by.

A view reads the submission in one way and takes the k-grams of that which winnowing with window w selects.
`moss.engine.scoring` says what each view is for; here is what it sees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from frontends.outline import outline
from frontends.spelling import letters, spelled
from moss.engine.scoring import View, Views, make_view
from moss.engine.traces import Bags, make_bags
from moss.hashing import Hashes, distinct
from moss.model import Codes, TokenStream
from moss.workers import each_trusted

_ALONE = 1_000  # submissions: the views of fewer are made faster than processes are started
_LONG = 4_000  # characters: of more than this letters say little, and take long to say it


@dataclass(frozen=True, slots=True)
class Passages:
    """What was read of one file in one language: stretches of text with their places in the file, the file's words, and
    its structure if it has any."""

    texts: tuple[tuple[int, str], ...]
    words: TokenStream
    structure: TokenStream | None


@dataclass(frozen=True, slots=True)
class Reading:
    """A submission, read in all the ways that a view may want."""

    outlines: list[Codes] = field(default_factory=list)
    wordings: list[Codes] = field(default_factory=list)
    phrases: list[Codes] = field(default_factory=list)
    letters: list[Codes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Reader:
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

Traces = Mapping[str, Hashes]
"""For each view, by name, what a submission leaves in it."""

AllTraces = Mapping[str, Bags]
"""The same for some submissions, one after another."""

_NONE = np.zeros(0, np.uint64)


def make_traces(files: Sequence[Passages], base: Traces | None, readers: Sequence[Reader] = READERS) -> Traces:
    """The traces of a submission with these files; what is in those of the handout (`base`) is left out. Of the handout
    itself (None) every k-gram is kept: in other surroundings others are selected."""
    return {name: bags.hashes for name, bags in make_all_traces([files], base, readers).items()}


def make_all_traces(
    submissions: Sequence[Sequence[Passages]], base: Traces | None, readers: Sequence[Reader] = READERS
) -> AllTraces:
    """The traces of submissions with these files."""
    read = [_read(files, always=base is None) for files in submissions]
    return {reader.name: _bags(reader, read, base) for reader in readers}


def _bags(reader: Reader, read: Sequence[Reading], base: Traces | None) -> Bags:
    streams = [reader.streams(reading) for reading in read]
    if base is not None:
        bags = make_bags(streams, reader.k, reader.w, base[reader.name])
        return _each_once(bags) if reader.once else bags
    return _each_once(make_bags(streams, reader.k, 1, _NONE))


def _each_once(bags: Bags) -> Bags:
    found = [distinct(hashes) for hashes in bags.split()]
    return Bags(np.concatenate([*found, _NONE]), np.array([len(hashes) for hashes in found], np.int64))


def _read(files: Sequence[Passages], always: bool) -> Reading:
    read = Reading()
    for file in files:
        wording = [spelled(text, first, file.words) for first, text in file.texts]
        read.wordings.extend(wording)
        if file.structure is None:
            read.phrases.extend(wording)
        else:
            read.outlines.append(outline(file.structure.codes))
    texts = [text for file in files for _, text in file.texts]
    if always or sum(map(len, texts)) <= _LONG:
        read.letters.extend(map(letters, texts))
    return read


def united(all_traces: Sequence[Traces]) -> Traces:
    """All that is in any of these, in each view."""
    return {r.name: distinct(np.concatenate([_NONE, *(traces[r.name] for traces in all_traces)])) for r in READERS}


def make_views(all_traces: Sequence[Traces], author: NDArray[np.int64], max_matches: int, jobs: int) -> Views:
    """The views of a class whose submissions have these traces."""
    names = [reader.name for reader in READERS]

    def view(name: str) -> View:
        return make_view([traces[name] for traces in all_traces], author, max_matches)

    made = each_trusted(view, names, jobs=jobs if len(all_traces) > _ALONE else 1)
    return Views(**dict(zip(names, made, strict=True)))
