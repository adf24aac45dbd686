"""The base of all tables, and the types of their columns."""

from __future__ import annotations

import enum
from datetime import UTC, datetime
from typing import Annotated, Any

from sqlalchemy import JSON, DateTime, Dialect, Enum, ForeignKey, LargeBinary, MetaData, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, mapped_column


def now() -> datetime:
    """This moment in UTC, as all times in the store are."""
    return datetime.now(UTC)


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC: SQLite knows no time zones, and PostgreSQL answers in the zone of its machine."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """A value on its way to the database."""
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """A value from the database."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """The base of all tables: enumerations are stored by value, constraints have names that migrations can use."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012
        datetime: UtcTime(),
        bytes: LargeBinary(),
        dict[str, Any]: JSON(),
        list[Any]: JSON(),
        enum.Enum: Enum(enum.Enum, native_enum=False, length=20, values_callable=lambda e: [m.value for m in e]),
    }


def reference(table: str, *, on_delete: str = "CASCADE", **options: Any) -> Any:
    """A column that refers to a row of another table, with which its own row is deleted unless `on_delete` says
    otherwise."""
    return mapped_column(ForeignKey(f"{table}.id", ondelete=on_delete), index=True, **options)


Key = Annotated[int, mapped_column(primary_key=True)]
Moment = Annotated[datetime, mapped_column(default=now)]
