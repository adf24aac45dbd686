"""Corpora as the archives of runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema here."""
    op.add_column("runs", sa.Column("corpora", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("entries", sa.Column("corpus", sa.String(), nullable=False, server_default=""))
    op.create_table(
        "run_texts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("content_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["content_id"], ["contents.id"], name=op.f("fk_run_texts_content_id_contents"), ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_texts_run_id_runs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_texts")),
        sa.UniqueConstraint("run_id", "content_id", name=op.f("uq_run_texts_run_id_content_id")),
    )
    op.create_index(op.f("ix_run_texts_content_id"), "run_texts", ["content_id"], unique=False)
    op.create_index(op.f("ix_run_texts_run_id"), "run_texts", ["run_id"], unique=False)


def downgrade() -> None:
    """Bring it back to what it was before."""
    op.drop_index(op.f("ix_run_texts_run_id"), table_name="run_texts")
    op.drop_index(op.f("ix_run_texts_content_id"), table_name="run_texts")
    op.drop_table("run_texts")
    op.drop_column("entries", "corpus")
    op.drop_column("runs", "corpora")
