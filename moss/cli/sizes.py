"""Sizes as people write them: 500KB, 16MB, 2GB."""

from __future__ import annotations

import re

import click

from moss.messages import gettext

_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMG]?)i?B?", re.IGNORECASE)


class Size(click.ParamType[int]):
    """A number of bytes."""

    name = "size"

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes that the text says."""
        if isinstance(value, int):
            return value
        match = _SIZE.fullmatch(value.strip())
        if not match:
            self.fail(
                gettext("%(value)r is not a size; write 500KB, 16MB or 2GB, for example", value=value), param, ctx
            )
        return int(float(match[1]) * _UNITS[match[2].upper()])
