"""The list of a pair's passages: a card for each, with where it is, who else has it, and what was changed in it.

The markup is made here and not in a template because a report has thousands of cards. Text of submissions goes through
`visible`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from gettext import NullTranslations
from typing import NamedTuple

from markupsafe import Markup

from moss.messages import catalogue, counted, gettext, ngettext, once_for_language
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


class _Phrases(NamedTuple):
    """The words that all cards have, as markup."""

    passage: str
    who_else: str
    by_words: str
    renamed: str
    other_values: str


@lru_cache(maxsize=8)
def _phrases(language: NullTranslations) -> _Phrases:
    """The phrases of a language, made once for thousands of cards."""
    texts = gettext("Passage"), gettext("Who else"), gettext("Found by its words."), gettext("Renamed")
    return _Phrases(*map(escape, (*texts, gettext("Other values"))))


def passage_cards(report: Report, passages: Sequence[ShownPassage], sides: Sequence[PairSide], links: Links) -> Markup:
    """The passages of a pair as items of a list."""
    phrases = _phrases(catalogue())
    return Markup("".join([_card(report, passage, sides, links, phrases) for passage in passages]))


def _card(report: Report, passage: ShownPassage, sides: Sequence[PairSide], links: Links, phrases: _Phrases) -> str:
    n, match = passage.number, passage.match
    where = "".join([_place(side, n, region) for side, region in zip(sides, (match.a, match.b), strict=True)])
    rarity = "" if report.imported else f'<p class="rarity">{escape(passage.rarity)}</p>'
    return (
        f'<li class="card {look(n)}" id="m{n}" data-m="{n}"><h3><a class="choose" href="#a-m{n}">'
        f'<span class="visually-hidden">{phrases.passage}</span> <b class="tag">{n}</b> '
        f"{escape(counted(match.tokens, 'token'))}</a></h3>\n{where}"
        f"{rarity}{links.slot(f'passage-{n}')}{_others(report, passage.match, links, phrases)}"
        f'<p class="channel">{_found_by(report, passage, phrases)}</p>{_changes(passage, phrases)}</li>\n'
    )


def _place(side: PairSide, number: int, region: Region) -> str:
    place = f"{isolated(region.file)} {escape(place_in_words(region))}"
    return f'<p class="where">{isolated(side.plain_name)} <a href="#{side.letter}-m{number}">{place}</a></p>\n'


def _others(report: Report, match: Match, links: Links, phrases: _Phrases) -> str:
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
    return f"<details><summary>{phrases.who_else}</summary><p>{', '.join(named)}</p></details>\n"


def _found_by(report: Report, passage: ShownPassage, phrases: _Phrases) -> str:
    if report.imported:
        tool = visible(report.imported.tool)
        return gettext("Found by %(tool)s, and shown by whole lines.", tool=tool)
    if passage.match.channel is not Channel.STRUCTURE:
        return phrases.by_words
    changes = passage.changes
    return _found_by_structure(len(changes.kept) if changes.changes else None)


@once_for_language
def _found_by_structure(kept: int | None) -> str:
    """How a passage was found, and how many of its names were kept; None if nothing at all differs."""
    if kept is None:
        more = gettext("Names and values are the same too.")
    else:
        more = ngettext("%(num)s name kept.", "%(num)s names kept.", kept) if kept else ""
    return escape(f"{gettext('Found by its structure.')} {more}")


def _changes(passage: ShownPassage, phrases: _Phrases) -> str:
    """The names and values that differ, the first of them at once and the rest behind a fold."""
    if not passage.changes.changes:
        return ""
    return _folded(phrases.renamed, passage.changes.names) + _folded(phrases.other_values, passage.changes.literals)


def _folded(label: str, found: Sequence[Substitution]) -> str:
    if not found:
        return ""
    fold = ""
    if len(found) > _FIRST:
        more = escape(gettext("%(n)s more", n=len(found) - _FIRST))
        fold = f"<details><summary>{more}</summary><ul>{_listed(found[_FIRST:_MOST])}</ul></details>"
    return f'<div class="renames"><h4>{label}</h4><ul>{_listed(found[:_FIRST])}</ul>{fold}</div>'


def _listed(found: Sequence[Substitution]) -> str:
    return "".join([f"<li><code>{_short(a)} → {_short(b)}{_often(times)}</code></li>" for a, b, times, _ in found])


def _often(times: int) -> str:
    return f" ×{times}" if times > 1 else ""


@lru_cache(maxsize=4096)  # the same names come again and again
def _short(text: str) -> str:
    """A name or a literal: on one line, and cut if it is long."""
    line = " ".join(text.split())
    return visible_markup(line if len(line) <= SHORT_TEXT else f"{line[: SHORT_TEXT - 1]}…")
