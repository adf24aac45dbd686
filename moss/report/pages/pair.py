"""The page of one pair: both texts in full, with everything that they share marked, numbered and explained."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from moss.model import Pair, Report
from moss.report.code_view import PassagePlace, look
from moss.report.evidence.redaction import redact_others
from moss.report.hand_in_times import HandInTime, hand_in_time, order_in_words
from moss.report.history_words import PairHistory, history_of_pair
from moss.report.line_diff import FileDifference, diff_rows, differences
from moss.report.page_templates import Links, environment
from moss.report.pages.pair_side import PairSide, SidePassage, side_of
from moss.report.passage_words import ShownPassage, passages_of, place_in_words, record_of
from moss.report.score_reasons import ScoreReasons, reasons_for
from moss.report.substitutions import Substitutions, merged
from moss.report.visible_text import visible, visible_plain

SHORT_TEXT = 40
"""Characters of a name or literal that a list shows."""


@dataclass(frozen=True, slots=True)
class PairPage:
    """The values of a pair's page that need computing."""

    number: int
    total: int
    pair: Pair
    a: PairSide
    b: PairSide
    passages: tuple[ShownPassage, ...]
    changes: Substitutions
    differences: tuple[FileDifference, ...]
    why: ScoreReasons | None
    history: PairHistory | None
    times: dict[str, HandInTime]
    order: str  # who of the two came first, and by how much


def render_pair(report: Report, number: int, links: Links, highlight: bool = True) -> str:
    """The page of the pair with this number, counted from 1; without `highlight` no third-party lexer is run."""
    view = pair_page(report, number, careful=not highlight, alone=links.alone())
    template = environment().get_template("report/pair.html")
    return template.render(
        report=report,
        links=links,
        view=view,
        look=look,
        short=short,
        visible=visible,
        plain=visible_plain,
        place=place_in_words,
        diff_rows=diff_rows,
    )


def pair_page(report: Report, number: int, careful: bool = False, alone: bool = False) -> PairPage:
    """The values of the page of the pair with this number, counted from 1; `alone` if it may name nobody else."""
    pair = report.pairs[number - 1]
    passages = passages_of(report, pair, careful)
    (a_number, a), (b_number, b) = record_of(report, pair.a), record_of(report, pair.b)
    times = {record.id: time for record in (a, b) if (time := hand_in_time(record))}
    found_a = [SidePassage(p.marking_a(), PassagePlace(p.number, p.match.a)) for p in passages]
    found_b = [SidePassage(p.marking_b(), PassagePlace(p.number, p.match.b)) for p in passages]
    return PairPage(
        number,
        len(report.pairs),
        pair,
        side_of("a", a_number, a, pair.share_a, found_a, careful),
        side_of("b", b_number, b, pair.share_b, found_b, careful),
        passages,
        merged(passage.changes for passage in passages),
        differences(a.files, b.files, pair.matches),
        reasons_for(report, pair),
        history_of_pair(report, pair, redact=redact_others(report, pair, name_others=not alone).commit),
        times,
        order_in_words(a.id, b.id, times),
    )


def short(text: str) -> Markup:
    """A name or a literal for a list: on one line, and cut if it is long."""
    line = " ".join(text.split())
    return visible(line if len(line) <= SHORT_TEXT else f"{line[: SHORT_TEXT - 1]}…")
