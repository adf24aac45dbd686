"""References in a report: their kinds in words, and the pairs of a student with several of one kind as one.

A student who is close to one answer of a chatbot is close to twenty, because these are alike. A list shows such a
student once, with the best of them and the number of the others, which the student's own page lists. Earlier work is
not folded: behind each stands another student, and each pair can become a case.
"""

from __future__ import annotations

from moss.messages import gettext, marked
from moss.model import ReferenceKind, Report

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


def fold_references(report: Report) -> dict[int, tuple[int, ...]]:
    """The numbers of the pairs that a list shows, in order, each with those of the further pairs of the same student
    with texts of the same kind."""
    kinds = {record.id: record.kind for record in report.submissions}
    owners = {record.id: record.owner for record in report.submissions}
    first: dict[tuple[str, ReferenceKind | None], int] = {}
    shown: dict[int, tuple[int, ...]] = {}
    for number, pair in enumerate(report.pairs, 1):
        student, kind = (pair.a, kinds[pair.b]) if kinds[pair.a] is None else (pair.b, kinds[pair.a])
        folds = kind and kind is not ReferenceKind.EARLIER
        best = first.setdefault((owners[student], kind), number) if folds else number
        shown[best] = (*shown[best], number) if best in shown else ()
    return shown
