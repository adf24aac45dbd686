"""The git histories of a pair in words: when each passage appeared on each side, in which commit, and by whom.

A commit says of itself who made it and when, so every place that shows it says as well that it may say anything. A
side had a passage first only if both dates of its commit, when it was written and when it was committed, are before
both of the other's: rewriting a history changes the one or the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from moss.messages import counted, gettext, marked, percent
from moss.model import Commit, GitHistory, Match, Pair, Region, Report, SubmissionRecord
from moss.report.words.passage_words import record_of

HALF = 0.5  # a commit that brings more of a program than this is pointed out
CAUTION = marked(
    "Dates and names of commits can be forged: whoever makes a commit sets them, and can set them to anything."
)
METHOD = marked(
    "A line counts from the first commit on that has it beside one of its neighbours. A line that was rewritten later, "
    "for instance with other names, counts from then on."
)

Redact = Callable[[Commit], Commit]


@dataclass(frozen=True, slots=True)
class PassageDate:
    """A passage on one side, in words: the commit with which most of it was there, and the first that had some of it,
    if that is another."""

    most: str
    begun: str
    is_known: bool  # whether most of it is in a commit


@dataclass(frozen=True, slots=True)
class DatedPassage:
    """A passage with its date on each side, and the side that had it first: a, b, or nothing if that is not clear."""

    number: int
    a: PassageDate
    b: PassageDate
    first: str


@dataclass(frozen=True, slots=True)
class SideHistory:
    """The history of one side, in words."""

    name: str
    bulk: tuple[str, ...]  # a sentence on each commit that brings more than half of the program
    cut: str  # a sentence, if older commits are missing


@dataclass(frozen=True, slots=True)
class PairHistory:
    """The histories of a pair."""

    sides: tuple[SideHistory, ...]  # those that have one
    passages: tuple[DatedPassage, ...]
    summary: str
    caution: str
    method: str


def history_of_pair(
    report: Report, pair: Pair, names: Sequence[str] = (), redact: Redact = lambda commit: commit
) -> PairHistory | None:
    """The histories of a pair, under these names and with commits redacted; None if neither side has one."""
    records = [record_of(report, id)[1] for id in (pair.a, pair.b)]
    a, b = (record.history for record in records)
    if a is None and b is None:
        return None
    shown = names or [record.id for record in records]
    passages = [_dated(number, match, a, b, redact) for number, match in enumerate(pair.matches, 1)]
    sides = [_side(name, record, redact) for name, record in zip(shown, records, strict=True) if record.history]
    return PairHistory(tuple(sides), tuple(passages), _summary(passages, shown), gettext(CAUTION), gettext(METHOD))


def _side(name: str, record: SubmissionRecord, redact: Redact) -> SideHistory:
    history = record.history
    assert history is not None
    bulk = tuple(_bulk(name, redact(commit), history.count) for commit in history.commits if commit.part > HALF)
    missing = gettext("Older commits of %(name)s are missing, so what is dated here may be older.", name=name)
    return SideHistory(name, bulk, missing if history.cut else "")


def _bulk(name: str, commit: Commit, count: int) -> str:
    """A sentence on a commit that brings more than half of a program at once."""
    known = {"name": name, "part": percent(commit.part), "commit": _in_words(commit), "count": counted(count, "commit")}
    if commit.subject:
        return gettext(
            "%(name)s: one commit brings %(part)s of the program at once: %(commit)s, “%(subject)s”. "
            "The repository has %(count)s.",
            subject=commit.subject, **known,
        )  # fmt: skip
    return gettext(
        "%(name)s: one commit brings %(part)s of the program at once: %(commit)s. The repository has %(count)s.",
        **known,
    )


def _dated(number: int, match: Match, a: GitHistory | None, b: GitHistory | None, redact: Redact) -> DatedPassage:
    ours, theirs = _commit(a, match.a.commit), _commit(b, match.b.commit)
    first = _first(ours, theirs) if ours and theirs else ""
    return DatedPassage(number, _date(a, match.a, redact), _date(b, match.b, redact), first)


def _commit(history: GitHistory | None, place: int) -> Commit | None:
    """The commit at this place from 1, if there is one."""
    return history.commits[place - 1] if history and 0 < place <= len(history.commits) else None


def _date(history: GitHistory | None, region: Region, redact: Redact) -> PassageDate:
    commit, begun = _commit(history, region.commit), _commit(history, region.begun)
    first = gettext("first lines: %(commit)s", commit=_in_words(redact(begun))) if begun and begun != commit else ""
    if commit:
        return PassageDate(_in_words(redact(commit)), first, is_known=True)
    if history is None:
        return PassageDate(gettext("no history"), "", is_known=False)
    return PassageDate(gettext("for the most part in no commit") if first else gettext("in no commit"), first, False)


def _first(a: Commit, b: Commit) -> str:
    ours, theirs = _moments(a), _moments(b)
    if not ours or not theirs:
        return ""
    return "a" if max(ours) < min(theirs) else "b" if max(theirs) < min(ours) else ""


def _moments(commit: Commit) -> list[datetime]:
    """Both dates of a commit; none if one of them is not known."""
    try:
        found = [datetime.fromisoformat(written) for written in (commit.time, commit.committed or commit.time)]
    except ValueError:
        return []
    return found if all(moment.tzinfo for moment in found) else []


def _in_words(commit: Commit) -> str:
    """A commit in words: its time, and as far as they are known its id, its author and its other date."""
    time, committed = _day(commit.time), _day(commit.committed)
    words = time or gettext("at an unknown time")
    if commit.id:
        words = gettext("%(time)s, commit %(id)s", time=words, id=commit.id[:7])
    if who := _author(commit):
        words = gettext("%(commit)s by %(author)s", commit=words, author=who)
    if committed and committed[:10] != time[:10]:
        words = gettext("%(commit)s, committed %(time)s", commit=words, time=committed)
    return words


def _author(commit: Commit) -> str:
    return f"{commit.author} ({commit.mail})" if commit.author and commit.mail else commit.author or commit.mail


def _day(written: str) -> str:
    """A date in words: day, minute, and the zone."""
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return ""
    zone = moment.strftime("%z")
    return f"{moment:%Y-%m-%d %H:%M}{f' {zone[:3]}:{zone[3:5]}' if zone else ''}"


def _summary(passages: Sequence[DatedPassage], names: Sequence[str]) -> str:
    """A sentence on who had how many of the passages first, by the dates."""
    both = [passage for passage in passages if passage.a.is_known and passage.b.is_known]
    if not both:
        return gettext("Not both sides have a history of a passage, so the dates do not say who had one first.")
    count = Counter(passage.first for passage in both)
    if not (count["a"] or count["b"]):
        return gettext("The dates of the commits do not say who had what first.")
    a, b = names
    if not (count["a"] and count["b"]):
        return _one_first(a if count["a"] else b, count["a"] or count["b"], len(both))
    return gettext(
        "By the dates of the commits, %(a)s had %(first)s of %(all)s passages first, and %(b)s %(second)s.",
        a=a, b=b, first=count["a"], second=count["b"], all=len(both),
    )  # fmt: skip


def _one_first(name: str, count: int, total: int) -> str:
    if total == 1:
        return gettext("By the dates of the commits, %(name)s had the passage first.", name=name)
    if count == total:
        return gettext("By the dates of the commits, %(name)s had all %(all)s passages first.", name=name, all=total)
    return gettext(
        "By the dates of the commits, %(name)s had %(n)s of %(all)s passages first; of the others they do not say.",
        name=name, n=count, all=total,
    )  # fmt: skip


def nameless(commit: Commit) -> Commit:
    """A commit that names nobody, for anonymous evidence."""
    return replace(commit, id="", author="", mail="", subject="")
