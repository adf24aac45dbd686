"""Whether a submission's time names its zone, and the newest date that its files had in their archive."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema here."""
    op.add_column("submissions", sa.Column("local_time", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("submissions", sa.Column("dated", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    """Bring it back to what it was before."""
    for name in ("dated", "local_time"):
        op.drop_column("submissions", name)
