"""By which rules the fingerprints of a text were made."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_INDEX = "ix_contents_indexed_scan_indexed_hash"


def upgrade() -> None:
    """Bring the schema here. All fingerprints that are there were made by the first rules."""
    op.add_column("contents", sa.Column("indexed_scan", sa.Integer(), nullable=True))
    op.add_column("contents", sa.Column("indexed_hash", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE contents SET indexed_scan = 1, indexed_hash = 1 WHERE id IN (SELECT content_id FROM fingerprints)"
    )
    op.create_index(_INDEX, "contents", ["indexed_scan", "indexed_hash"], unique=False)


def downgrade() -> None:
    """Bring it back to what it was before."""
    op.drop_index(_INDEX, table_name="contents")
    op.drop_column("contents", "indexed_hash")
    op.drop_column("contents", "indexed_scan")
