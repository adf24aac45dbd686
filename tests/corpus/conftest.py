"""The cluster that tests of a corpus can ask for."""

from __future__ import annotations

from support.spark import spark, spark_cluster

__all__ = ["spark", "spark_cluster"]
