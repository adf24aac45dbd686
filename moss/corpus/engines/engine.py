"""The protocol of engines: tables from Parquet files, SQL over them, results as Parquet files or arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from numpy.typing import NDArray

if TYPE_CHECKING:
    from moss.corpus.engines.duckdb import DuckEngine

Columns = Mapping[str, NDArray[Any]]
Item = TypeVar("Item")
Result = TypeVar("Result")


class Engine(Protocol):
    """Runs SQL that every engine understands (`moss.corpus.cluster.relations`)."""

    rows: int  # of shingles that it sorts, joins and counts at once

    def here(self, tables: Sequence[str]) -> DuckEngine | None:
        """DuckDB in this process, if it is to work on these tables."""

    def table(self, name: str, paths: Sequence[Path], schema: Mapping[str, str]) -> None:
        """Give a name to the rows of Parquet files (or of folders of such files), or to none, of this schema."""

    def write(self, sql: str, folder: Path, *, in_order: bool = False) -> None:
        """Write a query's rows as Parquet files into a new folder, which is there only when all is written. They are
        in the query's order if that is asked for, and otherwise where that costs little."""

    def fetch(self, sql: str) -> dict[str, NDArray[Any]]:
        """A query's columns."""

    def write_arrays(self, columns: Columns, path: Path) -> None:
        """Write arrays as one Parquet file."""

    def all(
        self, function: Callable[[Item], Result], items: Sequence[Item], tables: Sequence[str]
    ) -> Iterator[tuple[int, Result]]:
        """(number, result) of a function for each item, which reads some of these tables, on the engine's machines, as
        they finish; raises CorpusError if one has none."""

    def close(self) -> None:
        """Give everything back."""


def nothing(schema: Mapping[str, str]) -> str:
    """A query for no rows of this schema."""
    columns = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in schema.items())
    return f"SELECT * FROM (SELECT {columns}) AS nothing WHERE 1 = 0"
