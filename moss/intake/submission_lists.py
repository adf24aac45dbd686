"""Lists of submissions that come with a download: Gradescope's metadata, and `info.csv` of a dataset for Dolos.

Gradescope writes YAML as Ruby does, always in the same simple shape, so a reader of indented lines is enough:

    submission_123:
      :submitters:
      - :name: Ada Lovelace
        :email: ada@example.edu
      :created_at: 2024-01-31 10:20:30.000000000 Z

The list for Dolos has one row for each file. Only `filename` must be there. `full_name` is who wrote it, `label` a
group of the class, `created_at` when it was handed in, and `ignored` marks code that was handed out.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import datetime
from typing import NamedTuple

from moss.intake.times import read_time

GRADESCOPE_METADATA = "submission_metadata.yml"

_SUBMISSION = re.compile(r"[\"']?(submission_\d+)[\"']?:\s*$")
_KEY = re.compile(r"( *)(?:- +)?:?([a-z_]+):(?: +(.*))?$")
DOLOS_LIST = "info.csv"
_PERSON = ("name", "email", "sid")


class Described(NamedTuple):
    """The facts about a submission in the metadata file."""

    names: str  # of all who own it
    time: datetime | None


def submitters(metadata: str) -> dict[str, Described]:
    """Owners and time of each submission by the name of its folder; namesakes are told apart by address or folder."""
    people: dict[str, list[tuple[str, str]]] = {}
    times: dict[str, datetime | None] = {}
    current = ""
    inside = False
    for line in metadata.splitlines():
        if found := _SUBMISSION.match(line):
            current, inside = found[1], False
            people.setdefault(current, [])
        elif current and (key := _KEY.match(line)):
            inside = key[2] == "submitters" or (inside and (line.lstrip().startswith("-") or key[2] in _PERSON))
            if inside and key[2] in _PERSON:
                _note(people[current], key[2], _unquoted(key[3] or ""))
            elif key[2] == "created_at" and current not in times:  # later ones are of earlier attempts
                times[current] = read_time(_unquoted(key[3] or ""))
    labels = _labels({folder: found for folder, found in people.items() if any(name for name, _ in found)})
    return {folder: Described(names, times.get(folder)) for folder, names in labels.items()}


def _note(found: list[tuple[str, str]], key: str, value: str) -> None:
    if key == "name":
        found.append((value, ""))
    elif found and not found[-1][1]:
        found[-1] = (found[-1][0], value)


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"')
    return value


def _labels(people: dict[str, list[tuple[str, str]]]) -> dict[str, str]:
    names = {folder: ", ".join(sorted(name for name, _ in found if name)) for folder, found in people.items()}
    marks = {folder: ", ".join(sorted(mark for _, mark in found if mark)) or folder for folder, found in people.items()}
    known = defaultdict(set)
    for folder, name in names.items():
        known[name].add(marks[folder])
    return {folder: name if len(known[name]) == 1 else f"{name} ({marks[folder]})" for folder, name in names.items()}


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
