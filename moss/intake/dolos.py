"""The list of submissions in a dataset for Dolos: `info.csv`, one row for each file.

Only `filename` must be there. `full_name` is who wrote it, `label` a group of the class, `created_at` when it was
handed in, and `ignored` marks code that was handed out.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import NamedTuple

from moss.intake.times import read_time

LIST = "info.csv"


class Listed(NamedTuple):
    """A row of the list: the facts about one file."""

    label: str  # the owner, told apart from namesakes
    account: str
    section: str
    time: datetime | None
    handed_out: bool


def dolos_rows(text: str) -> dict[str, Listed]:
    """Each row by its file; nothing if it is no such list. Of two rows of one name each is another person's, unless an
    account or address in the list is the same."""
    import csv  # few have such a list
    import io

    try:
        rows = list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))
    except csv.Error:
        return {}
    rows = [{key.strip(): (value or "").strip() for key, value in row.items() if isinstance(key, str)
             and not isinstance(value, list)} for row in rows]  # fmt: skip
    named = {row["filename"].removeprefix("./"): row for row in rows if row.get("filename")}
    return dict(zip(named, _listed(named), strict=True))


def _listed(rows: dict[str, dict[str, str]]) -> list[Listed]:
    accounts = [_account(row) for row in rows.values()]
    names = [
        row.get("full_name") or account or file for (file, row), account in zip(rows.items(), accounts, strict=True)
    ]
    people = Counter(
        name for name, _ in set(zip(names, [a or f for a, f in zip(accounts, rows, strict=True)], strict=True))
    )
    found = []
    for (file, row), name, account in zip(rows.items(), names, accounts, strict=True):
        label = name if people[name] == 1 else f"{name} ({account or file})"
        ignored = row.get("ignored", "").lower() in ("true", "1", "yes")
        found.append(Listed(label, account, row.get("label", ""), read_time(row.get("created_at", "")), ignored))
    return found


def _account(row: dict[str, str]) -> str:
    return next((row[key] for key in ("email", "username", "user_id", "student_id") if row.get(key)), "")
