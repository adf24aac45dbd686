"""How long each stage of a job took, as numbers."""

from __future__ import annotations

from itertools import groupby, pairwise

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_STAGES = ("Reading", "Asking archives", "Scanning", "Ranking", "Aligning", "Storing")
_JOBS = sa.table(
    "jobs", sa.column("id"), sa.column("kind"), sa.column("state"), sa.column("started"),
    sa.column("stage_seconds", sa.JSON()),
)  # fmt: skip
_LINES = sa.table(
    "log_lines", sa.column("id"), sa.column("job_id"), sa.column("at", sa.DateTime(timezone=True)), sa.column("text")
)


def upgrade() -> None:
    """Bring the schema here. Of runs that are done, the log says when each stage began."""
    op.add_column("jobs", sa.Column("stage_seconds", sa.JSON(), nullable=False, server_default="{}"))
    began = (
        sa.select(_LINES.c.job_id, _LINES.c.text, _LINES.c.at)
        .join_from(_LINES, _JOBS, _JOBS.c.id == _LINES.c.job_id)
        .where(_JOBS.c.kind.in_(("run", "drop")), _JOBS.c.state == "done")
        .where(_LINES.c.at >= _JOBS.c.started, _LINES.c.text.in_(_STAGES))
        .order_by(_LINES.c.job_id, _LINES.c.id)
    )
    connection = op.get_bind()
    for job_id, lines in groupby(connection.execute(began).all(), lambda row: row.job_id):
        seconds: dict[str, float] = {}
        for line, following in pairwise(lines):
            stage = line.text.lower()
            seconds[stage] = seconds.get(stage, 0.0) + (following.at - line.at).total_seconds()
        connection.execute(sa.update(_JOBS).where(_JOBS.c.id == job_id).values(stage_seconds=seconds))


def downgrade() -> None:
    """Bring it back to what it was before."""
    op.drop_column("jobs", "stage_seconds")
