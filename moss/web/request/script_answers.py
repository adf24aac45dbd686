"""Scripts: pages' own scripts ask the same addresses as forms do, and get the answer as data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flask import abort, request

from moss.store.submissions.uploads import TooLargeError
from moss.store.validation import RefusedError


def wants_json() -> bool:
    """Whether a script asks, which shows the answer itself."""
    return request.headers.get("Accept", "") == "application/json"


@contextmanager
def refusals() -> Iterator[None]:
    """Answer what cannot be done as asked with its sentence."""
    try:
        yield
    except TooLargeError as wrong:
        abort(413, str(wrong))
    except RefusedError as wrong:
        abort(422, str(wrong))
