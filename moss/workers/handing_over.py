"""Handing over results with large arrays to another process of this machine, without sending them.

The arrays of a result are written once, into memory of its own that has no name (a memfd); the other process gets a
handle to it and looks at them where they are. The memory is given back when none of the arrays is used any more. What
is small, or where there is no such memory, goes through the pipe.
"""

from __future__ import annotations

import mmap
import os
import pickle
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_SMALL = 1 << 16  # bytes: less is sent faster than it is put elsewhere
_STEP = 64  # bytes: arrays begin at multiples of this, where processors like them to


def hand_over(connection: Connection[Any, Any], result: Any) -> None:
    """Let the process at the other end of a pipe have a result; it is to call `take_over`."""
    arrays: list[pickle.PickleBuffer] = []
    message = pickle.dumps(result, protocol=5, buffer_callback=arrays.append)
    views = [array.raw() for array in arrays]
    if sum(map(len, views)) < _SMALL or not hasattr(os, "memfd_create"):
        connection.send_bytes(pickle.dumps((None, pickle.dumps(result, protocol=5))))
        return
    from multiprocessing.reduction import send_handle

    memory = os.memfd_create("moss")
    try:
        places = _write(memory, views)
        connection.send_bytes(pickle.dumps((places, message)))
        send_handle(connection, memory, None)
    finally:
        os.close(memory)


def take_over(connection: Connection[Any, Any]) -> Any:
    """The result that the other process hands over; raises EOFError or OSError if it ends before it has."""
    places, message = pickle.loads(connection.recv_bytes())
    if places is None:
        return pickle.loads(message)
    from multiprocessing.reduction import recv_handle

    try:
        memory = recv_handle(connection)
    except RuntimeError as error:  # it ended in between
        raise EOFError from error
    try:
        flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
        window = memoryview(mmap.mmap(memory, sum(places[-1]), flags=flags))
    finally:
        os.close(memory)
    return pickle.loads(message, buffers=[window[start : start + size] for start, size in places])


def _write(memory: int, views: list[memoryview]) -> list[tuple[int, int]]:
    """Put these bytes into a file, and say where each begins and how many there are."""
    sizes = [len(view) for view in views]
    starts = [0, *accumulate(-(-size // _STEP) * _STEP for size in sizes)]
    os.ftruncate(memory, starts[-1])
    for start, view in zip(starts, views, strict=False):
        written = 0
        while written < len(view):
            written += os.pwrite(memory, view[written:], start + written)
    return list(zip(starts, sizes, strict=False))
