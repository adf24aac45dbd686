"""The page of one pair: both texts in full, with everything that they share marked, numbered and explained."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from moss.model import Match, Pair, Report
from moss.report.code_view import PassagePlace
from moss.report.evidence.redaction import redact_others
from moss.report.hand_in_times import HandInTime, hand_in_times, order_in_words
from moss.report.history_words import PairHistory, history_of_pair
from moss.report.page_templates import DiskLinks, Links, environment
from moss.report.pages.pair_side import PairFile, PairSide, SidePassage, side_of
from moss.report.pages.passage_cards import passage_cards
from moss.report.passage_words import ShownPassage, passages_of, record_of
from moss.report.score_reasons import ScoreReasons, reasons_for
from moss.report.substitutions import Substitutions, merged
from moss.report.visible_text import visible

Counterparts = tuple[PairFile | None, PairFile | None]
"""A file of each side, to be shown line by line; None where a side has no such file."""


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
    counterparts: tuple[Counterparts, ...]
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
        visible=visible,
        cards=passage_cards(report, view.passages, (view.a, view.b), links),
    )


def tools_script() -> str:
    """The tools of all pairs' pages as a script that puts them into the page, for reports on disk."""
    tools = environment().get_template("report/_pair_tools.html").render(links=DiskLinks())
    return f"document.getElementById('workspace').insertAdjacentHTML('beforebegin', {json.dumps(tools)});\n"


def pair_page(report: Report, number: int, careful: bool = False, alone: bool = False) -> PairPage:
    """The values of the page of the pair with this number, counted from 1; `alone` if it may name nobody else."""
    pair = report.pairs[number - 1]
    passages = passages_of(report, pair, careful)
    (a_number, a), (b_number, b) = record_of(report, pair.a), record_of(report, pair.b)
    times = hand_in_times((a, b))
    found_a = [SidePassage(p.marking_a(), PassagePlace(p.number, p.match.a)) for p in passages]
    found_b = [SidePassage(p.marking_b(), PassagePlace(p.number, p.match.b)) for p in passages]
    sides = (
        side_of("a", a_number, a, pair.share_a, found_a, careful),
        side_of("b", b_number, b, pair.share_b, found_b, careful),
    )
    return PairPage(
        number,
        len(report.pairs),
        pair,
        *sides,
        passages,
        merged(passage.changes for passage in passages),
        counterparts(*sides, pair.matches),
        reasons_for(report, pair),
        _history(report, pair, alone) if a.history or b.history else None,
        times,
        order_in_words(a.id, b.id, times),
    )


def _history(report: Report, pair: Pair, alone: bool) -> PairHistory | None:
    redaction = redact_others(report, pair, name_others=not alone)
    return history_of_pair(report, pair, redact=redaction.commit)


def counterparts(a: PairSide, b: PairSide, matches: Sequence[Match]) -> tuple[Counterparts, ...]:
    """The files of both sides that share most tokens, then those with equal paths, then each that is alone."""
    rows, columns = ({file.file.path: file for file in side.files} for side in (a, b))
    tokens: Counter[tuple[str, str]] = Counter()
    for match in matches:
        tokens[match.a.file, match.b.file] += match.tokens
    ranked = [both for both, _ in sorted(tokens.items(), key=lambda item: (-item[1], item[0]))]
    partners: dict[str, str] = {}
    for ours, theirs in [*ranked, *((path, path) for path in rows if path in columns)]:
        if ours not in partners and theirs not in partners.values():
            partners[ours] = theirs
    paired = [(rows[path], columns[partners[path]]) for path in rows if path in partners]
    only_a = [(file, None) for path, file in rows.items() if path not in partners]
    only_b = [(None, file) for path, file in columns.items() if path not in partners.values()]
    return (*paired, *only_a, *only_b)
