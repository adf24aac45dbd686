"""Engines: who runs the relational work. DuckDB on this machine, Spark on many; the SQL is the same."""

from moss.corpus.engines.engine import Engine

__all__ = ["Engine"]
