r"""Macros that stand for keywords and signs are read as the compiler reads them: as what they stand for.

`#define wenn if` and `#define ende }` give every keyword and sign of a copied program another name. Names that are
defined so become the tokens that they stand for, at the place of the name, and their definitions, which are no part of
the program, are left out: what is left is the structure of the original. Macros that stand for numbers, strings or
other names stay as they are, and so do macros with parameters, but for those that only pass them on in brackets, as in
`#define solange(x) while (x)`.

    >>> text = "#define ganz int\n#define wenn(x) if (x)\n#define N 3\nganz a; wenn (a)\n"
    >>> [(one.name, one.body) for one in definitions(text)]
    [('ganz', ('int',)), ('wenn', ('if',))]

The work is linear in the text: a macro stands for at most `_MOST` tokens, whatever macros it is made of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontends.lexing.codes import hash_tokens, in_vocabulary, polynomials
from moss.hashing import Hashes
from moss.model import Codes, Offsets

_MOST = 4  # tokens that a macro stands for: `) {`, `long long int`, `} else {`

# Each # may begin a definition, so what is read behind it is bounded.
_GAP = r"[ \t\v\f]*+(?:/\*(?:[^*\n\r]|\*(?!/)){0,100}+\*/[ \t\v\f]*+){0,3}+"
_DEFINITION = re.compile(
    rf"#{_GAP}define(?![\w$]){_GAP}((?:[^\W\d]|\$)[\w$]*+)(?:\(([^()\n\r]*+)\))?+"
    rf"{_GAP}((?:(?:[^\W\d][\w$]*+|(?!/[/*])[^\w\s\"'\\#]){_GAP}){{0,24}}+)(?:(?=//|[\n\r])|\Z)"
)
_COMMENT = re.compile(r"/\*.*?\*/")
_TOKEN = re.compile(r"[\w$]++|[^\w\s]")
_DEFINE = "define"
_ASK_FOR_NAMES = polynomials([_DEFINE, "undef", "ifdef", "ifndef"])
_MANY = 64  # macros of a text, which are not looked for one by one: that would take their number times its length
_SPREAD, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(50)  # from a polynomial to one of 2^14 slots

Body = tuple[str, ...]
Columns = tuple[Codes, Offsets, Offsets]


class Definition(NamedTuple):
    """A line that defines a macro as a few words and signs, and its place."""

    name: str
    body: Body
    start: int
    end: int


def definitions(text: str) -> Iterator[Definition]:
    """The definitions of macros that stand for a few words and signs; some of them may be in comments."""
    for match in _DEFINITION.finditer(text):
        name, given, written = match.groups()
        if given is not None and ")" not in written:
            continue
        body = _TOKEN.findall(_COMMENT.sub(" ", written) if "/" in written else written)
        if given is not None:
            passed = ["(", *_TOKEN.findall(given.replace("...", "__VA_ARGS__")), ")"]
            if body[-len(passed) :] != passed:
                continue
            body = body[: -len(passed)]
        if len(body) <= _MOST and (body or not _is_guard(text, name, match.start())):
            yield Definition(name, tuple(body), *match.span())


class Macro(NamedTuple):
    """A macro that stands for keywords and signs, with their codes, and where it is defined: in which of several texts,
    and from where to where in all of them, joined."""

    name: str
    codes: list[np.uint64]
    text: int
    start: int
    end: int


class Expansion:
    """Puts what names are defined to be into their place, for one vocabulary."""

    def __init__(self, vocabulary: str, code_of: Callable[[str], np.uint64 | None]) -> None:
        """`code_of` gives the code of a keyword or sign, None for any other word."""
        self._code_of = lru_cache(maxsize=1 << 12)(code_of)
        (self._sign,) = in_vocabulary(vocabulary, hash_tokens(["#"]))

    def macros_of(self, texts: Sequence[str], start: Offsets) -> list[Macro]:
        """The macros of texts, which are joined with one blank between each and the next; `start` has the places of
        their tokens: definitions in comments are none."""
        macros: list[Macro] = []
        first = 0
        for number, text in enumerate(texts):
            if _DEFINE in text and (found := _outside_comments([*definitions(text)], start, first)):
                bodies = {one.name: one.body for one in reversed(found)}  # of several the first
                passed_on = {token for one in found for token in one.body}
                known: dict[str, list[np.uint64] | None] = {}
                for one in found:
                    self._learn(one.name, bodies, known)
                    codes = known[one.name]
                    used = len(found) > _MANY or one.name in passed_on or text.find(one.name, one.end) >= 0
                    if codes is not None and used:
                        macros.append(Macro(one.name, codes, number, first + one.start, first + one.end))
            first += len(text) + 1
        return macros

    def __call__(self, texts: Sequence[str], macros: Sequence[Macro], words: Hashes, columns: Columns) -> Columns:
        """The tokens of texts after their macros are replaced; `words` are the polynomials of the tokens."""
        codes, start, _ = columns
        low, high = start.searchsorted([[macro.start for macro in macros], [macro.end for macro in macros]])
        defined = [*zip(macros, map(range, low.tolist(), high.tolist()), strict=True)]
        names = words.take([numbers[2] for _, numbers in defined])  # behind # and define
        macro_of = {(macro.text, name): macro for (macro, _), name in zip(defined, names.tolist(), strict=True)}
        behind = start.searchsorted(np.cumsum([len(text) + 1 for text in texts]))
        some = np.unique([macro.text for macro in macros])
        within = [np.arange(behind[text - 1] if text else 0, behind[text]) for text in some.tolist()]
        places = _places(words, np.concatenate(within), names)
        of_text = behind.searchsorted(places, side="right")
        begins = np.append(0, behind).take(of_text)
        kept = ~self._are_in_directives(places, begins, codes, words)
        places, of_text = places[kept], of_text[kept]
        becomes: dict[int, list[np.uint64]] = {}
        used: set[tuple[int, str]] = set()
        for place, text, word in zip(places.tolist(), of_text.tolist(), words.take(places).tolist(), strict=True):
            if macro := macro_of.get((text, word)):
                becomes[place] = macro.codes[: len(macro.name)]  # each needs a character of its own
                used.add((text, macro.name))
        for macro, tokens in defined:
            if (macro.text, macro.name) in used:
                becomes |= {token: [] for token in tokens}
        return _with(columns, becomes) if becomes else columns

    def _are_in_directives(self, places: Offsets, begins: Offsets, codes: Codes, words: Hashes) -> NDArray[np.bool_]:
        """Whether these places are behind #define, #ifdef and their like, where a name stands for itself; their texts
        begin with the tokens of the numbers `begins`."""
        asks = np.isin(words.take(places - 1, mode="clip"), _ASK_FOR_NAMES)
        result: NDArray[np.bool_] = asks & (codes.take(places - 2, mode="clip") == self._sign) & (places > begins + 1)
        return result

    def _learn(self, name: str, bodies: Mapping[str, Body], known: dict[str, list[np.uint64] | None]) -> None:
        """Add the codes that a macro stands for in the end to those that are known, and those of the macros in it."""
        waiting, begun = [name], set[str]()
        while waiting:
            last = waiting[-1]
            inner = [token for token in bodies[last] if token in bodies and token not in known]
            if last in begun or not inner:
                known[last] = known[last] if last in known else self._joined(bodies[last], bodies, known)
                waiting.pop()
            begun.add(last)
            waiting += [token for token in inner if token not in begun]

    def _joined(
        self, body: Body, bodies: Mapping[str, Body], known: Mapping[str, list[np.uint64] | None]
    ) -> list[np.uint64] | None:
        """The codes of the keywords and signs that these tokens stand for; None if they stand for any others, for too
        many, or for themselves."""
        codes: list[np.uint64] = []
        for token in body:
            if token in bodies:
                inner = known.get(token)
            else:
                code = self._code_of(token)
                inner = None if code is None else [code]
            if inner is None or len(codes) + len(inner) > _MOST:
                return None
            codes += inner
        return codes


def _outside_comments(found: Sequence[Definition], start: Offsets, first: int) -> list[Definition]:
    """The definitions of a text that begin with a token; the text begins at `first`."""
    begins = first + np.array([one.start for one in found], np.int64)
    are_tokens = np.append(start, -1).take(start.searchsorted(begins)) == begins
    return [one for one, is_token in zip(found, are_tokens.tolist(), strict=True) if is_token]


def _is_guard(text: str, name: str, place: int) -> bool:
    """Whether a definition only marks a header as read: its name has just been asked for."""
    return text[max(0, place - 100) : place].rstrip().endswith(f"ifndef {name}")


def _places(words: Hashes, places: Offsets, names: Hashes) -> Offsets:
    """The places among these whose tokens have one of these names, and perhaps a few others."""
    slots = np.zeros(1 << (64 - int(_SHIFT)), np.bool_)
    slots[(names * _SPREAD) >> _SHIFT] = True
    return places.compress(slots.take(((words.take(places) * _SPREAD) >> _SHIFT).view(np.int64)))


def _with(columns: Columns, becomes: Mapping[int, list[np.uint64]]) -> Columns:
    """The tokens with some replaced by others, which share the place of the name: each takes one character, and the
    last has what is left of it."""
    codes, start, end = columns
    several = [place for place, some in becomes.items() if len(some) > 1]
    kept = np.ones(len(codes), np.bool_)
    for place, some in becomes.items():
        if some:
            codes[place] = some[0]
        else:
            kept[place] = False
    if not several:
        return codes.compress(kept), start.compress(kept), end.compress(kept)
    counts = kept.astype(np.int64)
    several.sort()
    counts[several] = [len(becomes[place]) for place in several]
    old = np.repeat(np.arange(len(codes)), counts)
    number = np.arange(len(old)) - (np.cumsum(counts) - counts).take(old)  # of each among those of its name
    new, first, last = codes.take(old), start.take(old) + number, end.take(old)
    new[counts.take(old) > 1] = [code for place in several for code in becomes[place]]
    return new, first, np.where(number < counts.take(old) - 1, first + 1, last)
