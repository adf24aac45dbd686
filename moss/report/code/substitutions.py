"""The substitutions in a passage: names, numbers and strings that differ between its sides, and how often.

A program that was copied and renamed has its names changed one for one: wherever one side says `count`, the other
says `total`. Two programs that only do the same thing do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from frontends.lexing.scanner import TokenKind
from moss.report.code.likeness import PairedTokens
from moss.report.code.syntax_classes import Kinds

_KINDS = tuple(TokenKind)
_NAME = TokenKind.NAME  # which Python is slow to look up
_TOLD = np.isin(_KINDS, (TokenKind.NAME, TokenKind.NUMBER, TokenKind.STRING))
"""Whether tokens of a kind count as substituted."""


class Substitution(NamedTuple):
    """A name or literal and its counterpart on the other side, and how many times they stand for each other."""

    a: str
    b: str
    times: int
    kind: TokenKind


class Substitutions(NamedTuple):
    """All substitutions of some passages, names first and most frequent first, and the names that are equal."""

    changes: tuple[Substitution, ...] = ()
    kept: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[Substitution, ...]:
        """The names that differ."""
        return tuple([change for change in self.changes if change.kind is _NAME])

    @property
    def literals(self) -> tuple[Substitution, ...]:
        """The numbers and strings that differ."""
        return tuple([change for change in self.changes if change.kind is not _NAME])


class Renaming(NamedTuple):
    """How many names differ in some passages, each counted with each of its counterparts, and whether every one always
    has the same counterpart, and never occurs unchanged."""

    names: int
    one_to_one: bool


def substitutions_in(tokens: PairedTokens, kinds: Kinds) -> list[Substitutions]:
    """The substitutions in each passage with these paired tokens, whose first sides are of these kinds."""
    told = np.flatnonzero(~tokens.same & _TOLD[kinds])
    changes = [*zip(*tokens.written(told), kinds[told].tolist(), strict=True)]
    names = np.flatnonzero(tokens.same & (kinds == TokenKind.NAME))
    kept = tokens.written_on_a(names)
    return [
        Substitutions(_ranked(Counter(changes[first:last])), frozenset(kept[low:high]))
        for (first, last), (low, high) in zip(tokens.by_passage(told), tokens.by_passage(names), strict=True)
    ]


def _ranked(differing: Mapping[tuple[str, str, int], int]) -> tuple[Substitution, ...]:
    ordered = sorted([(kind != _NAME, -times, a, b, kind) for (a, b, kind), times in differing.items()])
    return tuple([Substitution(a, b, -times, _KINDS[kind]) for _, times, a, b, kind in ordered])


def renaming_in(parts: Sequence[Substitutions]) -> Renaming:
    """The renaming in several passages taken together."""
    names = {(a, b) for part in parts for a, b, _, kind in part.changes if kind is _NAME}
    ours, theirs = {a for a, _ in names}, {b for _, b in names}
    kept = any(not ours.isdisjoint(part.kept) for part in parts)
    return Renaming(len(names), len(ours) == len(theirs) == len(names) and not kept)
