"""Which files and folders a user wants or does not want, by glob, whatever is usually ignored.

A glob names a file or folder by its name (`node_modules`, `*.min.js`) or by the end of its path (`src/generated`); what
is said of a folder holds for all that is in it. Of several globs that match, the last decides.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

EXCLUDED = "excluded by --exclude"


class Rule(NamedTuple):
    """A glob, and whether paths that match it are read."""

    glob: str
    include: bool

    def matches(self, path: str) -> bool:
        """Whether the glob names the path or a folder above it."""
        parts = path.split("/")
        above = ("/".join(parts[: n + 1]) for n in range(len(parts)))
        return any(fnmatchcase(each, self.glob) or fnmatchcase(each, f"*/{self.glob}") for each in above)


class Choice(NamedTuple):
    """Rules in the order in which they were given."""

    rules: tuple[Rule, ...] = ()

    def wants(self, path: str) -> bool | None:
        """Whether a path is wanted; None if no rule says so."""
        return next((rule.include for rule in reversed(self.rules) if rule.matches(path)), None)

    def refusal(self, path: str, ignored: str) -> str:
        """Why a path is not read, or nothing; `ignored` is why it usually is not."""
        if not self.rules:
            return ignored
        wanted = self.wants(path)
        return ignored if wanted is None else "" if wanted else EXCLUDED


AS_USUAL = Choice()
