"""The clusters as a drawing: submissions as nodes, links as lines, each cluster beside the others.

If a cluster has very many links, only the strongest are drawn, and always enough to hold it together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moss.model import Report, Role
from moss.report.pages.graph_layout import MARGIN, Edge, Points, lay_out, set_in_rows

_LABEL = 12  # characters
_LINKS_PER_NODE = 3


@dataclass(frozen=True, slots=True)
class Node:
    """A submission in the drawing; `number` is its place in the report, from 1."""

    number: int
    id: str
    label: str
    archived: bool
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Link:
    """Two submissions of a cluster that are alike; `pair` is the number of the pair's page, if it has one."""

    a: Node
    b: Node
    score: float
    width: float
    pair: int | None


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster in the drawing."""

    number: int
    x: float
    y: float
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """All clusters; `thinned` if links were left out, `unshown` if some links have no page."""

    groups: tuple[Group, ...]
    width: float
    height: float
    thinned: bool
    unshown: bool


def make_graph(report: Report) -> Graph:
    """The drawing of a report's clusters."""
    numbers = {record.id: i for i, record in enumerate(report.submissions)}
    members = [[numbers[id] for id in cluster] for cluster in report.clusters]
    found = _edges_by_cluster(report, members)
    kept = [_strongest(edges, len(nodes)) for edges, nodes in zip(found, members, strict=True)]
    shapes = [lay_out(len(nodes), edges) for nodes, edges in zip(members, kept, strict=True)]
    places, height = set_in_rows([shape.max(axis=0) + 2 * MARGIN for shape in shapes])
    pages = {frozenset((pair.a, pair.b)): i for i, pair in enumerate(report.pairs, 1)}
    groups = tuple(
        _group(report, number, nodes, edges, shape + MARGIN, place, pages)
        for number, (nodes, edges, shape, place) in enumerate(zip(members, kept, shapes, places, strict=True), 1)
    )
    width = max(node.x for group in groups for node in group.nodes) + float(MARGIN[0])
    thinned = any(len(a) < len(b) for a, b in zip(kept, found, strict=True))
    unshown = any(link.pair is None for group in groups for link in group.links)
    return Graph(groups, width, float(height), thinned, unshown)


def _edges_by_cluster(report: Report, members: Sequence[Sequence[int]]) -> list[list[Edge]]:
    """For each cluster its links, strongest first; ends are positions in the cluster."""
    place = {node: (c, i) for c, nodes in enumerate(members) for i, node in enumerate(nodes)}
    edges: list[list[Edge]] = [[] for _ in members]
    ranking = report.ranking
    count = report.baseline.count_linked(ranking, report.parameters.get("cluster"))
    rows = (column[:count].tolist() for column in (ranking.a, ranking.b, ranking.score))
    for a, b, score in zip(*rows, strict=True):
        if a in place and b in place:
            (cluster, i), (_, j) = place[a], place[b]
            edges[cluster].append((i, j, score))
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
    shape: Points,
    place: Points,
    pages: Mapping[frozenset[str], int],
) -> Group:
    nodes = tuple(_node(report, member, shape[i] + place) for i, member in enumerate(members))
    links = tuple(
        Link(nodes[a], nodes[b], score, round(1 + 5 * score**2, 1), pages.get(frozenset((nodes[a].id, nodes[b].id))))
        for a, b, score in edges
    )
    return Group(number, float(place[0]), float(place[1]), nodes, links)


def _node(report: Report, member: int, at: Points) -> Node:
    record = report.submissions[member]
    label = record.id if len(record.id) <= _LABEL else f"{record.id[: _LABEL - 1]}…"
    return Node(
        member + 1, record.id, label, record.role is Role.ARCHIVE, round(float(at[0]), 1), round(float(at[1]), 1)
    )
