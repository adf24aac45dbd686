"""Outlines: a program's structure without everything that a rewriting student changes first.

Names, numbers, strings and types all become one code for any **operand**; round brackets, commas, points, semicolons
and words that only say who may see or change a thing are left out. Keywords, operators, blocks and the number of
operands between them stay.

    >>> from frontends import by_name
    >>> from moss.model import Channel
    >>> java = lambda text: by_name("java").scan(text)[Channel.STRUCTURE].codes
    >>> one, other = java("final int x = (f(3)) ;"), java("double x = y.f")
    >>> len(one), len(other), outline(one).tolist() == outline(other).tolist()
    (11, 6, True)

Outlines are made from the codes of the structure channel alone, without the text. Codes of no known vocabulary stay as
they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from frontends import FRONTENDS, plugins
from frontends.languages.pygmented import ROWS
from frontends.lexing.codes import hash_tokens, in_vocabulary
from frontends.lexing.scanner import LexiconScanner
from moss.hashing import HashLookup, Positions
from moss.model import Codes

_LAYOUT = "(),;."
_MODIFIERS = """
abstract const constexpr explicit extern final friend inline internal mut native open override private protected pub
public readonly register sealed signed static strictfp synchronized transient unsigned virtual volatile
"""
_TYPES = "auto bool boolean byte char decimal double float int let long object short string val var void"
_NOTHING = np.uint64(0)
_OPERANDS = ("any name", "any number", "any string")


def outline(codes: Codes) -> Codes:
    """The outline of one stream of structure codes."""
    return outlines([codes])[0]


def outlines(streams: Sequence[Codes]) -> list[Codes]:
    """The outline of each of several streams, in less time than one by one."""
    if not streams:
        return []
    named = _named(np.concatenate(streams))
    stays = named != _NOTHING
    ends = np.cumsum([len(codes) for codes in streams])
    left = np.append(0, np.cumsum(stays)).take(ends)
    return np.split(named.compress(stays), left[:-1])


def _named(codes: Codes) -> Codes:
    """Each code as outlines have it, or `_NOTHING` if they leave it out."""
    known, stands_for = _table(plugins.loaded())
    named = codes.copy()
    place, which = known.find(codes)
    named[place] = stands_for.take(which)
    return named


def outlined(codes: Codes) -> Positions:
    """The positions of the codes that a stream's outline keeps."""
    return np.flatnonzero(_named(codes) != _NOTHING)


def stand_ins(codes: Codes) -> list[str]:
    """ "name", "number" or "string" for each code that stands for all of them; "" for a code that stands for itself."""
    words = _stand_ins(plugins.loaded())
    return [words.get(code, "") for code in codes.tolist()]


@cache
def _stand_ins(others: tuple[plugins.Plugin, ...]) -> dict[int, str]:
    names = sorted({*_vocabularies(others), *(frontend.name for frontend in FRONTENDS)})
    hashes = hash_tokens(_OPERANDS)
    return {
        code: word.removeprefix("any ")
        for name in names
        for code, word in zip(in_vocabulary(name, hashes).tolist(), _OPERANDS, strict=True)
    }


@cache
def _table(others: tuple[plugins.Plugin, ...]) -> tuple[HashLookup, Codes]:
    """The codes that outlines replace, and the code that replaces each, in all languages."""
    known: list[Codes] = []
    stands_for: list[Codes] = []
    layout, values = hash_tokens((*_LAYOUT, *_MODIFIERS.split())), hash_tokens((*_OPERANDS, *_TYPES.split()))
    for name in _vocabularies(others):
        dropped, operands = in_vocabulary(name, layout), in_vocabulary(name, values)
        known += dropped, operands
        stands_for += np.full(len(dropped), _NOTHING), np.full(len(operands), operands[0])
    return HashLookup(np.concatenate(known)), np.concatenate(stands_for)


def _vocabularies(others: tuple[plugins.Plugin, ...]) -> list[str]:
    """The vocabularies of all languages that have a structure of their own."""
    frontends = (*FRONTENDS, *(frontend for plugin in others for frontend in plugin.frontends))
    scanned = {f.scan.lexicon.vocabulary for f in frontends if isinstance(f.scan, LexiconScanner)}
    return sorted(scanned | {row.vocabulary or row.name for row in ROWS})
