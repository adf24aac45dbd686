"""Jobs: work in the background. These rows alone say what is to be done and how far it is."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy.orm import Mapped, mapped_column, relationship

from moss.store.tables.base import Base, Key, Moment, reference


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
