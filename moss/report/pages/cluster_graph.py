"""The clusters as drawings: submissions on a ring, links as lines between them.

If a cluster has very many links, only the strongest are drawn, and always enough to hold it together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from moss.model import ReferenceKind, Report, SubmissionRecord
from moss.report.pages.graph_layout import Edge, Point, alike_side_by_side, name_width, path, ring, room
from moss.report.words.hand_in_times import hand_in_time

Scores = Mapping[frozenset[int], float]

LABEL = 18
"""Letters of a name that a drawing shows."""

_LINKS_PER_NODE = 3
_MOST_DRAWN = 120  # members: a larger ring is higher than two screens
_HEATS = 5  # steps of hue from the weakest link that there can be to the strongest


@dataclass(frozen=True, slots=True)
class Node:
    """A submission in a drawing; `number` is its place in the report, from 1."""

    number: int
    id: str
    label: str
    kind: ReferenceKind | None  # of a submission that is none of the class
    section: str
    time: str  # by which members are put in order: ISO 8601, or nothing
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Link:
    """Two submissions of a cluster that are alike, by their places in the drawing; `pair` is the number of the pair's
    page, if it has one."""

    a: int
    b: int
    score: float
    width: float
    heat: int
    pair: int | None
    path: str


@dataclass(frozen=True, slots=True)
class Group:
    """The drawing of a cluster: what is drawn of it, and how large it is. Very large ones have no nodes."""

    number: int
    size: int
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    width: float
    height: float
    found: int  # links, those that are not drawn included


@dataclass(frozen=True, slots=True)
class Graph:
    """The drawings of all clusters; `least` is the score from which links are counted."""

    groups: tuple[Group, ...]
    least: float
    sections: tuple[str, ...]

    @property
    def thinned(self) -> bool:
        """Whether links were left out."""
        return any(group.nodes and len(group.links) < group.found for group in self.groups)

    @property
    def unshown(self) -> bool:
        """Whether some links have no page."""
        return any(link.pair is None for group in self.groups for link in group.links)

    @property
    def kinds(self) -> list[ReferenceKind]:
        """The kinds of references that are drawn, in their usual order."""
        drawn = {node.kind for group in self.groups for node in group.nodes}
        return [kind for kind in ReferenceKind if kind in drawn]

    @property
    def timed(self) -> bool:
        """Whether members can be put in the order in which they were handed in."""
        return any(node.time for group in self.groups for node in group.nodes)


def make_graph(report: Report, chosen: Sequence[int] | None = None) -> Graph:
    """The drawings of a report's clusters, or of those with the chosen numbers, counted from 1."""
    wanted = range(1, len(report.clusters) + 1) if chosen is None else chosen
    numbers = {record.id: i for i, record in enumerate(report.submissions)}
    members = [[numbers[id] for id in report.clusters[number - 1]] for number in wanted]
    pages = {frozenset((pair.a, pair.b)): i for i, pair in enumerate(report.pairs, 1)}
    least = least_linked(report)
    groups = tuple(
        _group(report, number, nodes, _edges(report, number, nodes), pages, least)
        for number, nodes in zip(wanted, members, strict=True)
    )
    sections = {node.section for group in groups for node in group.nodes if node.section}
    return Graph(groups, least, tuple(sorted(sections)))


def least_linked(report: Report) -> float:
    """The score from which pairs connect submissions to clusters."""
    chosen = report.parameters.get("cluster")
    return 0.0 if report.imported else report.baseline.far if chosen is None else float(chosen)


def is_linked(report: Report, score: float) -> bool:
    """Whether a score connects two submissions of a cluster."""
    by_limit = report.parameters.get("cluster") is None and not report.imported
    return score > report.baseline.far if by_limit else score >= least_linked(report)


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """A report by its identity: one that is as large as a class is not compared with another."""

    report: Report

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.report is other.report

    def __hash__(self) -> int:
        return id(self.report)


def scores_of(report: Report, number: int) -> Scores:
    """The scores of all pairs of a cluster's members that share anything, best first, by their places in the report."""
    return _scores_by_cluster(_Same(report))[number - 1]


@lru_cache(maxsize=1)  # for the pages of one report: its ranking may have millions of pairs, and is gone through once
def _scores_by_cluster(same: _Same) -> list[Scores]:
    report, ranking = same.report, same.report.ranking
    place = {record.id: i for i, record in enumerate(report.submissions)}
    cluster = np.full(len(report.submissions), -1)
    for number, members in enumerate(report.clusters):
        cluster[[place[id] for id in members]] = number
    of_first = cluster[ranking.a]
    here = np.flatnonzero(of_first >= 0)  # few: most of a class are in no cluster
    here = here[of_first[here] == cluster[ranking.b[here]]]
    found: list[dict[frozenset[int], float]] = [{} for _ in report.clusters]
    rows = (column[here].tolist() for column in (of_first, ranking.a, ranking.b, ranking.score))
    for number, a, b, score in zip(*rows, strict=True):
        found[number][frozenset((a, b))] = score
    return list(found)


def _edges(report: Report, number: int, members: Sequence[int]) -> list[Edge]:
    """The links of a cluster, strongest first; ends are positions in it."""
    position = {member: i for i, member in enumerate(members)}
    edges = []
    for pair, score in scores_of(report, number).items():
        if is_linked(report, score):
            a, b = sorted(position[member] for member in pair)
            edges.append((a, b, score))
    return edges


def _strongest(edges: Sequence[Edge], size: int) -> list[Edge]:
    """The strongest links, so many per node, and those that hold the cluster together."""
    group = list(range(size))
    kept = []
    for number, (a, b, score) in enumerate(edges):
        joins = group[a] != group[b]
        if joins:
            old, new = group[a], group[b]
            group = [new if g == old else g for g in group]
        if joins or number < _LINKS_PER_NODE * size:
            kept.append((a, b, score))
    return kept


def _group(
    report: Report,
    number: int,
    members: Sequence[int],
    edges: Sequence[Edge],
    pages: Mapping[frozenset[str], int],
    least: float,
) -> Group:
    size = len(members)
    if size > _MOST_DRAWN:
        return Group(number, size, (), (), 0.0, 0.0, len(edges))
    kept = _strongest(edges, size)
    order = alike_side_by_side(size, kept)
    places = ring(size)
    records = [report.submissions[members[i]] for i in order]
    nodes = tuple(_node(members[i], record, at) for i, record, at in zip(order, records, places, strict=True))
    at = {member: place for place, member in enumerate(order)}
    links = tuple(_link(nodes, at[a], at[b], score, pages, least) for a, b, score in reversed(kept))
    widest = max((name_width(node.label) for node in nodes), default=0.0)
    width, height = room(size, widest)
    return Group(number, size, nodes, links, round(width, 1), round(height, 1), len(edges))


def _node(member: int, record: SubmissionRecord, at: Point) -> Node:
    label = record.id if len(record.id) <= LABEL else f"{record.id[: LABEL - 1]}…"
    time = hand_in_time(record)
    written = time.moment.isoformat() if time else ""
    return Node(member + 1, record.id, label, record.kind, record.section, written, round(at[0], 1), round(at[1], 1))


def _link(
    nodes: Sequence[Node], a: int, b: int, score: float, pages: Mapping[frozenset[str], int], least: float
) -> Link:
    strength = _strength(score, least)
    ends = nodes[a], nodes[b]
    line = path(*((node.x, node.y) for node in ends))
    page = pages.get(frozenset(node.id for node in ends))
    return Link(a, b, round(score, 4), round(1.25 + 4.75 * strength**1.5, 1), heat_of(score, least), page, line)


def heat_of(score: float, least: float) -> int:
    """The step of hue of a link, from 0 for the weakest that there can be to 4."""
    return min(_HEATS - 1, int(_HEATS * _strength(score, least)))


def _strength(score: float, least: float) -> float:
    return max(0.0, (score - least) / (1 - least)) if least < 1 else 1.0
