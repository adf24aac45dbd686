"""Documents read in processes of their own, within limits of time and memory: one that hangs or grows costs itself.

Every document gets so much of the processor's time, more if it is large, and its process so much memory beyond what
that has when it starts. What comes back is a text or a reason, never an exception and never nothing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from moss.intake.documents.formats import Handed, Refused, extract
from moss.intake.documents.paragraphs import Extracted
from moss.intake.entries import UnreadableError
from moss.intake.limits import MIB, Limits, human_size
from moss.processes.budget import OverBudgetError, spend, within
from moss.processes.pool import Failure, available_cores, limit_memory, map_isolated

SECONDS = 20.0  # of the processor's time for a document,
SECONDS_PER_MEBIBYTE = 10.0  # and for each mebibyte of it
MEGABYTES = 1024  # that a process may need to read documents
_PATIENCE = 6  # times that time by the clock, on a busy machine, before the process is ended


def extract_all(
    documents: Sequence[Handed], limits: Limits, jobs: int | None = None, seconds: float = SECONDS
) -> list[Extracted | Refused]:
    """The text of each document, or the reason why it has none."""
    found: dict[int, Extracted | Refused] = {}
    cores = min(jobs or available_cores(), len(documents))
    results = map_isolated(
        partial(_extract_within, limits, seconds), documents, jobs=cores,
        deadline=lambda document: _PATIENCE * _seconds(document, seconds),
    )  # fmt: skip
    for number, result in results:
        found[number] = _refused(result, documents[number], seconds) if isinstance(result, Failure) else result
    return [found[number] for number in range(len(documents))]


def _extract_within(limits: Limits, seconds: float, document: Handed) -> Extracted | Refused:
    """Read a document in a process that does nothing else."""
    limit_memory(_address_space() + MEGABYTES)
    try:
        with within(_seconds(document, seconds)):
            found = spend(partial(extract, document.format, document.content, limits))
    except UnreadableError as refused:
        return Refused(refused.reason)
    except OverBudgetError:
        return Refused(_too_slow(document, seconds))
    except (MemoryError, RecursionError):
        return Refused("a document that takes more memory to read than it may, not read")
    if len(found.text) > limits.file_bytes:
        return Refused(f"a document with more text than the limit of {human_size(limits.file_bytes)}, not read")
    return found


def _refused(failure: Failure, document: Handed, seconds: float) -> Refused:
    if failure.late:
        return Refused(_too_slow(document, seconds))
    return Refused(f"a document that cannot be read: the reader {failure.reason}")


def _seconds(document: Handed, seconds: float) -> float:
    return seconds + SECONDS_PER_MEBIBYTE * len(document.content) / MIB


def _too_slow(document: Handed, seconds: float) -> str:
    return f"a document that takes longer than {_seconds(document, seconds):.0f} seconds to read, not read"


def _address_space() -> int:
    """The megabytes that this process has already."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") // MIB
    except (OSError, ValueError, IndexError):  # only Linux tells, and only there does a limit hold for sure
        return 3 * MEGABYTES
