"""Spark: the engine on many machines, with the same SQL and the same files as DuckDB's.

All machines see the corpus's folder under the same path. Spark divides the work and repeats what a lost machine had
done; a folder of Parquet files that it writes is complete or not there, as anybody's.

Spark plans a query, compiles it and sends it around before it reads a row, which takes longer than many a query. So
what is small is done here: a query whose tables together take no more than an eighth of the memory on disk is run by
DuckDB, and a cluster is asked for its machines only when some query is larger.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from numpy.typing import NDArray

from moss.corpus.engines.duckdb import MEMORY, DuckEngine, parquet_files, whole_folder
from moss.corpus.engines.engine import Columns, Item, Result, nothing
from moss.corpus.engines.spark_session import ClusterSession, in_words
from moss.corpus.engines.spark_workers import SparkWorkers
from moss.corpus.errors import CorpusError
from moss.messages import gettext

SMALL = 8  # what takes at most one in so many bytes of the memory is done here
_ROWS = 250_000_000  # Spark divides by itself; this bounds what is lost when a run is interrupted
_PARTITION = (
    8 * 1024**2
)  # bytes of what is sorted or joined in each part: every part is a task, which costs some by itself
_LONG = 512 * 1024**2  # bytes of tables from which a run is a long one
_SIGNS = re.compile(r"[\\*?\[\]{}]")  # of Hadoop's patterns
_ORDER = re.compile(r"\s+ORDER BY [\w\s.,]+$")
_RELAY = 1024**3  # bytes that a worker's Java process needs at most where Python does the work


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of Parquet files, and how large they are."""

    paths: tuple[Path, ...]
    schema: Mapping[str, str]
    size: int


class SparkEngine:
    """SQL that runs on a session's cluster, or here if it is about little."""

    rows = _ROWS

    def __init__(self, session: ClusterSession, scratch: Path, memory: int = MEMORY, small: int | None = None) -> None:
        """`scratch` is a folder that all machines see, `memory` what this process may take, and `small` the bytes of
        tables that are worked on here."""
        self._folder = Path(mkdtemp(prefix="fetched-", dir=scratch)).resolve()
        self._local = DuckEngine(scratch, memory)
        self._small = memory // SMALL if small is None else small
        self._session, self._largest = session, 0
        self._tables: dict[str, _Table] = {}
        self._told: dict[str, _Table] = {}  # those that Spark knows

    def table(self, name: str, paths: Sequence[Path], schema: Mapping[str, str]) -> None:
        """Give a name to the rows of Parquet files (or of folders of such files), or to none, of this schema."""
        size = sum(file.stat().st_size for file in parquet_files(paths))
        self._tables[name] = _Table(tuple(paths), schema, size)
        self._local.table(name, paths, schema)

    def here(self, tables: Sequence[str]) -> DuckEngine | None:
        """DuckDB in this process, if these tables are so small that it is to work on them."""
        return self._local if sum(self._tables[name].size for name in tables) < self._small else None

    def _named(self, sql: str) -> list[str]:
        """The tables that a query names."""
        words = set(re.findall(r"\w+", sql))
        return [name for name in self._tables if name in words]

    def _tell(self, sql: str) -> None:
        """Let Spark know the tables of a query, and sort and join in as many parts as the largest needs."""
        self._session.is_long |= any(self._tables[name].size >= _LONG for name in self._named(sql))
        for name in self._named(sql):
            table = self._tables[name]
            if self._told.get(name) != table:
                self._tell_table(name, table)
                self._told[name] = table
            self._largest = max(self._largest, table.size)
        compiled = self._largest >= _LONG  # code for a query, which for little takes longer than the query
        self._session.spark.conf.set("spark.sql.codegen.wholeStage", str(compiled).lower())
        parts = max(self._session.slots, -(-self._largest // _PARTITION))
        self._session.spark.conf.set("spark.sql.shuffle.partitions", parts)

    def _tell_table(self, name: str, table: _Table) -> None:
        with in_words("Spark cannot read the corpus"):
            if table.paths:
                columns = ", ".join(f"{column} {kind}" for column, kind in table.schema.items())
                rows = self._session.spark.read.schema(columns).parquet(*map(_pattern, table.paths))
            else:
                rows = self._session.spark.sql(nothing(table.schema))
            rows.createOrReplaceTempView(name)

    def write(self, sql: str, folder: Path, *, in_order: bool = False) -> None:
        """Write a query's rows as Parquet files into a new folder, which is there only when all is written. They are
        in the query's order only if that is asked for: to sort everything, all of it is computed twice."""
        if here := self.here(self._named(sql)):
            here.write(sql, folder)
            return
        with whole_folder(folder) as unfinished:
            self._save(sql if in_order else _ORDER.sub("", sql.rstrip()), unfinished)

    def write_arrays(self, columns: Columns, path: Path) -> None:
        """Write arrays as one Parquet file."""
        self._local.write_arrays(columns, path)

    def fetch(self, sql: str) -> dict[str, NDArray[Any]]:
        """A query's columns, which come as files: they may be more than the driver holds."""
        if here := self.here(self._named(sql)):
            return here.fetch(sql)
        folder = Path(mkdtemp(dir=self._folder))
        try:
            self._save(sql, folder)
            return self._local.fetch("SELECT * FROM saved")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _save(self, sql: str, folder: Path) -> None:
        """Write a query's rows, in its order; they are the table `saved` of DuckDB's then."""
        from pyspark.sql import Observation
        from pyspark.sql.functions import count, lit

        self._tell(sql)
        sent = Observation()
        with in_words("Spark has failed"):
            rows = self._session.spark.sql(sql).observe(sent, count(lit(1)).alias("rows"))
            rows.write.mode("append").parquet(_address(folder))
            expected = int(sent.get["rows"])
        files = sorted(folder.glob("*.parquet"))  # they are numbered in the rows' order
        self._local.table("saved", files, {"nothing": "BIGINT"})
        arrived = int(self._local.fetch("SELECT COUNT(*) AS rows FROM saved")["rows"][0])
        if arrived != expected or not files:
            raise CorpusError(
                gettext(
                    "%(arrived)s of %(expected)s rows have arrived: all machines must see one folder at %(folder)s",
                    expected=expected,
                    arrived=arrived,
                    folder=folder.parent,
                )
            )

    def all(
        self, function: Callable[[Item], Result], items: Sequence[Item], tables: Sequence[str]
    ) -> Iterator[tuple[int, Result]]:
        """(number, result) of a function for each item, by the workers. What they make of tables is sorted and joined
        by SQL, and takes a quarter of the room or less."""
        self._session.is_long |= any(self._tables[name].size >= 4 * _LONG for name in tables)
        return SparkWorkers(self._session, self._folder).all(function, items)

    def close(self) -> None:
        """Give everything back but the session."""
        self._local.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _address(path: Path) -> str:
    return f"file://{path.resolve()}"


def _pattern(path: Path) -> str:
    """A pattern that this folder alone matches. Told to take them for no patterns, Spark reads each of several folders
    whose names have such signs as often as there are folders."""
    return _SIGNS.sub(r"\\\g<0>", _address(path))


@contextmanager
def spark_engine(master: str, scratch: Path, memory: int = MEMORY, small: int | None = None) -> Iterator[SparkEngine]:
    """An engine with a session of its own; `memory` is what each worker may take, too."""
    with (
        closing(ClusterSession(master, scratch, memory)) as session,
        closing(SparkEngine(session, scratch, memory, small)) as engine,
    ):
        yield engine


class SparkCluster(SparkWorkers):
    """Workers that run our Python, and engines for SQL, on one session; what is `small` is done here."""

    def __init__(self, session: ClusterSession, scratch: Path, memory: int = MEMORY, small: int | None = None) -> None:
        super().__init__(session, scratch)
        self._memory, self.small = memory, memory // SMALL if small is None else small

    def engine_at(self, scratch: Path) -> SparkEngine:
        """An engine with a folder that all machines see."""
        return SparkEngine(self.session, scratch, self._memory, self.small)


@contextmanager
def spark_cluster(master: str, memory: int = MEMORY, small: int | None = None) -> Iterator[SparkCluster]:
    """A cluster whose workers run our Python; their Java processes take up to a gigabyte of the memory."""
    with (
        TemporaryDirectory(prefix="moss-spark-") as scratch,
        closing(ClusterSession(master, Path(scratch), min(memory, _RELAY))) as session,
    ):
        yield SparkCluster(session, Path(scratch), memory, small)
