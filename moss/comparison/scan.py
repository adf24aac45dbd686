"""The scanning of files: from the files of submissions to documents in every layer, and to bags in every view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from frontends import GENERIC, Frontend, Thresholds, as_compiled, by_name, scan_all
from frontends.frontend import WORDS
from moss.comparison.scanned_files import (
    FilePart,
    FilePlan,
    FileStreams,
    LayerKey,
    LocatedBatch,
    PartStreams,
    ScannedBatch,
    ScannedFile,
    ScannedSubmission,
    Spans,
)
from moss.comparison.views import FileTexts, Handout, make_view_bags
from moss.engine.documents import make_documents
from moss.hashing import Hashes
from moss.messages import gettext as _
from moss.model import Channel, Offsets, Status, Tokens, TokenStream
from moss.processes.budget import OverBudgetError, spend

LayerStreams = list[tuple[int, Spans, TokenStream]]
"""The streams of a submission in a layer, each with the number of its file and the spans of it that were read."""

_NO_JOINTS = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Scanner:
    """Reads submissions with given thresholds (None: each language's own), and leaves out given starter code."""

    thresholds: Thresholds | None
    base: Mapping[LayerKey, Hashes]
    handout: Handout | None  # fingerprints of the starter code; None if it is the starter code that is read

    def __call__(self, plans: tuple[FilePlan, ...]) -> ScannedSubmission:
        """The submission that has these files."""
        (scanned,) = self.scan_batch([plans]).split()
        return scanned

    def scan_batch(self, submissions: Sequence[tuple[FilePlan, ...]]) -> ScannedBatch:
        """The submissions that have these files."""
        return self.assemble(submissions, read_files(submissions))

    def assemble(
        self, submissions: Sequence[Sequence[FilePlan]], read: Sequence[Sequence[FileStreams]]
    ) -> ScannedBatch:
        """The submissions that have these files, already read."""
        streams: dict[LayerKey, dict[int, LayerStreams]] = {}
        texts: list[list[FileTexts]] = []
        for number, (plans, files) in enumerate(zip(submissions, read, strict=True)):
            of_this = self._streams(files)
            for key, found in of_this.items():
                streams.setdefault(key, {})[number] = found
            texts.append(_texts(plans, of_this))
        layers = {key: self._locate(key, found) for key, found in streams.items()}
        bags = make_view_bags(texts, self.handout)
        return ScannedBatch(tuple(tuple(file.file for file in files) for files in read), layers, bags)

    def texts(self, plans: Sequence[FilePlan], files: Sequence[FileStreams]) -> list[FileTexts]:
        """The texts and streams that views look at, of a submission that has these files, already read."""
        return _texts(plans, self._streams(files))

    def _streams(self, files: Sequence[FileStreams]) -> Mapping[LayerKey, LayerStreams]:
        """The streams of a submission in each layer."""
        streams: dict[LayerKey, LayerStreams] = {}
        for number, file in enumerate(files):
            for part in file.parts:
                for key in self.keys(by_name(part.language)):
                    streams.setdefault(key, []).append((number, part.spans, part.tokens[key.channel]))
        return streams

    def keys(self, frontend: Frontend) -> tuple[LayerKey, LayerKey]:
        """The keys of a front end's two layers: that of its own channel, and the one that all files share."""
        own = LayerKey(frontend.channel, self.thresholds or frontend.thresholds, own=True)
        return own, LayerKey(Channel.TEXT, self.thresholds or WORDS, own=False)

    def _locate(self, key: LayerKey, submissions: Mapping[int, LayerStreams]) -> LocatedBatch:
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
    """The offsets of one stream after another, with an entry for the break behind each."""
    gap = np.zeros(1, np.int32)
    return np.concatenate([part for found in offsets for part in (found.astype(np.int32), gap)])


def _joints(found: LayerStreams) -> NDArray[np.int64]:
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


def _texts(plans: Sequence[FilePlan], streams: Mapping[LayerKey, LayerStreams]) -> list[FileTexts]:
    """Each part of a submission once, as the views look at it."""
    structure = {
        (number, spans): stream
        for key, found in streams.items()
        if key.channel is Channel.STRUCTURE
        for number, spans, stream in found
    }
    texts = list(map(_as_compiled, plans))
    return [
        FileTexts(number, cut_spans(texts[number], spans, words), structure.get((number, spans)))
        for key, found in streams.items()
        if not key.own
        for number, spans, words in found
    ]


def _as_compiled(plan: FilePlan) -> str:
    """The text of a file as its compiler reads it, each character in its place."""
    return as_compiled(by_name(plan.parts[0].language), plan.text) if len(plan.parts) == 1 else plan.text


def cut_spans(text: str, spans: Spans, words: TokenStream) -> tuple[tuple[str, TokenStream], ...]:
    """The text of each span, with its words."""
    if spans == ((0, len(text)),):
        return ((text, words),)
    return tuple((text[start:end], _within(words, start, end)) for start, end in spans)


def _within(stream: TokenStream, start: int, end: int) -> TokenStream:
    """The tokens of a span, with offsets that count from its start."""
    inside = slice(*stream.start.searchsorted((start, end)))
    return TokenStream(stream.codes[inside], stream.start[inside] - start, stream.end[inside] - start)


def plan_with_generic(plan: FilePlan, reason: str) -> FilePlan:
    """The plan to read the file by the generic scanner, which cannot fail, for this reason."""
    spans = tuple(sorted({span for part in plan.parts for span in part.spans}))
    whole = (0, len(plan.text))  # of starter code, which may be read in two languages
    return replace(plan, parts=(FilePart(GENERIC.name, (whole,) if whole in spans else spans),), fallback=reason)


def read_files(submissions: Sequence[Sequence[FilePlan]]) -> list[list[FileStreams]]:
    """The streams of all files of some submissions. Whole files of one language are scanned together, which is faster;
    if that fails, they are scanned one by one, and the file that is to blame fails alone."""
    plans = [plan for files in submissions for plan in files]
    whole: dict[str, list[int]] = {}
    for number, plan in enumerate(plans):
        if plan.streams is None and _is_whole(plan):
            whole.setdefault(plan.parts[0].language, []).append(number)
    scanned: dict[int, Tokens] = {}
    for language, numbers in whole.items():
        with suppress(Exception):
            found = scan_all(by_name(language), [plans[number].text for number in numbers])
            scanned.update(zip(numbers, found, strict=True))
    read = iter([read_file(plan, scanned.get(number)) for number, plan in enumerate(plans)])
    return [[next(read) for _ in files] for files in submissions]


def _is_whole(plan: FilePlan) -> bool:
    """Whether a file is in one language from beginning to end, and its scanner is ours, so that it may be called
    twice."""
    part = plan.parts[0]
    return len(plan.parts) == 1 and part.spans == ((0, len(plan.text)),) and not by_name(part.language).isolated


def read_file(plan: FilePlan, scanned: Tokens | None = None) -> FileStreams:
    """The streams of a file, from the cache, from its tokens if it was `scanned` as a whole, or scanned now."""
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


def _scan_part(text: str, part: FilePart, frontend: Frontend) -> tuple[Frontend, Tokens, str]:
    """The front end that read the part, its streams, and the reason if it is not the front end of the plan."""
    try:
        scan = partial(_scan_spans, text, part.spans, frontend)
        return frontend, spend(scan) if frontend.isolated else scan(), ""
    except OverBudgetError as over:
        alone = _(
            "the %(language)s scanner used up the submission's computing time, read word by word instead",
            language=frontend.name,
        )
        others = _("another file used up the submission's computing time, read word by word instead")
        reason = alone if over.now else others
    except Exception as error:  # a file whose scanner fails is still compared
        reason = _(
            "the %(language)s scanner failed (%(error)s), read word by word instead",
            language=frontend.name, error=type(error).__name__,
        )  # fmt: skip
    return GENERIC, _scan_spans(text, part.spans, GENERIC), reason


def _scan_spans(text: str, spans: Spans, frontend: Frontend) -> Tokens:
    """Each channel of all spans, one span after another, with offsets in the whole text."""
    if spans == ((0, len(text)),):
        return frontend.scan(text)
    scans = [(start, frontend.scan(text[start:end])) for start, end in spans]
    channels = dict.fromkeys((frontend.channel, Channel.TEXT))  # in this order in every process
    return {channel: _shifted([(start, tokens[channel]) for start, tokens in scans]) for channel in channels}


def _shifted(streams: list[tuple[int, TokenStream]]) -> TokenStream:
    none = np.zeros(0, np.int64)
    return TokenStream(
        np.concatenate([np.zeros(0, np.uint64), *(s.codes for _, s in streams)]),
        np.concatenate([none, *(s.start + offset for offset, s in streams)]),
        np.concatenate([none, *(s.end + offset for offset, s in streams)]),
    )
