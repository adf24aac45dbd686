"""The page of one cluster: its graph, its members in the order of handing in, all their scores, and what they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from markupsafe import Markup

from moss.lines import line_starts
from moss.messages import duration, listed
from moss.messages import gettext as _
from moss.model import Pair, ReferenceKind, Report, Standing
from moss.report.code.visible_text import escape, visible
from moss.report.page_templates import Links, environment, numbers, paged
from moss.report.pages.cluster_graph import Scores, heat_of, is_linked, least_linked, make_graph, scores_of
from moss.report.pages.shared_lines import shared_sheet
from moss.report.words.hand_in_times import CAUTION, HandInTime, hand_in_times, in_order

_MOST_IN_MATRIX = 60  # members: more cells than a browser draws at once
_MOST_UPRIGHT = 16  # members whose scores fit on a sheet of paper that stands upright
_MOST_PASSAGES = 12
_MOST_LINES = 40  # of a passage that are shown
_MOST_PAIRS = 100  # that are listed; the matrix has them all
_LEAST_LETTERS = 20  # of a passage: brackets that all have say nothing


@dataclass(frozen=True, slots=True)
class ClusterMember:
    """A submission of the cluster; `later` says in words how long after the first it was handed in."""

    id: str
    number: int
    kind: ReferenceKind | None  # if it is a reference
    section: str
    time: HandInTime | None
    later: str
    best: float
    linked: int  # with how many members


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """The score of two members, if they share anything, and its hue, if it connects them; `pair` is the number of their
    page, if it has one."""

    score: float | None
    heat: int | None
    pair: int | None


@dataclass(frozen=True, slots=True)
class CommonPassage:
    """Lines of one member that most others have too; `without` are the members that have not."""

    file: str
    first: int
    last: int
    text: str
    count: int
    without: tuple[str, ...]

    @property
    def cut(self) -> bool:
        """Whether only its beginning is shown."""
        return self.last - self.first >= _MOST_LINES

    @property
    def shown(self) -> str:
        """The lines that the page shows."""
        starts = line_starts(self.text)
        return self.text[: starts[_MOST_LINES]] if len(starts) > _MOST_LINES else self.text


@dataclass(frozen=True, slots=True)
class ClusterPair:
    """A pair of the cluster that has a page; `order` says who came first."""

    number: int
    pair: Pair
    standing: Standing
    order: Markup


def render_cluster(report: Report, number: int, links: Links) -> str:
    """The page of the cluster with this number, counted from 1."""
    times = hand_in_times(report.submissions[place] for place in _places(report, number))
    scores = scores_of(report, number)
    members = _members(report, number, times, scores)
    graph, pairs = make_graph(report, [number]), _pairs(report, number, times)
    pages = {frozenset((each.pair.a, each.pair.b)): each.number for each in pairs}
    shown = members[:_MOST_IN_MATRIX]
    least = least_linked(report)
    return environment().get_template("report/cluster.html").render(
        report=report, links=links, number=number, total=len(report.clusters), members=members, graph=graph,
        group=graph.groups[0], numbers=numbers(report), paged=paged(report), likely_first=_likely_first(members),
        caution=_(CAUTION), matrix=_matrix(report, shown, scores, pages), unlisted=len(members) - len(shown),
        source=source_of_passages(report, number), passages=_passages(report, number),
        pairs=pairs[:_MOST_PAIRS], found=len(scores), least=least,
        is_broad=len(shown) > _MOST_UPRIGHT,
    )  # fmt: skip


def _places(report: Report, number: int) -> list[int]:
    """The places of a cluster's members in the report."""
    number_of = numbers(report)
    return [number_of[id] - 1 for id in report.clusters[number - 1]]


def _members(report: Report, number: int, times: dict[str, HandInTime], scores: Scores) -> list[ClusterMember]:
    """Earlier work first, then all in the order of handing in."""
    place = {report.submissions[i].id: i for i in _places(report, number)}
    old = {id for id, i in place.items() if report.submissions[i].kind}
    order = sorted(in_order(list(place), times), key=lambda id: id not in old)
    first = next((id for id in order if id in times and id not in old), None)
    return [_member(report, place[id], times.get(id), times.get(first or ""), scores) for id in order]


def _member(
    report: Report, place: int, time: HandInTime | None, first: HandInTime | None, scores: Scores
) -> ClusterMember:  # fmt: skip
    record = report.submissions[place]
    mine = [score for pair, score in scores.items() if place in pair]
    gap = time.after(first) if time and first else None
    best = max(mine, default=0.0)
    linked = sum(is_linked(report, score) for score in mine)
    later = _("%(length)s later", length=duration(gap)) if gap and gap > timedelta() and not record.kind else ""
    return ClusterMember(record.id, place + 1, record.kind, record.section, time, later, best, linked)


def _likely_first(members: Sequence[ClusterMember]) -> str:
    """A sentence on who had it first, as far as times tell; empty if they do not."""
    old = [member.id for member in members if member.kind is ReferenceKind.EARLIER]
    if old:
        names = listed(old)
        return _("Earlier work, which was there before this class handed anything in: %(names)s.", names=names)
    timed = [member for member in members if member.time]
    if len(timed) < 2:
        return ""
    first, second = timed[:2]
    gaps = [member.time.after(first.time) for member in timed[1:] if member.time and first.time]
    if None in gaps or not gaps[0]:
        return ""
    return _(
        "%(first)s, by the times that are known: %(length)s before the next, %(second)s.",
        first=first.id, length=duration(gaps[0]), second=second.id,
    )  # fmt: skip


def _matrix(
    report: Report, members: Sequence[ClusterMember], scores: Scores, pages: Mapping[frozenset[str], int]
) -> list[tuple[ClusterMember, list[MatrixCell]]]:
    """For each member its scores with those before it."""

    def cell(one: ClusterMember, other: ClusterMember) -> MatrixCell:
        score = scores.get(frozenset((one.number - 1, other.number - 1)))
        heat = heat_of(score, least_linked(report)) if score is not None and is_linked(report, score) else None
        return MatrixCell(score, heat, pages.get(frozenset((one.id, other.id))))

    return [(one, [cell(one, other) for other in members[:i]]) for i, one in enumerate(members)]


def source_of_passages(report: Report, number: int) -> int:
    """The number of the member from whose text the passages that all share are shown: the one that is most alike to
    all others, of several such the first of the report."""
    total = dict.fromkeys(_places(report, number), 0.0)
    for pair, score in scores_of(report, number).items():
        for place in pair:
            total[place] += score
    return max(total, key=lambda place: (round(total[place], 9), -place)) + 1


def pairs_of_source(report: Report, number: int) -> dict[int, Pair]:
    """The shown pairs, by their ranks, of that member with other members."""
    members = set(report.clusters[number - 1])
    source = report.submissions[source_of_passages(report, number) - 1].id
    return {
        rank: pair
        for rank, pair in enumerate(report.pairs, 1)
        if source in (pair.a, pair.b) and {pair.a, pair.b} <= members
    }


def _passages(report: Report, number: int) -> list[CommonPassage]:
    """Passages that more than half of the members have, those that all have first."""
    members = frozenset(report.clusters[number - 1])
    record = report.submissions[source_of_passages(report, number) - 1]
    pairs = list(pairs_of_source(report, number).values())
    found = [
        CommonPassage(
            file.path, group.first, group.last, group.text, 1 + len(group.sharers),
            tuple(sorted(members - {record.id, *group.sharers})),
        )
        for file in record.files if file.text
        for group in shared_sheet(record, file, pairs, members - {record.id}).groups
        if 2 * (1 + len(group.sharers)) > len(members) and len("".join(group.text.split())) >= _LEAST_LETTERS
        and group.sharers
    ]  # fmt: skip
    return sorted(found, key=lambda passage: (-passage.count, passage.first - passage.last))[:_MOST_PASSAGES]


def _pairs(report: Report, number: int, times: dict[str, HandInTime]) -> list[ClusterPair]:
    members = set(report.clusters[number - 1])
    return [
        ClusterPair(rank, pair, report.baseline.standing(pair.score), _order(pair, times))
        for rank, pair in enumerate(report.pairs, 1)
        if pair.a in members and pair.b in members
    ]


def _order(pair: Pair, times: dict[str, HandInTime]) -> Markup:
    """Who of a pair came first and by how much, in few words."""
    if pair.a not in times or pair.b not in times:
        return Markup()
    gap = times[pair.b].after(times[pair.a])
    if not gap:
        return Markup(escape(_("same time") if gap is not None else ""))
    first = f"<bdi>{visible(pair.a if gap > timedelta() else pair.b)}</bdi>"
    return Markup(_("%(name)s %(length)s before", name=first, length=escape(duration(gap))))
