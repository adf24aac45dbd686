"""The list of a pair's passages: a card for each, with where it is, who else has it, and what was changed in it.

The markup is made here and not in a template because a report has thousands of cards. Text of submissions goes through
`visible`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from markupsafe import Markup

from moss.messages import counted, gettext, ngettext
from moss.model import Channel, Match, Region, Report
from moss.report.code.code_view import look
from moss.report.code.substitutions import Substitution
from moss.report.code.visible_text import escape, isolated, visible, visible_markup
from moss.report.page_templates import Links, numbers, paged
from moss.report.pages.pair_side import PairSide
from moss.report.words.passage_words import ShownPassage, place_in_words

SHORT_TEXT = 40
"""Characters of a name or literal that a list shows."""
_NAMED = 10  # the most others that are named; a sentence says how many there are in all
_FIRST, _MOST = 5, 25  # changes that are listed at once, and in all


def passage_cards(report: Report, passages: Sequence[ShownPassage], sides: Sequence[PairSide], links: Links) -> Markup:
    """The passages of a pair as items of a list."""
    return Markup("".join(_card(report, passage, sides, links) for passage in passages))


def _card(report: Report, passage: ShownPassage, sides: Sequence[PairSide], links: Links) -> str:
    n, match = passage.number, passage.match
    where = "".join(_place(side, n, region) for side, region in zip(sides, (match.a, match.b), strict=True))
    heading, tokens = escape(gettext("Passage")), escape(counted(match.tokens, "token"))
    rarity = "" if report.imported else f'<p class="rarity">{escape(passage.rarity)}</p>'
    return (
        f'<li class="card {look(n)}" id="m{n}" data-m="{n}"><h3><a class="choose" href="#a-m{n}">'
        f'<span class="visually-hidden">{heading}</span> <b class="tag">{n}</b> {tokens}</a></h3>\n{where}'
        f"{rarity}{links.slot(f'passage-{n}')}{_others(report, passage.match, links)}"
        f'<p class="channel">{_found_by(report, passage)}</p>{"".join(_changes(passage))}</li>\n'
    )


def _place(side: PairSide, number: int, region: Region) -> str:
    place = f"{isolated(region.file)} {escape(place_in_words(region))}"
    return f'<p class="where">{isolated(side.plain_name)} <a href="#{side.letter}-m{number}">{place}</a></p>\n'


def _others(report: Report, match: Match, links: Links) -> str:
    """Some of those who have the passage too, unless the reader may see this page only."""
    if not match.others or links.alone():
        return ""
    number, with_page = numbers(report), paged(report)
    named = [
        f'<a href="{links.submission(number[id])}">{isolated(id)}</a>' if id in with_page else isolated(id)
        for id in match.others[:_NAMED]
    ]
    if unnamed := len(match.others) - len(named):
        named.append(escape(gettext("and %(n)s more", n=unnamed)))
    summary = escape(gettext("Who else"))
    return f"<details><summary>{summary}</summary><p>{', '.join(named)}</p></details>\n"


def _found_by(report: Report, passage: ShownPassage) -> str:
    if report.imported:
        tool = visible(report.imported.tool)
        return gettext("Found by %(tool)s, and shown by whole lines.", tool=tool)
    if passage.match.channel is not Channel.STRUCTURE:
        return escape(gettext("Found by its words."))
    found, changes = gettext("Found by its structure."), passage.changes
    if not changes.changes:
        more = gettext("Names and values are the same too.")
    else:
        more = ngettext("%(num)s name kept.", "%(num)s names kept.", len(changes.kept)) if changes.kept else ""
    return escape(f"{found} {more}")


def _changes(passage: ShownPassage) -> Iterator[str]:
    """The names and values that differ, the first of them at once and the rest behind a fold."""
    if not passage.changes.changes:
        return
    labelled = ((gettext("Renamed"), passage.changes.names), (gettext("Other values"), passage.changes.literals))
    for label, found in labelled:
        if found:
            rest = f"<ul>{_listed(found[_FIRST:_MOST])}</ul>"
            more = escape(gettext("%(n)s more", n=len(found) - _FIRST))
            fold = f"<details><summary>{more}</summary>{rest}</details>" if len(found) > _FIRST else ""
            yield f'<div class="renames"><h4>{escape(label)}</h4><ul>{_listed(found[:_FIRST])}</ul>{fold}</div>'


def _listed(found: Sequence[Substitution]) -> str:
    return "".join([f"<li><code>{_short(a)} → {_short(b)}{_often(times)}</code></li>" for a, b, times, _ in found])


def _often(times: int) -> str:
    return f" ×{times}" if times > 1 else ""


@lru_cache(maxsize=4096)  # the same names come again and again
def _short(text: str) -> str:
    """A name or a literal: on one line, and cut if it is long."""
    line = " ".join(text.split())
    return visible_markup(line if len(line) <= SHORT_TEXT else f"{line[: SHORT_TEXT - 1]}…")
