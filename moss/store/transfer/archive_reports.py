"""The report of a run in the archive of a course (see `moss.store.transfer.archive_format`).

The fields are those of the model, under the names of the columns that store them. These classes say how an archive
differs from a report: things name each other by their places, and texts by their digests. Unlike in the rest of the
archive, unknown fields are ignored: a newer version may have more figures.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from moss.codec import Form
from moss.model import FileRecord, Match, Pair, Report, SubmissionRecord
from moss.report.checks import Parameters
from moss.shapes import with_fields_of
from moss.store.transfer.archive_format import ArchivedModel, Digest, Place, Text


class ArchivedFinding(ArchivedModel):
    """A part of a run's report."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


@with_fields_of(FileRecord, Form.ROW, text=Text)
class ArchivedRecord(ArchivedFinding):
    """A file in a run's report."""

    text: Digest | Literal[""]


@with_fields_of(SubmissionRecord, Form.ROW, renamed={"id": "label"}, text=Text)
class ArchivedEntry(ArchivedFinding):
    """A submission in a run's report; its place is that of its assignment, then that within the assignment."""

    submission: tuple[Place, Place] | None
    person: Place | None
    files: list[ArchivedRecord]
    corpus: Text = ""  # the corpus that it is from, if it was not handed in


@with_fields_of(Match, Form.ROW, renamed={"runs": "stretches"}, text=Text)
class ArchivedMatch(ArchivedFinding):
    """A passage that a pair shares."""


@with_fields_of(Pair, Form.ROW, text=Text)
class ArchivedPair(ArchivedFinding):
    """A pair, best first; `a` and `b` are places of entries."""

    a: Place
    b: Place
    a_person: Place | None
    b_person: Place | None
    matches: list[ArchivedMatch]


@with_fields_of(Report, Form.ROW, without=("created", "submissions"), text=Text)
class ArchivedReport(ArchivedFinding):
    """The whole of a run's file."""

    parameters: Parameters
    entries: list[ArchivedEntry]
    pairs: list[ArchivedPair]
