"""Files on their way to the engine: plans, token streams, and the documents of each layer.

A **layer** is a channel with its thresholds. Each file goes into the layer of its front end's own channel, in which
its figures are counted, and, with its words, into the layer that all files share: there a program saved as prose, or
pasted into another language's comment, meets its original.

    >>> codes, places = np.array([7, 8, 0, 9, 0], np.uint64), np.array([0, 4, 0, 0, 0], np.int32)
    >>> nothing = np.zeros(0, np.int64)
    >>> document = Document(codes, np.array([0, 3, 5]), codes[:0], nothing, codes == 1)  # of two files
    >>> located = Located(document, places, places + 3, files=(0, 1), joints=nothing)
    >>> located.files_of([0, 1, 3])
    [0, 0, 1]
    >>> located.concatenated.start.tolist(), located.concatenated.files  # as if the second file began at 9
    ([0, 4, 8, 9, 17], [(0, 0), (1, 9)])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontends import Thresholds
from moss.comparison.views import ViewBags
from moss.engine.documents import Document, Documents
from moss.hashing import Positions
from moss.model import Channel, Codes, Status, Tokens

Spans = tuple[tuple[int, int], ...]


class LayerKey(NamedTuple):
    """The key of a layer; files with the same key are compared with each other."""

    channel: Channel
    thresholds: Thresholds
    own: bool  # whether it is the layer in which its files' figures are counted, not the one that all files share


class FilePart(NamedTuple):
    """The spans of a file that one front end reads: the whole file, or a notebook's cells of one language."""

    language: str
    spans: Spans


@dataclass(frozen=True, slots=True)
class FilePlan:
    """A file's text and how it is to be read."""

    text: str
    parts: tuple[FilePart, ...]
    fallback: str = ""  # why the generic scanner reads it instead of its own
    streams: FileStreams | None = None  # from the cache, if it has them
    digest: str = ""  # the SHA-256 of the text, and
    key: str = ""  # the key of its streams, if they belong into the cache


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """How a file was read."""

    language: str
    tokens: int
    status: Status
    reason: str = ""


class PartStreams(NamedTuple):
    """A file part as it was read: the language that it was read in, and its streams."""

    language: str
    spans: Spans
    tokens: Tokens


class FileStreams(NamedTuple):
    """A file as the front ends read it; this depends on its plan alone."""

    file: ScannedFile
    parts: tuple[PartStreams, ...]


class ConcatenatedOffsets(NamedTuple):
    """Character offsets of the tokens of several files, as if the files stood one behind another."""

    start: Positions
    end: Positions
    last: int  # the largest offset in any file
    files: list[tuple[int, int]]  # for each stream its file, and the offset at which that file begins here

    def places(self, regions: Sequence[tuple[int, int, int]]) -> tuple[Positions, Positions]:
        """Start and end of these (file, start, end), for each stream that their file has."""
        last = self.last
        found = [
            (begin + min(start, last), begin + min(end, last))
            for file, begin in self.files
            for number, start, end in regions
            if number == file
        ]
        starts, ends = np.array(found, np.int64).reshape(-1, 2).T
        return starts, ends


@dataclass(frozen=True)
class Located:
    """A document with the place of each token: in which file, between which characters."""

    document: Document
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    files: tuple[int, ...]  # the file of each stream, between two breaks
    joints: NDArray[np.int64]  # tokens before which a cell ends and another begins

    def file_of(self, token: int) -> int:
        """In which file a token stands, counted from 0."""
        return self.files_of([token])[0]

    def files_of(self, tokens: Sequence[int]) -> list[int]:
        """The file of each of several tokens, counted from 0."""
        if len(self.files) == 1:
            return [self.files[0]] * len(tokens)
        stream = self.document.first.searchsorted(tokens, side="right") - 1
        return [self.files[number] for number in stream.tolist()]

    @cached_property
    def concatenated(self) -> ConcatenatedOffsets:
        """The offsets of all tokens as if the files stood one behind another."""
        last = int(self.end.max(initial=0))
        room = last + 2  # a break is behind everything in its file
        first = self.document.first
        begins = np.repeat(np.arange(len(self.files)) * room, np.diff(first))
        start, end = begins + self.start, begins + self.end
        start[first[1:] - 1] = end[first[1:] - 1] = np.arange(1, len(self.files) + 1) * room - 1
        return ConcatenatedOffsets(start, end, last, [(file, number * room) for number, file in enumerate(self.files)])


class ScannedSubmission(NamedTuple):
    """A submission as the engine sees it."""

    files: tuple[ScannedFile, ...]
    layers: Mapping[LayerKey, Located]

    @property
    def size(self) -> int:
        """How many tokens there are in all layers."""
        return sum(len(located.start) for located in self.layers.values())

    @property
    def content(self) -> list[Codes]:
        """The codes of its programs, or of its words if it has no program. They are equal for submissions with equal
        programs, whatever text lies beside them."""
        own = {key: found.document for key, found in self.layers.items() if key.own}
        programs = [document for key, document in own.items() if key.channel is Channel.STRUCTURE and document.size]
        return [document.codes for document in programs or own.values()]


@dataclass(frozen=True, slots=True)
class LocatedBatch:
    """The documents of those of some submissions that are in a layer."""

    submissions: tuple[int, ...]
    documents: Documents
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    files: tuple[tuple[int, ...], ...]
    joints: tuple[NDArray[np.int64], ...]

    def replaced(self, by: Callable[[NDArray[Any]], NDArray[Any]]) -> LocatedBatch:
        """This batch with other large arrays, each made of one of these by a function."""
        found = self.documents
        documents = replace(
            found, codes=by(found.codes), hashes=by(found.hashes), positions=by(found.positions), base=by(found.base)
        )
        return replace(self, documents=documents, start=by(self.start), end=by(self.end))

    def split(self) -> Iterator[tuple[int, Located]]:
        """The number of each of these submissions, and its document."""
        at = 0
        for number, document, files, joints in zip(
            self.submissions, self.documents.split(), self.files, self.joints, strict=True
        ):
            tokens = slice(at, at + len(document.codes))
            yield number, Located(document, self.start[tokens], self.end[tokens], files, joints)
            at = tokens.stop


@dataclass(frozen=True, slots=True)
class ScannedBatch:
    """Some submissions as the engine sees them, in few arrays, which are cheap to make and to pass to a process."""

    files: tuple[tuple[ScannedFile, ...], ...]
    layers: Mapping[LayerKey, LocatedBatch]
    bags: ViewBags  # in each view
    new: Mapping[str, bytes] = field(default_factory=dict)  # packed streams that the cache did not have, by key

    @property
    def size(self) -> int:
        """The bytes of all arrays."""
        sizes: list[int] = []

        def measured(array: NDArray[Any]) -> NDArray[Any]:
            sizes.append(array.nbytes)
            return array

        self.replaced(measured)
        return sum(sizes)

    def replaced(self, by: Callable[[NDArray[Any]], NDArray[Any]]) -> ScannedBatch:
        """This batch with other arrays, each made of one of these by a function, which is called in a fixed order."""
        layers = {key: layer.replaced(by) for key, layer in self.layers.items()}
        bags = {name: replace(some, hashes=by(some.hashes)) for name, some in self.bags.items()}
        return replace(self, layers=layers, bags=bags)

    def split(self) -> list[ScannedSubmission]:
        """Each submission of the batch."""
        layers: list[dict[LayerKey, Located]] = [{} for _ in self.files]
        for key, batch in self.layers.items():
            for number, located in batch.split():
                layers[number][key] = located
        return [ScannedSubmission(files, found) for files, found in zip(self.files, layers, strict=True)]

    def bags_of(self, numbers: Sequence[int]) -> ViewBags:
        """The bags in each view, with the numbers that their submissions have in the class."""
        given = np.array(numbers, np.int64)
        return {name: some.of(given) for name, some in self.bags.items()}
