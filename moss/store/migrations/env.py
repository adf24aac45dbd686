"""How alembic reaches the database: through the connection that it is given."""

from __future__ import annotations

from alembic import context

from moss.store.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    compare_type=True,
)
context.run_migrations()
