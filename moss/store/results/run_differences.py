"""The difference between two runs: which settings changed, who came and went, and how the ranking moved.

As in a report's list, a student is there once for all texts of a kind, with the best of them in each run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.messages import listed, marked
from moss.model import ReferenceKind, Standing
from moss.report.words.references import is_folded
from moss.store.results.reports import rules_of
from moss.store.results.run_outcome import Key, RunMember, RunOutcome, outcome_of
from moss.store.tables import AssignmentRow, RunRow

Codes = NDArray[np.int64]
"""A number for each pair of a ranking, the same in both runs."""


Known = Mapping[Key, RunMember]
"""The members of a run, by their keys."""


class PairMove(StrEnum):
    """The direction in which a pair moved."""

    NEW = "new"
    RISEN = "risen"
    SAME = "same"
    FALLEN = "fallen"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class RankedPlace:
    """The place of a pair in one run."""

    rank: int  # among all pairs that share anything
    score: float
    standing: Standing
    page: int | None  # the rank of its page, if it has one


@dataclass(frozen=True, slots=True)
class PairChange:
    """A pair in the run before and in the run after."""

    pair: tuple[RunMember, RunMember]
    before: RankedPlace | None
    after: RankedPlace | None
    why: str  # the reason why it is new or gone

    @property
    def move(self) -> PairMove:
        """The direction in which it moved."""
        if self.before is None or self.after is None:
            return PairMove.NEW if self.before is None else PairMove.GONE
        return PairMove.SAME if self.climb == 0 else PairMove.RISEN if self.climb > 0 else PairMove.FALLEN

    @property
    def kind(self) -> ReferenceKind | None:
        """The kind of the side that is a reference."""
        return self.pair[0].kind or self.pair[1].kind

    @property
    def climb(self) -> int:
        """By how many ranks it rose."""
        return self.before.rank - self.after.rank if self.before and self.after else 0

    @property
    def gain(self) -> float:
        """By how much its score rose."""
        return (self.after.score if self.after else 0.0) - (self.before.score if self.before else 0.0)

    @property
    def stands_out(self) -> tuple[bool, bool]:
        """Whether it stood out before, and whether it does after."""
        before, after = (place is not None and place.standing is not Standing.ORDINARY for place in self.places)
        return before, after

    @property
    def places(self) -> tuple[RankedPlace | None, RankedPlace | None]:
        """Its places before and after."""
        return self.before, self.after


@dataclass(frozen=True, slots=True)
class RunDifference:
    """The difference between two runs."""

    changes: tuple[PairChange, ...]  # the best pairs of both, in the order of the second run, then of the first
    pairs: tuple[int, int]  # numbers of pairs that share anything, in each run
    standing_out: tuple[int, int, int]  # numbers of pairs that stand out before, after, and in both
    came: tuple[RunMember, ...]
    went: tuple[RunMember, ...]
    renewed: tuple[RunMember, ...]  # members that were compared in another version
    scores: tuple[int, int] = (1, 1)  # the versions of the score by which they were ranked

    @property
    def is_comparable(self) -> bool:
        """Whether scores and ranks mean the same in both; if not, nothing is said about pairs."""
        return self.scores[0] == self.scores[1]


@dataclass(frozen=True, slots=True)
class ChangedParameter:
    """A setting that was chosen differently."""

    name: str
    before: str
    after: str


def compare_runs(session: Session, before: RunRow, after: RunRow, most: int) -> RunDifference:
    """The difference between two finished runs, with the best so many pairs of each; people of two assignments are
    matched by name."""
    by_name = before.assignment_id != after.assignment_id
    return difference(
        outcome_of(session, before, by_name=by_name), outcome_of(session, after, by_name=by_name), most
    )  # fmt: skip


def difference(before: RunOutcome, after: RunOutcome, most: int) -> RunDifference:
    """The difference between two outcomes, with the best so many pairs of each; without pairs, if they were ranked by
    different scores."""
    known = _known(before), _known(after)
    members = (
        tuple(member for key, member in known[1].items() if key not in known[0]),
        tuple(member for key, member in known[0].items() if key not in known[1]),
        tuple(_renewed(*known)),
    )
    scores, pairs = (before.rules.score, after.rules.score), (len(before.ranking), len(after.ranking))
    if before.rules.score != after.rules.score:
        return RunDifference((), pairs, (0, 0, 0), *members, scores)
    numbers = _numbers(*known)
    codes = _codes(before, numbers), _codes(after, numbers)
    wanted = np.array(list(dict.fromkeys((*codes[1][:most].tolist(), *codes[0][:most].tolist()))), np.int64)
    ranks = [_ranks(each, wanted).tolist() for each in codes]
    changes = tuple(_change(before, after, known, was, now) for was, now in zip(*ranks, strict=True))
    return RunDifference(changes, pairs, _standing_out(before, after, codes), *members, scores)


def _numbers(before: Known, after: Known) -> dict[Key, int]:
    """A number for each member of both runs; texts of one kind have the same. A kind that was changed is the later."""
    kinds = list(ReferenceKind)
    members = {**before, **after}
    return {
        key: kinds.index(member.kind) if member.kind and is_folded(member.kind) else number
        for number, (key, member) in enumerate(members.items(), len(kinds))
    }


def _codes(outcome: RunOutcome, numbers: Mapping[Key, int]) -> Codes:
    of = np.array([numbers[key] for key in outcome.keys], np.int64)
    a, b = of[outcome.ranking.a], of[outcome.ranking.b]
    codes: Codes = np.minimum(a, b) * (len(numbers) + len(ReferenceKind)) + np.maximum(a, b)
    return codes


def _ranks(codes: Codes, wanted: Codes) -> Codes:
    """The best rank of each wanted pair, from 1; 0 for a pair that is not in the ranking."""
    if not len(codes):
        return np.zeros(len(wanted), np.int64)
    order = np.argsort(codes, kind="stable")
    at = order[np.minimum(np.searchsorted(codes, wanted, sorter=order), len(codes) - 1)]
    ranks: Codes = np.where(codes[at] == wanted, at + 1, 0)
    return ranks


def _known(outcome: RunOutcome) -> Known:
    return dict(zip(outcome.keys, outcome.members, strict=True))


def _change(before: RunOutcome, after: RunOutcome, known: tuple[Known, Known], was: int, now: int) -> PairChange:
    outcome, rank = (after, now) if now else (before, was)
    places = int(outcome.ranking.a[rank - 1]), int(outcome.ranking.b[rank - 1])
    keys = [outcome.keys[place] for place in places]
    pair = outcome.members[places[0]], outcome.members[places[1]]
    return PairChange(pair, _place(before, was), _place(after, now), _why(keys, known, was, now))


def _place(outcome: RunOutcome, rank: int) -> RankedPlace | None:
    if not rank:
        return None
    ranking, baseline = outcome.ranking, outcome.baseline
    a, b, score = int(ranking.a[rank - 1]), int(ranking.b[rank - 1]), float(ranking.score[rank - 1])
    return RankedPlace(rank, score, baseline.standing(score), outcome.pages.get((a, b)))


def _why(keys: Sequence[Key], known: tuple[Known, Known], was: int, now: int) -> str:
    if not was:
        shared = all(key in known[0] for key in keys)
        return _("shared nothing before") if shared else _("not compared before")
    if not now:
        shared = all(key in known[1] for key in keys)
        return _("shares nothing any more") if shared else _("no longer compared")
    return ""


def _standing_out(before: RunOutcome, after: RunOutcome, codes: tuple[Codes, Codes]) -> tuple[int, int, int]:
    first, second = _out(before, codes[0]), _out(after, codes[1])
    return len(first), len(second), len(np.intersect1d(first, second, assume_unique=True))


def _out(outcome: RunOutcome, codes: Codes) -> Codes:
    out: Codes = np.unique(codes[outcome.ranking.score > outcome.baseline.limit])
    return out


def _renewed(before: Mapping[Key, RunMember], after: Mapping[Key, RunMember]) -> Iterator[RunMember]:
    for key, member in after.items():
        earlier = before.get(key)
        if earlier and earlier.submission_id and member.submission_id not in (None, earlier.submission_id):
            yield member


_WORDS = {
    "max_matches": marked("Ignore passages shared by more than"), "noise": marked("Noise"),
    "guarantee": marked("Guarantee"), "language": marked("Language"), "cluster": marked("Clusters from a score of"),
    "show": marked("Pairs shown"),
}  # fmt: skip
_BY_LANGUAGE = marked("depends on the language")
_UNCHOSEN = {"cluster": marked("very unusual pairs")}


def parameters_changed(session: Session, before: RunRow, after: RunRow) -> list[ChangedParameter]:
    """The settings that were chosen differently for the second of two finished runs."""
    chosen = [dict(_parameters(session, run)) for run in (before, after)]
    return [
        ChangedParameter(name, chosen[0][name], text) for name, text in chosen[1].items() if chosen[0][name] != text
    ]


def _parameters(session: Session, run: RunRow) -> Iterator[tuple[str, str]]:
    assert run.result is not None
    used = run.result.parameters
    for name, word in _WORDS.items():
        unchosen = _(_UNCHOSEN.get(name, _BY_LANGUAGE))
        yield _(word), unchosen if used.get(name) is None else str(used[name])
    if "max_matches" not in run.settings:
        yield _(_WORDS["max_matches"]), _("%(n)s, from the size of the class", n=used["max_matches"])
    yield _("Quotations"), _("compared") if used.get("quotations", True) else _("excluded")
    yield _("Earlier assignments"), listed(archive_names(session, run.archives)) or _("none")
    yield _("Corpora"), listed(run.corpora) or _("none")
    yield _("Version of moss"), run.result.version
    yield _("Rules"), rules_of(run.result).in_words


def archive_names(session: Session, archives: Sequence[int]) -> list[str]:
    """The names of assignments whose submissions were earlier work."""
    found = [session.get(AssignmentRow, number) for number in archives]
    return [f"{each.course.title}: {each.name}" if each else _("a deleted assignment") for each in found]
