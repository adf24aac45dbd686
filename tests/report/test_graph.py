"""The drawing of clusters: the same every time, nothing left out, nothing on top of anything."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss.engine.union_find import clusters
from moss.model import Ranking, ReferenceKind, Report, Role, SubmissionRecord
from moss.report.pages.cluster_graph import make_graph
from moss.report.pages.graph_layout import NAME_GAP, NAME_HEIGHT, bend, name_width, ring


def report_with(links, size=None, archived=()):
    """A report in which these submissions, by number, are linked with these scores."""
    size = size or 1 + max(max(a, b) for a, b, _ in links)
    names = [f"s{i:03}" for i in range(size)]
    records = tuple(
        SubmissionRecord(name, name, Role.ARCHIVE if i in archived else Role.NEW, "java", 9, 9, ())
        for i, name in enumerate(names)
    )
    links = sorted(links, key=lambda link: -link[2])
    a, b, score = zip(*links, strict=True)
    return Report(
        created=datetime(2026, 1, 1, tzinfo=UTC), version="0", parameters={"cluster": 0.5},
        submissions=records, pairs=(),
        ranking=Ranking(np.array(a), np.array(b), np.array(score)),
        clusters=clusters((names[a], names[b]) for a, b, score in links if score >= 0.5), problems=(),
    )  # fmt: skip


LINKS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30), st.floats(0.5, 1)).filter(lambda link: link[0] != link[1]),
    min_size=1, max_size=60, unique_by=lambda link: frozenset(link[:2]),
)  # fmt: skip


def ends(link, group):
    return tuple(sorted(group.nodes[end].id for end in (link.a, link.b)))


def nodes(graph):
    return [node for group in graph.groups for node in group.nodes]


@settings(max_examples=30, deadline=None)
@given(LINKS)
def test_every_member_is_drawn_once_and_inside(links):
    report = report_with(links)
    graph = make_graph(report)
    assert sorted(node.id for node in nodes(graph)) == sorted(id for cluster in report.clusters for id in cluster)
    for group in graph.groups:
        for left, top, right, bottom in map(name_box, group.nodes):
            assert -group.width / 2 < left < right < group.width / 2
            assert -group.height / 2 < top < bottom < group.height / 2


def name_box(node):
    """The room of a name: left, top, right, bottom."""
    near, far = NAME_GAP, NAME_GAP + name_width(node.label)
    across = (node.x + near, node.x + far) if node.x > 0 else (node.x - far, node.x - near)
    return across[0], node.y - NAME_HEIGHT / 2, across[1], node.y + NAME_HEIGHT / 2


def points_of(link, group):
    """Many points of a line."""
    a, b = ((group.nodes[end].x, group.nodes[end].y) for end in (link.a, link.b))
    middle = bend(a, b) if a[0] * b[0] > 0 else ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    t = np.linspace(0, 1, 101)[:, None]
    return (1 - t) ** 2 * np.array(a) + 2 * t * (1 - t) * np.array(middle) + t**2 * np.array(b)


LINKED = {
    "ring": lambda size: [(i, (i + 1) % size, 0.7) for i in range(size)],
    "star": lambda size: [(0, i, 0.5 + i / size / 2) for i in range(1, size)],
    "all": lambda size: [(i, j, 0.5 + (i * j % 7) / 14) for i, j in combinations(range(size), 2)],
}


@pytest.mark.parametrize("linked", LINKED)
@pytest.mark.parametrize("size", [3, 4, 5, 12, 13, 60])
def test_no_name_crosses_a_line_or_covers_another(size, linked):
    [group] = make_graph(report_with(LINKED[linked](size))).groups
    boxes = [name_box(node) for node in group.nodes]
    for one, other in combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    for link in group.links:
        points, half = points_of(link, group), link.width / 2
        for left, top, right, bottom in boxes:
            inside = (points[:, 0] > left - half) & (points[:, 0] < right + half)
            inside &= (points[:, 1] > top - half) & (points[:, 1] < bottom + half)
            assert not inside.any(), (link, left, top)


@given(st.integers(1, 200))
def test_members_are_far_enough_apart_to_be_hit(size):
    for (x, y), (u, v) in combinations(ring(size), 2):
        assert max(abs(x - u), abs(y - v)) >= 24


@settings(max_examples=30, deadline=None)
@given(LINKS)
def test_the_drawing_is_the_same_every_time(links):
    assert make_graph(report_with(links)) == make_graph(report_with(links))


@settings(max_examples=30, deadline=None)
@given(LINKS)
def test_every_cluster_hangs_together(links):
    for group in make_graph(report_with(links)).groups:
        drawn = clusters(ends(link, group) for link in group.links)
        assert drawn == (tuple(sorted(node.id for node in group.nodes)),)


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_small_clusters_are_laid_out_too(size):
    """A report that was damaged on the way may have a cluster of one."""
    assert len(ring(size)) == size


def test_of_very_many_links_the_strongest_are_drawn():
    links = [(i, j, 0.5 + (i + j) / 200) for i, j in combinations(range(40), 2)]
    graph = make_graph(report_with(links))
    assert graph.thinned
    drawn = graph.groups[0].links
    assert len(drawn) < 200
    assert max(link.score for link in drawn) == max(score for *_, score in links)


def test_a_weak_link_that_alone_holds_a_cluster_together_is_drawn():
    core = [(i, j, 0.9) for i, j in combinations(range(20), 2)]
    [group] = make_graph(report_with([*core, (5, 20, 0.5)])).groups
    assert ("s005", "s020") in [ends(link, group) for link in group.links]


def test_a_cluster_that_is_too_large_is_not_drawn_and_others_are():
    chain = [(i, i + 1, 0.8) for i in range(299)]
    large, small = make_graph(report_with([*chain, (300, 301, 0.9)])).groups
    assert (large.size, large.nodes, len(small.nodes)) == (300, (), 2)


def test_the_archive_is_drawn_differently_and_links_below_the_threshold_are_not():
    graph = make_graph(report_with([(0, 1, 0.9), (1, 2, 0.6), (0, 2, 0.4)], archived={2}))
    assert {node.id: node.kind for node in nodes(graph)} == {"s000": None, "s001": None, "s002": ReferenceKind.EARLIER}
    [group] = graph.groups
    assert sorted(ends(link, group) for link in group.links) == [("s000", "s001"), ("s001", "s002")]


def test_a_higher_score_is_a_thicker_and_redder_line():
    [group] = make_graph(report_with([(0, 1, 0.9), (1, 2, 0.6)])).groups
    strong, weak = sorted(group.links, key=lambda link: -link.score)
    assert strong.width > weak.width
    assert strong.heat > weak.heat


def test_a_long_name_has_a_short_label():
    report = report_with([(0, 1, 0.9)])
    long = replace(report.submissions[0], id="n" * 300)
    graph = make_graph(replace(report, submissions=(long, report.submissions[1]), clusters=(("n" * 300, "s001"),)))
    assert max(len(node.label) for node in nodes(graph)) <= 18
