"""A corpus on Spark beside the same corpus on DuckDB: what each step takes, and whether the results are the same.

    python benchmarks/spark.py [--documents 20000] [--master local[2]] [--memory 1GB] [--without-spark]
    python benchmarks/spark.py --documents 100000 --standalone
    python benchmarks/spark.py --documents 1000000 --memory 2GB --standalone --not-alone
    python benchmarks/spark.py --documents 100000 --lose

Pages are generated from real text (generated_pages.py), then added and clustered by `moss corpus`: by DuckDB, by Spark
as it is (which leaves to this machine what is small), and by Spark alone (`--local 0`; not with --not-alone). Seconds
of the processor are those of the command and of all processes it has started. Pages are generated anew, or are those
of a folder that generated_pages.py has made (--pages).

With --standalone there are a master and two workers on loopback, whose processor time is counted too; memory is that of
the process that was started with its Java. With --lose everything is added on such a cluster, and the worker that
writes a segment is killed meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from generated_pages import generate
from measuring import Step, cpu_seconds, tree
from measuring import run as measure

Steps = dict[str, Step]

STEPS = (("clusters", "0.5"), ("clusters, another threshold", "0.8"))


@dataclass
class Standalone:
    """A master and its workers, each a process with all that it starts."""

    folder: Path
    memory: int  # megabytes of a worker
    master: str = ""
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _all: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _seconds: dict[int, float] = field(default_factory=dict)

    def start(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a master or a worker."""
        import pyspark

        home = Path(pyspark.__file__).parent
        here = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(self.folder)}
        name = f"org.apache.spark.deploy.{kind.lower()}.{kind}"
        listening = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        with open(self.folder / f"log-{len(self._all)}", "wb") as log:
            process = subprocess.Popen(
                [str(home / "bin" / "spark-class"), name, *listening, *arguments],
                env=os.environ | here,
                stdout=log,
                stderr=log,
            )
        self._all.append(process)
        self._await("Successfully registered" if kind == "Worker" else "spark://", Path(log.name))
        return process

    def _await(self, words: str, log: Path) -> None:
        while words not in log.read_text(errors="replace"):
            time.sleep(0.1)
        if words == "spark://":
            self.master = words + log.read_text().partition(words)[2].split()[0].strip(",.")

    def have(self, count: int) -> None:
        """Have so many workers."""
        while len(self.workers) < count:
            room = ["--cores", "1", "--memory", f"{self.memory}m", "--work-dir", str(self.folder / "work")]
            self.workers.append(self.start("Worker", *room, self.master))

    def watch(self) -> None:
        """Remember what each process has used, as long as there is one."""
        while any(process.poll() is None for process in self._all):
            for process in self._all:
                for pid in tree(process.pid):
                    self._seconds[pid] = max(self._seconds.get(pid, 0.0), cpu_seconds(pid))
            time.sleep(0.2)

    @property
    def seconds(self) -> float:
        """Seconds of the processor so far."""
        return sum(self._seconds.values())

    def kill_writer(self, corpus: Path) -> None:
        """Kill the worker that writes a segment, with all that it has started."""
        while not (writing := [worker for worker in self.workers if _writes(worker.pid, corpus)]):
            time.sleep(0.01)
        self.workers.remove(writing[0])
        for pid in tree(writing[0].pid):
            os.kill(pid, signal.SIGKILL)

    def stop(self) -> None:
        """End all of it."""
        for process in reversed(self._all):
            process.terminate()
            process.wait()


def _writes(root: int, corpus: Path) -> bool:
    """Whether a process, or one that it has started, has a file of an unfinished segment open."""
    begin = f"{corpus.resolve()}/segments/unfinished-"
    for pid in tree(root):
        try:
            if any(os.readlink(link).startswith(begin) for link in Path("/proc", str(pid), "fd").iterdir()):
                return True
        except OSError:
            continue
    return False


@contextmanager
def standalone(folder: Path, memory: int) -> Iterator[Standalone]:
    """A cluster with two workers."""
    folder.mkdir()
    cluster = Standalone(folder, memory)
    try:
        cluster.start("Master")
        cluster.have(2)
        threading.Thread(target=cluster.watch, daemon=True).start()
        yield cluster
    finally:
        cluster.stop()


def moss(cluster: Standalone | None, *arguments: str) -> Step:
    """Run a command of `moss corpus`; the cluster's processor time is counted, too."""
    before = cluster.seconds if cluster else 0.0
    step = measure(arguments[0], [sys.executable, "-m", "moss", "corpus", *arguments])
    if cluster:
        time.sleep(0.5)  # for the watcher
        step.cpu += cluster.seconds - before
    return step


def run(folder: Path, name: str, options: list[str], cluster: Standalone | None = None) -> tuple[Steps, object]:
    """The steps of one engine, and the clusters."""
    corpus, result = str(folder / name), folder / f"{name}.json"
    steps = {"add": moss(cluster, "add", corpus, *pages(folder), *options)}
    for step, resemblance in STEPS:
        given = ["--resemblance", resemblance, "--json", str(result), *options]
        steps[step] = moss(cluster, "clusters", corpus, *given)
    for step, taken in steps.items():
        print(f"{name}: {step}: {taken.seconds:.0f} s, processor {taken.cpu:.1f} s", file=sys.stderr, flush=True)
    return steps, json.loads(result.read_text())["clusters"]


def pages(folder: Path) -> list[str]:
    """The files of generated pages."""
    return [str(path) for path in sorted((folder / "pages").glob("[ab]-*.jsonl"))]


def lose_a_worker(folder: Path, options: list[str], cluster: Standalone) -> None:
    """Add everything to another corpus, kill a worker while it writes, and compare."""
    from moss.corpus.storage.manifest import read_manifest

    corpus = folder / "unlucky"
    killing = threading.Thread(target=cluster.kill_writer, args=(corpus,), daemon=True)
    killing.start()
    step = moss(cluster, "add", str(corpus), *pages(folder), *options)
    lost = not killing.is_alive()
    names = {segment.name for segment in read_manifest(corpus).segments}
    left = {path.name for path in (corpus / "segments").iterdir()} - names
    print(f"a worker was {'killed while it wrote' if lost else 'NOT killed'}: {step.output.strip().splitlines()[0]}")
    print(f"processor {step.cpu:.1f} s, memory of the process that was started and its Java {step.memory / 1e6:.0f} MB")
    same = _contents(corpus) == _contents(folder / "duckdb")
    print(
        f"{len(names)} segments, {len(left)} unfinished ones that nobody sees; {'the same' if same else 'OTHER'} rows"
    )


def _contents(corpus: Path) -> list[object]:
    """Numbers that tell whether two corpora have the same rows: how many each table has, and sums of its columns."""
    from contextlib import closing

    from moss.corpus.storage.segments import Snapshot, local_engine
    from moss.corpus.storage.tables import SCHEMAS

    found: list[object] = []
    with Snapshot(corpus) as snapshot, closing(local_engine(corpus)) as engine:
        snapshot.tables(engine)
        for table, schema in SCHEMAS.items():
            sums = ", ".join(f'CAST(COALESCE(SUM(hash("{name}")), 0) AS VARCHAR) AS sum_{name}' for name in schema)
            columns = engine.fetch(f"SELECT COUNT(*) AS n, {sums} FROM {table}")
            found.append([column.tolist() for column in columns.values()])
    return found


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--standalone", action="store_true", help="a master and two workers on loopback")
    parser.add_argument("--lose", action="store_true", help="such a cluster, of which a worker is killed")
    parser.add_argument("--not-alone", action="store_true", help="leave out Spark alone, which takes longest")
    parser.add_argument("--pages", type=Path, help="a folder that generated_pages.py has made")
    parser.add_argument("--without-spark", action="store_true", help="DuckDB alone, where there is no Java")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="moss-benchmark-") as name:
        folder = Path(name)
        if given.pages:
            (folder / "pages").symlink_to(given.pages.resolve())
        else:
            generate(folder / "pages", given.documents)
        where = "a master and two workers" if given.standalone or given.lose else given.master
        print(f"{given.documents:,} documents, {where}, load {os.getloadavg()[0]:.1f}", flush=True)
        shared = ["--memory", given.memory, "--quiet"]
        room = max(1024, _bytes(given.memory) // 2**20)  # of a worker: its Java takes as much as we may
        if given.lose:
            moss(None, "add", str(folder / "duckdb"), *pages(folder), *shared)
            with standalone(folder / "cluster", room) as cluster:
                lose_a_worker(
                    folder, [*shared, "--engine", "spark", "--master", cluster.master, "--local", "0"], cluster
                )
            return
        duck, expected = run(folder, "duckdb", shared)
        if given.without_spark:
            for step, taken in duck.items():
                print(f"{step}, DuckDB alone: {taken.seconds:.1f} s, processor {taken.cpu:.1f} s")
        elif given.standalone:
            with standalone(folder / "cluster", room) as cluster:
                options = [*shared, "--engine", "spark", "--master", cluster.master, "--local"]
                compare(folder, duck, expected, options, cluster, given.not_alone)
        else:
            options = [*shared, "--engine", "spark", "--master", given.master, "--local"]
            compare(folder, duck, expected, options, None, given.not_alone)


def compare(
    folder: Path, duck: Steps, expected: object, options: list[str], cluster: Standalone | None, not_alone: bool
) -> None:
    """Run everything on Spark, as it is and alone, and print it beside DuckDB's."""
    ways = {"Spark": str(_bytes(options[1]) // 8)} | ({} if not_alone else {"Spark alone": "0"})
    runs = [run(folder, f"spark-{local}", [*options, local], cluster) for local in ways.values()]
    print(f"| step: processor s, ratio, MB | DuckDB | | {' '.join(f'{way} | | |' for way in ways)}")
    print("| --- |" + " ---: |" * (2 + 3 * len(ways)))
    for step, ours in duck.items():
        cells = [f"{ours.cpu:.1f}", f"{ours.memory / 1e6:.0f}"]
        for steps, _ in runs:
            theirs = steps[step]
            cells += [f"{theirs.cpu:.1f}", f"{theirs.cpu / ours.cpu:.1f}", f"{theirs.memory / 1e6:.0f}"]
        print(f"| {step} | {' | '.join(cells)} |")
    print("the same clusters" if all(found == expected for _, found in runs) else "DIFFERENT clusters", flush=True)


def _bytes(size: str) -> int:
    from moss.cli.options import Size

    return Size().convert(size, None, None)


if __name__ == "__main__":
    main()
