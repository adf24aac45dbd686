"""Reading a report's folder back: from the files that `write_site` wrote to the Report that they came from.

A folder may be damaged, from a newer version, or no report at all, and it may have been made to mislead. So nothing in
it is trusted: every value is checked for its type and range, and what does not fit is refused with one sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from moss.model import (
    Baseline,
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
from moss.report.plain import FORMAT, RANKING, REPORT, SOURCES, VERSION

Texts = Mapping[str, Mapping[str, str]]

_SHARES = ("score", "similarity", "share_a", "share_b")


class ReportError(ValueError):
    """A folder that is no readable report; the message is one sentence for the user."""


class _WrongError(Exception):
    """A value that cannot be where it stands."""


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
    except (_WrongError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
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
    submissions = tuple(_submission(each, texts) for each in _list(plain["submissions"]))
    known = {record.id: {file.path: file.text for file in record.files} for record in submissions}
    return Report(
        created=datetime.fromisoformat(_text(plain["created"])),
        version=_text(plain["tool"]["version"]),
        parameters=dict(plain["parameters"]),
        submissions=submissions,
        pairs=tuple(_pair(each, known) for each in _list(plain["pairs"])),
        ranking=_ranking(ranking, len(submissions)),
        clusters=tuple(tuple(_known(id, known) for id in _list(each)) for each in _list(plain["clusters"])),
        problems=tuple(Problem(_text(each["path"]), _text(each["reason"])) for each in _list(plain["problems"])),
        baseline=_baseline(plain["baseline"]) if "baseline" in plain else Baseline(),
    )


def _submission(plain: Mapping[str, Any], texts: Texts) -> SubmissionRecord:
    own = texts[_text(plain["id"])]
    return SubmissionRecord(
        plain["id"], _text(plain["owner"]), Role(plain["role"]), _text(plain["language"]), _whole(plain["tokens"]),
        _whole(plain["fingerprints"]), tuple(_file(each, own) for each in _list(plain["files"])),
    )  # fmt: skip


def _file(plain: Mapping[str, Any], texts: Mapping[str, str]) -> FileRecord:
    path, status = _text(plain["path"]), Status(plain["status"])
    text = "" if status is Status.SKIPPED else _text(texts[path])
    base = tuple(_region(each, {path: text}) for each in _list(plain.get("base", [])))
    return FileRecord(
        path, _whole(plain["lines"]), _whole(plain["tokens"]), _text(plain["language"]), status,
        _text(plain["reason"]), _text(plain["sha256"]), _text(plain["encoding"]), base, text,
    )  # fmt: skip


def _pair(plain: Mapping[str, Any], known: Texts) -> Pair:
    a, b = _known(plain["a"], known), _known(plain["b"], known)
    score, similarity, share_a, share_b = (_share(plain[name]) for name in _SHARES)
    matches = tuple(_match(each, known[a], known[b]) for each in _list(plain["matches"]))
    rarity = _real(plain["rarity"], float("inf"))
    tokens, longest = _whole(plain["tokens"]), _whole(plain["longest"])
    return Pair(a, b, score, similarity, share_a, share_b, tokens, longest, rarity, matches)


def _match(plain: Mapping[str, Any], a: Mapping[str, str], b: Mapping[str, str]) -> Match:
    sides = _region(plain["a"], a), _region(plain["b"], b)
    runs = tuple(_run(each, *sides) for each in _list(plain["runs"]))
    others = tuple(map(_text, _list(plain["others"])))
    return Match(*sides, _whole(plain["tokens"]), Channel(plain["channel"]), others, _whole(plain["rarity"]), runs)


def _region(plain: Mapping[str, Any], texts: Mapping[str, str]) -> Region:
    file, length = _text(plain["file"]), len(texts[plain["file"]])
    lines = _whole(plain["start_line"]), _whole(plain["end_line"])
    start, end = _whole(plain["start"]), _whole(plain["end"])
    if not (start <= end <= length and 1 <= lines[0] <= lines[1]):
        raise _WrongError(f"a passage lies outside of {file}")
    return Region(file, *lines, start, end, _text(plain["cell"]) if "cell" in plain else None)


def _run(plain: Any, a: Region, b: Region) -> Run:
    run = Run(*map(_whole, _list(plain)))
    if not (a.start <= run.a_start <= run.a_end <= a.end and b.start <= run.b_start <= run.b_end <= b.end):
        raise _WrongError("a run lies outside of its passage")
    return run


def _ranking(plain: Mapping[str, Any], count: int) -> Ranking:
    a, b = (np.array([_whole(each) for each in _list(plain[side])], np.int64) for side in "ab")
    score = np.array([_share(each) for each in _list(plain["score"])], np.float64)
    if not len(a) == len(b) == len(score):
        raise _WrongError("its ranking has columns of different lengths")
    if len(a) and max(a.max(), b.max()) >= count:
        raise _WrongError("its ranking has a submission that is not there")
    return Ranking(a, b, score)


def _baseline(plain: Mapping[str, Any]) -> Baseline:
    typical, limit, far = (_share(plain[name]) for name in ("typical", "limit", "far"))
    spread = _real(plain["spread"], 10)
    if spread == 0:
        raise _WrongError("its baseline has no spread")
    return Baseline(_whole(plain["pairs"]), typical, spread, limit, far)


def _is(kind: type | tuple[type, ...], words: str) -> Callable[[Any], Any]:
    def checked(value: Any) -> Any:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise _WrongError(f"{str(value)[:40]!r} is not {words}")
        return value

    return checked


_text: Callable[[Any], str] = _is(str, "a text")
_list: Callable[[Any], list[Any]] = _is(list, "a list")
_int: Callable[[Any], int] = _is(int, "a whole number")
_float: Callable[[Any], float] = _is((int, float), "a number")


def _whole(value: Any) -> int:
    if not 0 <= _int(value) < 2**62:
        raise _WrongError(f"{value} is out of range")
    return int(value)


def _real(value: Any, most: float) -> float:
    if not 0 <= _float(value) <= most:
        raise _WrongError(f"{value} is out of range")
    return float(value)


def _share(value: Any) -> float:
    return _real(value, 1)


def _known(id: Any, known: Texts) -> str:
    if _text(id) not in known:
        raise _WrongError(f"{id!r} is not among its submissions")
    return str(id)
