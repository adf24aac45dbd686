"""The pairs that lists leave out, because another pair of the same student stands for them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema here."""
    op.add_column("pairs", sa.Column("behind", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Bring it back to what it was before."""
    op.drop_column("pairs", "behind")
