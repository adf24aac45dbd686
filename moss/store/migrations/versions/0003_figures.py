"""Figures of reports that have no columns of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_TABLES = ("results", "entries", "pairs", "matches")


def upgrade() -> None:
    """Bring the schema here."""
    for table in _TABLES:
        op.add_column(table, sa.Column("figures", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    """Bring it back to what it was before."""
    for table in _TABLES:
        op.drop_column(table, "figures")
