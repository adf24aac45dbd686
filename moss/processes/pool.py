"""Worker processes that may hang or die without taking the run with them.

`map_isolated` is `map` over several processes, with a deadline for each task. A task that overruns it, or whose
process crashes, costs that task alone: the process is killed and replaced, and the caller gets a `Failure` in its
place. Nothing is lost, nothing is done twice.

Forked processes inherit what they work on, and what they answer is written once, into memory that the parent then looks
at (`moss.processes.shared_arrays`): a class is not copied from process to process.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from moss.processes.shared_arrays import hand_over, take_over

if TYPE_CHECKING:  # a small class needs no processes, and importing this takes as long as comparing it
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

_START_DEADLINE = 120.0  # seconds for a process to start: a spawned one imports everything anew
_LONG = 600.0  # seconds: only a machine in trouble takes this long for work of which we know how much it is
_PARENT_CHECK = 1.0  # seconds after which a waiting process looks whether its parent still lives

Task = TypeVar("Task")
Result = TypeVar("Result")


class Failure(NamedTuple):
    """Why a task has no result, in words that end a sentence: "its scanner ..."."""

    reason: str
    late: bool = False  # its time was up

    @classmethod
    def too_late(cls, seconds: float) -> Failure:
        """The failure of a task that takes longer than it may."""
        return cls(f"took longer than {seconds:g} seconds", late=True)

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """The failure of a task that ended in an error."""
        words = " ".join(str(error).split())[:200]
        return cls(f"failed ({type(error).__name__}: {words})")


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


OUT_OF_MEMORY = 75  # the exit status of a process that has come to the limit of its memory


def limit_memory(megabytes: int) -> bool:
    """Limit the memory of this process from now on, or keep a lower limit that it has already. Returns False where the
    system has no such limit: Windows has none, and macOS may refuse it."""
    try:
        import resource

        _, allowed = resource.getrlimit(resource.RLIMIT_AS)
        limit = megabytes << 20
        limit = limit if allowed == resource.RLIM_INFINITY else min(limit, allowed)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, AttributeError, OSError, ValueError):
        return False
    return True


def give_back_memory() -> None:
    """Give memory that is free again back to the system, where the C library keeps it for later (glibc): what was freed
    between things that stay is too small for large arrays, which would be put beside it."""
    import ctypes

    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def allow_open_files(number: int) -> None:
    """Allow this process so many open files and connections, or as many as the system allows."""
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = number if hard == resource.RLIM_INFINITY else min(number, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (ImportError, OSError, ValueError):
        return


def map_isolated(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    jobs: int,
    deadline: Callable[[Task], float],
    batch: int = 1,
) -> Iterator[tuple[int, Result | Failure]]:
    """(number, result or failure) for each task, as they finish; `deadline` gives the seconds that a task may take.

    Tasks are handed out `batch` at a time, to spare messages. An exception in `function` is a failure too.
    """
    pending = deque(range(len(tasks)))
    count = min(jobs, -(-len(tasks) // batch))
    workers: list[_Worker[Task, Result]] = [_Worker(function, tasks, deadline, _can_fork()) for _ in range(count)]
    try:
        while True:
            for worker in workers:
                if not worker.queue and pending:
                    worker.give([pending.popleft() for _ in range(min(batch, len(pending)))])
            busy = [worker for worker in workers if worker.queue]
            if not busy:
                return
            for worker in _ready(busy):
                outcome = worker.collect()
                if outcome is not None:
                    number, result = outcome
                    if isinstance(result, Failure) and worker.lost:
                        pending.extendleft(reversed(worker.queue))
                        worker.restart()
                    yield number, result
    finally:
        for worker in workers:
            worker.stop()


def map_trusted(
    function: Callable[[Task], Result], tasks: Sequence[Task], *, jobs: int, batch: int = 1
) -> Iterator[tuple[int, Result]]:
    """Map a function that fails only on a machine in trouble. A task that a process did not finish is done here, and so
    is everything if there is only one core, or if the tasks would have to be sent to the processes."""
    if jobs == 1 or len(tasks) < 2 or not _can_fork():
        yield from enumerate(map(function, tasks))
        return
    for number, result in map_isolated(function, tasks, jobs=jobs, deadline=lambda task: _LONG, batch=batch):
        yield number, function(tasks[number]) if isinstance(result, Failure) else result


def each_trusted(function: Callable[[Task], Result], tasks: Sequence[Task], *, jobs: int) -> list[Result]:
    """The results of work that fails only on a machine in trouble (`map_trusted`), in the order of the tasks."""
    found = dict(map_trusted(function, tasks, jobs=jobs))
    return [found[number] for number in range(len(tasks))]


def _can_fork() -> bool:
    """Whether processes can be forked, and so inherit the tasks: forking is not safe everywhere, nor beside other
    threads."""
    return _forks_safely() and threading.active_count() == 1


def _forks_safely() -> bool:
    """Whether this system can fork; macOS can, but what its libraries do meanwhile may break."""
    return sys.platform.startswith("linux") and hasattr(os, "fork")


def warm_up(*modules: str) -> None:
    """Import these modules in the process that starts others beside threads; otherwise each of them would import them,
    which takes several times as long as rendering a page."""
    if _beside_threads() == "forkserver":
        from multiprocessing import forkserver

        forkserver.set_forkserver_preload(list(modules))
        forkserver.ensure_running()


def _beside_threads() -> str:
    """The way to start processes that cannot be forked from this one: a process without threads forks them, or they are
    spawned."""
    return "forkserver" if _forks_safely() else "spawn"


def _ready(busy: list[_Worker[Any, Any]]) -> list[_Worker[Any, Any]]:
    """The workers that have answered, or whose time is up."""
    from multiprocessing.connection import wait

    timeout = min(worker.expires for worker in busy) - time.monotonic()
    speaking = wait([worker.connection for worker in busy], max(0.0, timeout))
    now = time.monotonic()
    return [worker for worker in busy if worker.connection in speaking or worker.expires <= now]


@dataclass(eq=False)
class _Worker(Generic[Task, Result]):
    """One process and the numbers of the tasks that it was given and has not answered."""

    function: Callable[[Task], Result]
    tasks: Sequence[Task]
    deadline: Callable[[Task], float]
    forked: bool
    queue: deque[int] = field(default_factory=deque)
    expires: float = 0.0
    lost: bool = False
    ready: bool = False

    def __post_init__(self) -> None:
        self._start()

    def _start(self) -> None:
        import multiprocessing

        context: Any = multiprocessing.get_context("fork" if self.forked else _beside_threads())
        self.connection, theirs = context.Pipe()
        inherited = (self.tasks, self.connection) if self.forked else None
        self.process: BaseProcess = context.Process(target=_serve, args=(theirs, self.function, inherited), daemon=True)
        with _uninterrupted():
            self.process.start()
        theirs.close()
        self.lost = self.ready = False

    def give(self, numbers: list[int]) -> None:
        """Hand over tasks; the clock of the first one starts."""
        self.queue.extend(numbers)
        self.connection.send([(n, None if self.forked else self.tasks[n]) for n in numbers])
        self._wind_clock()

    def _wind_clock(self) -> None:
        """Start the clock of the first task in the queue, or that of starting if the process is not ready yet."""
        if self.queue:
            seconds = self.deadline(self.tasks[self.queue[0]]) if self.ready else _START_DEADLINE
            self.expires = time.monotonic() + seconds

    def collect(self) -> tuple[int, Result | Failure] | None:
        """The outcome of the first task in the queue, if it has one yet; a process that is dead or too slow is `lost`
        afterwards."""
        try:
            if self.connection.poll():
                result: Result | Failure = take_over(self.connection)
                if not self.ready:
                    self.ready = True
                    self._wind_clock()
                    return None
            else:
                self.lost = True
                seconds = self.deadline(self.tasks[self.queue[0]])
                result = Failure.too_late(seconds)
        except (EOFError, OSError):
            self.lost = True
            result = Failure("crashed")
        number = self.queue.popleft()
        self._wind_clock()
        return number, result

    def restart(self) -> None:
        """Replace the process, and clear its queue."""
        self.queue.clear()
        self.stop()
        self._start()

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.connection.close()
        self.process.kill()
        self.process.join()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back while a process starts, which would otherwise complain on standard error before it can ignore
    it; this process gets it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    connection: Connection[Any, Any],
    function: Callable[[Any], Any],
    inherited: tuple[Sequence[Any], Connection[Any, Any]] | None,
) -> None:
    """The loop of a worker: report that it is ready, then answer each task in turn, until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; the parent ends this one
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = os.getppid()
    tasks = None
    if inherited is not None:
        tasks, parents_end = inherited
        parents_end.close()  # or this process itself would keep its connection open
        gc.freeze()  # what was inherited is never garbage here, and looking at it would copy it
    try:
        hand_over(connection, "ready")
        while os.getppid() == parent:
            if connection.poll(_PARENT_CHECK):
                for number, task in connection.recv():
                    hand_over(connection, _answer(function, task if tasks is None else tasks[number]))
    except (EOFError, OSError):
        return


def _answer(function: Callable[[Any], Any], task: Any) -> Any:
    try:
        return function(task)
    except Exception as error:
        return Failure.of(error)
