"""Reading documents on a Spark cluster: Python on the workers does what `side_by_side` does on one machine.

The workers get our packages from here, so they run the same version; the libraries that these import have to be
installed there. A portion is a job, and a few more of them are under way than the cluster has slots: nobody waits for
the slowest of many, and no more is in memory here than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import frontends
from moss.corpus.crawl.parts import CrawlPart
from moss.corpus.engines.spark_session import ClusterSession, in_words, reason
from moss.corpus.errors import CorpusError
from moss.corpus.ingest.add import Reading, side_by_side
from moss.corpus.ingest.batches import DocumentBatch
from moss.corpus.ingest.sources import Portion, anywhere
from moss.messages import gettext
from moss.processes.pool import Failure

if TYPE_CHECKING:
    from pyspark import Broadcast

_TOGETHER = 200  # single lines of a crawl in a job
_PACKAGES = (Path(__file__).parents[2], *map(Path, frontends.__path__))

Result = tuple[int, list[DocumentBatch] | Failure]
Task = tuple[int, Portion]


@dataclass(frozen=True)
class SparkReader:
    """Reads portions on a session's workers."""

    session: ClusterSession

    def __call__(self, reading: Reading, tasks: Sequence[Portion]) -> Iterator[Result]:
        return _read(self.session, reading, tasks)


def reader_on(session: ClusterSession, scratch: Path) -> SparkReader:
    """A reader on a session's workers, which have our code and can run it."""
    with in_words("the workers cannot run moss (see PYSPARK_PYTHON)"):
        session.context.addPyFile(str(_packed(scratch / "moss-packages.zip")))
        places = range(session.slots)
        session.context.parallelize(places, len(places)).map(_prepared).collect()
    return SparkReader(session)


def _packed(path: Path) -> Path:
    """Our packages as an archive that Python can import from."""
    with ZipFile(path, "w") as archive:
        for folder in _PACKAGES:
            for file in sorted(folder.rglob("*.py")):
                archive.write(file, file.relative_to(folder.parent))
    return path


def _prepared(place: int) -> int:
    """True once this module, and with it everything that reading needs, could be imported on a worker."""
    return place


def _read(session: ClusterSession, reading: Reading, tasks: Sequence[Portion]) -> Iterator[Result]:
    shared = session.context.broadcast(reading)
    underway = 2 * session.slots
    waiting = _groups(tasks)
    with ThreadPoolExecutor(underway) as pool:
        jobs = {pool.submit(_run, session, shared, group) for group in islice(waiting, underway)}
        try:
            while jobs:
                done, jobs = wait(jobs, return_when=FIRST_COMPLETED)
                jobs |= {pool.submit(_run, session, shared, group) for group in islice(waiting, len(done))}
                for job in done:
                    yield from job.result()
        finally:
            for job in jobs:
                job.cancel()
            if jobs:
                session.cancel()
    shared.unpersist()


def _groups(tasks: Sequence[Portion]) -> Iterator[list[Task]]:
    """Portions with their numbers, in groups of one; only single lines are grouped, for which a job each would be too
    much."""
    group: list[Task] = []
    for number, portion in enumerate(tasks):
        single = isinstance(portion, CrawlPart) and portion.is_single
        if group and not (single and len(group) < _TOGETHER):
            yield group
            group = []
        group.append((number, anywhere(portion)))
        if not single:
            yield group
            group = []
    if group:
        yield group


def _run(session: ClusterSession, shared: Broadcast[Reading], group: list[Task]) -> list[Result]:
    """One job. Spark gives a task to other workers when its own is lost, but not for ever."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return session.context.parallelize([group], 1).flatMap(partial(_on_worker, shared)).collect()
    except (PySparkException, Py4JError, ConnectionError) as error:
        if not session.lives:
            raise CorpusError(gettext("the cluster is gone; run the same command again when it is back")) from error
        return [(number, Failure(f"failed ({reason(error)[:200]})")) for number, _ in group]


def _on_worker(shared: Broadcast[Reading], group: list[Task]) -> list[Result]:
    """Read portions in a process beside the worker's, so that one that hangs or crashes costs no more than at home."""
    numbers, portions = zip(*group, strict=True)
    return [(numbers[at], result) for at, result in side_by_side(1)(shared.value, portions)]
