"""A session with Spark: from a master's address to workers that answer, and back to nothing.

The driver is a Java process beside ours. Its output goes to a file, of which a user sees the one line that matters.
It listens only on the address by which this machine reaches the master.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shutil
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from moss.corpus.errors import CorpusError
from moss.messages import gettext
from moss.shipped import how_to_install

if TYPE_CHECKING:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

NO_PYSPARK = f"Spark's Python package is missing; install it with: {how_to_install('spark')}"
NO_JAVA = "Spark needs Java 17 or newer; install it (Debian: apt install default-jre-headless) or set JAVA_HOME"
PATIENCE = 120.0  # seconds until a cluster that gives us no worker is given up
_ANSWER = 10.0  # seconds until a master that does not answer is given up
_LEAST = 512 * 1024**2  # bytes: with less an executor does not start
_MASTER = re.compile(r"spark://[^\s,/]+:\d+(,[^\s,/]+:\d+)*|local(\[(\d+|\*)\])?|yarn|k8s://\S+")
_SETTINGS = {
    "spark.app.name": "moss",
    "spark.driver.memory": "1g",
    "spark.driver.maxResultSize": "0",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.ansi.enabled": "true",  # numbers that overflow are an error
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",  # what a time without a zone in a Parquet file is
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",  # no files of checksums beside the others
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",  # nor empty ones
}
# Java compiles what runs often a second time, for good: for work of a minute that is most of the work. And it collects
# garbage in as many threads as there are cores, on each of the workers of a machine.
_SHORT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_LONG = "-XX:+UseParallelGC"


class ClusterSession:
    """A driver of our own. It is started, and waits until the cluster has given us a worker, when it is first needed:
    what this machine does by itself needs none."""

    def __init__(self, master: str, scratch: Path, memory: int) -> None:
        """`memory` is what each worker's Java process may take; `scratch` is for this process. Raises CorpusError if
        there is no such cluster, or something is not installed."""
        self._master = master
        self._settings = _SETTINGS | _checked(master) | {"spark.executor.memory": f"{max(memory, _LEAST) // 1024**2}m"}
        _check_installed()
        self._folder = Path(mkdtemp(prefix="spark-", dir=scratch)).resolve()
        self._before = (list(sys.path), signal.getsignal(signal.SIGINT))
        self._gateway: Any = None
        self._context: SparkContext | None = None
        self.has_code = False
        """Whether the workers have been sent our code."""
        self.is_long = False
        """Whether there is so much to do that Java should take its time to compile; to be said before anything runs."""

    @cached_property
    def spark(self) -> SparkSession:
        """For SQL."""
        logging.getLogger("SQLQueryContextLogger").disabled = True  # it would print what we say in a sentence
        warnings.filterwarnings(
            "ignore", "PySpark does not yet fully support pandas", FutureWarning
        )  # nor do we use it
        try:
            with in_words("Spark does not start", self._complaint):
                java = _LONG if self.is_long else _SHORT
                options = {f"spark.{place}.extraJavaOptions": java for place in ("driver", "executor")}
                started = self._start(self._master, self._settings | options)
            self._await_workers(self._master, self._settings["spark.executor.memory"])
        except BaseException:
            self._stop()
            raise
        return started

    def _start(self, master: str, settings: dict[str, str]) -> SparkSession:
        from pyspark import SparkConf, SparkContext
        from pyspark.java_gateway import launch_gateway
        from pyspark.sql import SparkSession

        conf: SparkConf = SparkConf(loadDefaults=False).setMaster(master)
        for name, value in settings.items():
            conf.set(name, value)
        conf.set("spark.local.dir", str(self._folder))
        conf.set("spark.sql.warehouse.dir", str(self._folder / "warehouse"))
        with open(self._log, "wb") as log:
            self._gateway = launch_gateway(conf, {"stdout": log, "stderr": log})  # type: ignore[no-untyped-call]
        self._context = SparkContext(conf=conf, gateway=self._gateway)
        self._context.pythonExec = os.environ.get("PYSPARK_PYTHON", sys.executable)
        return SparkSession(self._context)

    @property
    def context(self) -> SparkContext:
        """For work that is not SQL."""
        return self.spark.sparkContext

    @property
    def slots(self) -> int:
        """How many tasks run at the same time."""
        return max(1, self.context.defaultParallelism)

    @property
    def lives(self) -> bool:
        """Whether the cluster still knows us."""
        try:
            return self._context is not None and not self._context._jsc.sc().isStopped()
        except Exception:  # nobody is there who could be asked
            return False

    def cancel(self) -> None:
        """End the jobs that are under way."""
        with contextlib.suppress(Exception):
            self.context.cancelAllJobs()

    def _await_workers(self, master: str, memory: str) -> None:
        """Wait for the first one: without any, Spark would wait for ever."""
        end = time.monotonic() + PATIENCE
        assert self._context is not None
        status = self._context._jsc.sc().getExecutorMemoryStatus
        while not master.startswith("local") and status().size() < 2:  # one is the driver
            if not self.lives or time.monotonic() > end:
                raise CorpusError(
                    gettext(
                        "%(master)s has no worker with %(memory)s MB free; start one, or see --memory",
                        master=master,
                        memory=memory[:-1],
                    )
                )
            time.sleep(0.1)

    @property
    def _log(self) -> Path:
        return self._folder / "log"

    def _complaint(self) -> str:
        """The line of the driver's output that tells most."""
        lines = self._log.read_text(errors="replace").splitlines() if self._log.exists() else []
        telling = [line for line in lines if re.search(r"ERROR|Exception|Error:", line)]
        return re.sub(r"^[\d/]+ [\d:]+ ", "", telling[0]) if telling else "; ".join(lines[-1:])

    def close(self) -> None:
        """End the driver, and put this process into the state it was in."""
        if self._gateway is not None:
            self._stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _stop(self) -> None:
        from pyspark import SparkContext

        if self._context is not None:
            with contextlib.suppress(Exception):  # the driver may have gone by itself
                self._context.stop()
        if self._gateway is not None:
            with contextlib.suppress(Exception):
                self._gateway.shutdown()
            SparkContext._gateway = SparkContext._jvm = None
            self._gateway.proc.stdin.close()  # that ends it
            self._gateway.proc.wait()
        self._context = self._gateway = None
        sys.path[:], handler = self._before
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)


def _check_installed() -> None:
    if find_spec("pyspark") is None:
        raise CorpusError(NO_PYSPARK)
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=str(Path(home, "bin")) if home else None) is None:
        raise CorpusError(NO_JAVA)


def _checked(master: str) -> dict[str, str]:
    """Settings for a master that answers; raises CorpusError if it does not."""
    if not _MASTER.fullmatch(master):
        raise CorpusError(
            gettext("--master must be spark://host:7077, yarn, k8s://… or local[2], not %(master)r", master=master)
        )
    if not master.startswith("spark://") or "SPARK_LOCAL_IP" in os.environ:
        return {}
    problem: OSError | None = None
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            with socket.create_connection((host.strip("[]"), int(port)), _ANSWER) as connection:
                return {"spark.driver.host": connection.getsockname()[0]}
        except (OSError, OverflowError) as error:
            problem = error if isinstance(error, OSError) else OSError(0, "no such port")
    words = problem.strerror or str(problem) if problem else ""
    raise CorpusError(gettext("no Spark master answers at %(master)s: %(words)s", master=master, words=words))


@contextlib.contextmanager
def in_words(what: str, why: Callable[[], str] = lambda: "") -> Iterator[None]:
    """Turns errors of Spark into one sentence."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError, ValueError) as error:
        raise CorpusError(f"{what}: {why() or reason(error)}") from error


def reason(error: BaseException) -> str:
    """The line of a failure that tells most: Python's own error, if a worker's traceback is in it, else the first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    python = [line for line in lines if re.match(r"(?!java|org\.|py4j|pyspark)[\w.]*(Error|Exception)\b(: |$)", line)]
    return (python or lines or [type(error).__name__])[0]
