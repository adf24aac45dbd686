"""Rosters: names of one student merged into one, what a roster says about students, and declared partners."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TEXTS = ("address", "number", "section")


def upgrade() -> None:
    """Bring the schema here."""
    op.add_column("courses", sa.Column("imported", sa.DateTime(timezone=True), nullable=True))
    op.add_column("people", sa.Column("same_as_id", sa.Integer(), nullable=True))
    op.create_index(op.f("ix_people_same_as_id"), "people", ["same_as_id"], unique=False)
    for name in ("kept_apart", "on_roster"):
        op.add_column("people", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
    for name in _TEXTS:
        op.add_column("people", sa.Column(name, sa.String(), nullable=False, server_default=""))
    op.add_column("people", sa.Column("moved", sa.JSON(), nullable=True))
    op.add_column("people", sa.Column("other_names", sa.JSON(), nullable=False, server_default="[]"))
    op.create_table(
        "partners",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("a_id", sa.Integer(), nullable=False),
        sa.Column("b_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["a_id"], ["people.id"], name=op.f("fk_partners_a_id_people"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["b_id"], ["people.id"], name=op.f("fk_partners_b_id_people"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_partners")),
        sa.UniqueConstraint("a_id", "b_id", name=op.f("uq_partners_a_id_b_id")),
    )
    op.create_index(op.f("ix_partners_a_id"), "partners", ["a_id"], unique=False)
    op.create_index(op.f("ix_partners_b_id"), "partners", ["b_id"], unique=False)


def downgrade() -> None:
    """Bring it back to what it was before; names that were merged are people of their own again."""
    op.drop_table("partners")
    op.drop_index(op.f("ix_people_same_as_id"), "people")
    for name in ("same_as_id", "kept_apart", "on_roster", *_TEXTS, "moved", "other_names"):
        op.drop_column("people", name)
    op.drop_column("courses", "imported")
