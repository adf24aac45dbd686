"""Workers: `map` over processes, in which a task that hangs or dies costs that task alone."""

import multiprocessing
import os
import select
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from support.slow_to_import import echo
from support.tasks import arrays, double, note_and_obey, obey

from moss.processes.pool import Failure, available_cores, each_trusted, limit_memory, map_isolated

ROOT = Path(__file__).parents[1]
PATIENT, SHORT = 60.0, 0.5
DEADLY = ("raise", "exit", "crash", "kill", "segfault", "recurse", "leave", "interrupt", "unpicklable")

pytestmark = pytest.mark.usefixtures("forking")


def seconds(task):
    return SHORT if "hang" in task else PATIENT


@pytest.fixture(autouse=True)
def _no_process_is_left():
    yield
    assert multiprocessing.active_children() == []


@pytest.fixture
def other_thread():
    """A second thread, beside which forking is not safe."""
    enough = threading.Event()
    thread = threading.Thread(target=enough.wait)
    thread.start()
    yield
    enough.set()
    thread.join()


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("batch", [1, 3, 100])
@pytest.mark.parametrize("count", [0, 1, 7, 40])
def test_the_results_are_those_of_map(jobs, batch, count):
    tasks = list(range(count))
    results = list(map_isolated(double, tasks, jobs=jobs, deadline=lambda task: PATIENT, batch=batch))
    assert sorted(results) == list(enumerate(map(double, tasks)))


def test_large_arrays_arrive_as_they_were_and_can_be_written_to():
    sizes = [0, 1, 9_000, 200_000, 3]
    results = dict(map_isolated(arrays, sizes, jobs=2, deadline=lambda task: PATIENT))
    for number, size in enumerate(sizes):
        expected = arrays(size)
        assert results[number].keys() == expected.keys()
        for name, array in results[number].items():
            assert (array.dtype, array.tolist()) == (expected[name].dtype, expected[name].tolist())
            array[:1] = 0


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="only Linux has memory without a name")
def test_the_memory_of_arrays_is_given_back_with_the_last_of_them():
    def held():
        return sum("memfd:moss" in line for line in Path("/proc/self/maps").read_text().splitlines())

    before = held()
    results = [result["numbers"] for _, result in map_isolated(arrays, [100_000] * 3, jobs=1, deadline=seconds_of)]
    assert held() == before + 3
    del results[0]
    assert held() == before + 2
    results.clear()
    assert held() == before


def seconds_of(task):
    return PATIENT


@pytest.mark.parametrize("jobs", [1, 3])
def test_trusted_work_is_done_whatever_happens_to_the_processes(jobs, tmp_path):
    here = os.getpid()

    def work(number):
        if number % 3 == 0 and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return number * 2

    assert each_trusted(work, range(10), jobs=jobs) == [number * 2 for number in range(10)]


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("order", [*DEADLY, "hang"])
def test_a_bad_task_costs_itself_alone(tmp_path, order, jobs, batch):
    log = str(tmp_path / "log")
    orders = ["a", "b", order, "c", "d", "e", "f"]
    tasks = [(log, order) for order in orders]
    work = map_isolated(note_and_obey, tasks, jobs=jobs, deadline=lambda task: seconds(task[1]), batch=batch)
    results = dict(work)
    assert isinstance(results.pop(2), Failure)
    assert results == {0: "A", 1: "B", 3: "C", 4: "D", 5: "E", 6: "F"}
    assert Counter(Path(log).read_text().split()) == Counter(orders)


def test_only_bad_tasks():
    orders = [*DEADLY, "hang", *DEADLY]
    results = list(map_isolated(obey, orders, jobs=2, deadline=seconds, batch=5))
    assert sorted(number for number, _ in results) == list(range(len(orders)))
    assert all(isinstance(result, Failure) for _, result in results)


@pytest.mark.parametrize(
    ("order", "words"),
    [("raise", "failed (ValueError: as ordered"), ("hang", "took longer than"), ("segfault", "crashed")],
)
def test_the_reason_ends_a_sentence(order, words):
    [(_, failure)] = map_isolated(obey, [order], jobs=1, deadline=seconds)
    assert failure.reason.startswith(words)
    assert "\n" not in failure.reason
    assert len(failure.reason) < 300


def test_a_deadline_below_a_second_is_told_truly():
    [(_, failure)] = map_isolated(obey, ["hang"], jobs=1, deadline=lambda task: 0.25)
    assert "0 seconds" not in failure.reason.replace("0.25 seconds", "")


def test_the_clock_of_a_task_starts_when_the_one_before_it_ends():
    orders = ["hang 1", "quick", "hang 2", "quick"]
    results = dict(map_isolated(obey, orders, jobs=1, deadline=seconds, batch=4))
    assert [isinstance(results[number], Failure) for number in range(4)] == [True, False, True, False]


def test_a_large_answer_arrives_whole():
    results = dict(map_isolated(obey, ["large", "a", "large"], jobs=2, deadline=seconds, batch=3))
    assert (len(results[0]), results[1], len(results[2])) == (5_000_000, "A", 5_000_000)


def test_large_tasks_with_large_answers_do_not_wait_for_each_other(other_thread):
    tasks = [letter * 2_000_000 for letter in "abcdef"]
    results = dict(map_isolated(obey, tasks, jobs=2, deadline=seconds, batch=3))
    assert results == {number: task.upper() for number, task in enumerate(tasks)}


def test_beside_another_thread_processes_are_spawned(other_thread):
    orders = ["a", "segfault", "raise", "b", "hang", "c"]
    deadlines = lambda order: 3.0 if order == "hang" else PATIENT  # noqa: E731  (a spawned process starts slowly)
    results = dict(map_isolated(obey, orders, jobs=2, deadline=deadlines, batch=2))
    assert [number for number in range(6) if isinstance(results[number], Failure)] == [1, 2, 4]
    assert [results[number] for number in (0, 3, 5)] == ["A", "B", "C"]


def test_the_start_of_a_process_costs_no_task_its_time(other_thread):
    assert dict(map_isolated(echo, ["a", "b"], jobs=1, deadline=lambda task: 3.0)) == {0: "a", 1: "b"}


def test_leaving_early_ends_the_processes():
    results = map_isolated(obey, ["a", "hang", "hang"], jobs=2, deadline=lambda task: PATIENT)
    assert next(results) == (0, "A")
    assert multiprocessing.active_children()
    results.close()
    assert multiprocessing.active_children() == []


def test_no_descriptors_leak():
    def count():
        return len(os.listdir("/proc/self/fd"))

    list(map_isolated(obey, ["a", "exit"], jobs=2, deadline=seconds))
    before = count()
    for _ in range(3):
        list(map_isolated(obey, ["a", "exit", "raise", "b"], jobs=2, deadline=seconds))
    assert count() == before


def test_workers_end_when_their_parent_is_killed():
    program = (
        "import os, sys; sys.path.insert(0, 'tests')\n"
        "from support.tasks import obey; from moss.processes.pool import map_isolated; import multiprocessing\n"
        "work = map_isolated(obey, ['a', 'b', 'c', 'd'], jobs=2, deadline=lambda t: 60.0)\n"
        "next(work); print(*(p.pid for p in multiprocessing.active_children()), flush=True); sys.stdin.read()\n"
    )
    root = Path(__file__).parents[1]
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        workers = list(map(int, parent.stdout.readline().split()))
        parent.kill()
        ended, _, _ = select.select([parent.stdout], [], [], 3)  # when the last that could write to it has ended
        for worker in workers if not ended else ():
            os.kill(worker, signal.SIGKILL)
    assert len(workers) == 2
    assert ended, "orphans wait for ever for a parent that is gone"


def test_there_is_at_least_one_core():
    assert available_cores() >= 1


LIMITED = """
import resource, sys
from moss.processes.pool import limit_memory
allowed = int(sys.argv[1]) << 20
if allowed:
    resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))
print(limit_memory(1024), resource.getrlimit(resource.RLIMIT_AS)[0] >> 20)
try:
    bytearray(2 << 30)
except MemoryError:
    print("no more")
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS may refuse such limits")
@pytest.mark.parametrize(("allowed", "expected"), [(0, 1024), (4096, 1024), (512, 512)])
def test_memory_is_limited_to_what_is_asked_or_was_allowed(allowed, expected):
    """A limit that an administrator has set stays, and is no error."""
    command = [sys.executable, "-c", LIMITED, str(allowed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == f"True {expected}\nno more\n", done.stderr


@pytest.mark.parametrize("error", [ValueError("current limit exceeds maximum limit"), OSError(22, "Invalid argument")])
def test_a_system_that_refuses_a_limit_is_no_error(monkeypatch, error):
    def refuse(*limits):
        raise error

    monkeypatch.setattr("resource.setrlimit", refuse)
    assert limit_memory(1024) is False


def test_a_system_without_limits_is_no_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    assert limit_memory(1024) is False


def test_memory_is_limited_in_one_place():
    """Where a refusal is expected; another place would forget it."""
    places = [path for path in (ROOT / "moss").rglob("*.py") if "import resource" in path.read_text()]
    assert places == [ROOT / "moss" / "processes" / "pool.py"]


_INTERRUPTED = """
import os, signal
from moss.processes.pool import map_isolated
signal.signal(signal.SIGINT, signal.default_int_handler)
os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGINT))
print(sorted(map_isolated(abs, [-1, -2, -3], jobs=2, deadline=lambda task: 60)))
"""


def test_an_interrupt_while_a_process_starts_is_not_its_business():
    """Ctrl-C reaches all processes of a terminal; one that is being forked must not print a traceback."""
    done = subprocess.run([sys.executable, "-c", _INTERRUPTED], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[(0, 1), (1, 2), (2, 3)]\n", "")
