"""Which of the pairs that share anything a report lists: so many of the best (`--show`), those with at least a score
(`--threshold`), and of these the ones with a whole passage in common."""

from __future__ import annotations

from moss.messages import gettext, percent
from moss.model import Report


def least_listed(report: Report) -> float:
    """The score from which on pairs are listed; 0 if none was asked for, or if the list was full before."""
    asked, most = report.parameters.get("threshold"), report.parameters.get("show")
    is_full = isinstance(most, int) and len(report.pairs) >= most
    return float(asked) if isinstance(asked, int | float) and 0 < asked <= 1 and not is_full else 0.0


def lists_all(report: Report) -> bool:
    """Whether every pair with a whole passage in common is listed."""
    most = report.parameters.get("show")
    return not least_listed(report) and not (isinstance(most, int) and report.ranking.sharing > most)


def no_pairs_in_words(report: Report) -> str:
    """Why a report lists no pairs at all."""
    if report.parameters.get("show") == 0:
        return gettext("This report was made without pairs.")
    if least := least_listed(report):
        return gettext("No two submissions with a score of %(least)s or more share a passage.", least=percent(least))
    return gettext("No two submissions share a passage.")
