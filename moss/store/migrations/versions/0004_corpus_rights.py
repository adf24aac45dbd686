"""Rights to corpora, and entries of submissions whose owners are not named."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema here; a corpus in which a course has kept an assignment is that course's."""
    rights = op.create_table(
        "corpus_rights",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("corpus", sa.String(), nullable=False),
        sa.Column("course_id", sa.Integer(), nullable=True),
        sa.Column("search", sa.Boolean(), nullable=False),
        sa.Column("add", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_corpus_rights_course_id_courses"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_corpus_rights")),
        sa.UniqueConstraint("corpus", "course_id", name=op.f("uq_corpus_rights_corpus_course_id")),
    )
    op.create_index(op.f("ix_corpus_rights_corpus"), "corpus_rights", ["corpus"], unique=False)
    op.create_index(op.f("ix_corpus_rights_course_id"), "corpus_rights", ["course_id"], unique=False)
    op.bulk_insert(rights, _kept())
    with op.batch_alter_table("entries") as entries:
        entries.add_column(sa.Column("origin_id", sa.Integer(), nullable=True))
        entries.create_foreign_key(
            op.f("fk_entries_origin_id_submissions"), "submissions", ["origin_id"], ["id"], ondelete="SET NULL"
        )
        entries.create_index(op.f("ix_entries_origin_id"), ["origin_id"], unique=False)


def _kept() -> list[dict[str, object]]:
    """The rights of courses that have kept something, by what the audit says."""
    audit = sa.table("audit", sa.column("course_id"), sa.column("action"), sa.column("detail", sa.JSON()))
    query = sa.select(audit.c.course_id, audit.c.detail).where(audit.c.action == "kept an assignment")
    kept = {(detail["corpus"], course) for course, detail in op.get_bind().execute(query)}
    closed = {(corpus, None) for corpus, _ in kept}
    return [
        {"corpus": corpus, "course_id": course, "search": course is not None, "add": course is not None}
        for corpus, course in sorted(kept | closed, key=str)
    ]


def downgrade() -> None:
    """Bring it back to what it was before."""
    with op.batch_alter_table("entries") as entries:
        entries.drop_index(op.f("ix_entries_origin_id"))
        entries.drop_constraint(op.f("fk_entries_origin_id_submissions"), type_="foreignkey")
        entries.drop_column("origin_id")
    op.drop_table("corpus_rights")
