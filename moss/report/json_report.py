"""The report as JSON, version 1: the contract for other programs."""

from __future__ import annotations

import json
from typing import IO, Any

from moss.codec import Form, plain
from moss.model import Baseline, Pair, Report, Status

FORMAT = "moss-report"
VERSION = 1
REPORT, SOURCES = "report.json", "sources.json.gz"
"""The files of a report's folder: the report, and the texts of the shown pairs as {id: {path: text}}."""


def write_json(report: Report, file: IO[str]) -> None:
    """Write the report as JSON."""
    file.write(as_json(report))


def as_json(report: Report) -> str:
    """The report as one JSON object, with a line for each submission, pair and so on."""
    entries = (f"{_json(name)}: {_json_lines(value)}" for name, value in as_plain(report).items())
    return "{" + ",\n ".join(entries) + "}\n"


_json = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":")
).encode  # made once, because it is called for every match


def _json_lines(value: Any) -> str:
    """The value as JSON, a list with one item on each line: readable, and much quicker than indenting everything."""
    return "[\n  " + ",\n  ".join(map(_json, value)) + "]" if isinstance(value, list) and value else _json(value)


def shown_ids(report: Report) -> frozenset[str]:
    """The submissions in shown pairs: they have pages, and their texts are kept."""
    return frozenset(id for pair in report.pairs for id in (pair.a, pair.b))


def write_sources(report: Report, file: IO[str]) -> None:
    """Write the texts of the shown pairs; in ASCII, so that half a surrogate pair is kept too."""
    shown = shown_ids(report)
    texts = {
        record.id: {file.path: file.text for file in record.files if file.status is not Status.SKIPPED}
        for record in report.submissions
        if record.id in shown
    }
    file.write(json.dumps(texts))  # by dumps: five times as fast as json.dump


def as_plain(report: Report) -> dict[str, Any]:
    """The report as dictionaries, lists, strings and numbers."""
    fields: dict[str, Any] = plain(report, Form.FILE)
    created, version = fields.pop("created"), fields.pop("version")
    head = {"format": FORMAT, "version": VERSION, "created": created, "tool": {"name": "moss", "version": version}}
    pairs = zip(report.pairs, fields["pairs"], strict=True)
    if report.imported:  # of which nothing is known to be ordinary
        return head | fields
    return head | fields | {"pairs": [_with_standing(pair, given, report.baseline) for pair, given in pairs]}


def _with_standing(pair: Pair, given: dict[str, Any], baseline: Baseline) -> dict[str, Any]:
    """A pair with the standing of its score in its class; the long list of matches comes last."""
    matches = given.pop("matches")
    place = {"above": round(baseline.spreads(pair.score), 2), "standing": baseline.standing(pair.score).value}
    return given | place | {"matches": matches}
