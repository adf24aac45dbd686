"""Keepers: where what one run has found out is kept for the next."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol


class ComparisonCache(Protocol):
    """Keeps packed streams or results: a table, a folder, a dictionary. Keys are 64 hexadecimal digits."""

    @property
    def everything(self) -> bool:
        """Whether to keep all streams, for whatever they are good for; if not, only what our own scanners cannot read,
        for they are about as fast as unpacking."""

    def get(self, keys: Collection[str]) -> Mapping[str, bytes]:
        """Those of these that are kept."""

    def put(self, packed: Mapping[str, bytes]) -> None:
        """Keep these, instead of what may be there under the same keys."""
