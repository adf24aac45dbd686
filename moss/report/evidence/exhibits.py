"""The passages of a pair as exhibits: both excerpts, and in words the differences and who else has the passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from moss.messages import gettext
from moss.model import Match, Region, Report
from moss.report.code.character_layers import Marking
from moss.report.code.code_view import PassagePlace, look
from moss.report.code.likeness import Span, TokenPair, token_pairs
from moss.report.code.substitutions import Substitution
from moss.report.evidence.code import EvidenceSheet, aligned, excerpt, shared_excerpt
from moss.report.evidence.redaction import Redaction
from moss.report.words.pair_words import found_by, others_in_words, sameness
from moss.report.words.passage_words import ShownPassage
from moss.report.words.run_words import has_handout

LONGEST_EXCERPT = 40
"""The most rows of an excerpt; the appendix has both texts beside each other in full."""
_LONG = 15  # rows: on paper a shorter excerpt is not divided between pages
_CHANGES = 40  # the most that are listed of each sort
_SHORT = 60  # characters of a name or literal that a list shows


@dataclass(frozen=True, slots=True)
class Swap:
    """A name or a value, and its counterpart on the other side."""

    a: str
    b: str
    times: int


@dataclass(frozen=True, slots=True)
class Swaps:
    """Names or values that differ; so many `more` are not listed."""

    what: str
    listed: tuple[Swap, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One passage, ready to be shown."""

    number: int
    look: str
    match: Match
    path_a: str
    path_b: str
    rows: Markup
    long: bool  # may be divided between two pages
    left_out: int  # rows
    sentences: tuple[str, ...]
    swaps: tuple[Swaps, ...]
    others: tuple[str, ...]  # names, only if they may be shown


@dataclass(frozen=True, slots=True)
class TracedPassage:
    """A passage with its paired tokens, and those of them that are written differently."""

    passage: ShownPassage
    pairs: Sequence[TokenPair]
    different: Sequence[TokenPair]

    def marking_a(self) -> Marking:
        """The marking in the first side's file, with the tokens that the other side writes differently."""
        runs = [(run.a_start, run.a_end) for run in self.passage.match.runs]
        return Marking(self.passage.number, runs, [(pair.a_start, pair.a_end) for pair in self.different])

    def marking_b(self) -> Marking:
        """The marking in the second side's file, with the tokens that the other side writes differently."""
        runs = [(run.b_start, run.b_end) for run in self.passage.match.runs]
        spans: list[Span] = [(pair.b_start, pair.b_end) for pair in self.different]
        return Marking(self.passage.number, runs, spans)

    def place(self, region: Region) -> PassagePlace:
        """The place of the passage on the side with this region."""
        return PassagePlace(self.passage.number, region)


def trace_passage(passage: ShownPassage) -> TracedPassage:
    """The passage with its paired tokens; where tokens cannot be paired, none counts as different."""
    by_run = [token_pairs(passage.texts, run) for run in passage.match.runs]
    different = [pair for pairs in by_run if len(pairs) > 1 for pair in pairs if pair.a != pair.b]
    return TracedPassage(passage, [pair for pairs in by_run for pair in pairs], different)


def exhibit(
    trace: TracedPassage,
    report: Report,
    others: int,
    redaction: Redaction,
    sheets: Mapping[str, EvidenceSheet],
    named: bool,
    is_copy: bool = False,
) -> Exhibit:
    """The exhibit of a passage; `sheets` has the files of both sides by letter and path; `named` lists others. A copy
    has of the second side only what is equal, and all of that, because no appendix follows that has the rest."""
    passage, match = trace.passage, trace.passage.match
    a, b = sheets[f"a {match.a.file}"], sheets[f"b {match.b.file}"]
    rows = aligned(match, trace.pairs, a.file.text, b.file.text)
    most = len(rows) if is_copy else LONGEST_EXCERPT
    sentences = (others_in_words(match, others, has_handout(report)), sameness(match, trace.pairs), found_by(match))
    return Exhibit(
        passage.number,
        look(passage.number),
        match,
        a.path,
        b.path,
        shared_excerpt(match, passage.number, rows, a, b) if is_copy else excerpt(passage.number, rows[:most], a, b),
        len(rows) > _LONG,
        max(0, len(rows) - most),
        tuple(filter(None, sentences)),
        tuple(_swaps(passage, redaction)),
        match.others if named else (),
    )


def _swaps(passage: ShownPassage, redaction: Redaction) -> list[Swaps]:
    both = (
        (gettext("Names that differ"), passage.changes.names),
        (gettext("Values that differ"), passage.changes.literals),
    )
    return [
        Swaps(what, tuple(_swap(c, redaction) for c in found[:_CHANGES]), len(found[_CHANGES:]))
        for what, found in both
        if found
    ]


def _swap(change: Substitution, redaction: Redaction) -> Swap:
    return Swap(_short(redaction.texts(change.a)), _short(redaction.texts(change.b)), change.times)


def _short(text: str) -> str:
    """A name or a literal on one line, cut if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"{line[: _SHORT - 1]}…"
