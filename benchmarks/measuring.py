"""How long a command takes, and how much processor time and memory, all processes that it starts included."""

from __future__ import annotations

import os
import resource
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Step:
    """One command: wall time, processor time and memory."""

    name: str
    seconds: float
    cpu: float
    memory: int  # bytes
    output: str = ""


def run(name: str, command: list[str]) -> Step:
    """Run a command and measure it; its failure ends the benchmark."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = [0]
    seconds: dict[int, float] = {}
    watcher = threading.Thread(target=_watch, args=(process, peak, seconds), daemon=True)
    watcher.start()
    output, _ = process.communicate()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{name} failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    waited = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    cpu = max(waited, sum(seconds.values()))  # processes that a server forks are waited for by nobody of ours
    return Step(name, time.perf_counter() - started, cpu, peak[0], output)


def _watch(process: subprocess.Popen[str], peak: list[int], seconds: dict[int, float]) -> None:
    while process.poll() is None:
        alive = tree(process.pid)
        peak[0] = max(peak[0], sum(_memory(pid) for pid in alive))
        seconds |= {pid: max(cpu_seconds(pid), seconds.get(pid, 0.0)) for pid in alive}
        time.sleep(0.1)


def cpu_seconds(pid: int) -> float:
    """The processor seconds of a process; 0 if it is gone."""
    try:
        fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tree(root: int) -> list[int]:
    """A process and all that descend from it."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path("/proc", entry, "stat").read_text()
                parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry))
            except OSError:
                continue
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += parents.get(pid, [])
    return found


def cpu_of(pids: list[int]) -> float:
    """Seconds of processor time that these processes have used."""
    ticks = 0
    for pid in pids:
        fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> int:
    """The bytes of memory that a process has now."""
    return int(Path("/proc", str(pid), "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _memory(pid: int) -> int:
    """The proportional set size of a process, in bytes."""
    try:
        for line in Path("/proc", str(pid), "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0
