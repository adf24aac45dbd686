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
    watcher = threading.Thread(target=_watch, args=(process, peak), daemon=True)
    watcher.start()
    output, _ = process.communicate()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{name} failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Step(name, time.perf_counter() - started, cpu, peak[0], output)


def _watch(process: subprocess.Popen[str], peak: list[int]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], sum(_memory(pid) for pid in tree(process.pid)))
        time.sleep(0.1)


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


def _memory(pid: int) -> int:
    """The proportional set size of a process, in bytes."""
    try:
        for line in Path("/proc", str(pid), "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0
