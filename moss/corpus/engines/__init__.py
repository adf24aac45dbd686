"""Engines: who runs the relational work. DuckDB on this machine, Spark on many; the SQL is the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from moss.corpus.engines.engine import Engine

__all__ = ["Engine", "opened"]


@contextmanager
def opened(master: str | None, scratch: Path, memory: int) -> Iterator[Engine]:
    """Spark at its master's address, or DuckDB in this process."""
    engine = _spark(master, scratch, memory) if master else _duckdb(scratch, memory)
    try:
        yield engine
    finally:
        engine.close()


def _duckdb(scratch: Path, memory: int) -> Engine:
    from moss.corpus.engines.duckdb import DuckEngine

    return DuckEngine(scratch, memory)


def _spark(master: str, scratch: Path, memory: int) -> Engine:
    from moss.corpus.engines.spark import SparkEngine

    return SparkEngine(master, scratch, memory)
