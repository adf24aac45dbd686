"""A real cluster of Spark's own kind on this machine: a master and its workers, which listen on loopback alone.

Each is kept by `support.keeper`, so none outlives the tests. A process that runs tests starts its own when a test first
asks: half a minute of work on two cores, so the tests that need it are few and stand in one file.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from browser.tools import lacking, needed

from support.keeper import Order
from support.services import folder_for, kept

MEMORY = 512 * 1024**2  # of a worker, all of which an engine or a reader of the tests takes
NO_JAVA = "Java 17 or newer is missing: apt install default-jdk-headless (Debian), brew install openjdk (macOS)"
# A Java that starts quickly rather than runs quickly; to verify the code of Spark would be a third of a start.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
# The server's words and number are files beside it; the program that is started becomes the server.
SHELL = ["sh", "-c", 'echo $$ > pid; exec "$0" "$@" > log 2>&1']


@dataclass(frozen=True)
class Server:
    """A master or a worker."""

    folder: Path

    def said(self, pattern: str) -> str | None:
        """The content of the log, if there is one."""
        log = self.folder / "log"
        found = re.search(pattern, log.read_text(errors="replace")) if log.exists() else None
        return found and found[0]

    @property
    def pid(self) -> int:
        """Its process."""
        return int((self.folder / "pid").read_text())


@dataclass
class Cluster:
    """A master and its workers."""

    servers: ExitStack
    program: str
    master: str = ""
    workers: list[Server] = field(default_factory=list)

    def _start(self, kind: str, ready: str, *arguments: str) -> Server:
        server = Server(folder_for("spark"))
        here = {"SPARK_LOCAL_DIRS": str(server.folder), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "128m"}
        settings = [f"{name}={value}" for name, value in here.items()]
        name = f"org.apache.spark.deploy.{kind.lower()}.{kind}"
        options = [name, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0", *arguments]
        order = Order(str(server.folder), ["env", *settings, *SHELL, self.program, *options], [], None)
        self.servers.enter_context(kept(order, lambda: server.said(ready) is not None))
        return server

    def start_master(self) -> None:
        """Begin."""
        address = r"spark://127\.0\.0\.1:\d+"
        self.master = self._start("Master", address).said(address) or ""

    def have(self, count: int) -> None:
        """Have at least so many workers."""
        while len(self.workers) < count:
            room = ["--cores", "1", "--memory", f"{MEMORY // 1024**2}m", "--work-dir", "work"]
            self.workers.append(self._start("Worker", "Successfully registered", *room, self.master))

    def lose_worker(self) -> None:
        """A machine breaks down: the worker dies, and with it what it runs."""
        worker = self.workers.pop()
        os.kill(worker.pid, signal.SIGKILL)


@pytest.fixture(scope="session")
def spark_cluster() -> Iterator[Cluster]:
    """A cluster for the whole session, which has no workers yet."""
    home = Path(needed("pyspark", "pyspark").__file__).parent
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        lacking(NO_JAVA)
    with pytest.MonkeyPatch.context() as patch, ExitStack() as servers:
        patch.setenv("SPARK_HOME", str(home))
        patch.setenv("JDK_JAVA_OPTIONS", QUICK)
        cluster = Cluster(servers, str(home / "bin" / "spark-class"))
        cluster.start_master()
        yield cluster


@pytest.fixture
def spark(spark_cluster: Cluster) -> Cluster:
    """The cluster, with two workers."""
    spark_cluster.have(2)
    return spark_cluster
