"""The page of one pair: both texts in full, with everything that they share marked, numbered and explained."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from moss.messages import counted, gettext, marked, ngettext, percent
from moss.messages import number as spelled
from moss.model import Match, Pair, Report, Standing
from moss.report.code.code_view import PassagePlace
from moss.report.code.substitutions import Renaming, renaming_in
from moss.report.code.visible_text import escape, visible
from moss.report.evidence.redaction import redact_others
from moss.report.page_frames import page_frame
from moss.report.page_templates import DiskLinks, Links, environment, mark
from moss.report.pages.pair_side import PairFile, PairSide, SidePassage, side_markup, side_name, side_of
from moss.report.pages.passage_cards import passage_cards
from moss.report.words.hand_in_times import HandInTime, hand_in_times, order_in_words
from moss.report.words.history_words import PairHistory, history_of_pair
from moss.report.words.passage_words import ShownPassage, passages_of_pairs, record_of
from moss.report.words.score_reasons import ScoreReasons, reasons_for, reasons_markup

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
    passages: Sequence[ShownPassage]
    renaming: Renaming
    counterparts: tuple[Counterparts, ...]
    why: ScoreReasons | None
    history: PairHistory | None
    times: dict[str, HandInTime]
    order: str  # who of the two came first, and by how much


def render_pair(report: Report, number: int, links: Links, highlight: bool = True) -> str:
    """The page of the pair with this number, counted from 1; without `highlight` no third-party lexer is run."""
    [page] = render_pairs(report, [number], links, highlight)
    return page


def render_pairs(report: Report, numbers: Sequence[int], links: Links, highlight: bool = True) -> Iterator[str]:
    """The pages of some pairs, whose passages are looked at together."""
    pairs = [report.pairs[number - 1] for number in numbers]
    found = passages_of_pairs(report, pairs, careful=not highlight)
    for number, passages in zip(numbers, found, strict=True):
        yield _rendered(report, pair_page(report, number, passages, not highlight, links.alone()), links)


def _rendered(report: Report, view: PairPage, links: Links) -> str:
    number = view.number
    return page_frame("report/pair.html", report, links).fill(
        **_figures(report, view),
        name_a=side_name(view.a, links),
        name_b=side_name(view.b, links),
        previous=links.pair(max(number - 1, 1)),
        next=links.pair(min(number + 1, view.total)),
        first=" hidden" if number == 1 else "",
        last=" hidden" if number == view.total else "",
        told=_told(report, view),
        cards=_cards(report, view, links),
        side_a=side_markup(report, view.a, links),
        side_b=side_markup(report, view.b, links),
        files=" ".join("-".join(file.name if file else "" for file in both) for both in view.counterparts),
    )


def _figures(report: Report, view: PairPage) -> dict[str, object]:
    """The figures and names that the page's head has."""
    pair = view.pair
    standing = report.baseline.standing(pair.score).value
    badge = mark("parts/parts.html", "standing", standing)
    return {
        "number": view.number,
        "place": spelled(view.number),
        "total": spelled(view.total),
        "plain_a": escape(view.a.plain_name),
        "plain_b": escape(view.b.plain_name),
        "score": percent(pair.score),
        "standing": "" if report.imported else f' data-standing="{standing}"',
        "badge": "" if report.imported else f"<dd>{badge}</dd>",
        "passages": len(pair.matches),
        "counted": escape(counted(len(pair.matches), "passage")),
        "tokens": spelled(pair.tokens),
        "longest": spelled(pair.longest),
    }


def _told(report: Report, view: PairPage) -> Markup | str:
    """The sentences about the pair: why the score is what it is, when both were handed in and who had it first."""
    why = Markup(_why(report, view))
    if not (view.times or view.history):
        return why
    return environment().get_template("report/_pair_history.html").render(view=view, pair=view.pair, why=why)


def _why(report: Report, view: PairPage) -> str:
    """Why the score is what it is, behind a fold."""
    headline = f" <span>{escape(view.why.headline)}</span>" if view.why else ""
    question = escape(gettext("Why %(score)s?", score=percent(view.pair.score)))
    sentences = [_shares(view), *(_of_other_tool(report) if report.imported else _of_class(report, view))]
    caution = escape(gettext("Similarity is not proof."))
    told = f"<p>{' '.join(sentences)} <strong>{caution}</strong></p>"
    causes = reasons_markup(view.why, "#m") if view.why else ""
    return f'<details class="why">\n<summary>{question}{headline}</summary>\n{told}\n{causes}</details>\n'


def _shares(view: PairPage) -> str:
    """How much of both texts is in the passages."""
    pair = view.pair
    if not (pair.share_a and pair.share_b):
        return escape(
            gettext("What both have is comments or other text beside the code, of which no share is counted.")
        )
    return gettext(
        "%(share_a)s of what %(a)s wrote and %(share_b)s of what %(b)s wrote is in %(passages)s that both have.",
        share_a=percent(pair.share_a),
        share_b=percent(pair.share_b),
        a=f"<bdi>{view.a.name}</bdi>",
        b=f"<bdi>{view.b.name}</bdi>",
        passages=escape(counted(len(pair.matches), "passage")),
    )


def _of_other_tool(report: Report) -> Iterator[str]:
    """The tool that found the pair, and how it counts."""
    if report.imported:
        yield gettext(
            "%(tool)s found them, and moss did not compare these two: the score is %(meaning)s",
            tool=visible(report.imported.tool),
            meaning=visible(report.imported.meaning),
        )


_STANDINGS = {
    Standing.FAR: marked("In this class, the score is very unusual."),
    Standing.ABOVE: marked("In this class, the score is unusual."),
    Standing.ORDINARY: marked("In this class, the score is ordinary."),
}


def _of_class(report: Report, view: PairPage) -> Iterator[str]:
    """How unusual the score is in its class, and how many names differ."""
    yield escape(gettext("Starter code and what the whole class has are not counted."))
    yield escape(gettext(_STANDINGS[report.baseline.standing(view.pair.score)]))
    if names := view.renaming.names:
        yield escape(ngettext("%(num)s name differs in them.", "%(num)s names differ in them.", names))
        if view.renaming.one_to_one and names > 1:
            yield escape(gettext("Each is always replaced in the same way."))


def _cards(report: Report, view: PairPage, links: Links) -> str:
    if not view.passages:
        words = gettext("These two share single fingerprints only, and no passage that is long enough to show.")
        return f'<p class="muted">{escape(words)}</p>\n<ol class="cards" id="cards"></ol>\n'
    cards = passage_cards(report, view.passages, (view.a, view.b), links)
    return f'<ol class="cards" id="cards">\n{cards}</ol>\n'


def tools_script() -> str:
    """The tools of all pairs' pages as a script that puts them into the page, for reports on disk."""
    tools = environment().get_template("report/_pair_tools.html").render(links=DiskLinks())
    return f"document.getElementById('workspace').insertAdjacentHTML('beforebegin', {json.dumps(tools)});\n"


def pair_page(
    report: Report, number: int, passages: Sequence[ShownPassage], careful: bool = False, alone: bool = False
) -> PairPage:
    """The values of the page of the pair with this number, counted from 1, which has these passages; `alone` if it may
    name nobody else."""
    pair = report.pairs[number - 1]
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
        renaming_in([passage.changes for passage in passages]),
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
