"""Drops: files that a script brought to be compared, without naming a course; and the senders of drops.

A drop has an assignment of its own, with one run, in a course of its sender. So everything that holds for runs holds
for it: pages, links for readers without an account, retention, erasure.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from moss.store.tables.base import Base, Key, Moment, reference

if TYPE_CHECKING:
    from moss.store.tables.cases import ShareLinkRow
    from moss.store.tables.runs import RunRow
    from moss.store.tables.submissions import UploadRow


class SenderRow(Base):
    """A sender of drops: an id issued for MOSS's protocol, an account, or any other id where all are accepted."""

    __tablename__ = "senders"

    id: Mapped[Key]
    number: Mapped[str | None] = mapped_column(unique=True)  # the id that was issued; empty: all other ids
    user_id: Mapped[int | None] = reference("users", unique=True)  # the account
    name: Mapped[str]
    course_id: Mapped[int | None] = reference(
        "courses", on_delete="SET NULL"
    )  # course with its drops; None: nothing came yet
    days: Mapped[int] = mapped_column(default=0)  # the server's retention when the course's was last set
    per_day: Mapped[int | None]  # jobs in a day; None: as the server says
    created: Mapped[Moment]
    revoked: Mapped[datetime | None]


class DropRow(Base):
    """One job of a script. Its files are in its upload until they have been read."""

    __tablename__ = "drops"
    __table_args__ = (UniqueConstraint("sender_id", "key"),)

    id: Mapped[Key]
    sender_id: Mapped[int | None] = reference("senders", on_delete="SET NULL")
    sent_as: Mapped[str] = mapped_column(default="")  # the id that the script sent
    created: Mapped[Moment] = mapped_column(index=True)
    place: Mapped[str] = mapped_column(unique=True)  # place of the historical pages, below `/results/`
    run_id: Mapped[int] = reference("runs", unique=True)
    upload_id: Mapped[int] = reference("uploads")
    link_id: Mapped[int | None] = reference("share_links", on_delete="SET NULL")  # link to the report
    asked: Mapped[dict[str, Any]]  # the options
    files: Mapped[list[Any]]  # [name, program, language, size] in the order of their bytes; empty once they were read
    key: Mapped[str | None]  # by which a script that tries again is recognised
    digest: Mapped[str] = mapped_column(default="")  # digest of options and files, so that a key stands for one job

    run: Mapped[RunRow] = relationship()
    upload: Mapped[UploadRow] = relationship()
    link: Mapped[ShareLinkRow | None] = relationship()
