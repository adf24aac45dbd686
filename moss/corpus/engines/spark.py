"""Spark: the engine on many machines, with the same SQL and the same files as DuckDB's.

All machines see the corpus's folder under the same path. Spark divides the work and repeats what a lost machine had
done; a folder of Parquet files that it writes is complete or not there, as anybody's. Documents are read and
fingerprinted by Python on the workers, which get our code from here (`spark_reader`).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from numpy.typing import NDArray

from moss.corpus.engines.duckdb import MEMORY, DuckEngine, whole_folder
from moss.corpus.engines.engine import nothing
from moss.corpus.engines.spark_ingest import SparkReader, reader_on
from moss.corpus.engines.spark_session import ClusterSession, in_words
from moss.corpus.errors import CorpusError
from moss.messages import gettext

_ROWS = 250_000_000  # Spark divides by itself; this bounds what is lost when a run is interrupted
_PARTITION = (
    8 * 1024**2
)  # bytes of what is sorted or joined in each part: every part is a task, which costs some by itself
_RELAY = 1024**3  # bytes that a worker's Java process needs at most where Python does the work


class SparkEngine:
    """SQL that runs on a session's cluster."""

    rows = _ROWS

    def __init__(self, session: ClusterSession, scratch: Path, memory: int = MEMORY) -> None:
        """`scratch` is a folder that all machines see, `memory` what this process may take."""
        self._folder = Path(mkdtemp(prefix="fetched-", dir=scratch)).resolve()
        self._local = DuckEngine(scratch, memory)
        self._spark, self._slots, self._largest = session.spark, session.slots, 0

    def table(self, name: str, paths: Sequence[Path], schema: Mapping[str, str]) -> None:
        """Give a name to the rows of Parquet files (or of folders of such files), or to none, of this schema."""
        self._divide(paths)
        with in_words("Spark cannot read the corpus"):
            if paths:
                columns = ", ".join(f"{column} {kind}" for column, kind in schema.items())
                reading = self._spark.read.schema(columns).option("__globPaths__", "false")
                rows = reading.parquet(*(_address(path) for path in paths))
            else:
                rows = self._spark.sql(nothing(schema))
            rows.createOrReplaceTempView(name)

    def _divide(self, paths: Sequence[Path]) -> None:
        """Let Spark sort and join in as many parts as the largest table needs."""
        files = (file for path in paths for file in (path.glob("*.parquet") if path.is_dir() else (path,)))
        self._largest = max(self._largest, sum(file.stat().st_size for file in files))
        parts = max(self._slots, -(-self._largest // _PARTITION))
        self._spark.conf.set("spark.sql.shuffle.partitions", parts)

    def write(self, sql: str, folder: Path) -> None:
        """Write a query's rows as Parquet files into a new folder, which is there only when all is written."""
        with whole_folder(folder) as unfinished:
            self._save(sql, unfinished)

    def fetch(self, sql: str) -> dict[str, NDArray[Any]]:
        """A query's columns, which come as files: they may be more than the driver holds."""
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

        sent = Observation()
        with in_words("Spark has failed"):
            rows = self._spark.sql(sql).observe(sent, count(lit(1)).alias("rows"))
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

    def close(self) -> None:
        """Give everything back but the session."""
        self._local.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _address(path: Path) -> str:
    return f"file://{path.resolve()}"


@contextmanager
def spark_engine(master: str, scratch: Path, memory: int = MEMORY) -> Iterator[SparkEngine]:
    """An engine with a session of its own; `memory` is what each worker may take, too."""
    with (
        closing(ClusterSession(master, scratch, memory)) as session,
        closing(SparkEngine(session, scratch, memory)) as engine,
    ):
        yield engine


@contextmanager
def spark_reader(master: str, memory: int = MEMORY) -> Iterator[SparkReader]:
    """A reader for `moss.corpus.ingest.add` whose work is done by Python on the cluster's workers."""
    with (
        TemporaryDirectory(prefix="moss-spark-") as scratch,
        closing(ClusterSession(master, Path(scratch), min(memory, _RELAY))) as session,
    ):
        yield reader_on(session, Path(scratch))
