"""The kinds of references: what a submission is that new ones are compared with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema here."""
    op.add_column("submissions", sa.Column("reference", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    """Bring it back to what it was before."""
    op.drop_column("submissions", "reference")
