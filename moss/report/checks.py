"""Checks on a report that comes from a file, beyond the shapes of its values.

Anyone may have written the file. Pages cut texts at its offsets and look up its names, so those are checked here, both
for a report's folder and for the archive of a course.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field, ValidationError

from moss.model import FileRecord, Match, Pair, Ranking, Region
from moss.shapes import Checked, first_fault

Lengths = Mapping[str, int | None]
"""How long each file of a submission is; None if its text is gone."""

_Whole = Annotated[int, Field(ge=0, lt=2**62)]


class WrongError(Exception):
    """A value that contradicts the rest of the report; the message says which."""


class ShownLayer(Checked):
    """Thresholds that pages show."""

    channel: Literal["structure", "text"]
    own: Any
    noise: _Whole
    guarantee: _Whole
    passage: _Whole


class ShownDigest(Checked):
    """A file that was handed out."""

    path: str
    sha256: str


class ShownHandout(Checked):
    """Starter code, with its files."""

    id: str
    files: list[ShownDigest]


class ShownParameters(Checked):
    """The parameters that pages show, with their types."""

    paths: list[str]
    base: list[str]
    archive: list[str]
    comment: str
    cluster: Annotated[float, Field(ge=0, le=1)] | None
    show: _Whole
    limits: dict[str, _Whole]
    thresholds: list[ShownLayer]
    handed_out: list[ShownHandout] | None = None


def _checked(given: dict[str, Any]) -> dict[str, Any]:
    try:
        ShownParameters.model_validate(given)
    except ValidationError as error:
        raise ValueError(f"wrong at {first_fault(error)}") from None
    return given


Parameters = Annotated[dict[str, Any], AfterValidator(_checked)]
"""All parameters of a run, in their order."""


def check_names(ids: Sequence[str], clusters: Iterable[Sequence[str]]) -> None:
    """Refuse two submissions of one name, and clusters with unknown submissions."""
    known = set(ids)
    if len(known) != len(ids):
        raise WrongError("it has two submissions of one name")
    for cluster in clusters:
        for id in cluster:
            if id not in known:
                raise WrongError(f"{id!r} is in a cluster and not among its submissions")


def check_file(file: FileRecord, length: int | None) -> None:
    """Refuse spans and cells that lie outside of a file."""
    for region in file.base:
        _check_region(region, {file.path: length})
    for cell in file.cells:
        if not _is_inside(cell.start, cell.end, length):
            raise WrongError(f"{cell.label} lies outside of {file.path}")


def check_pair(pair: Pair, lengths: Mapping[str, Lengths]) -> None:
    """Refuse a pair that is not of two known submissions, or whose passages lie outside of their files."""
    for id in (pair.a, pair.b):
        if id not in lengths:
            raise WrongError(f"a pair is of {id!r}, which is not among its submissions")
    if pair.a == pair.b:
        raise WrongError(f"a pair is not of two: {pair.a}")
    for match in pair.matches:
        _check_match(match, lengths[pair.a], lengths[pair.b])


def _check_match(match: Match, a: Lengths, b: Lengths) -> None:
    _check_region(match.a, a)
    _check_region(match.b, b)
    for run in match.runs:
        if not (
            match.a.start <= run.a_start <= run.a_end <= match.a.end
            and match.b.start <= run.b_start <= run.b_end <= match.b.end
        ):
            raise WrongError(f"a run lies outside of its passage in {match.a.file}")


def _check_region(region: Region, lengths: Lengths) -> None:
    if region.file not in lengths:
        raise WrongError(f"a passage lies in a file that is not there: {region.file}")
    if region.start_line > region.end_line or not _is_inside(region.start, region.end, lengths[region.file]):
        raise WrongError(f"a passage lies outside of {region.file}")


def _is_inside(start: int, end: int, length: int | None) -> bool:
    return start <= end and (length is None or end <= length)


def check_ranking(ranking: Ranking, count: int) -> None:
    """Refuse a ranking that names submissions beyond this count, or has impossible scores."""
    if not len(ranking.a) == len(ranking.b) == len(ranking.score):
        raise WrongError("its ranking has columns of different lengths")
    if len(ranking) and max(ranking.a.max(), ranking.b.max()) >= count:
        raise WrongError("its ranking has a submission that is not there")
    if not np.all((ranking.score >= 0) & (ranking.score <= 1)):
        raise WrongError("its ranking has a score that cannot be")
