"""The archive of a course, version 1: a zip with the course in JSON and the texts as files (see docs/privacy.md).

    course.json           people, assignments, submissions, runs, cases
    runs/1-2.json         what the second run of the first assignment found
    runs/1-2.ranking      its ranking: of each pair two places and the score, as little-endian u4, u4, f8
    texts/9f86d0…         a text as UTF-8, called by its SHA-256

There are no ids of a database in it: things are named by their places in the lists, counted from 0. These models are
the description, for writing and for reading: what does not fit is refused.

The fields of a run's report are those of the model, under the names of the columns that store them. The classes from
`ArchivedFinding` on say how an archive differs from a report: things name each other by their places, and texts by
their digests. There, unknown fields are ignored: a newer version may have more figures.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from moss.codec import Form
from moss.model import FileRecord, GitHistory, Match, Pair, Reading, Report, Role, SubmissionRecord
from moss.report.checks import Parameters
from moss.shapes import with_fields_of
from moss.store.tables import CaseEventKind, CaseState, CourseRole

FORMAT: Literal["moss-course"] = "moss-course"
VERSION: Literal[1] = 1
COURSE = "course.json"
RANKING = np.dtype([("a", "<u4"), ("b", "<u4"), ("score", "<f8")])


def run_member(assignment: int, number: int, ending: str) -> str:
    """The name of a run's file."""
    return f"runs/{assignment + 1}-{number}.{ending}"


def text_member(digest: str) -> str:
    """The name of a text's file."""
    return f"texts/{digest}"


def _storable(value: Any) -> Any:
    """A text without characters that databases or JSON refuse."""
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _past(value: datetime) -> datetime:
    if not 1970 <= value.year < 9000:
        raise ValueError("a time is out of range")
    return value


Text = Annotated[str, Field(max_length=100_000), BeforeValidator(_storable)]
Name = Annotated[str, Field(min_length=1, max_length=1000), BeforeValidator(_storable)]
Time = Annotated[AwareDatetime, AfterValidator(_past)]
Place = Annotated[int, Field(ge=0, le=10_000_000)]
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Scalar = bool | int | Annotated[float, Field(allow_inf_nan=False)] | Text | None
Note = tuple[Text, Text]  # a path, and a reason


class ArchivedModel(BaseModel):
    """The base of all models of an archive: no fields besides those named, and no conversion of values."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ArchivedMember(ArchivedModel):
    """A member of the course, recognised on another server by their address."""

    email: Name
    role: CourseRole


class ArchivedFile(ArchivedModel):
    """One file of a submission."""

    path: Text
    text: Digest
    sha256: Text
    encoding: Text
    language: Text
    cells: list[tuple[Text, Text, Count, Count]]
    origins: list[tuple[Number, Count]] = []
    finding: Text = ""


@with_fields_of(GitHistory, Form.ROW, text=Text)
class ArchivedHistory(ArchivedModel):
    """The history of a submission's git repository."""


class ArchivedSubmission(ArchivedModel):
    """One version of a submission."""

    person: Place | None
    upload: Place | None
    owner: Text
    name: Text
    role: Role
    language: Text
    version: Number | None
    handed_in: Time | None
    created: Time
    left_out: bool
    skipped: list[Note]
    section: Text = ""
    account: Text = ""
    local_time: bool = False
    dated: datetime | None = None
    reference: Annotated[str, Field(pattern="^(model|task|book|chatbot)?$")] = ""
    history: ArchivedHistory | None = None
    files: list[ArchivedFile]


class ArchivedUpload(ArchivedModel):
    """Files that were sent together."""

    created: Time
    user: Text | None
    reading: Reading
    problems: list[Note]


class ArchivedRun(ArchivedModel):
    """A finished run, whose report is in files of its own."""

    number: Number
    created: Time
    finished: Time
    user: Text | None
    settings: dict[str, Scalar]
    archives: list[Place]
    corpora: list[Name] = []
    texts: list[Digest] = []  # texts from these corpora


class ArchivedEvent(ArchivedModel):
    """A line of a case's history."""

    user: Text | None
    author: Text
    at: Time
    kind: CaseEventKind
    before: Text
    after: Text
    note: Text

    @model_validator(mode="after")
    def _is_possible(self) -> ArchivedEvent:
        """Refuse states and days that no page could show."""
        for value in (self.before, self.after):
            if self.kind in (CaseEventKind.STATE, CaseEventKind.PROPOSAL):
                CaseState(value)
            elif self.kind is CaseEventKind.HEARING and value:
                date.fromisoformat(value)
        return self


class ArchivedCase(ArchivedModel):
    """The decisions about two people."""

    a: Place
    b: Place
    state: CaseState
    assignee: Text | None
    created: Time
    changed: Time
    events: list[ArchivedEvent]


class ArchivedStudent(ArchivedModel):
    """Everything known of a person apart from the name: whose other name it is, and what the roster says."""

    person: Place
    same_as: Place | None
    kept_apart: bool
    on_roster: bool
    address: Text
    number: Text
    section: Text
    other_names: list[Text]


class ArchivedAssignment(ArchivedModel):
    """An assignment with everything that belongs to it."""

    name: Name
    created: Time
    settings: dict[str, Scalar]
    archives: list[Place]  # assignments chosen for the next run
    corpora: list[Name] = []  # corpora chosen for the next run
    uploads: list[ArchivedUpload]
    submissions: list[ArchivedSubmission]
    runs: list[ArchivedRun]
    cases: list[ArchivedCase]


class ArchivedCourse(ArchivedModel):
    """The whole of `course.json`."""

    format: Literal["moss-course"]
    version: Literal[1]
    exported: Time
    tool: Text
    name: Name
    term: Text
    created: Time
    retention_days: Annotated[int, Field(ge=1, le=36_500)] | None
    members: list[ArchivedMember]
    people: list[Name]
    students: list[ArchivedStudent] = []
    partners: list[tuple[Place, Place]] = []
    assignments: list[ArchivedAssignment]


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
