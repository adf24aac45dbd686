"""Numbers that strangers send: one that no row can have is none, whatever a database would say of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from flask import Flask
from werkzeug.routing import IntegerConverter

_NUMBER = "[0-9]{1,18}"  # below 2^63, beyond which a column holds none


class _RowInteger(IntegerConverter):
    """A number in an address; a larger one leads nowhere, as any address that is not there."""

    regex = _NUMBER


def limit_numbers(app: Flask) -> None:
    """Let `<int:…>` in the app's routes stand for numbers that a row can have."""
    app.url_map.converters["int"] = _RowInteger


def number(text: str) -> int:
    """The number from 0 on that a field of a form says; raises ValueError for anything else."""
    if not re.fullmatch(_NUMBER, text):
        raise ValueError(f"no number of a row: {text[:30]!r}")
    return int(text)


def numbers(texts: Iterable[str]) -> list[int]:
    """Those of these texts that are numbers."""
    return [int(text) for text in texts if re.fullmatch(_NUMBER, text)]
