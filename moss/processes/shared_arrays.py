"""Large arrays that another process of this machine gets without copying.

Each large array of a result is written once, into memory of its own that has no name (a memfd); the other process gets
a handle to it and looks at it where it is. The memory is given back when the array is no longer used. What is small, or
where there is no such memory, goes through the pipe.
"""

from __future__ import annotations

import mmap
import os
import pickle
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_SMALL = 1 << 17  # bytes: less is sent faster than it is put elsewhere


def hand_over(connection: Connection[Any, Any], result: Any) -> None:
    """Give a result to the process at the other end of a pipe, which calls `take_over`."""
    arrays: list[memoryview] = []

    def stays(buffer: pickle.PickleBuffer) -> bool:
        """Whether an array is sent through the pipe; if not, it goes into memory of its own."""
        array = buffer.raw()
        small = len(array) < _SMALL or not hasattr(os, "memfd_create")
        if not small:
            arrays.append(array)
        return small

    message = pickle.dumps(result, protocol=5, buffer_callback=stays)
    connection.send_bytes(pickle.dumps(([len(array) for array in arrays], message)))
    if arrays:
        from multiprocessing.reduction import send_handle

        for array in arrays:
            memory = os.memfd_create("moss")
            try:
                _write(memory, array)
                send_handle(connection, memory, None)
            finally:
                os.close(memory)


def take_over(connection: Connection[Any, Any]) -> Any:
    """The result that the other process hands over; raises EOFError or OSError if it ends before it has."""
    sizes, message = pickle.loads(connection.recv_bytes())
    return pickle.loads(message, buffers=[_look_at(connection, size) for size in sizes])


def _write(memory: int, array: memoryview) -> None:
    written = 0
    while written < len(array):
        written += os.write(memory, array[written:])


def _look_at(connection: Connection[Any, Any], size: int) -> mmap.mmap:
    """The memory whose handle comes next."""
    from multiprocessing.reduction import recv_handle

    try:
        memory = recv_handle(connection)
    except RuntimeError as error:  # the other process ended in between
        raise EOFError from error
    try:
        return mmap.mmap(memory, size, flags=mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0))
    finally:
        os.close(memory)
