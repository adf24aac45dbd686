"""Plots as SVG, for documentation: points and lines in a frame, readable on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 640, 380
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 40, 48
_COLOURS = ("#0b6e99", "#c2410c", "#4d7c0f", "#7e22ce")


@dataclass(frozen=True)
class Series:
    """Points with a name; joined by a line, or each marked."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    marked: bool = False


@dataclass(frozen=True)
class Axis:
    """The quantity along an axis, and whether its scale is logarithmic."""

    name: str
    logarithmic: bool = False


def plot(title: str, series: Sequence[Series], x: Axis, y: Axis) -> str:
    """The whole picture."""
    across = _Scale([value for one in series for value in one.x], x, _LEFT, WIDTH - _RIGHT)
    up = _Scale([value for one in series for value in one.y], y, HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif"'
        f' font-size="12" fill="#1f2937"><title>{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="18" font-size="14" font-weight="bold">{escape(title)}</text>',
        *_grid(across, up),
        f'<text x="{(WIDTH + _LEFT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(x.name)}</text>',
        f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(y.name)}</text>',
    ]
    for number, one in enumerate(series):
        colour = _COLOURS[number % len(_COLOURS)]
        points = [(across(a), up(b)) for a, b in zip(one.x, one.y, strict=True)]
        parts += _marks(points, colour) if one.marked else [_line(points, colour)]
        parts.append(
            f'<text x="{WIDTH - _RIGHT - 8}" y="{_TOP + 18 + 16 * number}" text-anchor="end" fill="{colour}">'
            f"{escape(one.name)}</text>"
        )
    return "\n".join([*parts, "</svg>\n"])


class _Scale:
    """From values to places on the page."""

    def __init__(self, values: Sequence[float], axis: Axis, begin: float, end: float) -> None:
        self.logarithmic = axis.logarithmic
        self.begin, self.end = begin, end
        low, high = min(values), max(values)
        self.ticks = _powers(low, high) if axis.logarithmic else _steps(low, high)
        self.low, self.high = self._of(min(low, self.ticks[0])), self._of(max(high, self.ticks[-1]))

    def _of(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value

    def __call__(self, value: float) -> float:
        share = (self._of(value) - self.low) / ((self.high - self.low) or 1)
        return round(self.begin + share * (self.end - self.begin), 1)


def _powers(low: float, high: float) -> list[float]:
    return [10.0**n for n in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def _steps(low: float, high: float) -> list[float]:
    rough = (high - low or 1) / 6
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    return [step * n for n in range(math.floor(low / step), math.ceil(high / step) + 1)]


def _grid(across: _Scale, up: _Scale) -> list[str]:
    lines = []
    for value in across.ticks:
        lines.append(f'<path d="M{across(value)} {_TOP}V{HEIGHT - _BOTTOM}" stroke="#e5e7eb"/>')
        lines.append(
            f'<text x="{across(value)}" y="{HEIGHT - _BOTTOM + 16}" text-anchor="middle">{_short(value)}</text>'
        )
    for value in up.ticks:
        lines.append(f'<path d="M{_LEFT} {up(value)}H{WIDTH - _RIGHT}" stroke="#e5e7eb"/>')
        lines.append(f'<text x="{_LEFT - 6}" y="{up(value) + 4}" text-anchor="end">{_short(value)}</text>')
    return lines


def _short(value: float) -> str:
    return f"{value:g}" if value < 10_000 else f"10^{math.log10(value):g}"


def _line(points: Sequence[tuple[float, float]], colour: str) -> str:
    path = " ".join(f"{a} {b}" for a, b in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'


def _marks(points: Sequence[tuple[float, float]], colour: str) -> list[str]:
    return [f'<circle cx="{a}" cy="{b}" r="2.5" fill="{colour}"/>' for a, b in dict.fromkeys(points)]
