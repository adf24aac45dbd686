"""What is read of submissions: plans of how, streams, and documents that the engine compares, one for each layer.

A **layer** is a channel with its thresholds. Each file goes into the layer of its front end's own channel, in which
its figures are counted, and, with its words, into the layer that all files share: there a program saved as prose, or
pasted into another language's comment, meets its original.
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
from moss.model import Channel, Status, Tokens

Spans = tuple[tuple[int, int], ...]


class LayerKey(NamedTuple):
    """What makes a layer: files with the same key are compared with each other."""

    channel: Channel
    thresholds: Thresholds
    own: bool  # the channel in which its files' figures are counted, not the one that all share


class FilePart(NamedTuple):
    """The stretches of a file that one front end reads: all of it, or a notebook's cells of one language."""

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
    """What became of a part: the front end that read it in the end, and its streams."""

    language: str
    spans: Spans
    tokens: Tokens


class FileStreams(NamedTuple):
    """A file as the front ends read it: all that depends on nothing but its plan."""

    file: ScannedFile
    parts: tuple[PartStreams, ...]


class ConcatenatedOffsets(NamedTuple):
    """The places of the tokens of several files, one file behind another."""

    start: Positions
    end: Positions
    last: int  # the largest offset in any file
    files: list[tuple[int, int]]  # for each stretch between two breaks its file, and the place of that file's beginning

    def places(self, regions: Sequence[tuple[int, int, int]]) -> tuple[Positions, Positions]:
        """Where these (file, start, end) begin and end, in each stretch that their file has."""
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
    files: tuple[int, ...]  # the file of each stretch between two breaks
    joints: NDArray[np.int64]  # tokens before which a cell ends and another begins

    def file_of(self, token: int) -> int:
        """In which file a token stands, counted from 0."""
        return self.files_of([token])[0]

    def files_of(self, tokens: Sequence[int]) -> list[int]:
        """The same for each of several."""
        if len(self.files) == 1:
            return [self.files[0]] * len(tokens)
        stretch = self.document.first.searchsorted(tokens, side="right") - 1
        return [self.files[number] for number in stretch.tolist()]

    @cached_property
    def in_line(self) -> ConcatenatedOffsets:
        """The places of all tokens as if no two files had any in common."""
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
    def content(self) -> bytes:
        """The tokens of its programs; of a submission without any, its words. Equal for submissions that say the same,
        whatever text lies beside their programs."""
        own = {key: found.document for key, found in self.layers.items() if key.own}
        programs = [document for key, document in own.items() if key.channel is Channel.STRUCTURE and document.size]
        return b"".join(document.codes.tobytes() for document in programs or own.values())


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
        """The same with other large arrays."""
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
    """Some submissions as the engine sees them, in few arrays, which are cheap to make and to hand over."""

    files: tuple[tuple[ScannedFile, ...], ...]
    layers: Mapping[LayerKey, LocatedBatch]
    bags: ViewBags  # in each view
    new: Mapping[str, bytes] = field(default_factory=dict)  # packed streams of files that were not kept before

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
        """The same batch with other arrays, each of which is made of one of these; always in the same order."""
        layers = {key: layer.replaced(by) for key, layer in self.layers.items()}
        bags = {name: replace(some, hashes=by(some.hashes)) for name, some in self.bags.items()}
        return replace(self, layers=layers, bags=bags)

    def split(self) -> list[ScannedSubmission]:
        """Each by itself."""
        layers: list[dict[LayerKey, Located]] = [{} for _ in self.files]
        for key, batch in self.layers.items():
            for number, located in batch.split():
                layers[number][key] = located
        return [ScannedSubmission(files, found) for files, found in zip(self.files, layers, strict=True)]

    def bags_of(self, numbers: Sequence[int]) -> ViewBags:
        """Their bags in each view, with their numbers in the class."""
        given = np.array(numbers, np.int64)
        return {name: some.of(given) for name, some in self.bags.items()}
