"""Tasks for worker processes, importable so that a spawned process finds them too."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import time

import numpy as np


def double(number: int) -> int:
    """Twice the number."""
    return 2 * number


def obey(order: str) -> str:
    """Do what the order says: raise, hang, exit, crash, be killed; anything else is answered in capitals."""
    match order.split()[0]:
        case "raise":
            raise ValueError("as ordered\n" * 100)
        case "interrupt":
            raise KeyboardInterrupt
        case "leave":
            sys.exit(3)
        case "hang":
            while True:
                time.sleep(60)
        case "exit":
            os._exit(0)
        case "crash":
            faulthandler.disable()  # or it tells the story on standard error
            ctypes.string_at(0)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "segfault":
            faulthandler.disable()
            os.kill(os.getpid(), signal.SIGSEGV)
        case "recurse":  # without end
            return obey(order)
        case "unpicklable":
            return lambda: order  # type: ignore[return-value]
        case "large":
            return "x" * 5_000_000
    return order.upper()


def note_and_obey(order: tuple[str, str]) -> str:
    """Add a line to the file named first, then obey the second."""
    path, what = order
    with open(path, "a") as file:
        file.write(what + "\n")
    return obey(what)


def arrays(size):
    """Some arrays of different kinds, the first one large."""
    return {
        "numbers": np.arange(size, dtype=np.uint64) * np.uint64(3),
        "none": np.zeros(0, np.int32),
        "table": np.arange(12, dtype=np.float64).reshape(3, 4).T,
        "signs": np.arange(size) % 2 == 0,
    }
