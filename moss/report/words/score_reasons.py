"""The reasons for a pair's score in words and as bars, from the numbers that made the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from markupsafe import Markup

from moss.messages import counted, gettext, listed, marked, ngettext, percent
from moss.model import Match, Pair, Report, ViewReason
from moss.report.code.visible_text import escape
from moss.report.page_templates import once

_HEAVIEST = 3  # passages that are named
_SMALL = 1 / 3  # of both texts: a larger part is not called small
_ROUGH = 100  # tokens: from so many on, an amount is rounded to tens

_BUILT = ("outline", "structure")
_GROUPS = (
    (
        marked("How they are built"),
        marked("how they are built"),
        _BUILT,
        marked("blocks, keywords and signs in their order; renaming and layout change nothing"),
    ),
    (
        marked("How they are worded"),
        marked("how they are worded"),
        ("words",),
        marked("names, comments, texts and signs as they are written"),
    ),
    (
        marked("Their letters"),
        marked("their letters"),
        ("letters",),
        marked("groups of three letters, which outlast changed words"),
    ),
)
"""Each group of views: its name, the name within a sentence, the views, and what they look at."""
_AMOUNT, _THE_AMOUNT = marked("What few others have"), marked("what few others have")
_VIEWS = {"outline": marked("outline %(alike)s alike"), "structure": marked("structure %(alike)s alike")}


@dataclass(frozen=True, slots=True)
class ScoreBar:
    """One cause of a score. Each bar begins where the one before it ends, and the last ends at the score."""

    name: str
    within: str  # the name within a sentence
    points: int  # percent of the score's scale, whole numbers that add up to the score as it is shown
    start: float  # from 0 to 100
    width: float
    meaning: str


@dataclass(frozen=True, slots=True)
class HeavyPassage:
    """A passage that weighs much."""

    number: int
    words: str


@dataclass(frozen=True, slots=True)
class ScoreReasons:
    """The causes of a pair's score, and its heaviest passages."""

    headline: str
    bars: tuple[ScoreBar, ...]
    heavy: tuple[HeavyPassage, ...]


def reasons_for(report: Report, pair: Pair) -> ScoreReasons | None:
    """The reasons for a pair's score; None in older reports, which have no reasons."""
    alone = _is_alone(report)
    bars = _bars(pair, alone) if pair.reasons.views else ()
    if not bars:
        return None
    return ScoreReasons(small_but_rare(pair) or _headline(bars), bars, _heavy(pair.matches, alone))


@once
def _is_alone(report: Report) -> bool:
    """Whether there was nobody else to compare a pair with."""
    return len({record.owner for record in report.submissions}) <= 2


def small_but_rare(pair: Pair) -> str:
    """A sentence about a pair that shares little, but what hardly anybody else has; empty for all other pairs.

    The score must come mostly from the amount, and the shown passages must account for it."""
    proportion = pair.reasons.proportion
    rare = [match for match in pair.matches if match.rarity <= 1]
    tokens = sum(match.tokens for match in rare)
    is_made_by_amount = bool(pair.reasons.views) and pair.score - proportion > proportion
    if not is_made_by_amount or not rare or 2 * tokens < pair.reasons.amount:
        return ""
    if pair.similarity * tokens > _SMALL * pair.tokens:
        return ""
    if any(match.rarity for match in rare):
        return gettext("A small part, but hardly anybody else has it.")
    return gettext("A small part, but only these two have it.")


def _bars(pair: Pair, alone: bool) -> tuple[ScoreBar, ...]:
    """The causes that add anything to a score: each group of views its part of the proportion, the amount the rest."""
    proportion = min(pair.reasons.proportion, pair.score)
    causes = []
    for name, within, views, meaning in _GROUPS:
        found = [view for view in pair.reasons.views if view.view in views]
        told = gettext("%(alike)s: %(meaning)s", alike=_alike(found), meaning=gettext(meaning))
        causes.append((name, within, proportion * sum(view.part for view in found), told))
    causes.append((_AMOUNT, _THE_AMOUNT, pair.score - proportion, _amount_in_words(pair.reasons.amount, alone)))
    causes = [cause for cause in causes if cause[2] > 0]
    points = _whole_points([size for _, _, size, _ in causes], pair.score)
    starts = [100 * sum(size for _, _, size, _ in causes[:number]) for number in range(len(causes))]
    return tuple(
        ScoreBar(gettext(name), gettext(within), some, round(start, 1), round(100 * size, 1), meaning)
        for (name, within, size, meaning), some, start in zip(causes, points, starts, strict=True)
    )


def _alike(views: Sequence[ViewReason]) -> str:
    """The likeness of two submissions in some views, in words."""
    if len(views) == 1:
        return gettext("%(alike)s alike", alike=percent(views[0].alike))
    return ", ".join(gettext(_VIEWS[view.view], alike=percent(view.alike)) for view in views)


def _whole_points(sizes: Sequence[float], score: float) -> list[int]:
    """Whole percentages that add up to the score as it is shown; the largest remainders are rounded up."""
    shown = 100 if score >= 1 else min(99, round(100 * score))
    exact = [shown * size / sum(sizes) for size in sizes]
    points = [floor(size) for size in exact]
    by_remainder = sorted(range(len(sizes)), key=lambda number: points[number] - exact[number])
    for number in by_remainder[: shown - sum(points)]:
        points[number] += 1
    return points


def _headline(bars: Sequence[ScoreBar]) -> str:
    """A sentence that names the fewest causes that make up most of a score."""
    named: list[ScoreBar] = []
    for bar in sorted(bars, key=lambda bar: -bar.width):
        if 2 * sum(each.width for each in named) <= sum(each.width for each in bars):
            named.append(bar)
    return gettext("Mainly %(causes)s.", causes=listed([bar.within for bar in named]))


def _amount_in_words(amount: float, alone: bool) -> str:
    """The amount of rare material that two share, converted to tokens that nobody else has."""
    tokens = counted(max(1, int(round(amount, -1 if amount >= _ROUGH else 0))), "token")
    if alone:
        return gettext(
            "about %(tokens)s; there was nobody else to compare with, so everything they share counts as rare",
            tokens=tokens,
        )
    return gettext("as much as about %(tokens)s that nobody else has", tokens=tokens)


def _heavy(matches: Sequence[Match], alone: bool) -> tuple[HeavyPassage, ...]:
    """The passages that weigh most: long ones that few others have.

    With each further holder, a passage loses less in the proportion than in the amount; dividing by the number of
    holders lies between the two."""
    order = sorted(range(len(matches)), key=lambda place: -matches[place].tokens / (2 + matches[place].rarity))
    return tuple(HeavyPassage(place + 1, _heavy_in_words(matches[place], alone)) for place in order[:_HEAVIEST])


def _heavy_in_words(match: Match, alone: bool) -> str:
    tokens = counted(match.tokens, "token")
    if alone:
        return tokens
    if not match.rarity:
        return gettext("%(tokens)s; nobody else has it", tokens=tokens)
    return ngettext(
        "%(tokens)s; %(num)s other student has it too",
        "%(tokens)s; %(num)s other students have it too",
        match.rarity,
        tokens=tokens,
    )


def reasons_markup(why: ScoreReasons, passage: str) -> Markup:
    """A bar for each cause of a score, and the heaviest passages; `passage` is how the address of a passage begins."""
    caption = gettext("Each bar begins where the one above it ends; together they are the score.")
    rows = "".join(map(_bar_markup, why.bars))
    table = f'<table class="causes">\n<caption>{escape(caption)}</caption>\n<tbody>\n{rows}</tbody>\n</table>\n'
    if not why.heavy:
        return Markup(table)
    told = ngettext("This passage weighs most:", "These passages weigh most:", len(why.heavy))
    named = [(each, escape(gettext("passage %(number)s", number=each.number))) for each in why.heavy]
    items = (f'<li><a href="{passage}{each.number}">{name}</a>: {escape(each.words)}</li>\n' for each, name in named)
    return Markup(f"{table}<p>{escape(told)}</p>\n<ul>\n{''.join(items)}</ul>\n")


def _bar_markup(bar: ScoreBar) -> str:
    points = percent(bar.points / 100) if bar.points else gettext("under 1%%")
    drawn = f'<svg aria-hidden="true"><rect x="{bar.start}%" width="{bar.width}%" height="8"/></svg>'
    return (
        f'<tr><th scope="row">{escape(bar.name)}</th><td class="number">{escape(points)}</td>'
        f'<td class="bar-cell">{drawn}</td><td class="meaning-of">{escape(bar.meaning)}</td></tr>\n'
    )
