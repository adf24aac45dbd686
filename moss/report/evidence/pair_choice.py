"""Finding the pair of a report that two names mean, or a sentence that says why there is none."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from math import floor

import numpy as np

from moss.messages import gettext, listed, number
from moss.model import Report, Role, SubmissionRecord
from moss.report.words.listed import least_listed

_LISTED = 5  # names in a message


class ChoiceError(ValueError):
    """Names that do not lead to one shown pair; the message is one sentence for the user."""


def choose_pair(report: Report, first: str, second: str) -> int:
    """The number, from 1, of the shown pair of two submissions in either order, each named by id, owner or prefix."""
    ours, theirs = _meant(report, first), _meant(report, second)
    fitting = [
        number
        for number, pair in enumerate(report.pairs, 1)
        if (pair.a in ours and pair.b in theirs) or (pair.b in ours and pair.a in theirs)
    ]
    if not fitting:
        raise ChoiceError(_why_not(report, ours, theirs))
    if len(fitting) > 1:
        pairs = (report.pairs[number - 1] for number in fitting)
        raise ChoiceError(
            gettext(
                "several pairs fit (%(pairs)s); name the submissions",
                pairs=_some([listed([pair.a, pair.b]) for pair in pairs]),
            )
        )
    return fitting[0]


def choose_student(report: Report, number: int, name: str) -> str:
    """The id of the pair's submission that a name means."""
    pair = report.pairs[number - 1]
    meant = _meant(report, name) & {pair.a, pair.b}
    if not meant:
        raise ChoiceError(f"{name!r} is neither {pair.a} nor {pair.b}: a copy is for one of the two")
    return min(meant)


def _meant(report: Report, name: str) -> frozenset[str]:
    """The ids of the submissions that a name means: one id, all of an owner, or those that it is a unique prefix of."""
    records = [record for record in report.submissions if record.role is not Role.BASE]
    small = name.casefold()
    for exact in (
        [record for record in records if record.id == name],
        [record for record in records if record.owner == name],
        [record for record in records if small in _names(record)],
    ):
        if exact:
            return frozenset(record.id for record in exact)
    begun = [record for record in records if any(known.startswith(small) for known in _names(record))]
    if not begun or not name:
        raise ChoiceError(_unknown(name, records))
    if len({record.owner for record in begun}) > 1:
        raise ChoiceError(
            gettext("%(name)r could be %(submissions)s", name=name, submissions=_some([record.id for record in begun]))
        )
    return frozenset(record.id for record in begun)


def _names(record: SubmissionRecord) -> set[str]:
    """The names that mean a submission: its id, its owner, and each member of a team."""
    return {each.casefold() for each in (record.id, record.owner, *re.split("[,;] ", record.owner))}


def _unknown(name: str, records: Collection[SubmissionRecord]) -> str:
    known = {each.casefold(): each for record in records for each in (record.owner, record.id)}
    near = [known[each] for each in get_close_matches(name.casefold(), known, _LISTED, 0.5)]
    if near:
        return gettext("the report has no submission %(name)r; did you mean %(near)s?", name=name, near=_some(near))
    known_ids = _some(sorted(record.id for record in records))
    return gettext("the report has no submission %(name)r; it has %(submissions)s", name=name, submissions=known_ids)


def _some(names: Sequence[str]) -> str:
    """The first few names."""
    return ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")


def _why_not(report: Report, ours: frozenset[str], theirs: frozenset[str]) -> str:
    """A sentence that says why two known submissions are not a shown pair, and what can be done."""
    records = {record.id: record for record in report.submissions}
    a, b = (records[min(ids)] for ids in (ours, theirs))
    both = listed([a.id, b.id])
    if ours == theirs and len(ours) == 1:
        return gettext("%(id)s is named twice, but a pair needs two submissions", id=a.id)
    if a.owner == b.owner:
        return gettext(
            "%(both)s are both by %(student)s, and nobody is compared with themselves", both=both, student=a.owner
        )
    if a.role is b.role is Role.ARCHIVE:
        return gettext("%(both)s are both earlier work, which is compared with new submissions only", both=both)
    place = _place(report, ours, theirs)
    if place is None:
        return gettext("%(both)s share nothing, so there is no evidence to show", both=both)
    shown = report.parameters.get("show")
    if isinstance(shown, int) and place > shown:
        return gettext(
            "%(both)s are only pair %(place)s by score, and the report shows the first %(shown)s: run moss compare "
            "again with -n %(least)s",
            both=both, place=number(place), shown=number(shown), least=place,
        )  # fmt: skip
    score, least = float(report.ranking.score[place - 1]), least_listed(report)
    if score < least:
        return gettext(
            "%(both)s have a score of %(score)s, and the report shows pairs from %(least)s on: run moss compare again "
            "with --threshold %(lower)s",
            both=both, score=f"{score:g}", least=f"{least:g}", lower=f"{floor(100 * score) / 100:g}",
        )  # fmt: skip
    return gettext("%(both)s share no passage that is long enough to show", both=both)


def _place(report: Report, ours: frozenset[str], theirs: frozenset[str]) -> int | None:
    """The place of the best of these pairs in the ranking, from 1, if any is in it."""
    ranking = report.ranking
    in_ours, in_theirs = (
        np.array([record.id in ids for record in report.submissions], np.bool_) for ids in (ours, theirs)
    )
    fits = (in_ours[ranking.a] & in_theirs[ranking.b]) | (in_theirs[ranking.a] & in_ours[ranking.b])
    found = np.flatnonzero(fits)
    return int(found[0]) + 1 if len(found) else None
