"""Engines, which run the SQL of a corpus: DuckDB on this machine, Spark on many."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing
from pathlib import Path

from moss.corpus.engines.engine import Engine

__all__ = ["Engine", "opened"]


def opened(master: str | None, scratch: Path, memory: int, small: int | None = None) -> AbstractContextManager[Engine]:
    """Spark at its master's address, which leaves to this machine what reads so little, or DuckDB in this process."""
    return _spark(master, scratch, memory, small) if master else _duckdb(scratch, memory)


def _duckdb(scratch: Path, memory: int) -> AbstractContextManager[Engine]:
    from moss.corpus.engines.duckdb import DuckEngine

    return closing(DuckEngine(scratch, memory))


def _spark(master: str, scratch: Path, memory: int, small: int | None) -> AbstractContextManager[Engine]:
    from moss.corpus.engines.spark import spark_engine

    return spark_engine(master, scratch, memory, small)
