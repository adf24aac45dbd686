"""Reading a report's folder back: from the files that `write_site` wrote to the Report that they came from.

A folder may be damaged, from a newer version, or no report at all, and it may have been made to mislead. So nothing in
it is trusted: every value is checked for its type and range, and what does not fit is refused with one sentence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from moss.model import (
    Baseline,
    Cell,
    Channel,
    FileRecord,
    Match,
    Pair,
    Problem,
    Ranking,
    Region,
    Report,
    Role,
    Run,
    Status,
    SubmissionRecord,
)  # fmt: skip
from moss.report.checks import WrongError, items, real, share, text, whole
from moss.report.plain import FORMAT, RANKING, REPORT, SOURCES, VERSION

Texts = Mapping[str, Mapping[str, str]]

_SHARES = ("score", "similarity", "share_a", "share_b")


class ReportError(ValueError):
    """A folder that is no readable report; the message is one sentence for the user."""


def load_report(folder: Path) -> Report:
    """The report that was written into this folder."""
    plain = _read(folder, REPORT, f"{folder} is not a report: it has no {REPORT}")
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise ReportError(f"{folder} is not a report of moss")
    if plain.get("version") != VERSION:
        raise ReportError(f"{folder} has version {plain.get('version')!r} of the format, and this moss reads {VERSION}")
    missing = "{} is not complete: it has no {}".format
    texts, ranking = (_read(folder, name, missing(folder, name)) for name in (SOURCES, RANKING))
    try:
        return _report(plain, texts, ranking)
    except (WrongError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ReportError(f"{folder} is damaged: {_cause(error)}") from None


def _cause(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def _read(folder: Path, name: str, missing: str) -> Any:
    try:
        return json.loads((folder / name).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ReportError(missing) from None
    except OSError as error:
        raise ReportError(f"cannot read {folder / name}: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, RecursionError):
        raise ReportError(f"{folder} is damaged: {name} is not JSON") from None


def _report(plain: Mapping[str, Any], texts: Texts, ranking: Mapping[str, Any]) -> Report:
    submissions = tuple(_submission(each, texts) for each in items(plain["submissions"]))
    known = {record.id: {file.path: file.text for file in record.files} for record in submissions}
    return Report(
        created=datetime.fromisoformat(text(plain["created"])),
        version=text(plain["tool"]["version"]),
        parameters=checked_parameters(plain["parameters"]),
        submissions=submissions,
        pairs=tuple(_pair(each, known) for each in items(plain["pairs"])),
        ranking=_ranking(ranking, len(submissions)),
        clusters=tuple(tuple(_known(id, known) for id in items(each)) for each in items(plain["clusters"])),
        problems=tuple(Problem(text(each["path"]), text(each["reason"])) for each in items(plain["problems"])),
        baseline=_baseline(plain["baseline"]) if "baseline" in plain else Baseline(),
    )


def checked_parameters(plain: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters, of which those that pages show must be what they seem."""
    for name in ("paths", "base", "archive"):
        list(map(text, items(plain[name])))
    text(plain["comment"]), share(plain["cluster"]), whole(plain["show"])
    list(map(whole, plain["limits"].values()))
    for layer in items(plain["thresholds"]):
        Channel(layer["channel"]), layer["own"]
        list(map(whole, (layer[name] for name in ("noise", "guarantee", "passage"))))
    return dict(plain)


def _submission(plain: Mapping[str, Any], texts: Texts) -> SubmissionRecord:
    own = texts[text(plain["id"])]
    return SubmissionRecord(
        plain["id"], text(plain["owner"]), Role(plain["role"]), text(plain["language"]), whole(plain["tokens"]),
        whole(plain["fingerprints"]), tuple(_file(each, own) for each in items(plain["files"])),
    )  # fmt: skip


def _file(plain: Mapping[str, Any], texts: Mapping[str, str]) -> FileRecord:
    path, status = text(plain["path"]), Status(plain["status"])
    content = "" if status is Status.SKIPPED else text(texts[path])
    base = tuple(_region(each, {path: content}) for each in items(plain.get("base", [])))
    cells = tuple(_cell(each, len(content)) for each in items(plain.get("cells", [])))
    return FileRecord(
        path, whole(plain["lines"]), whole(plain["tokens"]), text(plain["language"]), status,
        text(plain["reason"]), text(plain["sha256"]), text(plain["encoding"]), base, cells, content,
    )  # fmt: skip


def _cell(plain: Mapping[str, Any], length: int) -> Cell:
    cell = Cell(text(plain["label"]), text(plain["language"]), whole(plain["start"]), whole(plain["end"]))
    if not cell.start <= cell.end <= length:
        raise WrongError(f"{cell.label} lies outside of its file")
    return cell


def _pair(plain: Mapping[str, Any], known: Texts) -> Pair:
    a, b = _known(plain["a"], known), _known(plain["b"], known)
    score, similarity, share_a, share_b = (share(plain[name]) for name in _SHARES)
    matches = tuple(_match(each, known[a], known[b]) for each in items(plain["matches"]))
    rarity = real(plain["rarity"], float("inf"))
    tokens, longest = whole(plain["tokens"]), whole(plain["longest"])
    return Pair(a, b, score, similarity, share_a, share_b, tokens, longest, rarity, matches)


def _match(plain: Mapping[str, Any], a: Mapping[str, str], b: Mapping[str, str]) -> Match:
    sides = _region(plain["a"], a), _region(plain["b"], b)
    runs = tuple(_run(each, *sides) for each in items(plain["runs"]))
    others = tuple(map(text, items(plain["others"])))
    return Match(*sides, whole(plain["tokens"]), Channel(plain["channel"]), others, whole(plain["rarity"]), runs)


def _region(plain: Mapping[str, Any], texts: Mapping[str, str]) -> Region:
    file, length = text(plain["file"]), len(texts[plain["file"]])
    lines = whole(plain["start_line"]), whole(plain["end_line"])
    start, end = whole(plain["start"]), whole(plain["end"])
    if not (start <= end <= length and 1 <= lines[0] <= lines[1]):
        raise WrongError(f"a passage lies outside of {file}")
    return Region(file, *lines, start, end, text(plain["cell"]) if "cell" in plain else None)


def _run(plain: Any, a: Region, b: Region) -> Run:
    run = Run(*map(whole, items(plain)))
    if not (a.start <= run.a_start <= run.a_end <= a.end and b.start <= run.b_start <= run.b_end <= b.end):
        raise WrongError("a run lies outside of its passage")
    return run


def _ranking(plain: Mapping[str, Any], count: int) -> Ranking:
    a, b = (np.array([whole(each) for each in items(plain[side])], np.int64) for side in "ab")
    score = np.array([share(each) for each in items(plain["score"])], np.float64)
    if not len(a) == len(b) == len(score):
        raise WrongError("its ranking has columns of different lengths")
    if len(a) and max(a.max(), b.max()) >= count:
        raise WrongError("its ranking has a submission that is not there")
    return Ranking(a, b, score)


def _baseline(plain: Mapping[str, Any]) -> Baseline:
    typical, limit, far = (share(plain[name]) for name in ("typical", "limit", "far"))
    spread = real(plain["spread"], 10)
    if spread == 0:
        raise WrongError("its baseline has no spread")
    return Baseline(whole(plain["pairs"]), typical, spread, limit, far, plain.get("enough") is not False)


def _known(id: Any, known: Texts) -> str:
    if text(id) not in known:
        raise WrongError(f"{id!r} is not among its submissions")
    return str(id)
