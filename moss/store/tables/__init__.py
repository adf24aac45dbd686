"""The tables, one module for each noun."""

from moss.store.tables.archives import ArchiveChunk, CourseArchive
from moss.store.tables.base import Base, now
from moss.store.tables.cases import Case, CaseEvent, CaseState, ShareLink
from moss.store.tables.courses import Assignment, CorpusRight, Course, Person
from moss.store.tables.drops import Drop, Sender
from moss.store.tables.jobs import Job, JobState, LogLine
from moss.store.tables.records import AuditEntry, Secret
from moss.store.tables.runs import Entry, MatchRow, Page, PairRow, Result, Run, RunText
from moss.store.tables.submissions import (
    Chunk,
    Content,
    File,
    Fingerprint,
    Kept,
    Reading,
    Submission,
    Upload,
    UploadPart,
    UploadState,
)
from moss.store.tables.users import Attempt, CourseRole, Invitation, Login, Membership, Notice, Token, User

__all__ = [
    "ArchiveChunk", "Assignment", "Attempt", "AuditEntry", "Base", "Case", "CaseEvent", "CaseState", "Chunk",
    "Content", "CorpusRight", "Course", "CourseArchive", "CourseRole", "Drop", "Entry", "File", "Fingerprint",
    "Invitation", "Job", "JobState", "Kept", "LogLine", "Login", "MatchRow", "Membership", "Notice", "Page",
    "PairRow", "Person", "Reading", "Result", "Run", "RunText", "Secret", "Sender", "ShareLink", "Submission",
    "Token", "Upload", "UploadPart", "UploadState", "User", "now",
]  # fmt: skip
