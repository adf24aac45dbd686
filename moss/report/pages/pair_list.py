"""The data of the overview's lists: every shown pair, submission and file as columns, in a script beside the pages.

A script is what a page on disk may load: browsers let it fetch no other file. Numbers are whole (a score in millionths,
`rarity` in tenths), and a column of few values is a string of digits, so that thousands of pairs stay small. Names are
given as they are; those with unseen characters also as the markup that shows them.

    var mossPairs={"submissions":{"id":["ada",…],…},"pairs":{"a":[0,…],"b":[3,…],"score":[870312,…],…},…};

On a server the slot `states` follows, which adds the states of the cases.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from frontends.language_titles import language_title
from moss.messages import counted, gettext
from moss.model import Report, Standing, Status
from moss.report.code.visible_text import visible, visible_plain
from moss.report.page_templates import Links, numbers
from moss.report.pages.histogram import THRESHOLDS, counts_from
from moss.report.pages.overview import OverviewRow, all_files, best_scores, is_listed, rows
from moss.report.words.references import kind_in_words, kinds_in

_STANDINGS = (Standing.ORDINARY, Standing.ABOVE, Standing.FAR)  # by their digits
_STATUSES = (Status.OK, Status.FALLBACK, Status.SKIPPED)


def pair_list_script(report: Report, links: Links) -> str:
    """The script with the data of the overview's lists."""
    listed = rows(report)
    data = {
        "submissions": _submissions(report),
        "files": _files(report),
        "pairs": _pairs(listed, numbers(report)),
        "remarks": _remarks(listed),
        "kinds": [(kind.value, kind_in_words(kind)) for kind in kinds_in(report)],
        "typical": round(report.baseline.typical, 6),
        "spread": round(report.baseline.spread, 6),
        "thresholds": _thresholds(report),
    }
    # Neither a tag nor a slot can be forged by a name: both begin with a sign that stands here by its number only.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return f"var mossPairs={text};\n{links.slot('states')}"


def states_script(ranks_by_state: dict[str, list[int]]) -> str:
    """The content of the slot `states`: the ranks of the pairs whose case is in each state."""
    return f"mossPairs.states={json.dumps(ranks_by_state, separators=(',', ':'))};\n"


def _submissions(report: Report) -> dict[str, Any]:
    best, kinds = best_scores(report), kinds_in(report)
    languages = sorted({record.language for record in report.submissions})
    ids = [record.id for record in report.submissions]
    return {
        "id": ids,
        "markup": _markup(ids),
        "kind": "".join(str(kinds.index(record.kind) + 1 if record.kind else 0) for record in report.submissions),
        "best": [_millionths(score) for score in best],
        "standing": _digits(report.baseline.standing(score) for score in best),
        "languages": [language_title(language) for language in languages],
        "language": [languages.index(record.language) for record in report.submissions],
        "files": [len(record.files) for record in report.submissions],
        "tokens": [record.tokens for record in report.submissions],
    }


def _files(report: Report) -> dict[str, Any]:
    """All files, submission by submission; how many each has is known from there."""
    files = [file for _, file in all_files(report)]
    paths, languages = (sorted({getattr(file, name) for file in files}) for name in ("path", "language"))
    place = {path: number for number, path in enumerate(paths)}  # most of a class hand in files of the same names
    return {
        "paths": paths,
        "markup": _markup(paths),
        "path": [place[file.path] for file in files],
        "languages": [language_title(language) for language in languages],
        "language": [languages.index(file.language) for file in files],
        "lines": [file.lines for file in files],
        "tokens": [file.tokens for file in files],
        "status": "".join(str(_STATUSES.index(file.status)) for file in files),
    }


def _markup(texts: list[str]) -> dict[int, str]:
    """The texts that have unseen characters, by their places, as the markup that shows them."""
    return {place: str(visible(text)) for place, text in enumerate(texts) if visible_plain(text) != text}


def _pairs(listed: list[OverviewRow], number: dict[str, int]) -> dict[str, Any]:
    pairs = [row.pair for row in listed]
    remarks = _remarks(listed)
    return {
        "a": [number[pair.a] - 1 for pair in pairs],
        "b": [number[pair.b] - 1 for pair in pairs],
        "score": [_millionths(pair.score) for pair in pairs],
        "share_a": [_millionths(pair.share_a) for pair in pairs],
        "share_b": [_millionths(pair.share_b) for pair in pairs],
        "longest": [pair.longest for pair in pairs],
        "tokens": [pair.tokens for pair in pairs],
        "rarity": [round(10 * round(pair.rarity, 1)) for pair in pairs],
        "cluster": [row.cluster or 0 for row in listed],
        "standing": _digits(row.standing for row in listed),
        "remark": "".join(str(remarks.index(row.remark)) for row in listed),
        "behind": [row.behind for row in listed] if any(row.behind for row in listed) else [],
    }


def _remarks(listed: list[OverviewRow]) -> list[str]:
    """The different remarks on pairs, of which there are a few; the first is none."""
    return ["", *sorted({row.remark for row in listed if row.remark})]


def _thresholds(report: Report) -> list[tuple[int, str]]:
    """For each place of the threshold, from 0 to 1, the number of clusters and a sentence that counts what is left."""
    return [
        (
            clusters,
            gettext(
                "From %(score)s on: %(pairs)s, %(submissions)s, %(clusters)s.",
                score=gettext("%(n)s%%", n=f"{100 * place / THRESHOLDS:g}"),
                pairs=counted(pairs, "pair"),
                submissions=counted(submissions, "submission"),
                clusters=counted(clusters, "cluster"),
            ),
        )
        for place, (pairs, submissions, clusters) in enumerate(
            counts_from(report.ranking, is_listed(report), len(report.submissions))
        )
    ]


def _digits(standings: Iterable[Standing]) -> str:
    return "".join(str(_STANDINGS.index(standing)) for standing in standings)


def _millionths(share: float) -> int:
    """A share in whole millionths, as finely as reports are stored; only 0 is none and only 1 is all.

    >>> _millionths(0.9999999), _millionths(0.0000001)
    (999999, 1)
    """
    return min(max(round(1_000_000 * round(share, 6)), int(share > 0)), 999_999 if share < 1 else 1_000_000)
