"""Finding the pair of a report that two names mean, or a sentence that says why there is none."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches

import numpy as np

from moss.model import Report, Role, SubmissionRecord

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
        raise ChoiceError(f"several pairs fit: name the submissions, {_some([f'{p.a} and {p.b}' for p in pairs])}")
    return fitting[0]


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
        raise ChoiceError(f"{name!r} could be {_some([record.id for record in begun], 'or')}")
    return frozenset(record.id for record in begun)


def _names(record: SubmissionRecord) -> set[str]:
    """The names that mean a submission: its id, its owner, and each member of a team."""
    return {each.casefold() for each in (record.id, record.owner, *re.split("[,;] ", record.owner))}


def _unknown(name: str, records: Collection[SubmissionRecord]) -> str:
    known = {each.casefold(): each for record in records for each in (record.owner, record.id)}
    near = [known[each] for each in get_close_matches(name.casefold(), known, _LISTED, 0.5)]
    hint = f"did you mean {_some(near, 'or')}?" if near else f"it has {_some(sorted(r.id for r in records))}"
    return f"there is no submission {name!r} in the report; {hint}"


def _some(names: Collection[str], joined: str = "and") -> str:
    """The first few names as a list in words."""
    listed = list(names)
    if len(listed) > _LISTED:
        return f"{', '.join(listed[:_LISTED])} {joined} {len(listed) - _LISTED} more"
    return f" {joined} ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)


def _why_not(report: Report, ours: frozenset[str], theirs: frozenset[str]) -> str:
    """A sentence that says why two known submissions are not a shown pair, and what can be done."""
    records = {record.id: record for record in report.submissions}
    a, b = (records[min(ids)] for ids in (ours, theirs))
    both = f"{a.id} and {b.id}"
    if ours == theirs and len(ours) == 1:
        return f"{a.id} is named twice: evidence is about two submissions"
    if a.owner == b.owner:
        return f"{both} are both of {a.owner}, and nobody is compared with themselves"
    if a.role is b.role is Role.ARCHIVE:
        return f"{both} are both from the archive, which is compared with new submissions only"
    place = _place(report, ours, theirs)
    if place is None:
        return f"{both} share nothing, so there is no evidence to show"
    shown = report.parameters.get("show")
    if isinstance(shown, int) and place > shown:
        return (
            f"{both} are only pair {place:,} by score, and the report shows the best {shown:,}: "
            f"run moss compare again with -n {place}"
        )
    return f"{both} share single fingerprints only and no passage that is long enough to show"


def _place(report: Report, ours: frozenset[str], theirs: frozenset[str]) -> int | None:
    """The place of the best of these pairs in the ranking, from 1, if any is in it."""
    ranking = report.ranking
    in_ours, in_theirs = (
        np.array([record.id in ids for record in report.submissions], np.bool_) for ids in (ours, theirs)
    )
    fits = (in_ours[ranking.a] & in_theirs[ranking.b]) | (in_theirs[ranking.a] & in_ours[ranking.b])
    found = np.flatnonzero(fits)
    return int(found[0]) + 1 if len(found) else None
