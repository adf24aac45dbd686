"""The tables, one module for each subject."""

from moss.store.tables.base import Base, now
from moss.store.tables.cases import CaseEventRow, CaseRow, CaseState, ShareLinkRow
from moss.store.tables.courses import (
    ArchiveChunkRow,
    AssignmentRow,
    CorpusRightRow,
    CourseArchiveRow,
    CourseRow,
    PersonRow,
)
from moss.store.tables.drops import DropRow, SenderRow
from moss.store.tables.jobs import JobRow, JobState, LogLineRow
from moss.store.tables.runs import MatchRow, PairRow, RenderedPageRow, ResultRow, RunEntryRow, RunRow, RunTextRow
from moss.store.tables.submissions import (
    ContentRow,
    FingerprintRow,
    SubmissionRow,
    SubmittedFileRow,
    TokenStreamRow,
    UploadChunkRow,
    UploadPartRow,
    UploadRow,
    UploadState,
)
from moss.store.tables.users import (
    ApiTokenRow,
    AttemptRow,
    AuditEntryRow,
    CourseRole,
    InvitationRow,
    LoginRow,
    MembershipRow,
    NoticeRow,
    ServerValueRow,
    UserRow,
)

__all__ = [
    "ApiTokenRow",
    "ArchiveChunkRow",
    "AssignmentRow",
    "AttemptRow",
    "AuditEntryRow",
    "Base",
    "CaseEventRow",
    "CaseRow",
    "CaseState",
    "ContentRow",
    "CorpusRightRow",
    "CourseArchiveRow",
    "CourseRole",
    "CourseRow",
    "DropRow",
    "FingerprintRow",
    "InvitationRow",
    "JobRow",
    "JobState",
    "LogLineRow",
    "LoginRow",
    "MatchRow",
    "MembershipRow",
    "NoticeRow",
    "PairRow",
    "PersonRow",
    "RenderedPageRow",
    "ResultRow",
    "RunEntryRow",
    "RunRow",
    "RunTextRow",
    "SenderRow",
    "ServerValueRow",
    "ShareLinkRow",
    "SubmissionRow",
    "SubmittedFileRow",
    "TokenStreamRow",
    "UploadChunkRow",
    "UploadPartRow",
    "UploadRow",
    "UploadState",
    "UserRow",
    "now",
]  # fmt: skip
