"""`moss serve` without a worker, in a process that is there at once; for tests of what it says and answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from support.incubator import Hatched, hatch


def serve_alone(*options: str, environment: Mapping[str, str]) -> Hatched:
    """A server that has just been started; its `output` is what it says."""
    return hatch("moss.cli:main", dict(environment), ["moss", "serve", "--no-worker", *options])


@contextmanager
def serving_alone(*options: str, environment: Mapping[str, str]) -> Iterator[Hatched]:
    """A server that runs until the block ends."""
    process = serve_alone(*options, environment=environment)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()
