"""The cluster that tests of a corpus can ask for."""

from __future__ import annotations

from support.crawls import bucket, s3_server
from support.spark import spark, spark_cluster

__all__ = ["bucket", "s3_server", "spark", "spark_cluster"]
