"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema here."""
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
    )
    op.create_index(op.f("ix_attempts_at"), "attempts", ["at"], unique=False)
    op.create_index(op.f("ix_attempts_key"), "attempts", ["key"], unique=False)
    op.create_table(
        "contents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contents")),
        sa.UniqueConstraint("digest", name=op.f("uq_contents_digest")),
    )
    op.create_table(
        "courses",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("term", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retention_days", sa.Integer(), nullable=True),
        sa.Column("webhook", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_courses")),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secrets")),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("password", sa.String(), nullable=True),
        sa.Column("administrator", sa.Boolean(), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
        sa.UniqueConstraint("subject", name=op.f("uq_users_subject")),
    )
    op.create_table(
        "assignments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("course_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_assignments_course_id_courses"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignments")),
    )
    op.create_index(op.f("ix_assignments_course_id"), "assignments", ["course_id"], unique=False)
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("course_id", sa.Integer(), nullable=True),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_audit_course_id_courses"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_audit_user_id_users"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_at"), "audit", ["at"], unique=False)
    op.create_index(op.f("ix_audit_course_id"), "audit", ["course_id"], unique=False)
    op.create_index(op.f("ix_audit_user_id"), "audit", ["user_id"], unique=False)
    op.create_table(
        "fingerprints",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("content_id", sa.Integer(), nullable=False),
        sa.Column("layer", sa.String(), nullable=False),
        sa.Column("hash", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["content_id"], ["contents.id"], name=op.f("fk_fingerprints_content_id_contents"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fingerprints")),
    )
    op.create_index(op.f("ix_fingerprints_content_id"), "fingerprints", ["content_id"], unique=False)
    op.create_index(
        "ix_fingerprints_hash_layer_content_id", "fingerprints", ["hash", "layer", "content_id"], unique=False
    )
    op.create_table(
        "invitations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("course_id", sa.Integer(), nullable=True),
        sa.Column(
            "role", sa.Enum("instructor", "assistant", name="courserole", native_enum=False, length=20), nullable=True
        ),
        sa.Column("administrator", sa.Boolean(), nullable=False),
        sa.Column("invited_by_id", sa.Integer(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_invitations_course_id_courses"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["invited_by_id"], ["users.id"], name=op.f("fk_invitations_invited_by_id_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_invitations_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("digest", name=op.f("uq_invitations_digest")),
    )
    op.create_index(op.f("ix_invitations_course_id"), "invitations", ["course_id"], unique=False)
    op.create_index(op.f("ix_invitations_invited_by_id"), "invitations", ["invited_by_id"], unique=False)
    op.create_index(op.f("ix_invitations_user_id"), "invitations", ["user_id"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("course_id", sa.Integer(), nullable=True),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column(
            "state",
            sa.Enum("queued", "running", "done", "failed", "cancelled", name="jobstate", native_enum=False, length=20),
            nullable=False,
        ),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("stage_started", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease", sa.String(), nullable=False),
        sa.Column("heartbeat", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancel", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_jobs_course_id_courses"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_jobs_user_id_users"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    op.create_index(op.f("ix_jobs_course_id"), "jobs", ["course_id"], unique=False)
    op.create_index(op.f("ix_jobs_state"), "jobs", ["state"], unique=False)
    op.create_index(op.f("ix_jobs_user_id"), "jobs", ["user_id"], unique=False)
    op.create_table(
        "kept_streams",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("content_id", sa.Integer(), nullable=False),
        sa.Column("streams", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["content_id"], ["contents.id"], name=op.f("fk_kept_streams_content_id_contents"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_kept_streams")),
        sa.UniqueConstraint("key", name=op.f("uq_kept_streams_key")),
    )
    op.create_index(op.f("ix_kept_streams_content_id"), "kept_streams", ["content_id"], unique=False)
    op.create_table(
        "logins",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_logins_user_id_users"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_logins")),
        sa.UniqueConstraint("digest", name=op.f("uq_logins_digest")),
    )
    op.create_index(op.f("ix_logins_user_id"), "logins", ["user_id"], unique=False)
    op.create_table(
        "memberships",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("course_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column(
            "role", sa.Enum("instructor", "assistant", name="courserole", native_enum=False, length=20), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_memberships_course_id_courses"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_memberships_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memberships")),
        sa.UniqueConstraint("course_id", "user_id", name=op.f("uq_memberships_course_id_user_id")),
    )
    op.create_index(op.f("ix_memberships_course_id"), "memberships", ["course_id"], unique=False)
    op.create_index(op.f("ix_memberships_user_id"), "memberships", ["user_id"], unique=False)
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("seen", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_notices_user_id_users"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
    )
    op.create_index(op.f("ix_notices_user_id"), "notices", ["user_id"], unique=False)
    op.create_table(
        "people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("course_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_people_course_id_courses"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("course_id", "name", name=op.f("uq_people_course_id_name")),
    )
    op.create_index(op.f("ix_people_course_id"), "people", ["course_id"], unique=False)
    op.create_table(
        "senders",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("number", sa.String(), nullable=True),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("course_id", sa.Integer(), nullable=True),
        sa.Column("days", sa.Integer(), nullable=False),
        sa.Column("per_day", sa.Integer(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_senders_course_id_courses"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_senders_user_id_users"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_senders")),
        sa.UniqueConstraint("number", name=op.f("uq_senders_number")),
    )
    op.create_index(op.f("ix_senders_course_id"), "senders", ["course_id"], unique=False)
    op.create_index(op.f("ix_senders_user_id"), "senders", ["user_id"], unique=True)
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_tokens_user_id_users"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("digest", name=op.f("uq_tokens_digest")),
    )
    op.create_index(op.f("ix_tokens_user_id"), "tokens", ["user_id"], unique=False)
    op.create_table(
        "cases",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("a_id", sa.Integer(), nullable=False),
        sa.Column("b_id", sa.Integer(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "unreviewed", "suspicious", "confirmed", "dismissed", name="casestate", native_enum=False, length=20
            ),
            nullable=False,
        ),
        sa.Column("assignee_id", sa.Integer(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["a_id"], ["people.id"], name=op.f("fk_cases_a_id_people"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["assignee_id"], ["users.id"], name=op.f("fk_cases_assignee_id_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignments.id"], name=op.f("fk_cases_assignment_id_assignments"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["b_id"], ["people.id"], name=op.f("fk_cases_b_id_people"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cases")),
        sa.UniqueConstraint("assignment_id", "a_id", "b_id", name=op.f("uq_cases_assignment_id_a_id_b_id")),
    )
    op.create_index(op.f("ix_cases_a_id"), "cases", ["a_id"], unique=False)
    op.create_index(op.f("ix_cases_assignee_id"), "cases", ["assignee_id"], unique=False)
    op.create_index(op.f("ix_cases_assignment_id"), "cases", ["assignment_id"], unique=False)
    op.create_index(op.f("ix_cases_b_id"), "cases", ["b_id"], unique=False)
    op.create_table(
        "course_archives",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("course_id", sa.Integer(), nullable=True),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("incoming", sa.Boolean(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("ready", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_course_archives_course_id_courses"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_course_archives_job_id_jobs"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_course_archives_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_course_archives")),
    )
    op.create_index(op.f("ix_course_archives_course_id"), "course_archives", ["course_id"], unique=False)
    op.create_index(op.f("ix_course_archives_job_id"), "course_archives", ["job_id"], unique=False)
    op.create_index(op.f("ix_course_archives_user_id"), "course_archives", ["user_id"], unique=False)
    op.create_table(
        "log_lines",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_log_lines_job_id_jobs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_log_lines")),
    )
    op.create_index(op.f("ix_log_lines_job_id"), "log_lines", ["job_id"], unique=False)
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("archives", sa.JSON(), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignments.id"], name=op.f("fk_runs_assignment_id_assignments"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_runs_job_id_jobs"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_runs_user_id_users"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("assignment_id", "number", name=op.f("uq_runs_assignment_id_number")),
    )
    op.create_index(op.f("ix_runs_assignment_id"), "runs", ["assignment_id"], unique=False)
    op.create_index(op.f("ix_runs_job_id"), "runs", ["job_id"], unique=False)
    op.create_index(op.f("ix_runs_user_id"), "runs", ["user_id"], unique=False)
    op.create_table(
        "uploads",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "receiving",
                "recognising",
                "ready",
                "confirmed",
                "failed",
                name="uploadstate",
                native_enum=False,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("problems", sa.JSON(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column(
            "reading",
            sa.Enum("auto", "whole", "items", "classes", name="reading", native_enum=False, length=20),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignments.id"], name=op.f("fk_uploads_assignment_id_assignments"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_uploads_job_id_jobs"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_uploads_user_id_users"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_uploads")),
    )
    op.create_index(op.f("ix_uploads_assignment_id"), "uploads", ["assignment_id"], unique=False)
    op.create_index(op.f("ix_uploads_job_id"), "uploads", ["job_id"], unique=False)
    op.create_index(op.f("ix_uploads_user_id"), "uploads", ["user_id"], unique=False)
    op.create_table(
        "archive_chunks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("archive_id", sa.Integer(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["archive_id"],
            ["course_archives.id"],
            name=op.f("fk_archive_chunks_archive_id_course_archives"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_archive_chunks")),
        sa.UniqueConstraint("archive_id", "start", name=op.f("uq_archive_chunks_archive_id_start")),
    )
    op.create_index(op.f("ix_archive_chunks_archive_id"), "archive_chunks", ["archive_id"], unique=False)
    op.create_table(
        "case_events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("case_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("before", sa.String(), nullable=False),
        sa.Column("after", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["case_id"], ["cases.id"], name=op.f("fk_case_events_case_id_cases"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_case_events_user_id_users"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_case_events")),
    )
    op.create_index(op.f("ix_case_events_case_id"), "case_events", ["case_id"], unique=False)
    op.create_index(op.f("ix_case_events_user_id"), "case_events", ["user_id"], unique=False)
    op.create_table(
        "pages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("made_with", sa.String(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_pages_run_id_runs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pages")),
        sa.UniqueConstraint("run_id", "name", name=op.f("uq_pages_run_id_name")),
    )
    op.create_index(op.f("ix_pages_run_id"), "pages", ["run_id"], unique=False)
    op.create_table(
        "pairs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("a", sa.Integer(), nullable=False),
        sa.Column("b", sa.Integer(), nullable=False),
        sa.Column("a_person_id", sa.Integer(), nullable=True),
        sa.Column("b_person_id", sa.Integer(), nullable=True),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("similarity", sa.Double(), nullable=False),
        sa.Column("share_a", sa.Double(), nullable=False),
        sa.Column("share_b", sa.Double(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("longest", sa.Integer(), nullable=False),
        sa.Column("rarity", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["a_person_id"], ["people.id"], name=op.f("fk_pairs_a_person_id_people"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["b_person_id"], ["people.id"], name=op.f("fk_pairs_b_person_id_people"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_pairs_run_id_runs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pairs")),
        sa.UniqueConstraint("run_id", "rank", name=op.f("uq_pairs_run_id_rank")),
    )
    op.create_index(op.f("ix_pairs_a_person_id"), "pairs", ["a_person_id"], unique=False)
    op.create_index(op.f("ix_pairs_b_person_id"), "pairs", ["b_person_id"], unique=False)
    op.create_index(op.f("ix_pairs_run_id"), "pairs", ["run_id"], unique=False)
    op.create_table(
        "results",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("clusters", sa.JSON(), nullable=False),
        sa.Column("problems", sa.JSON(), nullable=False),
        sa.Column("baseline", sa.JSON(), nullable=False),
        sa.Column("sharing", sa.Integer(), nullable=False),
        sa.Column("ranking", sa.LargeBinary(), nullable=False),
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_results_run_id_runs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_results")),
    )
    op.create_index(op.f("ix_results_run_id"), "results", ["run_id"], unique=False)
    op.create_table(
        "share_links",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_share_links_run_id_runs"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_share_links_user_id_users"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_share_links")),
    )
    op.create_index(op.f("ix_share_links_run_id"), "share_links", ["run_id"], unique=False)
    op.create_index(op.f("ix_share_links_user_id"), "share_links", ["user_id"], unique=False)
    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("upload_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("role", sa.Enum("new", "archive", "base", name="role", native_enum=False, length=20), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("handed_in", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("confirmed", sa.Boolean(), nullable=False),
        sa.Column("left_out", sa.Boolean(), nullable=False),
        sa.Column("skipped", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"],
            ["assignments.id"],
            name=op.f("fk_submissions_assignment_id_assignments"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_submissions_person_id_people"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["uploads.id"], name=op.f("fk_submissions_upload_id_uploads"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint(
            "assignment_id", "person_id", "version", name=op.f("uq_submissions_assignment_id_person_id_version")
        ),
    )
    op.create_index(op.f("ix_submissions_assignment_id"), "submissions", ["assignment_id"], unique=False)
    op.create_index(op.f("ix_submissions_person_id"), "submissions", ["person_id"], unique=False)
    op.create_index(op.f("ix_submissions_upload_id"), "submissions", ["upload_id"], unique=False)
    op.create_table(
        "upload_parts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("upload_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("role", sa.Enum("new", "archive", "base", name="role", native_enum=False, length=20), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["uploads.id"], name=op.f("fk_upload_parts_upload_id_uploads"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_upload_parts")),
        sa.UniqueConstraint("upload_id", "role", "path", name=op.f("uq_upload_parts_upload_id_role_path")),
    )
    op.create_index(op.f("ix_upload_parts_upload_id"), "upload_parts", ["upload_id"], unique=False)
    op.create_table(
        "chunks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("part_id", sa.Integer(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["part_id"], ["upload_parts.id"], name=op.f("fk_chunks_part_id_upload_parts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chunks")),
        sa.UniqueConstraint("part_id", "start", name=op.f("uq_chunks_part_id_start")),
    )
    op.create_index(op.f("ix_chunks_part_id"), "chunks", ["part_id"], unique=False)
    op.create_table(
        "drops",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("sender_id", sa.Integer(), nullable=True),
        sa.Column("sent_as", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("upload_id", sa.Integer(), nullable=False),
        sa.Column("link_id", sa.Integer(), nullable=True),
        sa.Column("asked", sa.JSON(), nullable=False),
        sa.Column("files", sa.JSON(), nullable=False),
        sa.Column("key", sa.String(), nullable=True),
        sa.Column("digest", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["link_id"], ["share_links.id"], name=op.f("fk_drops_link_id_share_links"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_drops_run_id_runs"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["sender_id"], ["senders.id"], name=op.f("fk_drops_sender_id_senders"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["uploads.id"], name=op.f("fk_drops_upload_id_uploads"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drops")),
        sa.UniqueConstraint("place", name=op.f("uq_drops_place")),
        sa.UniqueConstraint("sender_id", "key", name=op.f("uq_drops_sender_id_key")),
    )
    op.create_index(op.f("ix_drops_created"), "drops", ["created"], unique=False)
    op.create_index(op.f("ix_drops_link_id"), "drops", ["link_id"], unique=False)
    op.create_index(op.f("ix_drops_run_id"), "drops", ["run_id"], unique=True)
    op.create_index(op.f("ix_drops_sender_id"), "drops", ["sender_id"], unique=False)
    op.create_index(op.f("ix_drops_upload_id"), "drops", ["upload_id"], unique=False)
    op.create_table(
        "entries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("role", sa.Enum("new", "archive", "base", name="role", native_enum=False, length=20), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("fingerprints", sa.Integer(), nullable=False),
        sa.Column("files", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_entries_person_id_people"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_entries_run_id_runs"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submissions.id"],
            name=op.f("fk_entries_submission_id_submissions"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entries")),
        sa.UniqueConstraint("run_id", "number", name=op.f("uq_entries_run_id_number")),
    )
    op.create_index(op.f("ix_entries_person_id"), "entries", ["person_id"], unique=False)
    op.create_index(op.f("ix_entries_run_id"), "entries", ["run_id"], unique=False)
    op.create_index(op.f("ix_entries_submission_id"), "entries", ["submission_id"], unique=False)
    op.create_table(
        "files",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("content_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("encoding", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("cells", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["content_id"], ["contents.id"], name=op.f("fk_files_content_id_contents"), ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name=op.f("fk_files_submission_id_submissions"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_files")),
    )
    op.create_index(op.f("ix_files_content_id"), "files", ["content_id"], unique=False)
    op.create_index(op.f("ix_files_submission_id"), "files", ["submission_id"], unique=False)
    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column(
            "channel", sa.Enum("structure", "text", name="channel", native_enum=False, length=20), nullable=False
        ),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("rarity", sa.Integer(), nullable=False),
        sa.Column("a", sa.JSON(), nullable=False),
        sa.Column("b", sa.JSON(), nullable=False),
        sa.Column("others", sa.JSON(), nullable=False),
        sa.Column("stretches", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["pair_id"], ["pairs.id"], name=op.f("fk_matches_pair_id_pairs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("pair_id", "number", name=op.f("uq_matches_pair_id_number")),
    )
    op.create_index(op.f("ix_matches_pair_id"), "matches", ["pair_id"], unique=False)


def downgrade() -> None:
    """Bring it back."""
    op.drop_index(op.f("ix_matches_pair_id"), table_name="matches")
    op.drop_table("matches")
    op.drop_index(op.f("ix_files_submission_id"), table_name="files")
    op.drop_index(op.f("ix_files_content_id"), table_name="files")
    op.drop_table("files")
    op.drop_index(op.f("ix_entries_submission_id"), table_name="entries")
    op.drop_index(op.f("ix_entries_run_id"), table_name="entries")
    op.drop_index(op.f("ix_entries_person_id"), table_name="entries")
    op.drop_table("entries")
    op.drop_index(op.f("ix_drops_upload_id"), table_name="drops")
    op.drop_index(op.f("ix_drops_sender_id"), table_name="drops")
    op.drop_index(op.f("ix_drops_run_id"), table_name="drops")
    op.drop_index(op.f("ix_drops_link_id"), table_name="drops")
    op.drop_index(op.f("ix_drops_created"), table_name="drops")
    op.drop_table("drops")
    op.drop_index(op.f("ix_chunks_part_id"), table_name="chunks")
    op.drop_table("chunks")
    op.drop_index(op.f("ix_upload_parts_upload_id"), table_name="upload_parts")
    op.drop_table("upload_parts")
    op.drop_index(op.f("ix_submissions_upload_id"), table_name="submissions")
    op.drop_index(op.f("ix_submissions_person_id"), table_name="submissions")
    op.drop_index(op.f("ix_submissions_assignment_id"), table_name="submissions")
    op.drop_table("submissions")
    op.drop_index(op.f("ix_share_links_user_id"), table_name="share_links")
    op.drop_index(op.f("ix_share_links_run_id"), table_name="share_links")
    op.drop_table("share_links")
    op.drop_index(op.f("ix_results_run_id"), table_name="results")
    op.drop_table("results")
    op.drop_index(op.f("ix_pairs_run_id"), table_name="pairs")
    op.drop_index(op.f("ix_pairs_b_person_id"), table_name="pairs")
    op.drop_index(op.f("ix_pairs_a_person_id"), table_name="pairs")
    op.drop_table("pairs")
    op.drop_index(op.f("ix_pages_run_id"), table_name="pages")
    op.drop_table("pages")
    op.drop_index(op.f("ix_case_events_user_id"), table_name="case_events")
    op.drop_index(op.f("ix_case_events_case_id"), table_name="case_events")
    op.drop_table("case_events")
    op.drop_index(op.f("ix_archive_chunks_archive_id"), table_name="archive_chunks")
    op.drop_table("archive_chunks")
    op.drop_index(op.f("ix_uploads_user_id"), table_name="uploads")
    op.drop_index(op.f("ix_uploads_job_id"), table_name="uploads")
    op.drop_index(op.f("ix_uploads_assignment_id"), table_name="uploads")
    op.drop_table("uploads")
    op.drop_index(op.f("ix_runs_user_id"), table_name="runs")
    op.drop_index(op.f("ix_runs_job_id"), table_name="runs")
    op.drop_index(op.f("ix_runs_assignment_id"), table_name="runs")
    op.drop_table("runs")
    op.drop_index(op.f("ix_log_lines_job_id"), table_name="log_lines")
    op.drop_table("log_lines")
    op.drop_index(op.f("ix_course_archives_user_id"), table_name="course_archives")
    op.drop_index(op.f("ix_course_archives_job_id"), table_name="course_archives")
    op.drop_index(op.f("ix_course_archives_course_id"), table_name="course_archives")
    op.drop_table("course_archives")
    op.drop_index(op.f("ix_cases_b_id"), table_name="cases")
    op.drop_index(op.f("ix_cases_assignment_id"), table_name="cases")
    op.drop_index(op.f("ix_cases_assignee_id"), table_name="cases")
    op.drop_index(op.f("ix_cases_a_id"), table_name="cases")
    op.drop_table("cases")
    op.drop_index(op.f("ix_tokens_user_id"), table_name="tokens")
    op.drop_table("tokens")
    op.drop_index(op.f("ix_senders_user_id"), table_name="senders")
    op.drop_index(op.f("ix_senders_course_id"), table_name="senders")
    op.drop_table("senders")
    op.drop_index(op.f("ix_people_course_id"), table_name="people")
    op.drop_table("people")
    op.drop_index(op.f("ix_notices_user_id"), table_name="notices")
    op.drop_table("notices")
    op.drop_index(op.f("ix_memberships_user_id"), table_name="memberships")
    op.drop_index(op.f("ix_memberships_course_id"), table_name="memberships")
    op.drop_table("memberships")
    op.drop_index(op.f("ix_logins_user_id"), table_name="logins")
    op.drop_table("logins")
    op.drop_index(op.f("ix_kept_streams_content_id"), table_name="kept_streams")
    op.drop_table("kept_streams")
    op.drop_index(op.f("ix_jobs_user_id"), table_name="jobs")
    op.drop_index(op.f("ix_jobs_state"), table_name="jobs")
    op.drop_index(op.f("ix_jobs_course_id"), table_name="jobs")
    op.drop_table("jobs")
    op.drop_index(op.f("ix_invitations_user_id"), table_name="invitations")
    op.drop_index(op.f("ix_invitations_invited_by_id"), table_name="invitations")
    op.drop_index(op.f("ix_invitations_course_id"), table_name="invitations")
    op.drop_table("invitations")
    op.drop_index("ix_fingerprints_hash_layer_content_id", table_name="fingerprints")
    op.drop_index(op.f("ix_fingerprints_content_id"), table_name="fingerprints")
    op.drop_table("fingerprints")
    op.drop_index(op.f("ix_audit_user_id"), table_name="audit")
    op.drop_index(op.f("ix_audit_course_id"), table_name="audit")
    op.drop_index(op.f("ix_audit_at"), table_name="audit")
    op.drop_table("audit")
    op.drop_index(op.f("ix_assignments_course_id"), table_name="assignments")
    op.drop_table("assignments")
    op.drop_table("users")
    op.drop_table("secrets")
    op.drop_table("courses")
    op.drop_table("contents")
    op.drop_index(op.f("ix_attempts_key"), table_name="attempts")
    op.drop_index(op.f("ix_attempts_at"), table_name="attempts")
    op.drop_table("attempts")
