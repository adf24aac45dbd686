"""Scanning: from a submission's files to documents that the engine compares, one for each layer.

A **layer** is a channel with its thresholds. Each file goes into the layer of its front end's own channel, in which
its figures are counted, and, with its words, into the layer that all files share: there a program saved as prose, or
pasted into another language's comment, meets its original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontends import GENERIC, Frontend, Thresholds, by_name, scan_all
from frontends.frontend import WORDS
from moss.comparison.views import AllTraces, Passages, Traces, make_all_traces
from moss.engine.documents import Document, Documents, make_documents
from moss.hashing import Hashes
from moss.model import Channel, Offsets, Status, Tokens, TokenStream

Spans = tuple[tuple[int, int], ...]
Found = list[tuple[int, Spans, TokenStream]]
"""The streams of a layer, each with the number of its file and the stretches of it that were read."""

_NO_JOINTS = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class LayerKey:
    """What makes a layer: files with the same key are compared with each other."""

    channel: Channel
    thresholds: Thresholds
    own: bool  # the channel in which its files' figures are counted, not the one that all share


@dataclass(frozen=True, slots=True)
class Part:
    """The stretches of a file that one front end reads: all of it, or a notebook's cells of one language."""

    language: str
    spans: Spans


@dataclass(frozen=True, slots=True)
class FilePlan:
    """A file's text and how it is to be read; a reason says why it is read in a lesser way than it might."""

    text: str
    parts: tuple[Part, ...]
    fallback: str = ""
    streams: FileStreams | None = None  # if it was read before, and need not be again


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """How a file was read."""

    language: str
    tokens: int
    status: Status
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PartStreams:
    """What became of a part: the front end that read it in the end, and its streams."""

    language: str
    spans: Spans
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class FileStreams:
    """A file as the front ends read it: all that depends on nothing but its plan."""

    file: ScannedFile
    parts: tuple[PartStreams, ...]


@dataclass(frozen=True, slots=True)
class Located:
    """A document with the place of each token: in which file, between which characters."""

    document: Document
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    files: tuple[int, ...]  # the file of each stretch between two breaks
    joints: NDArray[np.int64]  # tokens before which a cell ends and another begins

    def file_of(self, token: int) -> int:
        """In which file a token stands, counted from 0."""
        return self.files[int(np.searchsorted(self.document.first, token, side="right")) - 1]


@dataclass(frozen=True, slots=True)
class Scanned:
    """A submission as the engine sees it."""

    files: tuple[ScannedFile, ...]
    layers: Mapping[LayerKey, Located]
    traces: Traces

    @property
    def size(self) -> int:
        """How many tokens there are in all layers."""
        return sum(len(located.start) for located in self.layers.values())

    @property
    def content(self) -> bytes:
        """All tokens in the channels in which they are counted: equal for submissions that say the same."""
        return b"".join(found.document.codes.tobytes() for key, found in self.layers.items() if key.own)


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
class Batch:
    """Some submissions as the engine sees them, in few arrays, which are cheap to make and to hand over."""

    files: tuple[tuple[ScannedFile, ...], ...]
    layers: Mapping[LayerKey, LocatedBatch]
    traces: AllTraces

    def with_batch(self, by: Callable[[Batch], Batch]) -> Batch:
        """Another batch, made of this one."""
        return by(self)

    @property
    def size(self) -> int:
        """The bytes of all arrays."""
        sizes: list[int] = []

        def measured(array: NDArray[Any]) -> NDArray[Any]:
            sizes.append(array.nbytes)
            return array

        self.replaced(measured)
        return sum(sizes)

    def replaced(self, by: Callable[[NDArray[Any]], NDArray[Any]]) -> Batch:
        """The same batch with other arrays, each of which is made of one of these; always in the same order."""
        layers = {key: layer.replaced(by) for key, layer in self.layers.items()}
        traces = {name: replace(bags, hashes=by(bags.hashes)) for name, bags in self.traces.items()}
        return replace(self, layers=layers, traces=traces)

    def split(self) -> list[Scanned]:
        """Each by itself."""
        layers: list[dict[LayerKey, Located]] = [{} for _ in self.files]
        for key, batch in self.layers.items():
            for number, located in batch.split():
                layers[number][key] = located
        traces = {name: bags.split() for name, bags in self.traces.items()}
        return [
            Scanned(files, layers[number], {name: found[number] for name, found in traces.items()})
            for number, files in enumerate(self.files)
        ]


@dataclass(frozen=True, slots=True)
class Scanner:
    """Reads submissions with given thresholds (None: each language's own), leaving out given base code."""

    thresholds: Thresholds | None
    base: Mapping[LayerKey, Hashes]
    base_traces: Traces | None  # None: what is read is the base code itself

    def __call__(self, plans: tuple[FilePlan, ...]) -> Scanned:
        """The submission that has these files."""
        (scanned,) = self.together([plans]).split()
        return scanned

    def together(self, submissions: Sequence[tuple[FilePlan, ...]]) -> Batch:
        """The submissions that have these files."""
        return self.assemble(submissions, read_files(submissions))

    def assemble(self, submissions: Sequence[Sequence[FilePlan]], read: Sequence[Sequence[FileStreams]]) -> Batch:
        """The submissions that have these files, already read."""
        streams: dict[LayerKey, dict[int, Found]] = {}
        passages: list[list[Passages]] = []
        for number, (plans, files) in enumerate(zip(submissions, read, strict=True)):
            of_this = self._streams(files)
            for key, found in of_this.items():
                streams.setdefault(key, {})[number] = found
            passages.append(_passages(plans, of_this))
        layers = {key: self._locate(key, found) for key, found in streams.items()}
        traces = make_all_traces(passages, self.base_traces)
        return Batch(tuple(tuple(file.file for file in files) for files in read), layers, traces)

    def _streams(self, files: Sequence[FileStreams]) -> Mapping[LayerKey, Found]:
        """What a submission has in each layer."""
        streams: dict[LayerKey, Found] = {}
        for number, file in enumerate(files):
            for part in file.parts:
                for key in self.keys(by_name(part.language)):
                    streams.setdefault(key, []).append((number, part.spans, part.tokens[key.channel]))
        return streams

    def keys(self, frontend: Frontend) -> tuple[LayerKey, LayerKey]:
        """The two layers in which a front end's files are: that of its own channel, and the one that all share."""
        own = LayerKey(frontend.channel, self.thresholds or frontend.thresholds, own=True)
        return own, LayerKey(Channel.TEXT, self.thresholds or WORDS, own=False)

    def _locate(self, key: LayerKey, submissions: Mapping[int, Found]) -> LocatedBatch:
        k, w = key.thresholds.noise, key.thresholds.window
        base = self.base.get(key, np.zeros(0, np.uint64))
        codes = [[stream.codes for _, _, stream in found] for found in submissions.values()]
        everything = [one for found in submissions.values() for one in found]
        return LocatedBatch(
            tuple(submissions),
            make_documents(codes, k, w, base),
            _spaced([stream.start for _, _, stream in everything]),
            _spaced([stream.end for _, _, stream in everything]),
            tuple(tuple(number for number, _, _ in found) for found in submissions.values()),
            tuple(map(_joints, submissions.values())),
        )


def _spaced(offsets: Sequence[Offsets]) -> NDArray[np.int32]:
    """Offsets of one stream after another, with a gap for the break behind each."""
    gap = np.zeros(1, np.int32)
    return np.concatenate([part for found in offsets for part in (found.astype(np.int32), gap)])


def _joints(found: Found) -> NDArray[np.int64]:
    """The tokens of a submission before which a cell ends and another begins."""
    if all(len(spans) == 1 for _, spans, _ in found):
        return _NO_JOINTS
    ends = np.cumsum([len(stream) + 1 for _, _, stream in found])
    return np.concatenate(
        [
            end - len(stream) - 1 + np.searchsorted(stream.start, [begin for begin, _ in spans[1:]])
            for end, (_, spans, stream) in zip(ends.tolist(), found, strict=True)
        ]
    ).astype(np.int64)


def _passages(plans: Sequence[FilePlan], streams: Mapping[LayerKey, Found]) -> list[Passages]:
    """All that was read, once, for the traces."""
    structure = {
        (number, spans): stream
        for key, found in streams.items()
        if key.channel is Channel.STRUCTURE
        for number, spans, stream in found
    }
    return [
        Passages(
            tuple((start, plans[number].text[start:end]) for start, end in spans), words, structure.get((number, spans))
        )
        for key, found in streams.items()
        if not key.own
        for number, spans, words in found
    ]


def plan_with_generic(plan: FilePlan, reason: str) -> FilePlan:
    """The same file, to be read by the generic scanner, which cannot fail."""
    spans = tuple(sorted(span for part in plan.parts for span in part.spans))
    return replace(plan, parts=(Part(GENERIC.name, spans),), fallback=reason)


def read_files(submissions: Sequence[Sequence[FilePlan]]) -> list[list[FileStreams]]:
    """The streams of all files of some submissions; whole files of one language are scanned together, which is faster.
    Whatever goes wrong then goes wrong again for the file that is to blame, by itself."""
    plans = [plan for files in submissions for plan in files]
    whole: dict[str, list[int]] = {}
    for number, plan in enumerate(plans):
        if plan.streams is None and len(plan.parts) == 1 and plan.parts[0].spans == ((0, len(plan.text)),):
            whole.setdefault(plan.parts[0].language, []).append(number)
    scanned: dict[int, Tokens] = {}
    for language, numbers in whole.items():
        with suppress(Exception):
            found = scan_all(by_name(language), [plans[number].text for number in numbers])
            scanned.update(zip(numbers, found, strict=True))
    read = iter([read_file(plan, scanned.get(number)) for number, plan in enumerate(plans)])
    return [[next(read) for _ in files] for files in submissions]


def read_file(plan: FilePlan, scanned: Tokens | None = None) -> FileStreams:
    """The streams of a file; if it was `scanned` as a whole, or read before, only put in order."""
    if plan.streams is not None:
        return plan.streams
    if scanned is not None:
        (part,) = plan.parts
        count = len(scanned[by_name(part.language).channel])
        status = Status.FALLBACK if plan.fallback else Status.OK
        file = ScannedFile(part.language, count, status, plan.fallback)
        return FileStreams(file, (PartStreams(part.language, part.spans, scanned),))
    reason = plan.fallback
    counts: dict[str, int] = {}
    parts: list[PartStreams] = []
    for part in plan.parts:
        frontend, tokens, failure = _scan_part(plan.text, part, by_name(part.language))
        reason = reason or failure
        parts.append(PartStreams(frontend.name, part.spans, tokens))
        counts[part.language] = counts.get(part.language, 0) + len(tokens[frontend.channel])
    language = max(counts, key=lambda name: counts[name])
    status = Status.FALLBACK if reason else Status.OK
    return FileStreams(ScannedFile(language, sum(counts.values()), status, reason), tuple(parts))


def _scan_part(text: str, part: Part, frontend: Frontend) -> tuple[Frontend, Tokens, str]:
    """The front end that read the part in the end, its streams, and why it is not the intended one if it is not."""
    try:
        return frontend, _scan_spans(text, part.spans, frontend), ""
    except Exception as error:  # whatever a scanner does wrong, the file is still compared
        reason = f"the {frontend.name} scanner failed ({type(error).__name__}), read by words and signs instead"
        return GENERIC, _scan_spans(text, part.spans, GENERIC), reason


def _scan_spans(text: str, spans: Spans, frontend: Frontend) -> Tokens:
    """Each channel over all spans, one after another, with offsets in the whole text."""
    if spans == ((0, len(text)),):
        return frontend.scan(text)
    scans = [(start, frontend.scan(text[start:end])) for start, end in spans]
    channels = {frontend.channel, Channel.TEXT}
    return {channel: _shifted([(start, tokens[channel]) for start, tokens in scans]) for channel in channels}


def _shifted(streams: list[tuple[int, TokenStream]]) -> TokenStream:
    none = np.zeros(0, np.int64)
    return TokenStream(
        np.concatenate([np.zeros(0, np.uint64), *(s.codes for _, s in streams)]),
        np.concatenate([none, *(s.start + offset for offset, s in streams)]),
        np.concatenate([none, *(s.end + offset for offset, s in streams)]),
    )
