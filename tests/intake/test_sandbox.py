"""The sandbox: whatever a reader does, each task has a result or a sentence."""

from __future__ import annotations

import os
from typing import NamedTuple

import pytest

from moss.intake.entries import UnreadableError
from moss.intake.sandbox import Refused, read_isolated

pytestmark = pytest.mark.usefixtures("forking")  # a process that is not forked cannot import the reader below


class Task(NamedTuple):
    content: bytes


def read(task: Task) -> str:
    match task.content:
        case b"hang":
            while True:
                pass
        case b"grow":
            return str(len(bytearray(1 << 32)))
        case b"recurse":
            return read(task)
        case b"die":
            os._exit(3)
        case b"fail":
            raise ValueError("no\nsuch")
        case b"refuse":
            raise UnreadableError("a thing that is not read")
    return task.content.decode()


def test_each_task_has_a_result_or_a_reason() -> None:
    words = b"one hang grow two recurse die fail refuse three".split()
    found = read_isolated(read, [Task(word) for word in words], "a thing", jobs=2, seconds=1)
    too_much = Refused("a thing that takes more memory to read than it may, not read")
    assert found == [
        "one",
        Refused("a thing that takes longer than 1 seconds to read, not read"),
        too_much,
        "two",
        too_much,
        Refused("a thing that cannot be read: its reader crashed"),
        Refused("a thing that cannot be read: its reader failed (ValueError: no such)"),
        Refused("a thing that is not read"),
        "three",
    ]
