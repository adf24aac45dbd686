"""Python on the workers of a Spark cluster: a function is applied to items there, and its small results come back.

The workers get our packages from here, so they run the same version; the libraries that these import have to be
installed there. An item is a job, and a few more of them are under way than the cluster has slots: nobody waits for
the slowest of many, and no more is in memory here than that. Spark gives the item of a lost worker to another one, so
a function has to leave nothing half done: what it writes is complete, or not there (`whole_folder`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import PyZipFile

import frontends
from moss.corpus.engines.engine import Item, Result
from moss.corpus.engines.spark_session import ClusterSession, in_words, reason
from moss.corpus.errors import CorpusError
from moss.messages import gettext
from moss.processes.pool import Failure

_PACKAGES = (Path(__file__).parents[2], *map(Path, frontends.__path__))


class SparkWorkers:
    """The workers of a session, which have our code when they first need it; `scratch` is for this process."""

    def __init__(self, session: ClusterSession, scratch: Path) -> None:
        self.session, self._scratch = session, scratch

    @cached_property
    def slots(self) -> int:
        """How many items the workers do at the same time; afterwards they can run our code."""
        slots = self.session.slots
        if not self.session.has_code:
            with in_words("the workers cannot run moss (see PYSPARK_PYTHON)"):
                self.session.context.addPyFile(str(packed_code(self._scratch / "moss-packages.zip")))
                self.session.context.parallelize(range(slots), slots).map(_prepared).collect()
            self.session.has_code = True
        return slots

    def each(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result | Failure]]:
        """(number, result or failure) of each item, as they finish. The function stands in a module of ours."""
        underway = 2 * self.slots
        waiting = iter(enumerate(items))
        with ThreadPoolExecutor(underway) as pool:

            def begun(count: int) -> set[Future[tuple[int, Result | Failure]]]:
                return {pool.submit(self._job, function, number, item) for number, item in islice(waiting, count)}

            jobs = begun(underway)
            try:
                while jobs:
                    done, jobs = wait(jobs, return_when=FIRST_COMPLETED)
                    jobs |= begun(len(done))
                    for job in done:
                        yield job.result()
            finally:
                for job in jobs:
                    job.cancel()
                if jobs:
                    self.session.cancel()

    def all(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result]]:
        """(number, result) of each item, as they finish; raises CorpusError if one has none."""
        for number, result in self.each(function, items):
            if isinstance(result, Failure):
                raise CorpusError(gettext("the cluster could not do its part: it %(reason)s", reason=result.reason))
            yield number, result

    def _job(self, function: Callable[[Item], Result], number: int, item: Item) -> tuple[int, Result | Failure]:
        """One job. Spark gives an item to other workers when its own is lost, but not for ever."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            rows: Any = self.session.context.parallelize([item], 1).map(function)
            return number, rows.collect()[0]
        except (PySparkException, Py4JError, ConnectionError) as error:
            if not self.session.lives:
                raise CorpusError(gettext("the cluster is gone; run the same command again when it is back")) from error
            return number, Failure(f"failed ({reason(error)[:200]})")


def packed_code(path: Path) -> Path:
    """Our packages, compiled, as an archive that Python can import from."""
    with PyZipFile(str(path), "w") as archive:
        for package in _PACKAGES:
            archive.writepy(str(package))
    return path


def _prepared(place: int) -> int:
    """Do nothing, on a worker: to call it there, this module and much of what workers need has to be imported."""
    return place
