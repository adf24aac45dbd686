"""References in a report: their kinds in words, and the pairs of a student with several of one kind as one.

A student who is close to one answer of a chatbot is close to twenty, because these are alike. A list shows such a
student once, with the best of them and the number of the others, which the student's own page lists. Earlier work is
not folded: behind each stands another student, and each pair can become a case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from moss.messages import gettext, marked
from moss.model import Ranking, ReferenceKind, Report

_WORDS = {
    ReferenceKind.EARLIER: marked("earlier work"),
    ReferenceKind.MODEL: marked("model solution"),
    ReferenceKind.TASK: marked("task’s statement"),
    ReferenceKind.BOOK: marked("book or published solution"),
    ReferenceKind.CHATBOT: marked("chatbot’s answer"),
}


def kind_in_words(kind: ReferenceKind | str) -> str:
    """The kind of a reference, as a mark beside its name."""
    return gettext(_WORDS[ReferenceKind(kind)])


def kinds_in(report: Report) -> list[ReferenceKind]:
    """The kinds of references that a report has, in their usual order."""
    found = {record.kind for record in report.submissions}
    return [kind for kind in ReferenceKind if kind in found]


def is_folded(kind: ReferenceKind | None) -> bool:
    """Whether a list shows a student once for all texts of this kind."""
    return kind not in (None, ReferenceKind.EARLIER)


Side = tuple[str, ReferenceKind | None]
"""The owner of one side of a pair, and the kind of that side if it is a reference."""


def representatives(pairs: Iterable[tuple[Side, Side]]) -> Iterator[int]:
    """For each pair, best first and counted from 1, the number of the one that a list shows in its place: its own, or
    that of the same student's best pair with a text of the same kind.

    >>> [*representatives([(("ada", None), (f"answer {n}", ReferenceKind.CHATBOT)) for n in range(3)])]
    [1, 1, 1]
    """
    first: dict[Side, int] = {}
    for number, (a, b) in enumerate(pairs, 1):
        (student, _), (_, kind) = (a, b) if a[1] is None else (b, a)
        yield first.setdefault((student, kind), number) if is_folded(kind) else number


def listed_in_ranking(report: Report) -> NDArray[np.bool_]:
    """Which pairs of a report's ranking a list shows, or would show if it had room for all."""
    return listed_pairs(report.ranking, [(record.owner, record.kind) for record in report.submissions])


def listed_pairs(ranking: Ranking, sides: Sequence[Side]) -> NDArray[np.bool_]:
    """Which pairs of a ranking a list shows, or would show if it had room for all; `sides` has each submission."""
    folds = np.array([is_folded(kind) for _, kind in sides], np.bool_)
    a, b = ranking.a, ranking.b
    listed = np.ones(len(a), np.bool_)
    rows = np.flatnonzero(folds[a] | folds[b])
    pairs = ((sides[i], sides[j]) for i, j in zip(a[rows].tolist(), b[rows].tolist(), strict=True))
    listed[rows] = [number == best for number, best in enumerate(representatives(pairs), 1)]
    return listed


def fold_references(report: Report) -> dict[int, tuple[int, ...]]:
    """The numbers of the pairs that a list shows, in order, each with those of the further pairs of the same student
    with texts of the same kind."""
    sides = {record.id: (record.owner, record.kind) for record in report.submissions}
    shown: dict[int, tuple[int, ...]] = {}
    for number, best in enumerate(representatives((sides[pair.a], sides[pair.b]) for pair in report.pairs), 1):
        shown[best] = (*shown[best], number) if best in shown else ()
    return shown
