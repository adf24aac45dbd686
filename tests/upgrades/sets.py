"""Sets of earlier versions, opened: unpacked, and for PostgreSQL put into a database with the schema of their time."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, MetaData, create_engine, inspect, select, text

from moss.store import Store
from moss.store.database import upgrade_schema

SETS = sorted(Path(__file__).parent.glob("*.tar.xz"))
Rows = dict[str, dict[Any, dict[str, Any]]]
"""All rows of a database: by table, and by primary key."""


@dataclass(frozen=True)
class EarlierSet:
    """What an earlier version left."""

    folder: Path

    @property
    def expected(self) -> dict[str, Any]:
        """What that version answered when it was asked."""
        return json.loads((self.folder / "expected.json").read_text())

    @property
    def database(self) -> str:
        """The address of its database."""
        return f"sqlite:///{self.folder / 'data' / 'moss.sqlite3'}"


def unpack_set(packed: Path, folder: Path) -> EarlierSet:
    """A set, unpacked into a folder."""
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    return EarlierSet(folder)


def rows_in(engine: Engine) -> Rows:
    """Everything in a database, whatever its schema is."""
    tables = MetaData()
    tables.reflect(engine)
    keys = {name: inspect(engine).get_pk_constraint(name)["constrained_columns"] for name in tables.tables}
    with engine.connect() as connection:
        return {
            name: {
                tuple(row[key] for key in keys[name]): dict(row) for row in connection.execute(select(table)).mappings()
            }
            for name, table in tables.tables.items()
            if name != "alembic_version"
        }


def copy_rows(source: str, target: str) -> None:
    """Put what is in an SQLite database into an empty PostgreSQL one, by the schema that the source has."""
    old = create_engine(source)
    with old.connect() as connection:
        revision = connection.scalar(text("SELECT version_num FROM alembic_version"))
    store = Store(target)
    upgrade_schema(store.engine, revision)
    _insert(store.engine, rows_in(old))
    store.close()
    old.dispose()


def _insert(engine: Engine, found: Rows) -> None:
    tables = MetaData()
    tables.reflect(engine)
    with engine.begin() as connection:
        for table in tables.sorted_tables:
            if rows := [dict(_in_utc(row)) for row in found.get(table.name, {}).values()]:
                connection.execute(table.insert(), rows)
                if "id" in table.c:
                    last = max(row["id"] for row in rows)
                    connection.execute(text(f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), {last})"))


def _in_utc(row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        yield name, value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


def lost(before: Any, after: Any, at: str = "") -> list[str]:
    """The places at which something stood that stands there no more. What is new is no loss."""
    if isinstance(before, dict) and isinstance(after, dict):
        gone = [f"{at}.{name}" for name in before if name not in after]
        return gone + [
            each for name in before if name in after for each in lost(before[name], after[name], f"{at}.{name}")
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [each for n, pair in enumerate(zip(before, after, strict=True)) for each in lost(*pair, f"{at}[{n}]")]
    return [] if before == after else [f"{at}: {before!r} became {after!r}"[:300]]
