"""Numbers in addresses and forms: one that is too large for any row is refused before a database sees it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from flask import Flask
from werkzeug.routing import IntegerConverter

_NUMBER = "[0-9]{1,18}"  # below 2^63, the largest that a column can hold


class _RowInteger(IntegerConverter):
    """A number in an address; an address with a larger one does not exist."""

    regex = _NUMBER


def limit_numbers(app: Flask) -> None:
    """Let `<int:…>` in the app's routes stand for numbers that a row can have."""
    app.url_map.converters["int"] = _RowInteger


def number(text: str) -> int:
    """The number, from 0 on, in a field of a form; ValueError for anything else."""
    if not re.fullmatch(_NUMBER, text):
        raise ValueError(f"no number of a row: {text[:30]!r}")
    return int(text)


def numbers(texts: Iterable[str]) -> list[int]:
    """The texts that are numbers, as numbers; others are left out."""
    return [int(text) for text in texts if re.fullmatch(_NUMBER, text)]
