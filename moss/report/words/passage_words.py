"""The passages of a pair in words: where they are, who else has them, and what had to be ignored to see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from frontends.lexing.scanner import TokenKind
from moss.messages import gettext, number, once_for_language
from moss.model import Channel, FileRecord, Match, Offsets, Pair, Region, Report, SubmissionRecord
from moss.report.code.character_layers import Marking
from moss.report.code.likeness import (
    ComparedPassages,
    Likeness,
    PairedTokens,
    PassageTexts,
    likeness_of,
    paired_tokens,
)
from moss.report.code.substitutions import Substitutions, substitutions_in
from moss.report.code.syntax_classes import Kinds, kinds_at, tokens_of
from moss.report.page_templates import numbers
from moss.report.words.run_words import has_handout


@dataclass(frozen=True)
class FilePassages:
    """The passages that two files share in one channel."""

    channel: Channel
    a: FileRecord
    b: FileRecord
    matches: Sequence[Match]
    careful: bool  # without third-party lexers

    @cached_property
    def texts(self) -> PassageTexts:
        """Both texts with their tokens."""
        files, careful = (self.a, self.b), self.careful
        tokens = (tokens_of(file.language, file.text, self.channel, careful) for file in files)
        return PassageTexts(self.a.text, self.b.text, *tokens)

    def kinds(self, places: Offsets) -> Kinds:
        """The kinds of tokens that begin in some places of the first text. Those found by words are told to be signs,
        because nothing is said of what differs in them."""
        if self.channel is not Channel.STRUCTURE:
            return np.full(len(places), TokenKind.SIGN, np.int8)
        return kinds_at(self.a.language, self.a.text, places, self.careful)


@dataclass(frozen=True)
class PassageSet:
    """The passages of some files, one after the other, which are looked at together."""

    files: Sequence[FilePassages]

    @cached_property
    def tokens(self) -> PairedTokens:
        """The paired tokens of all these passages."""
        return paired_tokens([ComparedPassages(of.texts, [match.runs for match in of.matches]) for of in self.files])

    @cached_property
    def likeness(self) -> list[Likeness]:
        """The likeness of each passage."""
        return likeness_of(self.tokens)

    @cached_property
    def changes(self) -> list[Substitutions]:
        """The names and literals that differ in each passage found by structure."""
        tokens, ends = self.tokens, [*accumulate(len(of.matches) for of in self.files)]
        edges = tokens.passages[tokens.runs].searchsorted([0, *ends])
        places = tokens.a_start - tokens.origins[tokens.passages[tokens.runs], 0]
        kinds = [of.kinds(places[low:high]) for of, (low, high) in zip(self.files, pairwise(edges), strict=True)]
        return substitutions_in(tokens, np.concatenate([np.zeros(0, np.int8), *kinds]))


class ShownPassage(NamedTuple):
    """One match with everything that the page says about it."""

    number: int
    match: Match
    files: FilePassages
    among: PassageSet
    place: int  # among those
    changes: Substitutions
    rarity: str

    @property
    def texts(self) -> PassageTexts:
        """Both texts with their tokens."""
        return self.files.texts

    @property
    def likeness(self) -> Likeness:
        """The spans that are alike in words, and those that are equal to the character."""
        return self.among.likeness[self.place]

    def marking_a(self) -> Marking:
        """The marking of the passage in the first side's file."""
        runs = [(run.a_start, run.a_end) for run in self.match.runs]
        return Marking(self.number, runs, self.likeness.words.a, self.likeness.exact.a)

    def marking_b(self) -> Marking:
        """The marking of the passage in the second side's file."""
        runs = [(run.b_start, run.b_end) for run in self.match.runs]
        return Marking(self.number, runs, self.likeness.words.b, self.likeness.exact.b)


def passages_of(report: Report, pair: Pair, careful: bool) -> tuple[ShownPassage, ...]:
    """The passages of a pair, largest first, numbered from 1."""
    [passages] = passages_of_pairs(report, [pair], careful)
    return passages


def passages_of_pairs(report: Report, pairs: Sequence[Pair], careful: bool) -> list[tuple[ShownPassage, ...]]:
    """The passages of each pair, largest first, numbered from 1."""
    by_files = [_by_files(report, pair, careful) for pair in pairs]
    among = PassageSet([each for files in by_files for each in files.values()])
    begins = iter(accumulate((len(each.matches) for each in among.files), initial=0))
    return [
        _shown(report, pair, files, among, dict(zip(files, begins, strict=False)))
        for pair, files in zip(pairs, by_files, strict=True)
    ]


_Files = tuple[str, str, Channel]


def _shown(
    report: Report, pair: Pair, files: Mapping[_Files, FilePassages], among: PassageSet, begins: Mapping[_Files, int]
) -> tuple[ShownPassage, ...]:
    """The passages of one pair; those of each two files begin at a place among all."""
    total, handout = len(report.submissions), has_handout(report)
    places = Counter(begins)
    passages = []
    for number_in_pair, match in enumerate(pair.matches, 1):
        key = match.a.file, match.b.file, match.channel
        place = places[key]
        places[key] += 1
        changes = Substitutions() if report.imported else among.changes[place]
        rarity = rarity_in_words(match, total, handout)
        passages.append(ShownPassage(number_in_pair, match, files[key], among, place, changes, rarity))
    return tuple(passages)


def _by_files(report: Report, pair: Pair, careful: bool) -> dict[_Files, FilePassages]:
    """The passages of a pair by the files that they are in."""
    found: dict[_Files, list[Match]] = {}
    for match in pair.matches:
        found.setdefault((match.a.file, match.b.file, match.channel), []).append(match)
    files_a, files_b = ({file.path: file for file in record_of(report, id)[1].files} for id in (pair.a, pair.b))
    return {
        (a, b, channel): FilePassages(channel, files_a[a], files_b[b], matches, careful)
        for (a, b, channel), matches in found.items()
    }


def rarity_in_words(match: Match, total: int, handout: bool) -> str:
    """Sentences on how many of `total` submissions have a passage; they mention starter code if there was some."""
    return _rarity(2 + len(match.others), total, handout)


@once_for_language
def _rarity(having: int, total: int, handout: bool) -> str:
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
