"""Tokens that say nothing to the compiler, although they are no layout, and that one replacement adds everywhere.

A semicolon behind another one or behind a brace is an empty statement. Braces around one statement change nothing where
no `if` or loop is before them. `this.` says what is clear without it. A string that is a statement by itself is a
comment. They are left out of the structure, so that a copy that is full of them keeps the structure of its original.

Braces behind an `if` or a loop stay, also around one statement: honest programs are told apart by them.

What is known of a token is its **cue**: the character of a sign, one for any string, one for the word by which an
object names itself, and 0 for all others. Between two texts stands a cue of its own.

    >>> idle_statements(np.frombuffer(b";;{;}", np.uint8)).tolist()
    [True, True, False, True, False]
    >>> idle_statements(np.frombuffer(b"{{\\0;}\\0{\\0;}}", np.uint8)).tolist()
    [False, True, False, False, True, False, False, False, False, False, False]
    >>> idle_selves(np.frombuffer(b"t.\\0t->t", np.uint8)).tolist()
    [True, True, False, True, True, True, False]
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from moss.hashing import HashLookup
from moss.model import Codes, Offsets

BREAK, STRING, OWN = 1, ord('"'), ord("t")
"""The cues between two texts, of strings, and of the word by which an object names itself."""

SIGNS = "{};.->([)]"
"""The signs that have cues."""

_NESTED = 4  # pairs of braces around one statement that are looked through

Cues = NDArray[np.uint8]
Flags = NDArray[np.bool_]

_ENDS_STATEMENT = np.isin(np.arange(256), [BREAK, *b"{};"])
_DEEPER = np.zeros(256, np.int8)
_DEEPER[[*b"([{"]], _DEEPER[[*b")]}"]] = 1, -1
_ENDS_LINE = re.compile(r"[\n\r;]")
_CONTINUED = re.compile(r"\\[ \t]*+[\n\r]")


class IdleTokens:
    """Finds the tokens of a language that say nothing."""

    def __init__(self, cues: Mapping[int, int], statements: bool, selves: bool, strings: bool) -> None:
        """`cues` are those of codes; the others say which kinds of such tokens the language has."""
        self._codes = HashLookup(np.array([*cues], np.uint64))
        self._cues = np.array([*cues.values()], np.uint8)
        self._find = [find for find, wanted in ((idle_statements, statements), (idle_selves, selves)) if wanted]
        self._strings = strings

    def cues(self, codes: Codes) -> Cues:
        """The cues of tokens with these codes."""
        result = np.zeros(len(codes), np.uint8)
        place, which = self._codes.find(codes)
        result[place] = self._cues.take(which)
        return result

    def all_but(self, cues: Cues, texts: Sequence[str], start: Offsets, end: Offsets) -> Offsets | None:
        """The numbers of the tokens that say something, of texts joined with one blank between each and the next; None
        if all do."""
        firsts = [0, *accumulate(len(text) + 1 for text in texts)]
        limits = start.searchsorted(firsts)
        idle = np.zeros(len(cues), np.bool_)
        if self._find:
            breaks = limits[1:-1] + np.arange(len(texts) - 1)
            apart = np.insert(cues, limits[1:-1], BREAK)
            for find in self._find:
                idle |= np.delete(find(apart), breaks)
        if self._strings:
            idle[lone_strings(cues, texts, start, end, limits)] = True
        return np.flatnonzero(~idle) if idle.any() else None


def idle_statements(cues: Cues) -> Flags:
    """Which tokens are empty statements, or braces around one statement that begin where a statement may."""
    idle = np.zeros(len(cues), np.bool_)
    place = np.flatnonzero(_ENDS_STATEMENT.take(cues))
    empty = (cues.take(place) == ord(";")) & (np.diff(place, prepend=-1) == 1)
    idle[place[empty]] = True
    place = place[~empty]
    for _ in range(_NESTED):
        what, gone = cues.take(place), np.flatnonzero(idle)
        around = np.flatnonzero((what[:-2] == ord("{")) & (what[1:-1] == ord(";")) & (what[2:] == ord("}")))
        before = np.append(-1, place).take(around)
        begins = _adjacent(before, place.take(around), gone)
        around = around[begins & _adjacent(place.take(around + 1), place.take(around + 2), gone)]
        if not len(around):
            break
        braces = np.concatenate([around, around + 2])
        idle[place[braces]] = True
        place = np.delete(place, braces)
    return idle


def _adjacent(one: Offsets, next_one: Offsets, gone: Offsets) -> Flags:
    """Whether nothing stands between tokens but those that are gone."""
    between = gone.searchsorted(next_one) - gone.searchsorted(one, side="right")
    result: Flags = next_one - one == between + 1
    return result


def idle_selves(cues: Cues) -> Flags:
    """Which tokens only say that a member is one of this object: `this.` and `this->`."""
    idle = np.zeros(len(cues), np.bool_)
    own = np.flatnonzero(cues == OWN)
    first, second = (cues.take(own + number, mode="clip") for number in (1, 2))
    point, arrow = own[first == ord(".")], own[(first == ord("-")) & (second == ord(">"))]
    idle[np.concatenate([point, point + 1, arrow, arrow + 1, arrow + 2])] = True
    return idle


def lone_strings(cues: Cues, texts: Sequence[str], start: Offsets, end: Offsets, limits: Offsets) -> list[int]:
    """The tokens that are strings on lines of their own, outside all brackets; `limits` are the first tokens of the
    texts, which are joined with one blank between each and the next, and the number of all."""
    depth = np.append(0, np.cumsum(_DEEPER.take(cues), dtype=np.int64))
    string = np.flatnonzero(cues == STRING)
    of_text = limits.searchsorted(string, side="right") - 1
    outside = depth.take(string) == depth.take(limits.take(of_text))
    string, of_text = string[outside], of_text[outside]
    firsts = [0, *accumulate(len(text) + 1 for text in texts)]
    ends = np.append(end, -1)  # the last for the token before all others
    starts = np.append(start, firsts[-1])
    gaps = (ends.take(string - 1), start.take(string), end.take(string), starts.take(string + 1))
    rows = zip(string.tolist(), of_text.tolist(), *(gap.tolist() for gap in gaps), strict=True)
    return [number for number, text, *gap in rows if _is_alone(texts[text], *(place - firsts[text] for place in gap))]


def _is_alone(text: str, before: int, start: int, end: int, behind: int) -> bool:
    """Whether lines end between the token before, this one, and the one behind, which may be in other texts."""
    gaps = text[before:start] if before >= 0 else "\n", text[end:behind] if behind < len(text) else "\n"
    return all(_ENDS_LINE.search(gap) and not _CONTINUED.search(gap) for gap in gaps)
