"""The owners and times of Gradescope submissions, from the metadata file of an export.

The file is YAML as Ruby writes it, always in the same simple shape, so a reader of indented lines is enough:

    submission_123:
      :submitters:
      - :name: Ada Lovelace
        :email: ada@example.edu
      :created_at: 2024-01-31 10:20:30.000000000 Z
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import datetime
from typing import NamedTuple

from moss.intake.times import read_time

METADATA = "submission_metadata.yml"

_SUBMISSION = re.compile(r"[\"']?(submission_\d+)[\"']?:\s*$")
_KEY = re.compile(r"( *)(?:- +)?:?([a-z_]+):(?: +(.*))?$")


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


_PERSON = ("name", "email", "sid")


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
