"""Sections, accounts and git histories of submissions, and the commits that first had the lines of their files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema here."""
    for name in ("section", "account"):
        op.add_column("submissions", sa.Column(name, sa.String(), nullable=False, server_default=""))
    op.add_column("submissions", sa.Column("history", sa.JSON(), nullable=True))
    op.add_column("files", sa.Column("origins", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    """Bring it back to what it was before."""
    op.drop_column("files", "origins")
    for name in ("history", "account", "section"):
        op.drop_column("submissions", name)
