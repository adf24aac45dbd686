"""The report as tables: CSV for spreadsheets, and the scores of every pair."""

from __future__ import annotations

import csv
from typing import IO

from moss.model import Report

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def cell(text: str) -> str:
    """The text for a cell, quoted if a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def write_csv(report: Report, file: IO[str]) -> None:
    """Write a row for each shown pair, best first."""
    rows = csv.writer(file)
    rows.writerow(
        ["rank", "a", "b", "score", "similarity", "share_a", "share_b", "tokens", "longest", "rarity", "matches"]
    )
    for rank, pair in enumerate(report.pairs, 1):
        shares = (f"{value:.4f}" for value in (pair.score, pair.similarity, pair.share_a, pair.share_b))
        rows.writerow(
            [
                rank,
                cell(pair.a),
                cell(pair.b),
                *shares,
                pair.tokens,
                pair.longest,
                f"{pair.rarity:.1f}",
                len(pair.matches),
            ]
        )


def write_scores(report: Report, file: IO[str]) -> None:
    """Write a row `a,b,score` for every pair that shares anything, best first, in the report's order."""
    names = [cell(record.id) for record in report.submissions]
    rows = csv.writer(file)
    rows.writerow(["a", "b", "score"])
    ranking = report.ranking
    for a, b, score in zip(ranking.a.tolist(), ranking.b.tolist(), ranking.score.tolist(), strict=True):
        rows.writerow((names[a], names[b], f"{score:.6f}"))
