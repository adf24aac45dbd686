"""Linear-time scanners for the course languages, each built from a small table.

A program is mostly words and signs, and those need no parser: they can be told apart for the whole file at once, with
a constant number of array operations. What cannot are the **islands**: comments, strings and numbers, inside which
other rules hold. One regular expression finds them, jumping from one possible first character to the next, so Python
does work only for each island; every other token goes from characters to codes without an object of its own.

An island is written as the character that opens it and an expression for what follows. Both must be linear: possessive
quantifiers, nothing that can fail after having read far (an unterminated comment ends with the file, an unterminated
string with the line), because students and attackers write the text that is scanned.

The structure channel of a program: each keyword and each sign by itself, one code for any other word, one for any
number, one for any string; comments and layout are gone. Signs are single characters, so `a= -b` equals `a=-b`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from frontends.codes import Chars, characters, code, hash_signs, in_vocabulary
from frontends.folding import fold
from frontends.words import SIGN, SPACE, WORD, kinds, lower, runs, word_stream
from moss.hashing import SpanHasher, among
from moss.model import Channel, Codes, Offsets, Tokens, TokenStream


class Kind(IntEnum):
    """What an island or a token is."""

    COMMENT = 0
    STRING = 1
    NUMBER = 2
    NAME = 3
    KEYWORD = 4
    SIGN = 5


_PLACEHOLDERS = ("any comment", "any string", "any number", "any name")
"""The tokens that stand for all of the first four kinds; none can be spelled in a program, for the blank."""

_PLACEHOLDER_HASHES = np.array([code(token) for token in _PLACEHOLDERS], np.uint64)


@dataclass(frozen=True, slots=True)
class Island:
    """A stretch with rules of its own: the character (or class of characters) that opens it, and what follows."""

    kind: Kind
    opens: str
    rest: str


def comment(opens: str, rest: str) -> Island:
    """An island that says nothing to the compiler."""
    return Island(Kind.COMMENT, opens, rest)


def string(opens: str, rest: str) -> Island:
    """An island that is one literal, whatever it contains."""
    return Island(Kind.STRING, opens, rest)


def number(opens: str, rest: str) -> Island:
    """An island that is one number; `opens` is usually digits, and it never starts inside a word."""
    return Island(Kind.NUMBER, opens, rest)


@dataclass(frozen=True)
class Lexicon:
    """All that a scanner needs to know of a language."""

    vocabulary: str  # languages with the same one share codes, so copying between them is found
    keywords: frozenset[str]
    islands: tuple[Island, ...]
    letters: str = ""  # signs that are part of words here, such as $
    prefixes: frozenset[str] = frozenset()  # words that belong to the string right behind them, such as r and f
    fold_case: bool = False  # keywords are the same in any case

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """One expression for all islands; the number of the group that matched tells which it was."""
        opens = "".join(island.opens for island in self.islands)
        not_in_word = rf"(?<![\w{re.escape(self.letters)}].)" if self.letters else r"(?<!\w.)"
        alternatives = (
            f"{not_in_word if island.kind is Kind.NUMBER else ''}(?<=[{island.opens}])({island.rest})"
            for island in self.islands
        )
        return re.compile(f"[{opens}](?:{'|'.join(alternatives)})", re.DOTALL)

    @cached_property
    def keyword_hashes(self) -> Codes:
        """Sorted hashes of the keywords in lower case."""
        return _hashes(self.keywords)

    @cached_property
    def lower_keyword_hashes(self) -> Codes:
        """Sorted hashes of the keywords that are written in lower case."""
        return _hashes(frozenset(word for word in self.keywords if self.fold_case or word == word.lower()))

    @cached_property
    def prefix_hashes(self) -> Codes:
        """Sorted hashes of the string prefixes in lower case."""
        return _hashes(self.prefixes)

    @cached_property
    def group_kinds(self) -> NDArray[np.int8]:
        """The kind of island that each group of the pattern finds."""
        result: list[Kind] = []
        for island in self.islands:
            inner = re.compile(f"[{island.opens}]{island.rest}").groups
            result += [island.kind] * (inner + 1)
        return np.array(result, np.int8)


def _hashes(words: frozenset[str]) -> Codes:
    return np.array(sorted({code(word.lower()) for word in words}), np.uint64)


@dataclass(frozen=True, slots=True)
class Lexemes:
    """All tokens of a text, comments included, in order: what they are, their hashes, and where they stand."""

    kind: NDArray[np.int8]
    hashes: Codes
    start: Offsets
    end: Offsets


@dataclass(frozen=True, slots=True)
class LexiconScanner:
    """A function from text to both channels, which can also tell what everything in a text is."""

    lexicon: Lexicon

    def __call__(self, text: str) -> Tokens:
        """Both channels of a text."""
        folded = fold(text)
        hasher = SpanHasher(lower(folded.text))
        kind = kinds(characters(folded.text))
        tokens = lexemes(self.lexicon, folded.text, hasher, kind)
        kept = tokens.kind != Kind.COMMENT
        codes = in_vocabulary(self.lexicon.vocabulary, tokens.hashes[kept])
        structure = TokenStream(codes, *folded.original(tokens.start[kept], tokens.end[kept]))
        return {Channel.STRUCTURE: structure, Channel.TEXT: word_stream(folded, hasher, kind)}


def scanner(lexicon: Lexicon) -> LexiconScanner:
    """The scanner of a language."""
    return LexiconScanner(lexicon)


def lexemes(lexicon: Lexicon, text: str, hasher: SpanHasher, kind: NDArray[np.uint8]) -> Lexemes:
    """Every token of a (folded) text; `hasher` has it in lower case, `kind` says what each character is."""
    chars = characters(text)
    islands = _islands(lexicon, text)
    outside = _outside(_with_letters(kind, chars, lexicon.letters), islands)
    words = _words(lexicon, text, chars, hasher, outside)
    if lexicon.prefixes:
        words, islands = _join_prefixes(lexicon, words, islands)
    plain = words.kind != Kind.KEYWORD
    words.hashes[plain] = _PLACEHOLDER_HASHES[words.kind[plain]]
    sign = _without_continuations(chars, np.flatnonzero(outside == SIGN))
    signs = Lexemes(np.full(len(sign), Kind.SIGN, np.int8), hash_signs(chars[sign]), sign, sign + 1)
    return _in_order(words, signs, islands)


def _without_continuations(chars: Chars, sign: Offsets) -> Offsets:
    """The signs but for backslashes at the end of a line, which are layout."""
    backslash = sign[chars[sign] == ord("\\")]
    after = chars[np.minimum(backslash + 1, len(chars) - 1)]
    continuation = backslash[(after == ord("\n")) | (after == ord("\r"))]
    return np.setdiff1d(sign, continuation, assume_unique=True) if len(continuation) else sign


def _islands(lexicon: Lexicon, text: str) -> Lexemes:
    found = [(m.start(), m.end(), m.lastindex or 1) for m in lexicon.pattern.finditer(text)]
    spans = np.array(found, np.int64).reshape(-1, 3)
    kind = lexicon.group_kinds[spans[:, 2] - 1]
    return Lexemes(kind, _PLACEHOLDER_HASHES[kind], spans[:, 0], spans[:, 1])


def _with_letters(kind: NDArray[np.uint8], chars: Chars, letters: str) -> NDArray[np.uint8]:
    """The kinds with further signs counted as letters, and unspaced writing as ordinary words."""
    result = np.minimum(kind, WORD)
    for letter in letters:
        result[chars == ord(letter)] = WORD
    return result


def _outside(kind: NDArray[np.uint8], islands: Lexemes) -> NDArray[np.uint8]:
    """The kinds with all islands blanked out."""
    depth = np.zeros(len(kind) + 1, np.int8)
    depth[islands.start] = 1
    depth[islands.end] -= 1  # where one island ends and the next begins, the two cancel
    kind[np.cumsum(depth[:-1], dtype=np.int8) > 0] = SPACE
    return kind


def _words(lexicon: Lexicon, text: str, chars: Chars, hasher: SpanHasher, outside: NDArray[np.uint8]) -> Lexemes:
    """Name, keyword or (if it begins with a digit) number, for each word; hashes are of the lower case."""
    start, end = runs(outside == WORD)
    hashes = hasher(start, end)
    kind = np.full(len(start), Kind.NAME, np.int8)
    candidate = np.flatnonzero(among(hashes, lexicon.keyword_hashes))
    keyword = among(hashes[candidate], lexicon.lower_keyword_hashes)
    if not lexicon.fold_case:
        capitals = np.zeros(len(chars) + 1, np.int32)
        np.cumsum(chars != hasher.values, out=capitals[1:])
        for i in np.flatnonzero(capitals[end[candidate]] > capitals[start[candidate]]):  # few: look at each
            keyword[i] = text[start[candidate[i]] : end[candidate[i]]] in lexicon.keywords
    kind[candidate[keyword]] = Kind.KEYWORD
    first = chars[start]
    kind[(first >= ord("0")) & (first <= ord("9"))] = Kind.NUMBER
    return Lexemes(kind, hashes, start, end)


def _join_prefixes(lexicon: Lexicon, words: Lexemes, islands: Lexemes) -> tuple[Lexemes, Lexemes]:
    """The words and islands after each string has taken in the prefix right before it."""
    strings = islands.start[islands.kind == Kind.STRING]
    prefix = among(words.hashes, lexicon.prefix_hashes) & among(words.end, strings)
    start = islands.start.copy()
    start[np.searchsorted(start, words.end[prefix])] = words.start[prefix]
    rest = ~prefix
    return (
        Lexemes(words.kind[rest], words.hashes[rest], words.start[rest], words.end[rest]),
        Lexemes(islands.kind, islands.hashes, start, islands.end),
    )


def _in_order(*parts: Lexemes) -> Lexemes:
    start = np.concatenate([part.start for part in parts])
    order = np.argsort(start, kind="stable")
    return Lexemes(
        np.concatenate([part.kind for part in parts])[order],
        np.concatenate([part.hashes for part in parts])[order],
        start[order],
        np.concatenate([part.end for part in parts])[order],
    )
