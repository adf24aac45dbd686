"""The passages of a pair in words: where they are, who else has them, and what had to be ignored to see them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from markupsafe import Markup

from moss.messages import gettext, number
from moss.model import Channel, FileRecord, Match, Pair, Region, Report, SubmissionRecord
from moss.report.character_layers import Marking
from moss.report.likeness import Likeness, PairedSpan, PassageTexts, Span, TokenPair, likeness_of, token_pairs
from moss.report.page_templates import numbers, paged
from moss.report.run_words import has_handout
from moss.report.substitutions import Substitutions, substitutions_in
from moss.report.syntax_classes import kinds_of, tokens_of
from moss.report.visible_text import visible

NAMED = 20  # the most others that are named; a sentence says how many there are in all


class OtherHolder(NamedTuple):
    """A submission that has a passage too; its number, if it has a page."""

    number: int | None
    name: Markup


@dataclass(frozen=True)
class ShownPassage:
    """One match with everything that the page says about it."""

    number: int
    match: Match
    texts: PassageTexts
    pairs: list[list[TokenPair]]  # the token pairs of each equal run
    changes: Substitutions
    others: tuple[OtherHolder, ...]
    rarity: str

    @cached_property
    def likeness(self) -> Likeness:
        """The spans that are alike in words, and those that are equal to the character."""
        found = [likeness_of(self.texts, pairs) for pairs in self.pairs]
        return Likeness(
            [span for each in found for span in each.words], [span for each in found for span in each.exact]
        )

    def marking_a(self) -> Marking:
        """The marking of the passage in the first side's file."""
        runs = [(run.a_start, run.a_end) for run in self.match.runs]
        return Marking(self.number, runs, [*map(_span_a, self.likeness.words)], [*map(_span_a, self.likeness.exact)])

    def marking_b(self) -> Marking:
        """The marking of the passage in the second side's file."""
        runs = [(run.b_start, run.b_end) for run in self.match.runs]
        return Marking(self.number, runs, [*map(_span_b, self.likeness.words)], [*map(_span_b, self.likeness.exact)])


def _span_a(span: PairedSpan) -> Span:
    return span[0].a_start, span[-1].a_end


def _span_b(span: PairedSpan) -> Span:
    return span[0].b_start, span[-1].b_end


def passages_of(report: Report, pair: Pair, careful: bool) -> tuple[ShownPassage, ...]:
    """The passages of a pair, largest first, numbered from 1."""
    number_of, with_page = numbers(report), paged(report)
    files_a, files_b = ({file.path: file for file in record_of(report, id)[1].files} for id in (pair.a, pair.b))
    total = len(report.submissions)
    handout = has_handout(report)
    passages = []
    for place, match in enumerate(pair.matches, 1):
        a, b = files_a[match.a.file], files_b[match.b.file]
        texts = _texts(match.channel, a, b, careful)
        pairs = [token_pairs(texts, run) for run in match.runs]
        changed = Substitutions() if report.imported else _changes(match.channel, pairs, a, careful)
        others = tuple(
            OtherHolder(number_of[name] if name in with_page else None, visible(name)) for name in match.others[:NAMED]
        )
        passages.append(
            ShownPassage(place, match, texts, pairs, changed, others, rarity_in_words(match, total, handout))
        )
    return tuple(passages)


def _texts(channel: Channel, a: FileRecord, b: FileRecord, careful: bool) -> PassageTexts:
    """The two files with their tokens."""
    return PassageTexts(a.text, b.text, *(tokens_of(file.language, file.text, channel, careful) for file in (a, b)))


def _changes(channel: Channel, pairs: list[list[TokenPair]], a: FileRecord, careful: bool) -> Substitutions:
    """The names and literals that differ in a passage found by structure; a passage found by words has none."""
    if channel is not Channel.STRUCTURE:
        return Substitutions()
    return substitutions_in([*chain.from_iterable(pairs)], kinds_of(a.language, a.text, careful))


def rarity_in_words(match: Match, total: int, handout: bool) -> str:
    """Sentences on how many of `total` submissions have a passage; they mention starter code if there was some."""
    having = 2 + len(match.others)
    if having == 2:
        who = gettext("Only these two of %(total)s submissions have it.", total=number(total))
    else:
        who = gettext("%(having)s of %(total)s submissions have it.", having=number(having), total=number(total))
    return " ".join([who, gettext("It is not starter code.")]) if handout else who


def place_in_words(region: Region) -> str:
    """Where a passage is, without its file: lines, the cells of a notebook or paragraphs of a document, and whether an
    essay says that it quotes."""
    start, end = region.start_line, region.end_line
    lines = f"{start}" if start == end else f"{start}–{end}"
    place = f"{region.cell}, {lines}" if region.cell else lines
    return gettext("%(place)s, quoted", place=place) if region.is_quoted else place


def record_of(report: Report, name: str) -> tuple[int, SubmissionRecord]:
    """A submission and its number from 1."""
    place = numbers(report)[name]
    return place, report.submissions[place - 1]
