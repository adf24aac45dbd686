"""Migrations: the schema's history, and how to bring a database up to date."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, text

_LOCK = 7_690_2003  # any number: whoever holds PostgreSQL's advisory lock of this name migrates


def configuration(engine: Engine | None = None) -> Config:
    """Alembic's configuration, for this database."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["engine"] = engine
    return config


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Bring the database to a revision; of several processes that start at once, one does it."""
    config = configuration(engine)
    with engine.connect().execution_options(moss_writes=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
