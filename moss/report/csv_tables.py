"""The report as tables: CSV for spreadsheets, and the scores of every pair."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from typing import IO

import numpy as np
from numpy.typing import NDArray

from moss.model import Report

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_AT_ONCE = 1 << 23  # bytes of rows that are made together: bounds the memory
_NOTHING = 0xFF  # fills up short cells; UTF-8 never has it, so it can be taken out again
_MILLION = 1_000_000  # scores have six digits behind the point


def cell(text: str) -> str:
    """The text for a cell, quoted if a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def write_csv(report: Report, file: IO[str]) -> None:
    """Write a row for each shown pair, best first. The last column is the kind of the side that is a reference."""
    rows = csv.writer(file)
    figures = ("score", "similarity", "share_a", "share_b", "tokens", "longest", "rarity", "matches")
    rows.writerow(["rank", "a", "b", *figures, "reference"])
    kinds = {record.id: record.kind for record in report.submissions}
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
                kinds[pair.a] or kinds[pair.b] or "",
            ]
        )


def write_scores(report: Report, file: IO[str]) -> None:
    """Write a row `a,b,score` for every pair that shares anything, best first, in the report's order.

    There may be millions of rows, so they are made column by column, of cells that are written once for all rows."""
    names = _cells([f"{_quoted(cell(record.id))}," for record in report.submissions])
    upper = _cells([f"{number // 1000}.{number % 1000:03}" for number in range(1001)])
    lower = _cells([f"{number:03}\r\n" for number in range(1000)])
    file.write("a,b,score\r\n")
    ranking = report.ranking
    step = max(1, _AT_ONCE // (2 * names.shape[1] + upper.shape[1] + lower.shape[1]))
    for first in range(0, len(ranking), step):
        some = slice(first, first + step)
        above, below = np.divmod(_millionths(ranking.score[some]), 1000)
        columns = (
            names.take(ranking.a[some], 0),
            names.take(ranking.b[some], 0),
            upper.take(above, 0),
            lower.take(below, 0),
        )
        rows = np.concatenate(columns, axis=1).tobytes().translate(None, bytes([_NOTHING]))
        file.write(rows.decode("utf-8", "surrogatepass"))


def _quoted(text: str) -> str:
    """The text as CSV has it beside other cells."""
    row = StringIO()
    csv.writer(row).writerow((text, ""))  # with the usual end of a line, or line breaks in the text would not be quoted
    return row.getvalue().removesuffix(",\r\n")


def _cells(texts: Sequence[str]) -> NDArray[np.uint8]:
    """A row of bytes for each text, all of the same length."""
    written = [text.encode("utf-8", "surrogatepass") for text in texts]
    width = max(map(len, written), default=1)
    return np.frombuffer(b"".join(text.ljust(width, bytes([_NOTHING])) for text in written), np.uint8).reshape(
        -1, width
    )


def _millionths(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Each score in millionths, rounded as `f"{score:.6f}"` does."""
    millions = scores * _MILLION
    found = np.rint(millions).astype(np.int64)
    halfway = np.flatnonzero(np.abs(np.abs(millions - found) - 0.5) < 1e-6)  # the product itself was rounded
    found[halfway] = [int(f"{score:.6f}".replace(".", "")) for score in scores[halfway].tolist()]
    return found
