"""The schema and its migrations, which bring a database up to date.

Alembic is imported only if there is a migration to do, which is rare: importing it takes longer than opening a
database.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Engine, inspect, text

from moss.store.database import StoreError

if TYPE_CHECKING:
    from alembic.config import Config

_MIGRATIONS = Path(__file__).parents[1] / "migrations"
_LOCK = 7_690_2003  # any number: the process that holds PostgreSQL's advisory lock of this number migrates


def configuration(engine: Engine | None = None) -> Config:
    """Alembic's configuration, for this database."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["engine"] = engine
    return config


def newest() -> str:
    """The newest revision, with which the name of its file begins."""
    return max(file.name for file in (_MIGRATIONS / "versions").glob("[0-9]*_*.py")).partition("_")[0]


def is_current(engine: Engine) -> bool:
    """Whether the database has the newest schema."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return False
        return bool(connection.scalar(text("SELECT version_num FROM alembic_version")) == newest())


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Migrate the database to a revision; of several processes that start at once, one does it."""
    from alembic import command
    from alembic.util import CommandError

    config = configuration(engine)
    with engine.connect().execution_options(moss_writes=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, revision)
        except CommandError as error:
            raise StoreError(f"the database was made by a newer version of moss: {error}") from None
