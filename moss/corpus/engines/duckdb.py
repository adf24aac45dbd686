"""DuckDB: the engine inside this process. What does not fit into the memory it may use, it sorts and joins on disk."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

from moss.corpus.engines.engine import Columns, Item, Result, nothing
from moss.corpus.errors import CorpusError, CorpusMemoryError
from moss.messages import gettext
from moss.processes.pool import available_cores

MEMORY = 2 * 1024**3
PORTION = 200_000  # rows that are read at a time
_OURS = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)  # mistakes in what we ask


class FileForm(NamedTuple):
    """How a Parquet file is written."""

    codec: str = "snappy"
    rows: int = 1 << 17  # in a row group, which are skipped or read together
    differences: bool = False  # whether a number is written as its difference to the one before it


FOR_ANYTHING = FileForm()
FOR_NUMBERS = FileForm("uncompressed", differences=True)
"""Sorted numbers take two thirds of the time to write that they take packed by snappy, and three fifths of the room."""


class DuckEngine:
    """A connection to a database of its own, in memory, with a folder to overflow into."""

    rows = 8_000_000  # some hundred megabytes

    def __init__(self, scratch: Path, memory: int = MEMORY, threads: int | None = None) -> None:
        self._overflow = Path(mkdtemp(prefix="overflow-", dir=scratch))
        self._connection = duckdb.connect()
        for name, value in (
            ("memory_limit", f"{memory // 1024**2}MiB"),
            ("threads", threads or available_cores()),
            ("temp_directory", str(self._overflow)),
            ("TimeZone", "UTC"),
        ):
            self._connection.execute(f"SET {name} = {_quoted(str(value))}")

    def here(self, tables: Sequence[str]) -> DuckEngine:
        """This one, whatever the tables are."""
        return self

    def table(self, name: str, paths: Sequence[Path], schema: Mapping[str, str]) -> None:
        """Give a name to the rows of Parquet files (or of folders of such files), or to none, of this schema."""
        listed = ", ".join(_quoted(str(file)) for file in parquet_files(paths))  # no pattern: names may look like one
        rows = f"SELECT * FROM read_parquet([{listed}])" if listed else nothing(schema)
        self._run(lambda: self._connection.execute(f"CREATE OR REPLACE VIEW {name} AS {rows}"))

    def write(self, sql: str, folder: Path, *, in_order: bool = True) -> None:
        """Write a query's rows, in its order, as a Parquet file into a new folder, which is there only when all is
        written."""
        with whole_folder(folder) as unfinished:
            self.write_file(sql, unfinished / "rows.parquet")

    def fetch(self, sql: str) -> dict[str, NDArray[Any]]:
        """A query's columns; a missing time is not a time, a missing number is an error."""
        columns: dict[str, Any] = self._run(lambda: self._connection.execute(sql).fetchnumpy())
        return {name: _plain(column) for name, column in columns.items()}

    def write_arrays(self, columns: Columns, path: Path, form: FileForm | None = None) -> None:
        """Write arrays as one Parquet file, in the form for numbers if all of them are."""
        numbers = all(column.dtype.kind == "i" for column in columns.values())
        self._run(lambda: self._connection.register("arrays", dict(columns)))
        self.write_file("SELECT * FROM arrays", path, form or (FOR_NUMBERS if numbers else FOR_ANYTHING))
        self._run(lambda: self._connection.unregister("arrays"))

    def write_file(self, sql: str, path: Path, form: FileForm = FOR_ANYTHING) -> None:
        """Write a query's rows, in its order, as one Parquet file."""
        options = f"FORMAT parquet, COMPRESSION {form.codec}, ROW_GROUP_SIZE {form.rows}"
        if form.differences:
            options += ", PARQUET_VERSION V2, DICTIONARY_SIZE_LIMIT 1"
        self._run(lambda: self._connection.execute(f"COPY ({sql}) TO {_quoted(str(path))} ({options})"))

    def all(
        self, function: Callable[[Item], Result], items: Sequence[Item], tables: Sequence[str]
    ) -> Iterator[tuple[int, Result]]:
        """(number, result) of a function for each item, in this process."""
        return enumerate(map(function, items))

    def _run(self, work: Callable[[], Result]) -> Result:
        """The result of a query, which runs in another thread: in ours DuckDB would look for Ctrl-C now and then, or
        never."""
        with ThreadPoolExecutor(1) as pool:
            working = pool.submit(self._in_words, work)
            try:
                return working.result()
            except KeyboardInterrupt:
                self._connection.interrupt()
                raise

    def _in_words(self, work: Callable[[], Result]) -> Result:
        try:
            return work()
        except duckdb.OutOfMemoryException as error:
            raise CorpusMemoryError(gettext("not enough memory for this corpus; allow more with --memory")) from error
        except _OURS:
            raise
        except duckdb.Error as error:  # no room, no right, or files that are damaged: these have no error of their own
            raise CorpusError(
                gettext("the corpus cannot be read or written: %(error)s", error=str(error).splitlines()[0])
            ) from error

    def close(self) -> None:
        """Give everything back."""
        self._connection.close()
        shutil.rmtree(self._overflow, ignore_errors=True)


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A folder to write into, which takes its name only when all is written."""
    unfinished = folder.parent / f"unfinished-{secrets.token_hex(8)}"
    unfinished.mkdir(parents=True)  # for whom the user's umask says
    try:
        yield unfinished
        unfinished.rename(folder)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise


def parquet_files(paths: Sequence[Path]) -> list[Path]:
    """The Parquet files among these, and those in the folders among these, in order."""
    return [file for path in paths for file in (sorted(path.glob("*.parquet")) if path.is_dir() else [path])]


def portions(engine: DuckEngine, folder: Path) -> Iterator[Columns]:
    """All rows of a folder's files, in order, portion by portion."""
    for file in parquet_files([folder]):
        engine.table("listed", [file], {})
        start = count = 0
        while start == count:  # all before were whole
            columns = engine.fetch(f"SELECT * FROM listed LIMIT {PORTION} OFFSET {start}")
            yield columns
            start, count = start + PORTION, count + len(next(iter(columns.values())))


def _plain(column: Any) -> NDArray[Any]:
    if isinstance(column, np.ma.MaskedArray):
        if column.dtype.kind == "M":
            filled: NDArray[Any] = column.filled(np.datetime64("NaT"))
            return filled
        if not column.mask.any():
            return np.asarray(column.data)
        raise ValueError("a number is missing")
    return np.asarray(column)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
