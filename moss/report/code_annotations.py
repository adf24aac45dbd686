"""Passages as findings about lines of code, for programs that show such: SARIF files, and GitHub's annotations.

A finding stands at the passage's first side and names the second as a related place. How loud it is says how much the
pair stands out: ordinary pairs are notes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import IO, Any

from moss.model import Match, Pair, Region, Report, Standing

_RULE = "shared-passage"
_LEVELS = {Standing.FAR: "error", Standing.ABOVE: "warning"}
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}

FileAddress = Callable[[str, str], str]
"""From a submission's id and a path in it to the address of the file, for whoever reads the findings."""


def inside_submission(submission: str, path: str) -> str:
    """The address of a file as the report names it."""
    return f"{submission}/{path}"


def write_sarif(report: Report, file: IO[str], address: FileAddress = inside_submission) -> None:
    """Write the passages of the shown pairs as a SARIF 2.1.0 log, the best pair first."""
    rule = {
        "id": _RULE,
        "shortDescription": {"text": "Two submissions share a passage."},
        "help": {"text": "Similarity is not proof: read both texts before you judge."},
    }
    driver = {"name": "moss", "version": report.version, "rules": [rule]}
    results = [_result(report, pair, match, address) for pair, match in _passages(report)]
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    json.dump(log, file, ensure_ascii=False, indent=1)
    file.write("\n")


def github_annotations(report: Report, address: FileAddress = inside_submission) -> Iterator[str]:
    """The workflow commands that let GitHub show the passages beside the lines concerned."""
    for pair, match in _passages(report):
        command = _COMMANDS[_level(report, pair)]
        place = {"file": address(pair.a, match.a.file), "line": match.a.start_line, "endLine": match.a.end_line}
        fields = ",".join(f"{name}={_escaped(str(value), ',:')}" for name, value in place.items())
        yield f"::{command} {fields}::{_escaped(_sentence(pair, match, address))}"


def _passages(report: Report) -> Iterator[tuple[Pair, Match]]:
    return ((pair, match) for pair in report.pairs for match in pair.matches)


def _level(report: Report, pair: Pair) -> str:
    return _LEVELS.get(report.baseline.standing(pair.score), "note")


def _sentence(pair: Pair, match: Match, address: FileAddress) -> str:
    other = f"{address(pair.b, match.b.file)}, lines {match.b.start_line} to {match.b.end_line}"
    return f"{pair.a} and {pair.b} score {pair.score:.0%}; these lines correspond to {other}"


def _result(report: Report, pair: Pair, match: Match, address: FileAddress) -> dict[str, Any]:
    return {
        "ruleId": _RULE,
        "level": _level(report, pair),
        "message": {"text": _sentence(pair, match, address)},
        "locations": [_location(match.a, address(pair.a, match.a.file))],
        "relatedLocations": [_location(match.b, address(pair.b, match.b.file))],
        "properties": {"score": round(pair.score, 6), "tokens": match.tokens},
    }


def _location(region: Region, address: str) -> dict[str, Any]:
    lines = {"startLine": region.start_line, "endLine": region.end_line}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(address)}, "region": lines}}


def _uri(address: str) -> str:
    from urllib.parse import quote

    return quote(address)


def _escaped(text: str, besides: str = "") -> str:
    """A text as it may stand in a workflow command: line ends and separators would end it."""
    for character in "%\r\n" + besides:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
