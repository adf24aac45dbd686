"""Explanations: a file as it is compared, and how the score of one pair comes about, fingerprint by fingerprint.

They are for disputes, and for maintainers of front ends. Scores and their terms come from the ranking itself; this
module looks up the texts that they are made of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontends import by_name
from frontends.normalise.outline import outline, outlined, stand_ins
from moss.comparison.detection import with_base
from moss.comparison.fingerprint_traces import Trace, trace
from moss.comparison.plan import Plans, plan_all
from moss.comparison.rank import Ranked, most_counted, number_authors, rank
from moss.comparison.scan import plan_with_generic, read_files
from moss.comparison.scan_pool import ScannedClass, read_all
from moss.comparison.scanned_files import FileStreams, PartStreams
from moss.comparison.stream_cache import look_up
from moss.comparison.submission_choice import ChosenSubmissions
from moss.comparison.views import BESIDE, WITH_BESIDE, sift_beside
from moss.engine.ranking.bags import Bags
from moss.engine.ranking.candidates import Weights
from moss.engine.ranking.postings import MOST, bits_of
from moss.engine.ranking.score import (
    AMOUNT,
    RARE,
    UNIT,
    VIEWS,
    ViewSpec,
    amount_weights,
    count_of,
    rarity_weights,
)
from moss.hashing import distinct
from moss.lines import line_starts, lines_of
from moss.model import Channel, Reasons, Status, Submission
from moss.processes.pool import available_cores
from moss.settings import Settings, default_max_matches


class ExplainedLine(NamedTuple):
    """A line of a file: as it is written, as it is compared, and as its outline has it."""

    number: int
    written: str
    compared: str
    outline: str


class ExplainedFile(NamedTuple):
    """A file as its front end reads it."""

    path: str
    language: str
    tokens: int
    reason: str  # why the generic scanner read it instead of its own
    lines: tuple[ExplainedLine, ...]


class ExplainedBag(NamedTuple):
    """How many fingerprints a submission has in a view, and how many of them so many authors have."""

    view: str
    fingerprints: int
    by_authors: Mapping[int, int]


class SharedTrace(NamedTuple):
    """A fingerprint that both sides have."""

    a: Trace
    b: Trace
    times: int  # that it counts
    authors: int  # who have it
    weight: float  # in tokens times bits, or in tokens for the amount, for all times


class ExplainedView(NamedTuple):
    """The terms of one view for a pair, in the letters of the score's formula."""

    view: str
    shared: float  # S
    g: float
    x: float
    y: float
    times: int  # that it counts
    part: float  # of the proportion's square
    traces: tuple[SharedTrace, ...]  # what is shared, the weightiest first


class ExplainedPair(NamedTuple):
    """How a pair's score comes about."""

    a: Submission
    b: Submission
    score: float
    place: int  # among the pairs that share anything, from 1; 0: not among them
    reasons: Reasons
    views: tuple[ExplainedView, ...]
    half: float  # tokens: an amount of so many makes half of what amounts can make
    rare: tuple[SharedTrace, ...]  # what makes the amount, the weightiest first


@dataclass
class _StreamMemory:
    """A cache of packed streams in memory."""

    everything: bool = True
    packed: dict[str, bytes] = field(default_factory=dict)

    def get(self, keys: Collection[str]) -> Mapping[str, bytes]:
        """The streams under these keys, as far as there are any."""
        return {key: self.packed[key] for key in keys if key in self.packed}

    def put(self, packed: Mapping[str, bytes], digests: Mapping[str, str] | None = None) -> None:
        """Store these streams."""
        self.packed.update(packed)


class ExplainedClass:
    """A class that was read to be asked about, as a comparison reads it."""

    def __init__(self, chosen: ChosenSubmissions, settings: Settings) -> None:
        self.submissions, self._settings = chosen.submissions, settings
        self._jobs = settings.jobs or available_cores()
        self._scanner, _ = with_base(chosen.base, chosen.submissions, settings, self._jobs, None)
        self._plans = plan_all(self.submissions, settings.language, settings.quotations)
        self._read = self._read_all(self._plans)
        self._author = number_authors(self.submissions, self._read.scanned)
        self._max_matches = settings.max_matches or default_max_matches(len(self.submissions))
        self._files: dict[int, tuple[Plans, list[FileStreams]]] = {}
        self._traced: dict[int, dict[str, list[Trace]]] = {}

    @property
    def authors(self) -> int:
        """How many independent authors there are."""
        return count_of(self._author)

    def files(self, number: int, only: str | None = None) -> list[ExplainedFile]:
        """The files of a submission as they are compared, or only the one of this path."""
        plans, read = self._streams_of(number)
        explained = [
            ExplainedFile(
                file.path, found.file.language, found.file.tokens, found.file.reason, _lines(plan.text, found)
            )
            for file, plan, found in zip(self.submissions[number].files, plans, read, strict=True)
        ]
        return [file for file in explained if only in (None, file.path)]

    def bags(self, number: int) -> list[ExplainedBag]:
        """The fingerprints of a submission in each view, by how many authors have them."""
        found = []
        for spec in VIEWS:
            hashes = [each.hash for each in self._traces(number)[spec.name]]
            having = self._authors_having(spec.name, hashes).tolist()
            found.append(ExplainedBag(spec.name, len(hashes), dict(Counter(having))))
        return found

    def pair(self, first: int, second: int) -> ExplainedPair:
        """How the score of two submissions comes about."""
        a, b = sorted((first, second))
        place = self._place(a, b)
        (reasons,) = self._ranked.reasons(*_column(a, b))
        return ExplainedPair(
            self.submissions[a],
            self.submissions[b],
            float(self._ranked.ranking.score[place]) if place >= 0 else 0.0,
            place + 1,
            reasons,
            tuple(self._views(a, b, reasons)),
            AMOUNT,
            self._rare(a, b),
        )

    def _views(self, a: int, b: int, reasons: Reasons) -> Iterator[ExplainedView]:
        terms = self._ranked.scoring.terms(*_column(a, b))
        columns = (terms.shared[:, 0], terms.g[:, 0], terms.x[:, 0], terms.y[:, 0])
        rows = zip(VIEWS, reasons.views, *(column.tolist() for column in columns), strict=True)
        for spec, view, shared, g, x, y in rows:
            both = self._shared(spec, a, b, rarity_weights(self._having(spec, a, b), self.authors, self._most(spec)))
            yield ExplainedView(view.view, shared, g, x, y, spec.times, view.part, both)

    def _rare(self, a: int, b: int) -> tuple[SharedTrace, ...]:
        """The fingerprints that make the amount: the one of both ways to count it that gives more."""
        found = [self._shared(spec, a, b, amount_weights(self._having(spec, a, b), self._most(spec))) for spec in RARE]
        return max(found, key=lambda shared: sum(each.weight for each in shared))

    @cached_property
    def _ranked(self) -> Ranked:
        read = self._read._replace(bags=[dict(bags) for bags in self._read.bags])  # of which ranking takes some away
        return rank(self.submissions, read, self._max_matches, self._jobs)

    @cached_property
    def _beside(self) -> Bags:
        """The text without structure that counts."""
        return sift_beside(self._read.bags, self._author).counted

    def _place(self, a: int, b: int) -> int:
        """The place of a pair in the ranking, from 0; -1 if it is not in it."""
        ranking = self._ranked.ranking
        found = np.flatnonzero((ranking.a == a) & (ranking.b == b))
        return int(found[0]) if len(found) else -1

    def _read_all(self, plans: Sequence[Plans], cache: _StreamMemory | None = None) -> ScannedClass:
        return read_all(plans, self._scanner, self._jobs, self._settings.deadline, cache=cache)

    def _streams_of(self, number: int) -> tuple[Plans, list[FileStreams]]:
        """The files of a submission with their streams, read as safely as all others were."""
        if number not in self._files:
            cache = _StreamMemory()
            files = self._read_all([self._plans[number]], cache).scanned[0].files
            (plans,) = look_up(cache, [self._plans[number]])
            plans = tuple(
                plan_with_generic(plan, file.reason)
                if plan.streams is None and file.status is Status.FALLBACK
                else plan
                for plan, file in zip(plans, files, strict=True)
            )
            self._files[number] = plans, read_files([plans])[0]
        return self._files[number]

    def _traces(self, number: int) -> dict[str, list[Trace]]:
        """The fingerprints of a submission in each view, of text without structure only what counts."""
        if number not in self._traced:
            plans, read = self._streams_of(number)
            handout = self._scanner.handout
            assert handout is not None
            found = trace(self._scanner.texts(plans, read), [plan.text for plan in plans], handout)
            counted = frozenset(self._beside.hashes[self._beside.submissions == number].tolist())
            beside = [each for each in found.pop(BESIDE) if each.hash in counted]
            for view in WITH_BESIDE:
                found[view] += beside
            self._traced[number] = found
        return self._traced[number]

    def _shared(self, spec: ViewSpec, a: int, b: int, weights: Weights) -> tuple[SharedTrace, ...]:
        """The fingerprints of a view that two have, which have these weights, the weightiest first."""
        both = self._both(spec, a, b)
        authors = self._having(spec, a, b)
        found = []
        for (ours, theirs), having, weight in zip(both, authors.tolist(), weights.tolist(), strict=True):
            times = min(len(ours), len(theirs), MOST)
            found.append(SharedTrace(ours[0], theirs[0], times, having, spec.tokens * weight / UNIT * times))
        return tuple(sorted(found, key=lambda each: (-each.weight, each.a.file, each.a.line)))

    def _both(self, spec: ViewSpec, a: int, b: int) -> list[tuple[list[Trace], list[Trace]]]:
        """For each fingerprint that two submissions have in a view, the places of each where it stands."""
        ours, theirs = (self._by_hash(spec.name, self._traces(side)[spec.name]) for side in (a, b))
        return [(ours[key], theirs[key]) for key in ours if key in theirs]

    def _having(self, spec: ViewSpec, a: int, b: int) -> NDArray[np.int64]:
        """How many authors have each fingerprint that two submissions have in a view."""
        return self._authors_having(spec.name, [ours[0].hash for ours, _ in self._both(spec, a, b)])

    def _most(self, spec: ViewSpec) -> int:
        """How many authors may have a fingerprint of a view that weighs anything."""
        return self.authors if spec.name == "letters" else most_counted(self._max_matches, len(self.submissions))

    def _lost(self, view: str) -> int:
        """The bits of a fingerprint's hash that a class of this size does not look at."""
        return 0 if view == "letters" else bits_of(len(self.submissions))

    def _by_hash(self, view: str, traces: Sequence[Trace]) -> dict[int, list[Trace]]:
        found: dict[int, list[Trace]] = {}
        for each in traces:
            found.setdefault(each.hash >> self._lost(view), []).append(each)
        return found

    def _authors_having(self, view: str, hashes: Sequence[int]) -> NDArray[np.int64]:
        """How many authors of the class have each of these fingerprints."""
        lost = np.uint64(self._lost(view))
        asked = np.array(hashes, np.uint64) >> lost
        wanted = distinct(asked)
        entries: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        for some in [*(bags[view] for bags in self._read.bags), *([self._beside] if view in WITH_BESIDE else [])]:
            known = some.hashes.astype(np.uint64) >> lost
            has = np.flatnonzero(np.isin(known, wanted))
            entries.append(wanted.searchsorted(known[has]) * self.authors + self._author[some.submissions[has]])
        counts = np.bincount(np.unique(np.concatenate(entries)) // self.authors, minlength=len(wanted))
        return counts[wanted.searchsorted(asked)]


def _column(a: int, b: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """One pair as arrays, which the ranking takes."""
    return np.array([a], np.int32), np.array([b], np.int32)


def _lines(text: str, file: FileStreams) -> tuple[ExplainedLine, ...]:
    """The lines of a file that have tokens."""
    found = [line for part in file.parts for line in _lines_of_part(text, part)]
    return tuple(sorted(found, key=lambda line: line.number))


def _lines_of_part(text: str, part: PartStreams) -> list[ExplainedLine]:
    channel = by_name(part.language).channel
    stream = part.tokens[channel]
    starts = line_starts(text)
    line = lines_of(starts, stream.start)
    written = [text[start:end] for start, end in zip(stream.start.tolist(), stream.end.tolist(), strict=True)]
    compared = (
        _as_compared(written, stream.codes) if channel is Channel.STRUCTURE else [word.lower() for word in written]
    )
    kept = _as_outlined(written, stream.codes) if channel is Channel.STRUCTURE else [""] * len(written)
    found = []
    for number in distinct(line).tolist():
        first, last = line.searchsorted((number, number + 1)).tolist()
        end = int(starts[number]) if number < len(starts) else len(text)
        found.append(
            ExplainedLine(
                number,
                text[int(starts[number - 1]) : end].strip(),
                " ".join(compared[first:last]),
                " ".join(filter(None, kept[first:last])),
            )
        )
    return found


def _as_compared(written: Sequence[str], codes: NDArray[np.uint64]) -> list[str]:
    """The tokens of the structure channel as they are compared: "name", "number" or "string", or keywords and signs."""
    return [word or " ".join(token.lower().split()) for word, token in zip(stand_ins(codes), written, strict=True)]


def _as_outlined(written: Sequence[str], codes: NDArray[np.uint64]) -> list[str]:
    """Each token as the outline has it: nothing, an underscore for any operand, or the keyword or sign itself."""
    kept = [""] * len(written)
    for place, word in zip(outlined(codes).tolist(), stand_ins(outline(codes)), strict=True):
        kept[place] = "_" if word else written[place].lower()
    return kept
