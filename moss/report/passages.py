"""The passages of a pair in words: where they are, who else has them, and what had to be ignored to see them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from moss.model import Channel, FileRecord, Match, Pair, Region, Report, Role, SubmissionRecord
from moss.report.highlighting import kinds_of, tokens_of
from moss.report.layers import Marking
from moss.report.levels import Span, Stretch, Texts, TokenPair, alike_in_words, exact, token_pairs
from moss.report.renaming import Changes, changes
from moss.report.unseen import visible

NAMED = 20  # others who are named; the sentence tells how many there are in all


@dataclass(frozen=True, slots=True)
class Other:
    """A submission that has a passage too."""

    number: int
    name: Markup


@dataclass(frozen=True)
class Passage:
    """One match, with everything that the page says of it."""

    number: int
    match: Match
    texts: Texts
    changes: Changes
    others: tuple[Other, ...]
    rarity: str

    @cached_property
    def _pairs(self) -> list[list[TokenPair]]:
        return [token_pairs(self.texts, run) for run in self.match.runs]

    @cached_property
    def words(self) -> list[Stretch]:
        """What is alike in words."""
        return [stretch for pairs in self._pairs for stretch in alike_in_words(self.texts, pairs)]

    @cached_property
    def exact(self) -> list[Stretch]:
        """What is the same to the character."""
        return [stretch for pairs in self._pairs for stretch in exact(self.texts, pairs)]

    def marking_a(self) -> Marking:
        """Where it lies in the first side's file."""
        runs = [(run.a_start, run.a_end) for run in self.match.runs]
        return Marking(self.number, runs, [*map(_span_a, self.words)], [*map(_span_a, self.exact)])

    def marking_b(self) -> Marking:
        """Where it lies in the second side's file."""
        runs = [(run.b_start, run.b_end) for run in self.match.runs]
        return Marking(self.number, runs, [*map(_span_b, self.words)], [*map(_span_b, self.exact)])


def _span_a(stretch: Stretch) -> Span:
    return stretch[0].a_start, stretch[-1].a_end


def _span_b(stretch: Stretch) -> Span:
    return stretch[0].b_start, stretch[-1].b_end


def passages_of(report: Report, pair: Pair, careful: bool) -> tuple[Passage, ...]:
    """The passages of a pair, largest first, numbered from 1."""
    numbers = {record.id: number for number, record in enumerate(report.submissions, 1)}
    files_a, files_b = (
        {file.path: file for file in report.submissions[numbers[name] - 1].files} for name in (pair.a, pair.b)
    )
    total = sum(record.role is not Role.BASE for record in report.submissions)
    handout = bool(report.parameters.get("base"))
    passages = []
    for number, match in enumerate(pair.matches, 1):
        texts, changed = _compared(match, files_a[match.a.file], files_b[match.b.file], careful)
        others = tuple(Other(numbers[name], visible(name)) for name in match.others[:NAMED])
        passages.append(Passage(number, match, texts, changed, others, rarity_in_words(match, total, handout)))
    return tuple(passages)


def _compared(match: Match, a: FileRecord, b: FileRecord, careful: bool) -> tuple[Texts, Changes]:
    """The two files with their tokens, and what had to be ignored in them."""
    tokens = (tokens_of(file.language, file.text, match.channel, careful) for file in (a, b))
    texts = Texts(a.text, b.text, *tokens)
    if match.channel is not Channel.STRUCTURE:
        return texts, Changes()
    pairs = (both for run in match.runs for both in token_pairs(texts, run))
    return texts, changes(pairs, kinds_of(a.language, a.text, careful))


def rarity_in_words(match: Match, total: int, handout: bool) -> str:
    """How many have a passage, in words; `total` submissions were compared, perhaps with a `handout`."""
    having = 2 + len(match.others)
    who = (
        f"Only these two of {total} submissions have it" if having == 2 else f"{having} of {total} submissions have it"
    )
    return f"{who}; it was not handed out." if handout else f"{who}."


def place_in_words(region: Region) -> str:
    """Where a passage is, without its file: lines and, for a notebook, cells."""
    start, end = region.start_line, region.end_line
    lines = f"{start}" if start == end else f"{start}–{end}"
    return f"{region.cell}, {lines}" if region.cell else lines


def record_of(report: Report, name: str) -> tuple[int, SubmissionRecord]:
    """A submission and its number from 1."""
    return next((n, record) for n, record in enumerate(report.submissions, 1) if record.id == name)
