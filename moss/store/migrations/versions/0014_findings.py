"""The findings of how files were read, for whoever reads a report."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema here."""
    op.add_column("files", sa.Column("finding", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    """Bring it back to what it was before."""
    op.drop_column("files", "finding")
