"""Jobs, which are work in the background; runs, which are comparisons that were requested; and the reports of runs.

A job's rows alone say what is to be done and how far it is.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from moss.model import Channel, Role
from moss.store.tables.base import Base, Key, Moment, reference

if TYPE_CHECKING:
    from moss.store.tables.courses import AssignmentRow

Figures = Annotated[dict[str, Any], mapped_column(default=dict)]
"""Fields of the model without a column of their own: nothing is searched by them (see `moss.store.results.reports`)."""


class JobState(StrEnum):
    """The state of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobRow(Base):
    """A job, which a worker does once."""

    __tablename__ = "jobs"

    id: Mapped[Key]
    kind: Mapped[str]
    payload: Mapped[dict[str, Any]] = mapped_column(default=dict)
    course_id: Mapped[int | None] = reference("courses")
    user_id: Mapped[int | None] = reference("users", on_delete="SET NULL")
    state: Mapped[JobState] = mapped_column(default=JobState.QUEUED, index=True)
    created: Mapped[Moment]
    started: Mapped[datetime | None]
    finished: Mapped[datetime | None]
    stage: Mapped[str] = mapped_column(default="")
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)  # 0: not known
    stage_started: Mapped[datetime | None]
    stage_seconds: Mapped[dict[str, Any]] = mapped_column(
        default=dict, server_default="{}"
    )  # seconds that each stage before it took
    lease: Mapped[str] = mapped_column(default="")  # the secret of the worker that has it, new for each attempt
    heartbeat: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(default=0)
    not_before: Mapped[datetime | None]  # when the next attempt may begin, after a failed one
    cancel: Mapped[bool] = mapped_column(default=False)
    reason: Mapped[str] = mapped_column(default="")  # why it failed, in one sentence

    lines: Mapped[list[LogLineRow]] = relationship(cascade="all, delete-orphan", order_by="LogLineRow.id")

    @property
    def is_over(self) -> bool:
        """Whether it is done, failed or cancelled."""
        return self.state in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


class LogLineRow(Base):
    """A line of a job's log."""

    __tablename__ = "log_lines"

    id: Mapped[Key]
    job_id: Mapped[int] = reference("jobs")
    at: Mapped[Moment]
    text: Mapped[str]


class RunRow(Base):
    """A comparison of an assignment's submissions; its job says how far it is."""

    __tablename__ = "runs"
    __table_args__ = (UniqueConstraint("assignment_id", "number"),)

    id: Mapped[Key]
    assignment_id: Mapped[int] = reference("assignments")
    number: Mapped[int]  # counted from 1 in its assignment
    user_id: Mapped[int | None] = reference("users", on_delete="SET NULL")
    job_id: Mapped[int | None] = reference("jobs", on_delete="SET NULL")
    created: Mapped[Moment]
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)  # fields of `moss.Settings` that were chosen
    archives: Mapped[list[Any]] = mapped_column(default=list)  # assignments whose submissions are earlier work
    corpora: Mapped[list[Any]] = mapped_column(default=list)  # names of the server's corpora that are searched as well
    first_pairs: Mapped[list[Any]] = mapped_column(
        default=list, server_default="[]"
    )  # while it is under way, the best pairs: [a, b, score], a and b being submissions
    finished: Mapped[datetime | None]  # when its report was stored

    assignment: Mapped[AssignmentRow] = relationship(back_populates="runs")
    job: Mapped[JobRow | None] = relationship()
    result: Mapped[ResultRow | None] = relationship(back_populates="run", cascade="all, delete-orphan")


class ResultRow(Base):
    """The report of a finished run, apart from its pairs."""

    __tablename__ = "results"

    run_id: Mapped[int] = reference("runs", primary_key=True)
    version: Mapped[str]  # version of moss
    parameters: Mapped[dict[str, Any]]
    clusters: Mapped[list[Any]]
    problems: Mapped[list[Any]]
    baseline: Mapped[dict[str, Any]]
    sharing: Mapped[int]  # pairs that share anything
    ranking: Mapped[bytes]  # those pairs, packed
    edition: Mapped[int] = mapped_column(default=1)  # increases when somebody is withdrawn from it
    figures: Mapped[Figures]

    run: Mapped[RunRow] = relationship(back_populates="result")


class RunEntryRow(Base):
    """A submission in a run's report."""

    __tablename__ = "entries"
    __table_args__ = (UniqueConstraint("run_id", "number"),)

    id: Mapped[Key]
    run_id: Mapped[int] = reference("runs")
    number: Mapped[int]  # counted from 1 in the order of the report
    submission_id: Mapped[int | None] = reference("submissions", on_delete="SET NULL")
    person_id: Mapped[int | None] = reference("people", on_delete="SET NULL")
    origin_id: Mapped[int | None] = reference(
        "submissions", on_delete="SET NULL"
    )  # the submission that it copies without names
    label: Mapped[str]  # its id in the report
    owner: Mapped[str]
    role: Mapped[Role]
    language: Mapped[str]
    tokens: Mapped[int]
    fingerprints: Mapped[int]
    files: Mapped[list[Any]]  # records of its files, with the digests of their texts
    corpus: Mapped[str] = mapped_column(default="")  # the corpus that it is from, if it was not handed in here
    figures: Mapped[Figures]  # among them the kind of a reference, if it is not earlier work


class RunTextRow(Base):
    """A text from a corpus in a run; the text is stored as long as a run has it."""

    __tablename__ = "run_texts"
    __table_args__ = (UniqueConstraint("run_id", "content_id"),)

    id: Mapped[Key]
    run_id: Mapped[int] = reference("runs")
    content_id: Mapped[int] = reference("contents", on_delete="RESTRICT")


class PairRow(Base):
    """A pair that a run shows; `a` and `b` are numbers of entries."""

    __tablename__ = "pairs"
    __table_args__ = (UniqueConstraint("run_id", "rank"),)

    id: Mapped[Key]
    run_id: Mapped[int] = reference("runs")
    rank: Mapped[int]  # counted from 1
    a: Mapped[int]
    b: Mapped[int]
    a_person_id: Mapped[int | None] = reference("people", on_delete="SET NULL")
    b_person_id: Mapped[int | None] = reference("people", on_delete="SET NULL")
    score: Mapped[float]
    similarity: Mapped[float]
    share_a: Mapped[float]
    share_b: Mapped[float]
    tokens: Mapped[int]
    longest: Mapped[int]
    rarity: Mapped[float]
    behind: Mapped[int] = mapped_column(default=0)  # the rank of the pair that lists show in its place; 0: itself
    figures: Mapped[Figures]

    matches: Mapped[list[MatchRow]] = relationship(cascade="all, delete-orphan", order_by="MatchRow.number")


class MatchRow(Base):
    """A passage that a pair shares."""

    __tablename__ = "matches"
    __table_args__ = (UniqueConstraint("pair_id", "number"),)

    id: Mapped[Key]
    pair_id: Mapped[int] = reference("pairs")
    number: Mapped[int]  # counted from 1, largest first
    channel: Mapped[Channel]
    tokens: Mapped[int]
    rarity: Mapped[int]
    a: Mapped[dict[str, Any]]  # the region: file, start_line, end_line, start, end, cell
    b: Mapped[dict[str, Any]]
    others: Mapped[list[Any]]  # labels of others who have it
    stretches: Mapped[list[Any]]  # the equal runs: [a_start, a_end, b_start, b_end]
    figures: Mapped[Figures]


class RenderedPageRow(Base):
    """A page of a run's report as it is sent, except for the places that depend on time and reader."""

    __tablename__ = "pages"
    __table_args__ = (UniqueConstraint("run_id", "name"),)

    id: Mapped[Key]
    run_id: Mapped[int] = reference("runs")
    name: Mapped[str]
    made_with: Mapped[str]  # digest of the templates
    packed: Mapped[bytes]
