"""What a run found, as it stands in the archive of a course (see `moss.store.transfer.archive_format`).

The fields are those of the model, called as the columns that store them. What is written out here is how an archive
differs from a report: things name each other by their places, and texts by their digests. Unlike in the rest of the
archive, fields that are not known are ignored: a newer version may have a figure more.
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
    """A part of what a run found."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


@with_fields_of(FileRecord, Form.ROW, text=Text)
class ArchivedRecord(ArchivedFinding):
    """How a file entered a run."""

    text: Digest | Literal[""]


@with_fields_of(SubmissionRecord, Form.ROW, renamed={"id": "label"}, text=Text)
class ArchivedEntry(ArchivedFinding):
    """How a submission entered a run; the place of the submission is that of its assignment, and in that."""

    submission: tuple[Place, Place] | None
    person: Place | None
    files: list[ArchivedRecord]
    corpus: Text = ""  # from which it is, if nobody handed it in


@with_fields_of(Match, Form.ROW, renamed={"runs": "stretches"}, text=Text)
class ArchivedMatch(ArchivedFinding):
    """A passage that a pair shares."""


@with_fields_of(Pair, Form.ROW, text=Text)
class ArchivedPair(ArchivedFinding):
    """A pair, best first; `a` and `b` are places in the entries."""

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
