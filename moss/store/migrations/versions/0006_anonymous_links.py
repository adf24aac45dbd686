"""Links to one pair without names."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema here."""
    op.add_column("share_links", sa.Column("anonymous", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Bring it back to what it was before."""
    op.drop_column("share_links", "anonymous")
