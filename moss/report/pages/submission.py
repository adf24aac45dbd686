"""The page of one submission: everybody it shares passages with, and how many others have each of its lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frontends.language_titles import language_title
from moss.messages import counted, gettext, ngettext, percent
from moss.messages import number as spelled
from moss.model import FileRecord, Pair, ReferenceKind, Report, Standing, SubmissionRecord
from moss.report.code.visible_text import escape, isolated, visible, visible_plain
from moss.report.page_frames import page_frame
from moss.report.page_templates import Links, macros, mark, numbers, once, paged, shared
from moss.report.pages.shared_lines import SubmissionSheet, shared_lines_markup, shared_sheet
from moss.report.words.hand_in_times import hand_in_time
from moss.report.words.listed import lists_all
from moss.report.words.references import kind_in_words

_MOST_UNSHOWN = 10  # that are named without a page of the pair


@dataclass(frozen=True, slots=True)
class Partner:
    """The other submission of a shown pair; `number` is that of the pair's page."""

    id: str
    kind: ReferenceKind | None  # if it is a reference
    number: int
    pair: Pair
    standing: Standing
    mine: float
    theirs: float


def render_submission(report: Report, number: int, links: Links) -> str:
    """The page of the submission with this number, counted from 1."""
    record = report.submissions[number - 1]
    shown = _pairs_of_submissions(report)[record.id]
    partners = [_partner(report, record.id, rank, pair) for rank, pair in shown]
    pages = {partner.id: links.pair(partner.number) for partner in partners}
    sheets = [shared_sheet(record, file, [pair for _, pair in shown]) for file in record.files if file.text]
    return page_frame("report/submission.html", report, links).fill(
        title=escape(
            ngettext("%(name)s: %(num)s pair", "%(name)s: %(num)s pairs", len(pages), name=visible_plain(record.id))
        ),
        name=visible(record.id),
        facts=_facts(report, record, links),
        partners="".join(_partner_row(report, partner, links) for partner in partners),
        others=_others(*_unshown(report, number - 1, pages), lists_all(report)),
        problems=_problems(report, record),
        best=next(iter(pages.values()), ""),
        sheets="".join(_sheet(sheet, pages) for sheet in sheets),
        files="".join(map(_file_row, record.files)),
    )


def _facts(report: Report, record: SubmissionRecord, links: Links) -> str:
    """The facts about a submission in one line."""
    time = hand_in_time(record)
    cluster = next((number for number, ids in enumerate(report.clusters, 1) if record.id in ids), None)
    cluster_name = gettext("Cluster %(number)s", number=cluster)
    facts = [
        f"<bdi>{visible(record.owner)}</bdi>" if record.owner != record.id else "",
        escape(kind_in_words(record.kind)) if record.kind else "",
        escape(language_title(record.language)),
        escape(counted(len(record.files), "file")),
        escape(counted(record.tokens, "token")),
        gettext("handed in %(time)s", time=macros("report/_marks.html").handed_in(time)) if time else "",
        f'<a href="{links.cluster(cluster)}">{escape(cluster_name)}</a>' if cluster else "",
    ]
    return " · ".join(filter(None, facts))


def _partner_row(report: Report, partner: Partner, links: Links) -> str:
    """The other submission of a shown pair, as a row of the table."""
    kind = f' <span class="badge">{escape(kind_in_words(partner.kind))}</span>' if partner.kind else ""
    standing = "" if report.imported else f"<td>{mark('parts/parts.html', 'standing', partner.standing)}</td>"
    figures = (
        (gettext("Shared of this"), shared(partner.mine)),
        (gettext("Shared of theirs"), shared(partner.theirs)),
        (gettext("Longest"), spelled(partner.pair.longest)),
        (gettext("Passages"), len(partner.pair.matches)),
    )
    score = macros("parts/parts.html").score(partner.pair.score, partner.standing)
    cells = (f'<td class="number" data-label="{escape(label)}">{value}</td>' for label, value in figures)
    return (
        f'<tr><th scope="row"><a href="{links.pair(partner.number)}"><bdi>{visible(partner.id)}</bdi></a>{kind}</th>'
        f"<td>{score}</td>{standing}{''.join(cells)}</tr>\n"
    )


def _partner(report: Report, me: str, number: int, pair: Pair) -> Partner:
    """The other submission of a shown pair."""
    first = pair.a == me
    other = report.submissions[numbers(report)[pair.b if first else pair.a] - 1]
    mine, theirs = (pair.share_a, pair.share_b) if first else (pair.share_b, pair.share_a)
    return Partner(other.id, other.kind, number, pair, report.baseline.standing(pair.score), mine, theirs)


def _unshown(report: Report, place: int, listed: Collection[str]) -> tuple[list[tuple[str, float]], int]:
    """The names and scores of those who share most of all that are not listed, and the number of all of these."""
    ranking, here = report.ranking, _rows_of_submissions(report).get(place, np.zeros(0, np.int64))
    best = here[: _MOST_UNSHOWN + len(listed)]
    others = (report.submissions[i].id for i in (ranking.a[best] + ranking.b[best] - place).tolist())
    found = [each for each in zip(others, ranking.score[best].tolist(), strict=True) if each[0] not in listed]
    return found[:_MOST_UNSHOWN], max(len(found), len(here) - len(listed))


def _others(named: Sequence[tuple[str, float]], count: int, looked: bool) -> str:
    """How many submissions have no page of the pair, and the names and scores of the best of them, behind a fold. If
    passages were `looked` for in all pairs, these have none; else the report may just not list them."""
    if not named:
        return ""
    if looked:
        told = ngettext(
            "%(num)s more, with too little in common to show", "%(num)s more, with too little in common to show", count
        )
    else:
        told = ngettext("%(num)s more, not listed in this report", "%(num)s more, not listed in this report", count)
    words = [f"{isolated(id)} <small>{percent(score)}</small>" for id, score in named]
    rest = [escape(gettext("and %(n)s with less", n=spelled(count - len(named))))] if count > len(named) else []
    return f"<details>\n<summary>{escape(told)}</summary>\n<p>{', '.join(words + rest)}.</p>\n</details>\n"


@once
def _rows_of_submissions(report: Report) -> dict[int, NDArray[np.int64]]:
    """The rows of the ranking in which each submission with a page is, by its place."""
    number = numbers(report)
    wanted = np.zeros(len(report.submissions), np.bool_)
    wanted[[number[id] - 1 for id in paged(report)]] = True
    small = np.min_scalar_type(len(wanted))  # numbers of which are sorted without being compared
    places = np.column_stack([column.astype(small) for column in (report.ranking.a, report.ranking.b)]).ravel()
    found = np.flatnonzero(wanted[places])
    places = places[found]
    rows = found[np.argsort(places, kind="stable")] // 2
    here = np.flatnonzero(wanted)
    counts = np.bincount(places, minlength=len(wanted))[here]
    parts = np.split(rows, np.cumsum(counts)[:-1])
    return dict(zip(here.tolist(), parts, strict=True))


@once
def _pairs_of_submissions(report: Report) -> dict[str, list[tuple[int, Pair]]]:
    """The shown pairs of each submission, with their numbers."""
    found: dict[str, list[tuple[int, Pair]]] = {record.id: [] for record in report.submissions}
    for number, pair in enumerate(report.pairs, 1):
        found[pair.a].append((number, pair))
        found[pair.b].append((number, pair))
    return found


def _problems(report: Report, record: SubmissionRecord) -> str:
    """The problems that reading the submission had."""
    found = [p for p in report.problems if p.path == record.id or p.path.startswith(f"{record.id}/")]
    if not found:
        return ""
    items = (f"<li><code><bdi>{visible(p.path)}</bdi></code>: {visible(p.reason)}</li>\n" for p in found)
    title = escape(gettext("Problems"))
    heading = f'<h2 id="problems">{title}</h2>'
    return f'<section aria-labelledby="problems">\n{heading}\n<ul>\n{"".join(items)}</ul>\n</section>\n'


def _sheet(sheet: SubmissionSheet, pages: dict[str, str]) -> str:
    """A file with everybody who has its lines."""
    text = f'<div class="sheet">\n{shared_lines_markup(sheet, pages)}</div>\n'
    cut = gettext("The end of this file is too long to show here.") if sheet.cut else ""
    note = "" if not cut else f'<p class="muted">{escape(cut)}</p>\n'
    return f"<h3><code><bdi>{visible(sheet.file.path)}</bdi></code></h3>\n{text}{note}"


def _file_row(file: FileRecord) -> str:
    """A file as a row of the table."""
    word = mark("report/_marks.html", "read_word", file.status)
    read = f"{word}: {visible(file.reason)}" if file.reason else word
    cells = (
        ("", gettext("Language"), escape(language_title(file.language))),
        (' class="number"', gettext("Lines"), spelled(file.lines)),
        (' class="number"', gettext("Tokens"), spelled(file.tokens)),
        ("", gettext("Encoding"), escape(file.encoding)),
        ("", gettext("Read"), read),
    )
    told = "".join(f'<td{kind} data-label="{escape(label)}">{value}</td>' for kind, label, value in cells)
    digest = f'<td><code class="digest">{escape(file.digest)}</code></td>'
    return f'<tr><th scope="row"><bdi>{visible(file.path)}</bdi></th>{told}{digest}</tr>\n'
