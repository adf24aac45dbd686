"""The report as JSON, version 1: the contract for other programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import IO, Any

import numpy as np

from moss.model import Baseline, FileRecord, Match, Pair, Region, Report, Status, SubmissionRecord

FORMAT = "moss-report"
VERSION = 1
REPORT, SOURCES, RANKING = "report.json", "sources.json", "ranking.json"
"""In a report's folder: this, the texts as {id: {path: text}}, and the scores of all pairs, as three columns."""


def write_json(report: Report, file: IO[str]) -> None:
    """Write the report as one JSON object, a line for each thing in it."""
    entries = (f"{_json(name)}: {_json_lines(value)}" for name, value in as_plain(report).items())
    file.write("{" + ",\n ".join(entries) + "}\n")


_json = json.JSONEncoder(ensure_ascii=False).encode  # made once, for it is called for every match


def _json_lines(value: Any) -> str:
    """The value, if it is a list one item on each line: readable, and much quicker than indenting everything."""
    return "[\n  " + ",\n  ".join(map(_json, value)) + "]" if isinstance(value, list) and value else _json(value)


def write_sources(report: Report, file: IO[str]) -> None:
    """Write the text of every file that was compared; in ASCII, so that half a surrogate pair is kept too."""
    texts = {s.id: {f.path: f.text for f in s.files if f.status is not Status.SKIPPED} for s in report.submissions}
    file.write(json.dumps(texts))  # in one piece: five times as fast as json.dump


def write_ranking(report: Report, file: IO[str]) -> None:
    """Write the scores of every pair that shares anything, with the places of both in the list of submissions."""
    ranking = report.ranking
    scores = np.round(ranking.score, 6).tolist()
    columns = {"a": ranking.a.tolist(), "b": ranking.b.tolist(), "score": scores}
    file.write(json.dumps(columns, separators=(",", ":")))


def as_plain(report: Report) -> dict[str, Any]:
    """The report as dictionaries, lists, strings and numbers."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "created": report.created.isoformat(),
        "tool": {"name": "moss", "version": report.version},
        "parameters": dict(report.parameters),
        "submissions": [_submission(record) for record in report.submissions],
        "pairs": [_pair(pair, report.baseline) for pair in report.pairs],
        "clusters": [list(cluster) for cluster in report.clusters],
        "problems": [{"path": problem.path, "reason": problem.reason} for problem in report.problems],
        "baseline": _baseline(report.baseline),
    }


def _submission(record: SubmissionRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "owner": record.owner,
        "role": record.role.value,
        "language": record.language,
        "tokens": record.tokens,
        "fingerprints": record.fingerprints,
        "files": [_file(file) for file in record.files],
    }


def _file(file: FileRecord) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "path": file.path,
        "lines": file.lines,
        "tokens": file.tokens,
        "language": file.language,
        "status": file.status.value,
        "reason": file.reason,
        "encoding": file.encoding,
        "sha256": file.digest,
    }
    if file.base:
        plain["base"] = [_region(region) for region in file.base]
    if file.cells:
        plain["cells"] = [asdict(cell) for cell in file.cells]
    return plain


def _baseline(baseline: Baseline) -> dict[str, Any]:
    return {
        "pairs": baseline.pairs,
        "typical": round(baseline.typical, 6),
        "spread": round(baseline.spread, 6),
        "limit": round(baseline.limit, 6),
        "far": round(baseline.far, 6),
        "enough": baseline.enough,
    }


def _pair(pair: Pair, baseline: Baseline) -> dict[str, Any]:
    return {
        "a": pair.a,
        "b": pair.b,
        "score": round(pair.score, 6),
        "similarity": round(pair.similarity, 6),
        "share_a": round(pair.share_a, 6),
        "share_b": round(pair.share_b, 6),
        "tokens": pair.tokens,
        "longest": pair.longest,
        "rarity": round(pair.rarity, 3),
        "above": round(baseline.spreads(pair.score), 2),
        "standing": baseline.standing(pair.score).value,
        "matches": [_match(match) for match in pair.matches],
    }


def _match(match: Match) -> dict[str, Any]:
    return {
        "a": _region(match.a),
        "b": _region(match.b),
        "tokens": match.tokens,
        "rarity": match.rarity,
        "channel": match.channel.value,
        "others": list(match.others),
        "runs": [[run.a_start, run.a_end, run.b_start, run.b_end] for run in match.runs],
    }


def _region(region: Region) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "file": region.file,
        "start_line": region.start_line,
        "end_line": region.end_line,
        "start": region.start,
        "end": region.end,
    }
    return plain | ({"cell": region.cell} if region.cell else {})
