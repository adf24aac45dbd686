"""The layout of a cluster: members on a ring, lines inside it, names outside it.

The ring is two arcs that face each other. The area between them is convex and bounded by the members, so every line
between two of them stays in it. Every name stands beyond it, beside its member, and the arcs are so steep that the area
does not reach below or above a name. Hence no name crosses a line, whoever is linked with whom.

`templates/report/assets/clusters.js` has the same formulas, because it draws the ring again when members are filtered
or moved; a test compares both.

>>> [(round(x), round(y)) for x, y in ring(3)]
[(86, -40), (86, 40), (-106, 0)]
"""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import east_asian_width

Point = tuple[float, float]
Edge = tuple[int, int, float]  # two positions in a cluster, and their score

NAME_GAP = 14.0  # from the middle of a member to its name
NAME_HEIGHT = 18.0
MARGIN = 12.0  # around the drawing
_LEAST_PITCH, _MOST_PITCH = 26.0, 80.0  # between members of an arc: 24 pixels are the least that one can hit
_ARC = 180.0  # the height that few members are spread over
_WAIST = 80.0  # half the distance between the ends of the arcs, of a small ring


def ring(size: int) -> list[Point]:
    """The places of so many members around (0, 0), clockwise from the top of the right arc."""
    right = (size + 1) // 2
    pitch = min(_MOST_PITCH, max(_LEAST_PITCH, _ARC / max(right, 1)))
    half = pitch * (right - 1) / 2
    places = [(1, (i - (right - 1) / 2) * pitch) for i in range(right)]
    left = size - right
    places += [(-1, ((left - 1) / 2 - i) * pitch) for i in range(left)]
    return [(side * _reach(y, half), y) for side, y in places]


def _reach(y: float, half: float) -> float:
    """How far an arc is from the axis at some height: a parabola, at its ends as steep as 45 degrees."""
    return _WAIST + 0.15 * half + (half / 2 * (1 - (y / half) ** 2) if half else 0.0)


def path(a: Point, b: Point) -> str:
    """The line between two places: straight from arc to arc, and bent inwards between members of one arc, so that it
    passes nobody who stands between them."""
    if a[0] * b[0] <= 0:
        return f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}"
    x, y = bend(a, b)
    return f"M{a[0]:.1f} {a[1]:.1f}Q{x:.1f} {y:.1f} {b[0]:.1f} {b[1]:.1f}"


def bend(a: Point, b: Point) -> Point:
    """The point towards which the line between two members of one arc is bent."""
    side = 1 if a[0] > 0 else -1
    depth = 24 + 0.9 * abs(a[1] - b[1])
    return side * max(0.0, abs(a[0] + b[0]) / 2 - depth), (a[1] + b[1]) / 2


def name_width(name: str) -> float:
    """The room that a name takes in pixels, rather too much than too little.

    >>> name_width("ada"), name_width("林")
    (25.5, 14.0)
    """
    return sum(14.0 if east_asian_width(c) in "WF" or c in "MW@%—…" else 8.5 for c in name)


def room(size: int, widest: float) -> tuple[float, float]:
    """The width and height of the drawing of so many members, of whose names the longest is so wide."""
    places = ring(size)
    across = max((abs(x) for x, _ in places), default=0.0) + NAME_GAP + widest + MARGIN
    down = max((abs(y) for _, y in places), default=0.0) + NAME_HEIGHT / 2 + MARGIN
    return 2 * across, 2 * down


def alike_side_by_side(size: int, edges: Sequence[Edge]) -> list[int]:
    """The members in an order in which alike ones stand close to each other: the strongest links join rows of members
    first, each time at the ends that bring the two linked members closest.

    >>> alike_side_by_side(4, [(0, 3, 0.9), (1, 2, 0.8), (0, 2, 0.5)])
    [3, 0, 2, 1]
    """
    row = {member: [member] for member in range(size)}
    for a, b, _ in sorted(edges, key=lambda edge: (-edge[2], edge[0], edge[1])):
        if row[a] is not row[b]:
            joined = _joined(row[a], row[b], a, b)
            row.update(dict.fromkeys(joined, joined))
    rows = {id(members): members for members in row.values()}
    return [member for members in rows.values() for member in members]


def _joined(one: list[int], other: list[int], a: int, b: int) -> list[int]:
    """Both rows in one; the linked members `a` and `b` are turned towards each other."""
    at, end = one.index(a), len(one) - 1
    first = one if end - at <= at else one[::-1]
    start = other.index(b)
    last = other if start <= len(other) - 1 - start else other[::-1]
    return first + last
