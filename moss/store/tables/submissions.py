"""Uploads as they came, the submissions that were recognised in them, and drops.

A drop is files that a script brought to be compared, without naming a course. It has an assignment of its own, with one
run, in a course of its sender. So everything that holds for runs holds for it: pages, links for readers without an
account, retention, erasure.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Index, Integer, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from moss.model import Reading, ReferenceKind, Role, kind_of
from moss.store.tables.base import Base, Key, Moment, reference

if TYPE_CHECKING:
    from moss.store.tables.courses import AssignmentRow, PersonRow, ShareLinkRow
    from moss.store.tables.runs import RunRow

_LARGE_KEY = BigInteger().with_variant(Integer(), "sqlite")  # SQLite numbers rows only in plain integer columns


class UploadState(StrEnum):
    """The state of an upload."""

    RECEIVING = "receiving"  # files are still coming
    RECOGNISING = "recognising"  # a worker recognises what is in them
    READY = "ready"  # drafts are there to be corrected and confirmed
    CONFIRMED = "confirmed"  # its submissions belong to the assignment
    FAILED = "failed"


class UploadRow(Base):
    """Files that were sent together."""

    __tablename__ = "uploads"

    id: Mapped[Key]
    assignment_id: Mapped[int] = reference("assignments")
    user_id: Mapped[int | None] = reference("users", on_delete="SET NULL")
    job_id: Mapped[int | None] = reference("jobs", on_delete="SET NULL")
    created: Mapped[Moment]
    state: Mapped[UploadState] = mapped_column(default=UploadState.RECEIVING)
    problems: Mapped[list[Any]] = mapped_column(default=list)  # [path, reason]
    reason: Mapped[str] = mapped_column(default="")  # why it failed
    reading: Mapped[Reading] = mapped_column(default=Reading.AUTO)  # as requested; after recognition, as it was read

    assignment: Mapped[AssignmentRow] = relationship(back_populates="uploads")
    parts: Mapped[list[UploadPartRow]] = relationship(
        back_populates="upload", cascade="all, delete-orphan", order_by="UploadPartRow.id"
    )
    submissions: Mapped[list[SubmissionRow]] = relationship(back_populates="upload", order_by="SubmissionRow.name")


class UploadPartRow(Base):
    """One file as it was sent; removed once its upload is confirmed."""

    __tablename__ = "upload_parts"
    __table_args__ = (UniqueConstraint("upload_id", "role", "path"),)

    id: Mapped[Key]
    upload_id: Mapped[int] = reference("uploads")
    path: Mapped[str]  # with the folders above it, if a folder was sent
    role: Mapped[Role] = mapped_column(default=Role.NEW)
    size: Mapped[int] = mapped_column(BigInteger, default=0)  # bytes received
    complete: Mapped[bool] = mapped_column(default=False)

    upload: Mapped[UploadRow] = relationship(back_populates="parts")
    chunks: Mapped[list[UploadChunkRow]] = relationship(cascade="all, delete-orphan", order_by="UploadChunkRow.start")


class UploadChunkRow(Base):
    """Some of a file's bytes."""

    __tablename__ = "chunks"
    __table_args__ = (UniqueConstraint("part_id", "start"),)

    id: Mapped[Key]
    part_id: Mapped[int] = reference("upload_parts")
    start: Mapped[int] = mapped_column(BigInteger)
    content: Mapped[bytes]


class ContentRow(Base):
    """A text, stored once, however many people handed it in."""

    __tablename__ = "contents"
    __table_args__ = (Index("ix_contents_indexed_scan_indexed_hash", "indexed_scan", "indexed_hash"),)

    id: Mapped[Key]
    digest: Mapped[str] = mapped_column(unique=True)  # SHA-256 of the text as UTF-8
    characters: Mapped[int]
    packed: Mapped[bytes]  # compressed by zlib
    indexed_scan: Mapped[int | None]  # the rules by which its fingerprints were made (see `moss.version`);
    indexed_hash: Mapped[int | None]  # None: it has none yet


class TokenStreamRow(Base):
    """The token streams of a text, so that it need not be scanned again."""

    __tablename__ = "kept_streams"

    id: Mapped[Key]
    key: Mapped[str] = mapped_column(unique=True)  # digest of everything that determines the streams
    content_id: Mapped[int] = reference("contents")
    streams: Mapped[bytes]


class FingerprintRow(Base):
    """A fingerprint of a text, to be looked up over all years."""

    __tablename__ = "fingerprints"
    __table_args__ = (Index("ix_fingerprints_hash_layer_content_id", "hash", "layer", "content_id"),)

    id: Mapped[int] = mapped_column(_LARGE_KEY, primary_key=True)
    content_id: Mapped[int] = reference("contents")
    layer: Mapped[str]
    hash: Mapped[int] = mapped_column(BigInteger)  # the 64 bits, read as a signed number


class SubmissionRow(Base):
    """One version of a person's submission. Until its upload is confirmed it is a draft, which belongs to nobody."""

    __tablename__ = "submissions"
    __table_args__ = (UniqueConstraint("assignment_id", "person_id", "version"),)

    id: Mapped[Key]
    assignment_id: Mapped[int] = reference("assignments")
    upload_id: Mapped[int | None] = reference("uploads", on_delete="SET NULL")
    person_id: Mapped[int | None] = reference("people")  # None: starter code, or not confirmed yet
    owner: Mapped[str]  # the owner's name, as recognised or corrected
    name: Mapped[str]  # of its folder or file
    role: Mapped[Role] = mapped_column(default=Role.NEW)
    language: Mapped[str] = mapped_column(default="auto")
    version: Mapped[int | None]  # 1 for a person's first; None for drafts and starter code
    handed_in: Mapped[datetime | None]
    created: Mapped[Moment]
    confirmed: Mapped[bool] = mapped_column(default=False)
    left_out: Mapped[bool] = mapped_column(default=False)  # left out by the instructor
    skipped: Mapped[list[Any]] = mapped_column(default=list)  # [path, reason] of files that could not be read
    section: Mapped[str] = mapped_column(default="")  # of the course, as the platform says
    account: Mapped[str] = mapped_column(default="")  # of the owner, where the platform gives one beside the name
    local_time: Mapped[bool] = mapped_column(default=False)  # `handed_in` is the platform's, in no known zone
    dated: Mapped[str] = mapped_column(default="")  # the newest date of its files in their archive: ISO 8601
    history: Mapped[dict[str, Any] | None]  # of its git repository, as `moss.model.GitHistory` has it
    reference: Mapped[str] = mapped_column(default="")  # the kind of what is in the archive; empty: earlier work

    assignment: Mapped[AssignmentRow] = relationship(back_populates="submissions")
    upload: Mapped[UploadRow | None] = relationship(back_populates="submissions")
    person: Mapped[PersonRow | None] = relationship()
    files: Mapped[list[SubmittedFileRow]] = relationship(
        back_populates="submission", cascade="all, delete-orphan", order_by="SubmittedFileRow.id"
    )

    @property
    def kind(self) -> ReferenceKind | None:
        """The kind of a reference; None for what was handed in now or handed out."""
        return kind_of(self.role, self.reference)

    @property
    def handed_in_as_said(self) -> datetime | None:
        """When it was handed in, without a zone if the platform named none."""
        return self.handed_in.replace(tzinfo=None) if self.handed_in and self.local_time else self.handed_in


class SubmittedFileRow(Base):
    """One file of a submission."""

    __tablename__ = "files"

    id: Mapped[Key]
    submission_id: Mapped[int] = reference("submissions")
    content_id: Mapped[int] = reference("contents", on_delete="RESTRICT")
    path: Mapped[str]
    sha256: Mapped[str]  # of the bytes as handed in
    encoding: Mapped[str]
    language: Mapped[str] = mapped_column(default="")  # as recognised
    cells: Mapped[list[Any]] = mapped_column(default=list)  # of a notebook: [label, language, start, end]
    origins: Mapped[list[Any]] = mapped_column(default=list)  # of its lines: [line, place of a commit in the history]
    finding: Mapped[str] = mapped_column(default="")  # if it was read only partly or otherwise than one sees it

    submission: Mapped[SubmissionRow] = relationship(back_populates="files")
    content: Mapped[ContentRow] = relationship()


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
