"""Mentions of people in texts that others wrote, such as notes, and their removal."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

NOBODY = "[erased]"


@dataclass(frozen=True, slots=True)
class Mentions:
    """Finds names that are words of their own, written exactly so."""

    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, names: Collection[str]) -> Mentions:
        """A finder for any of these names; of two that begin alike, the longer one is found."""
        words = sorted({name for name in names if name.strip()}, key=lambda name: (-len(name), name))
        return cls(re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, words))})(?![^\W_])") if words else None)

    def within(self, text: str) -> bool:
        """Whether the text names anybody."""
        return self.pattern is not None and self.pattern.search(text) is not None

    def removed(self, text: str) -> str:
        """The text without the names."""
        return self.pattern.sub(NOBODY, text) if self.pattern else text
