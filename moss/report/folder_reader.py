"""Reading a report back from the folder that `write_site` wrote.

A folder may be damaged, from a newer version, or no report at all, and it may have been made to mislead. So nothing in
it is trusted: every value is checked for its type and range, and what does not fit is refused with one sentence.
"""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, ValidationError

from moss.codec import Form, from_plain, supply
from moss.messages import gettext, marked
from moss.model import FileRecord, Pair, Ranking, Report, Standing, Status, SubmissionRecord
from moss.report.checks import Parameters, WrongError, check_file, check_names, check_pair, check_ranking
from moss.report.json_report import REPORT, SOURCES, VERSION, shown_ids
from moss.report.packed_ranking import EARLIER_RANKINGS, RANKING, unpack_ranking
from moss.shapes import Checked, first_fault, json_schema, with_fields_of

_NOT_JSON = "json_invalid"  # as pydantic calls it


class ReportError(ValueError):
    """A folder that is no readable report; the message is one sentence for the user."""


class ReportTool(Checked):
    """The program that made a report."""

    name: str
    version: str


@with_fields_of(Pair, Form.FILE)
class FiledPair(Checked):
    """Two submissions of different owners, with what they share."""

    above: float = Field(0.0, description="how many spreads the score lies above the typical one")
    standing: Standing = Field(Standing.ORDINARY, description="how the score compares with what is ordinary")


@with_fields_of(Report, Form.FILE)
class ReportFile(Checked):
    """A report of moss, version 1. Programs that read it should ignore fields that they do not know."""

    format: Literal["moss-report"]
    version: Literal[1] = Field(description="of this format")
    tool: ReportTool
    parameters: Parameters = Field(description="all that influenced the result")
    pairs: list[FiledPair] = Field(description="the best, in the order of their scores")


class RankingFile(Checked):
    """The scores of all pairs that share anything, as earlier versions wrote them."""

    a: list[Annotated[int, Field(ge=0, lt=2**31)]]
    b: list[Annotated[int, Field(ge=0, lt=2**31)]]
    score: list[float]


def report_schema() -> dict[str, Any]:
    """The JSON Schema of a report's file."""
    return json_schema(ReportFile)


def load_report(folder: Path) -> Report:
    """The report that was written into this folder."""
    no_report = marked("%(folder)s is not a report: it has no %(file)s")
    filed = _report_file(folder, _read(folder, REPORT, gettext(no_report, folder=folder, file=REPORT)))
    incomplete = marked("%(folder)s is not complete: it has no %(file)s")
    sources = _read(folder, SOURCES, gettext(incomplete, folder=folder, file=SOURCES))
    ranking = _ranking(folder, gettext(incomplete, folder=folder, file=RANKING))
    try:
        report = _unchecked(filed, ranking)
        _supply_texts(report, json.loads(sources))
        _check(report)
    except WrongError as error:
        raise ReportError(gettext("%(folder)s is damaged: %(fault)s", folder=folder, fault=error)) from None
    except (ValueError, RecursionError):
        raise ReportError(gettext("%(folder)s is damaged: %(file)s is not JSON", folder=folder, file=SOURCES)) from None
    return report


def _ranking(folder: Path, missing: str) -> Ranking:
    name = next((name for name in (RANKING, *EARLIER_RANKINGS) if (folder / name).exists()), RANKING)
    content = _read(folder, name, missing)
    try:
        if name == RANKING:
            return unpack_ranking(content)
        columns = RankingFile.model_validate_json(content)
    except ValidationError as error:
        fault = _fault(name, error)
    except ValueError:
        fault = gettext("its ranking cannot be read")
    else:
        return Ranking(np.array(columns.a, np.int64), np.array(columns.b, np.int64), np.array(columns.score))
    raise ReportError(gettext("%(folder)s is damaged: %(fault)s", folder=folder, fault=fault))


def _read(folder: Path, name: str, missing: str) -> bytes:
    try:
        if name.endswith(".gz") and not (folder / name).exists():  # older reports have it unpacked
            name = name.removesuffix(".gz")
        content = (folder / name).read_bytes()
        return gzip.decompress(content) if name.endswith(".gz") else content
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise ReportError(f"{folder} is damaged: {name} cannot be unpacked") from None
    except (FileNotFoundError, NotADirectoryError):
        raise ReportError(missing) from None
    except OSError as error:
        raise ReportError(
            gettext(
                "cannot read %(path)s: %(reason)s",
                path=folder / name,
                reason=(error.strerror or str(error)).lower(),
            )
        ) from None


def _report_file(folder: Path, content: bytes) -> ReportFile:
    try:
        return ReportFile.model_validate_json(content)
    except ValidationError as error:
        faults = {fault["loc"]: fault for fault in error.errors(include_url=False)}
        if _NOT_JSON in (fault["type"] for fault in faults.values()):
            raise ReportError(
                gettext("%(folder)s is damaged: %(file)s is not JSON", folder=folder, file=REPORT)
            ) from None
        if () in faults or ("format",) in faults:
            raise ReportError(gettext("%(folder)s is not a report of moss", folder=folder)) from None
        if wrong := faults.get(("version",)):
            found = None if wrong["type"] == "missing" else wrong["input"]
            raise ReportError(
                gettext(
                    "%(folder)s is a report of format %(found)r, and this version of moss reads format %(ours)s",
                    folder=folder,
                    found=found,
                    ours=VERSION,
                )
            ) from None
        raise ReportError(
            gettext("%(folder)s is damaged: %(fault)s", folder=folder, fault=_fault(REPORT, error))
        ) from None


def _fault(name: str, error: ValidationError) -> str:
    is_json = error.errors(include_input=False)[0]["type"] != _NOT_JSON
    if not is_json:
        return gettext("%(file)s is not JSON", file=name)
    return gettext("%(file)s is wrong at %(place)s", file=name, place=first_fault(error))


def _unchecked(filed: ReportFile, ranking: Ranking) -> Report:
    values = filed.model_dump(exclude_unset=True) | {"version": filed.tool.version}
    return from_plain(Report, Form.FILE, values, ranking=ranking)


def _supply_texts(report: Report, sources: Any) -> None:
    """Give files their texts: those of the shown pairs, which are all that pages show."""
    shown = shown_ids(report)
    for record in report.submissions:
        for file in record.files:
            text = _text(record, file, sources)
            if text is None and record.id in shown:
                raise WrongError(gettext("the text of %(id)s/%(path)s is missing", id=record.id, path=file.path))
            supply(file, text=text or "")


def _text(record: SubmissionRecord, file: FileRecord, sources: Any) -> str | None:
    if file.status is Status.SKIPPED:
        return ""
    own = sources.get(record.id) if isinstance(sources, dict) else None
    text = own.get(file.path) if isinstance(own, dict) else None
    return text if isinstance(text, str) else None


def _check(report: Report) -> None:
    check_names([record.id for record in report.submissions], report.clusters)
    check_ranking(report.ranking, len(report.submissions))
    shown, lengths = shown_ids(report), {}
    for record in report.submissions:
        lengths[record.id] = {file.path: len(file.text) if record.id in shown else None for file in record.files}
        for file in record.files:
            check_file(file, lengths[record.id][file.path])
    for pair in report.pairs:
        check_pair(pair, lengths)
