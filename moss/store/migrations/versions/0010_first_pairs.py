"""The first pairs of a run, known before its report is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema here."""
    op.add_column("runs", sa.Column("first_pairs", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    """Bring it back to what it was before."""
    op.drop_column("runs", "first_pairs")
