"""The shapes of what the API takes and gives. Their fields are a contract: add, but never change or remove."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from moss import model
from moss.codec import Form
from moss.model import Reading, Role
from moss.shapes import with_fields_of
from moss.store.tables import CourseRole, JobState, UploadState

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
Text = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")]
Note = Annotated[str, StringConstraints(max_length=10_000, pattern=r"^[^\x00]*$")]
SubmissionRole = Literal["new", "archive", "model", "task", "book", "chatbot", "base", "out"]


class AnswerBody(BaseModel):
    """An answer of the API, made from the attributes of a row."""

    model_config = ConfigDict(from_attributes=True)


class RequestBody(BaseModel):
    """A request to the API; a field that it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


class PagingBody(RequestBody):
    """Which part of a long list."""

    limit: int = Field(100, ge=1, le=1000, description="how many at most")
    offset: int = Field(0, ge=0, le=1_000_000_000, description="how many to leave out at the beginning")


class MeBody(AnswerBody):
    """Who the token's user is."""

    id: int
    email: str
    name: str
    administrator: bool


class CourseBody(AnswerBody):
    """A course in one term."""

    id: int
    name: str
    term: str
    created: datetime
    retention_days: int | None = Field(description="days after which an assignment is deleted; null: never")
    role: CourseRole | None = Field(None, description="what you may do in it")


class NewCourseBody(RequestBody):
    """A course to be made."""

    name: Name
    term: Text = ""
    retention_days: int | None = Field(None, ge=1, le=36_500)


class CourseChangeBody(RequestBody):
    """Changes to a course; fields that are left out stay."""

    name: Name | None = None
    term: Text | None = None
    retention_days: int | None = Field(None, ge=0, le=36_500, description="0: kept until somebody deletes it")


class MemberBody(AnswerBody):
    """Somebody who belongs to a course."""

    user_id: int
    name: str
    email: str
    role: CourseRole


class NewInvitationBody(RequestBody):
    """An invitation to be made: an e-mail address and a role."""

    email: Name
    role: CourseRole


class InvitationBody(AnswerBody):
    """An invitation; its address is known only now, so pass it on."""

    email: str
    role: CourseRole
    expires: datetime
    address: str


class ExportBody(AnswerBody):
    """A course as one archive."""

    number: int
    created: datetime
    state: JobState
    reason: str
    until: datetime = Field(description="when the archive is removed from the server")


class AssignmentBody(AnswerBody):
    """An assignment of a course."""

    id: int
    course_id: int
    name: str
    created: datetime
    deleted_on: datetime | None = Field(description="when it will be deleted; null: not by itself")


class NewAssignmentBody(RequestBody):
    """An assignment to be made, or its new name."""

    name: Name


class FileBody(AnswerBody):
    """A file of a submission."""

    id: int
    path: str
    language: str
    sha256: str = Field(description="of the bytes as handed in")
    encoding: str


class SubmissionBody(AnswerBody):
    """One version of a student's work; a draft until its upload is confirmed."""

    id: int
    assignment_id: int
    upload_id: int | None
    owner: str
    name: str
    role: Role
    left_out: bool
    language: str
    version: int | None
    handed_in: datetime | None
    section: str
    confirmed: bool
    files: list[FileBody]
    skipped: list[tuple[str, str]] = Field(description="files that could not be read, and why")


class SubmissionsBody(AnswerBody):
    """A page of submissions."""

    total: int
    items: list[SubmissionBody]


class SubmissionChangeBody(RequestBody):
    """Corrections to a submission; fields that are left out stay."""

    owner: Name | None = None
    role: SubmissionRole | None = Field(None, description="`out` leaves it out of all runs")
    language: Text | None = Field(None, description="a front end's name, or `auto`")


class PartBody(AnswerBody):
    """A file of an upload."""

    path: str
    role: Role
    size: int
    complete: bool


class UploadBody(AnswerBody):
    """Files that were sent together."""

    id: int
    assignment_id: int
    created: datetime
    state: UploadState
    reason: str = Field(description="why it failed")
    parts: list[PartBody]
    problems: list[tuple[str, str]] = Field(description="what was ignored or refused, and why")


class ByteRangeBody(RequestBody):
    """Which bytes of which file the body has."""

    path: Annotated[str, StringConstraints(min_length=1, max_length=4000)] = Field(
        description="with folders above it, if they matter"
    )
    role: Role = Field(Role.NEW, description="what it is")
    start: int = Field(0, ge=0, le=2**40, description="where the body begins in the file, in bytes")
    total: int = Field(ge=0, le=2**40, description="how many bytes the file has")


class RecognisingBody(RequestBody):
    """How an upload is to be read."""

    reading: Reading = Reading.AUTO
    layout: str = Field("auto", description="the platform whose names they are; none: each thing is a submission")


class ConfirmationBody(AnswerBody):
    """The outcome of confirming an upload."""

    added: int
    again: int = Field(description="of those added, newer versions of earlier ones")
    left_out: int
    unchanged: list[str] = Field(description="owners whose submission was there already")


class NewRunBody(RequestBody):
    """A run to be started; what is left out is chosen by moss."""

    language: Text | None = None
    max_matches: int | None = Field(None, ge=2, le=1_000_000)
    noise: int | None = Field(None, ge=2, le=10_000)
    guarantee: int | None = Field(None, ge=2, le=10_000)
    show: int | None = Field(None, ge=0, le=10_000)
    comment: Text | None = None
    quotations: bool | None = Field(None, description="false: leave out quotations and references of essays")
    archives: list[int] = Field([], max_length=200, description="assignments whose submissions are earlier work")
    corpora: list[Name] = Field([], max_length=200, description="the server's corpora that are earlier work, too")


class CorpusBody(AnswerBody):
    """Earlier work that the server keeps outside of its courses."""

    name: str
    documents: int
    changed: datetime = Field(description="when something was added last, or taken out")
    problem: str = Field(description="why it cannot be read; empty if it can")


class KeepingBody(RequestBody):
    """Where an assignment is to be kept."""

    corpus: Name


class ProgressBody(AnswerBody):
    """How far a job is."""

    state: JobState
    stage: str
    done: int
    total: int = Field(description="0: not known")
    left: str = Field(description="the time left in words, if it can be known")
    reason: str = Field(description="why it failed")


@with_fields_of(model.Rules, Form.ROW)
class RunRulesBody(AnswerBody):
    """The rules of reading, hashing and ranking. Runs with different scores cannot be compared."""


class RunBody(AnswerBody):
    """A comparison."""

    id: int
    assignment_id: int
    number: int
    created: datetime
    finished: datetime | None
    settings: dict[str, Any]
    archives: list[int]
    corpora: list[str]
    progress: ProgressBody
    rules: RunRulesBody | None = Field(None, description="by which it was made, once it is finished")
    report: str = Field(description="the address of its report, for people")
