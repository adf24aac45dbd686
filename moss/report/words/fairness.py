"""Reasons that may speak against copying: how common the passages are, where else they are from, what chance gives.

Everything follows from the report's data, and says as well what was not compared. A finding that speaks for copying is
told in the same words as one against it: a reader has to be able to rely on this either way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from moss.messages import counted, gettext, listed, marked, ngettext, number, percent
from moss.model import Match, Pair, ReferenceKind, Report, Role, Standing, SubmissionRecord
from moss.report.words.run_words import has_handout

SHORT = 2  # lines: passages that are no longer are easily alike

_TEXTS = {
    ReferenceKind.MODEL: marked("a model solution"),
    ReferenceKind.TASK: marked("the task’s statement"),
    ReferenceKind.BOOK: marked("a book or published solution"),
    ReferenceKind.CHATBOT: marked("a chatbot’s answers"),
}
"""References that are not students' work, in the words of a sentence."""


@dataclass(frozen=True, slots=True)
class FairnessPoint:
    """One question that a fair reader asks about a pair, and the answer of the data."""

    question: str
    answer: str


def fairness_of(report: Report, pair: Pair, names: tuple[str, str] | None = None) -> list[FairnessPoint]:
    """The questions to ask before anybody is accused, in the order in which they matter; `names` are those to show."""
    records = {record.id: record for record in report.submissions}
    both = records[pair.a], records[pair.b]
    rest = [record for record in report.submissions if record.owner not in {side.owner for side in both}]
    shown = names or (pair.a, pair.b)
    found = [
        (gettext("Do others in this class have it?"), _in_class(pair, rest)),
        (gettext("Did earlier students have it?"), _in_earlier_work(pair, rest)),
        (gettext("Was it given to everybody?"), _given(report, both, shown)),
        (gettext("Is it in another text?"), _elsewhere(report, pair, rest)),
        (gettext("Is it a quotation?"), _quoted(pair)),
        (gettext("Is it short?"), _short(pair)),
        (gettext("What would chance give?"), _chance(report, pair)),
    ]
    return [FairnessPoint(question, answer) for question, answer in found if answer]


def _in_class(pair: Pair, rest: Iterable[SubmissionRecord]) -> str:
    students = _owners(record for record in rest if record.role is Role.NEW)
    if not students:
        return gettext("There are no other students in this comparison, so this is not known.")
    if not (having := _held(pair, students)):
        return ngettext(
            "No: the other student has none of the passages.",
            "No: none of the other %(students)s students has any of the passages.",
            len(set(students.values())), students=number(len(set(students.values()))),
        )  # fmt: skip
    widest = max(having, key=lambda place: len(_holders(pair.matches[place - 1], students)))
    return " ".join(
        [
            gettext("Yes: %(passages)s.", passages=_amount(pair, having)),
            gettext(
                "Passage %(passage)s is the most common: %(having)s of the other %(students)s students have it.",
                passage=widest,
                having=number(len(_holders(pair.matches[widest - 1], students))),
                students=number(len(set(students.values()))),
            ),
        ]
    )


def _in_earlier_work(pair: Pair, rest: Iterable[SubmissionRecord]) -> str:
    earlier = _owners(record for record in rest if record.kind is ReferenceKind.EARLIER)
    if not earlier:
        return gettext("No earlier work was compared, so this is not known.")
    compared = counted(earlier, "submission")
    if not (having := _held(pair, earlier)):
        return gettext("No: none of the passages is in earlier work (%(compared)s compared).", compared=compared)
    passages = _amount(pair, having)
    return gettext("Yes: %(passages)s (%(compared)s compared).", passages=passages, compared=compared)


def _given(report: Report, both: tuple[SubmissionRecord, SubmissionRecord], names: tuple[str, str]) -> str:
    if not has_handout(report):
        return gettext("No starter code was given to the comparison. What everybody got may be among the passages.")
    shares = [_starter_share(side) for side in both]
    return gettext(
        "Not as starter code: that is left out, and makes up %(first)s of the lines of %(a)s and %(second)s of %(b)s.",
        first=percent(shares[0]), second=percent(shares[1]), a=names[0], b=names[1],
    )  # fmt: skip


def _starter_share(record: SubmissionRecord) -> float:
    lines = {
        (file.path, line)
        for file in record.files
        for region in file.base
        for line in range(region.start_line, region.end_line + 1)
    }
    return min(1.0, len(lines) / max(1, sum(file.lines for file in record.files)))


def _elsewhere(report: Report, pair: Pair, rest: Iterable[SubmissionRecord]) -> str:
    """A sentence for each kind of text that was compared, and one that names those that were not."""
    compared = {record.kind for record in report.submissions}
    sentences = []
    for kind, words in _TEXTS.items():
        if kind in compared:
            having = _held(pair, _owners(record for record in rest if record.kind is kind))
            text = gettext(words)
            sentences.append(
                gettext("In %(text)s: %(passages)s.", text=text, passages=_amount(pair, having))
                if having
                else gettext("In %(text)s: no passage.", text=text)
            )
    missing = [gettext(words) for kind, words in _TEXTS.items() if kind not in compared]
    if missing:
        sentences.append(gettext("Not compared: %(texts)s.", texts=listed(missing)))
    return " ".join(sentences)


def _quoted(pair: Pair) -> str:
    quoted = [place for place, match in enumerate(pair.matches, 1) if match.a.is_quoted or match.b.is_quoted]
    if not quoted:
        return ""
    return gettext(
        "On one side or both it is mostly in quotation marks or in a list of references: %(passages)s.",
        passages=_amount(pair, quoted),
    )


def _short(pair: Pair) -> str:
    short = [
        place
        for place, match in enumerate(pair.matches, 1)
        if all(region.end_line - region.start_line < SHORT for region in (match.a, match.b))
    ]
    if not short:
        return ""
    return gettext("One or two lines long, and so more easily alike: %(passages)s.", passages=_amount(pair, short))


def _chance(report: Report, pair: Pair) -> str:
    baseline = report.baseline
    if not baseline.is_known or not baseline.expected or baseline.far >= 1:
        return gettext("This class is too small, or too alike, to say.")
    standing = baseline.standing(pair.score)
    if standing is Standing.ORDINARY:
        return gettext(
            "Chance is enough: %(n)s of %(pairs)s in this class have this score or a higher one.",
            n=number(_count_from(report, pair.score)), pairs=counted(baseline.pairs, "pair"),
        )  # fmt: skip
    is_far = standing is Standing.FAR
    limit, expected = (baseline.far, baseline.expected) if is_far else (baseline.limit, 1.0)
    return " ".join([_by_chance(limit, expected), gettext(
        "In this class %(n)s did. That says nothing about which of them are by chance.",
        n=counted(_count_from(report, limit), "pair"),
    )])  # fmt: skip


def _by_chance(limit: float, expected: float) -> str:
    values = {"limit": percent(limit), "expected": f"{expected:g}"}
    if expected < 1:
        return gettext(
            "In a class of this size, about %(expected)s pairs would score over %(limit)s though nobody copied: one "
            "class in %(classes)s has one. Large classes and shared templates have more.",
            classes=round(1 / expected),
            **values,
        )
    return gettext(
        "In a class of this size, about one pair would score over %(limit)s though nobody copied. Large classes and "
        "shared templates have more.",
        **values,
    )


def _count_from(report: Report, score: float) -> int:
    """How many pairs have at least this score."""
    return int(np.searchsorted(-report.ranking.score, -score, side="right"))


def _owners(records: Iterable[SubmissionRecord]) -> dict[str, str]:
    return {record.id: record.owner for record in records}


def _holders(match: Match, owners: dict[str, str]) -> set[str]:
    return {owners[id] for id in match.others if id in owners}


def _held(pair: Pair, owners: dict[str, str]) -> list[int]:
    """The numbers of the passages that any of these owners has too."""
    return [place for place, match in enumerate(pair.matches, 1) if _holders(match, owners)]


def _amount(pair: Pair, places: Collection[int]) -> str:
    """Some passages in words: how many of all, and how much of what is shared they make up."""
    tokens = sum(pair.matches[place - 1].tokens for place in places)
    return gettext(
        "%(n)s of %(passages)s, with %(part)s of what the two share",
        n=number(len(places)),
        passages=counted(pair.matches, "passage"),
        part=percent(tokens / max(1, pair.tokens)),
    )
