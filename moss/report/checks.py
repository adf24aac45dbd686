"""Checks of values that were read from a file which anyone may have written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class WrongError(Exception):
    """A value that cannot be where it stands."""


def _is(kind: type | tuple[type, ...], words: str) -> Callable[[Any], Any]:
    def checked(value: Any) -> Any:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise WrongError(f"{str(value)[:40]!r} is not {words}")
        return value

    return checked


text: Callable[[Any], str] = _is(str, "a text")
items: Callable[[Any], list[Any]] = _is(list, "a list")
_int: Callable[[Any], int] = _is(int, "a whole number")
_float: Callable[[Any], float] = _is((int, float), "a number")


def whole(value: Any) -> int:
    """The value, if it is a count."""
    if not 0 <= _int(value) < 2**62:
        raise WrongError(f"{value} is out of range")
    return int(value)


def real(value: Any, most: float) -> float:
    """The value, if it is a number from 0 to `most`."""
    if not 0 <= _float(value) <= most:
        raise WrongError(f"{value} is out of range")
    return float(value)


def share(value: Any) -> float:
    """The value, if it is a part of a whole."""
    return real(value, 1)
