"""The shapes of results and decisions in the API. Like those of `bodies`, their fields are a contract.

A pair and its passages have the fields of the model besides those that are written out here.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from moss import model
from moss.codec import Form
from moss.model import Role
from moss.shapes import with_fields_of
from moss.store.tables import CaseState
from moss.web.api.bodies import AnswerBody, Note, PagingBody, RequestBody, Text


class SideBody(AnswerBody):
    """One submission of a pair."""

    number: int = Field(description="in the run's report")
    submission_id: int | None
    corpus: str = Field(description="the corpus that it is from; empty if it was handed in")
    label: str
    owner: str
    role: Role
    share: float


@with_fields_of(model.Match, Form.ROW)
class MatchBody(AnswerBody):
    """A passage that both sides have."""


@with_fields_of(model.Pair, Form.ROW, without=("share_a", "share_b", "matches"))
class PairBody(AnswerBody):
    """Two submissions, and how much they share."""

    rank: int
    a: SideBody
    b: SideBody
    standing: str = Field(description="how the score compares with what is ordinary in this class")
    state: CaseState
    report: str = Field(description="the address of its page, for people")


class PairsBody(AnswerBody):
    """A page of a run's pairs, best first."""

    total: int
    items: list[PairBody]


class PairDetailBody(PairBody):
    """A pair with its passages."""

    matches: list[MatchBody]


class PairFilterBody(PagingBody):
    """Which pairs of a run."""

    state: CaseState | None = Field(None, description="only pairs of this state")


class EventBody(AnswerBody):
    """A line of a case's history."""

    at: datetime
    author: str
    kind: str
    before: str
    after: str
    note: str


class CaseBody(AnswerBody):
    """A case: the decision about two people in an assignment."""

    id: int
    assignment_id: int
    people: tuple[str, str]
    state: CaseState
    assignee_id: int | None
    changed: datetime
    events: list[EventBody]


class NewDecisionBody(RequestBody):
    """A decision; what is left out stays as it is."""

    state: CaseState | None = None
    assignee_id: int | None = None
    unassign: bool = False
    note: Note = ""


class ShareBody(AnswerBody):
    """A link by which a report can be read without an account."""

    id: int
    label: str
    rank: int | None
    anonymous: bool
    created: datetime
    expires: datetime
    revoked: datetime | None
    address: str


class NewShareBody(RequestBody):
    """A link to be made."""

    label: Text = ""
    days: int = Field(14, ge=1, le=365)
    rank: int | None = Field(None, ge=1, le=1_000_000, description="only this pair; null: the whole report")
    anonymous: bool = Field(False, description="without names, also in file names and in the code")


class PersonBody(AnswerBody):
    """A student or a team, by a name under which they hand in work."""

    id: int
    course_id: int
    name: str
    same_as_id: int | None = Field(
        description="the person who stands for the student whose name this is; null: this one"
    )
    on_roster: bool
    address: str = Field(description="this, number, section and other names are from the roster")
    number: str
    section: str
    other_names: list[str]


class OtherPersonBody(RequestBody):
    """Another name of a student."""

    id: int = Field(ge=1, le=2**31 - 1)


class AmbiguousNameBody(AnswerBody):
    """A name that several students of the roster fit."""

    name: str
    fits: list[str]


class RosterBody(AnswerBody):
    """A roster that was sent, and whom it joined."""

    students: int
    merged: dict[str, str] = Field(description="names that belong to a student, by the name")
    ambiguous: list[AmbiguousNameBody] = Field(description="names that were left alone because several students fit")
    unknown: list[str] = Field(description="names that fit nobody on the roster")
    problems: list[str] = Field(description="sentences about what could not be used")


class CaseFilterBody(RequestBody):
    """Which cases of a course."""

    state: CaseState | None = Field(None, description="only cases of this state")


class EvidenceWishBody(RequestBody):
    """The kind of evidence that is asked for."""

    anonymous: bool = Field(False, description="without any names")
    student: int | None = Field(
        None, description="the id of one of the two people: the copy for them, which names nobody else"
    )


class DropFileBody(RequestBody):
    """A file that a script brings."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=4000, pattern=r"^[^\x00]*$")]
    program: int = Field(1, ge=0, le=1_000_000, description="files with one number are one program; 0: handed out")
    size: int = Field(ge=0, le=2**40, description="in bytes")


class DropWishBody(RequestBody):
    """The files that a script brings, and how to compare them. The options are those of MOSS."""

    key: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")] = Field(
        description="your own name for this job: with the same one you get the same job"
    )
    language: Text = "auto"
    directory: bool = Field(False, description="all files in one directory are one program")
    max_matches: int = Field(10, ge=2, le=1_000_000)
    show: int = Field(250, ge=1, le=1000)
    comment: Text = ""
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] = Field(
        description="of all files one behind the other"
    )
    files: list[DropFileBody] = Field(min_length=1, max_length=1_000_000)


class DropChunkBody(RequestBody):
    """Where a chunk belongs."""

    start: int = Field(ge=0, le=2**40, description="its first byte, of all files one behind the other")


class DropBody(AnswerBody):
    """A job of a script."""

    id: int
    key: str
    state: Literal["receiving", "queued", "running", "done", "failed", "cancelled"]
    missing: list[int] = Field(description="where the chunks begin that have not come yet")
    chunk: int = Field(description="bytes of a chunk, of which the last may have fewer")
    stage: str
    done: int
    total: int = Field(description="0: not known")
    reason: str = Field(description="why it failed")
    run_id: int
    report: str = Field(description="the address of the report, for whoever has it")
    classic: str = Field(description="the same in the form of MOSS's pages")
