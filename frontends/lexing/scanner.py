"""Linear-time scanners for the course languages, each built from a small table.

A program is mostly words and signs, and those need no parser: they can be told apart for the whole file at once, with
a constant number of array operations. Only comments, strings and numbers need **lexical rules**. One regular expression
finds them, jumping from one possible first character to the next, so Python does work only for each of them; every
other token goes from characters to codes without an object of its own.

A rule is the character that opens a comment, string or number, and an expression for what follows. Both must be linear:
possessive quantifiers, nothing that can fail after having read far (an unterminated comment ends with the file, an
unterminated string with the line), because students and attackers write the text that is scanned.

The structure channel of a program has a code for each keyword and each sign, one for any other word, one for any number
and one for any string; comments and layout are left out. Signs are single characters, so `a= -b` equals `a=-b`.

    >>> small = Lexicon("small", frozenset({"if"}), (comment("#", ".*+"), string("'", "[^']*+'?+")))
    >>> found = lexemes(small, "if x > 10: 'ab'  # why")
    >>> [TokenKind(kind).name for kind in found.kind]
    ['KEYWORD', 'NAME', 'SIGN', 'NUMBER', 'SIGN', 'STRING', 'COMMENT']
    >>> found.start.tolist(), found.end.tolist()
    ([0, 3, 5, 7, 9, 11, 17], [2, 4, 6, 9, 10, 15, 22])
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from frontends.lexing.batching import batches, split_streams, split_tokens
from frontends.lexing.char_classes import PART, WHOLE, Roles, between_blanks, cut
from frontends.lexing.codes import Chars, TokenHasher, characters, hash_signs, hash_tokens, in_vocabulary, polynomials
from frontends.lexing.idle_tokens import OWN, SIGNS, STRING, Cues, Flags, IdleTokens
from frontends.lexing.macros import Expansion, definitions
from frontends.lexing.masked_text import MaskedText, mask
from frontends.normalise.folding import Folded, TextRewrite, fold
from frontends.normalise.words import lower, word_streams
from moss.hashing import Hashes, HashLookup
from moss.model import Channel, Codes, Offsets, Tokens, TokenStream


class TokenKind(IntEnum):
    """The kind of a token; lexical rules find those of the first three kinds."""

    COMMENT = 0
    STRING = 1
    NUMBER = 2
    NAME = 3
    KEYWORD = 4
    SIGN = 5


_PLACEHOLDERS = ("any comment", "any string", "any number", "any name")
"""The tokens that stand for all tokens of the first four kinds; with their blank, none can occur in a program."""

_MASKS = "\x01\x02\x03"
"""The characters that comments, strings and numbers are masked by; no folded text has them."""


class LexicalRule(NamedTuple):
    """How a comment, string or number is found: the character (or class of characters) that opens it, and the rest."""

    kind: TokenKind
    opens: str
    rest: str


def comment(opens: str, rest: str) -> LexicalRule:
    """A rule for a comment, which says nothing to the compiler."""
    return LexicalRule(TokenKind.COMMENT, opens, rest)


def string(opens: str, rest: str) -> LexicalRule:
    """A rule for a literal that is one token, whatever it contains."""
    return LexicalRule(TokenKind.STRING, opens, rest)


def number(opens: str, rest: str) -> LexicalRule:
    """A rule for a number; `opens` is usually digits, and a number never starts inside a word."""
    return LexicalRule(TokenKind.NUMBER, opens, rest)


@dataclass(frozen=True)
class Lexicon:
    """Everything that a scanner needs to know about a language."""

    vocabulary: str  # languages with the same one share codes, so copying between them is found
    keywords: frozenset[str]
    rules: tuple[LexicalRule, ...]  # tried in this order
    letters: str = ""  # signs that are part of words here, such as $
    prefixes: frozenset[str] = frozenset()  # words that belong to the string right behind them, such as r and f
    fold_case: bool = False  # keywords are the same in any case
    optional: str = ""  # signs that say no more than the end of a line does: they are no part of the structure
    first: tuple[TextRewrite, ...] = ()  # what the compiler does to a text before it looks for tokens
    macros: bool = False  # whether #define may give keywords and signs other names
    statements: bool = False  # whether each statement ends with a semicolon, and braces are for several
    own: str = ""  # the keyword by which an object names itself, where its members are known without it
    lone_strings: bool = False  # whether a string on a line of its own is a comment

    def fold(self, text: str) -> Folded:
        """The text as it is scanned, with the way back to the original."""
        return fold(text, self.first)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """One expression for all rules; the number of the group that matched tells which rule it was."""
        opens = "".join(rule.opens for rule in self.rules)
        not_in_word = rf"(?<![\w{re.escape(self.letters)}].)" if self.letters else r"(?<!\w.)"
        alternatives = (
            f"{not_in_word if rule.kind is TokenKind.NUMBER else ''}(?<=[{rule.opens}])({rule.rest})"
            for rule in self.rules
        )
        return re.compile(f"[{opens}](?:{'|'.join(alternatives)})", re.DOTALL)

    @cached_property
    def group_kinds(self) -> tuple[TokenKind, ...]:
        """The kind of token that each group of the pattern finds."""
        result: list[TokenKind] = []
        for rule in self.rules:
            inner = re.compile(f"[{rule.opens}]{rule.rest}").groups
            result += [rule.kind] * (inner + 1)
        return tuple(result)

    @cached_property
    def masks(self) -> tuple[str, ...]:
        """For each group of the pattern the character that masks its tokens."""
        return tuple(_MASKS[kind] for kind in self.group_kinds)

    @cached_property
    def masks_without_comments(self) -> tuple[str, ...]:
        """For each group of the pattern the character that masks its tokens, which is a blank for comments."""
        return tuple(" " if kind is TokenKind.COMMENT else _MASKS[kind] for kind in self.group_kinds)

    @cached_property
    def roles(self) -> Roles:
        """The role of each character of a masked text."""
        return Roles(sign=WHOLE, word=PART, unspaced=PART, letters=self.letters)

    @cached_property
    def structure_roles(self) -> Roles:
        """The role of each character where only the structure counts."""
        return replace(self.roles, blanks=self.optional)

    @cached_property
    def kind_by_first(self) -> NDArray[np.int8]:
        """For each character the kind of a token that begins with it and is no keyword."""
        kinds = np.where(self.roles.of(_BYTES) == PART, TokenKind.NAME, TokenKind.SIGN).astype(np.int8)
        kinds[ord("0") : ord("9") + 1] = TokenKind.NUMBER
        for kind, char in enumerate(_MASKS):
            kinds[ord(char)] = kind
        return kinds

    @cached_property
    def code_by_first(self) -> Codes:
        """For each character the code of a token that begins with it and is no keyword."""
        kind, placeholders = self.kind_by_first, hash_tokens(_PLACEHOLDERS)
        hashes = np.where(kind == TokenKind.SIGN, hash_signs(_BYTES), placeholders[np.minimum(kind, TokenKind.NAME)])
        return in_vocabulary(self.vocabulary, hashes)

    @cached_property
    def spellings(self) -> tuple[str, ...]:
        """The keywords as they are looked up, sorted; in lower case if case does not matter."""
        return tuple(sorted({word.lower() for word in self.keywords} if self.fold_case else self.keywords))

    @cached_property
    def keyword_places(self) -> HashLookup:
        """Finds the number of a keyword by the polynomial of its characters."""
        return HashLookup(polynomials(self.spellings))

    @cached_property
    def keyword_codes(self) -> Codes:
        """The code of each keyword."""
        return in_vocabulary(self.vocabulary, hash_tokens([word.lower() for word in self.spellings]))

    @cached_property
    def codes_by_spelling(self) -> dict[str, np.uint64]:
        """The code of each keyword as it is written."""
        return dict(zip(self.spellings, self.keyword_codes, strict=True))

    def code_of(self, token: str) -> np.uint64 | None:
        """The code of a keyword or a sign as it is written; None for any other word."""
        if token[0].isalnum() or token[0] == "_" or token[0] in self.letters:
            return self.codes_by_spelling.get(token)
        code: np.uint64 = in_vocabulary(self.vocabulary, hash_signs(characters(token)))[0]
        return code

    @cached_property
    def expansion(self) -> Expansion:
        """Puts keywords and signs into the place of macros that stand for them."""
        return Expansion(self.vocabulary, self.code_of)

    @cached_property
    def idle(self) -> IdleTokens | None:
        """Finds the tokens that say nothing; None if the language has none."""
        if not (self.statements or self.own or self.lone_strings):
            return None
        marked = np.flatnonzero(self.cue_by_first)
        known = dict(zip(self.code_by_first[marked].tolist(), self.cue_by_first[marked].tolist(), strict=True))
        if self.own:
            known[int(self.codes_by_spelling[self.own])] = OWN
        return IdleTokens(known, self.statements, bool(self.own), self.lone_strings)

    @cached_property
    def cue_by_first(self) -> Cues:
        """For each character the cue of a token that begins with it and is no keyword."""
        cues = np.zeros(256, np.uint8)
        cues[[*SIGNS.encode()]] = [*SIGNS.encode()]
        cues[ord(_MASKS[TokenKind.STRING])] = STRING
        return cues

    @cached_property
    def prefix_places(self) -> HashLookup:
        """Finds string prefixes, in any case, by the polynomials of their characters."""
        cases = {"".join(w) for word in self.prefixes for w in product(*((c.lower(), c.upper()) for c in word))}
        return HashLookup(polynomials(tuple(sorted(cases))))


_BYTES = np.arange(256, dtype=np.uint8)
_NONE = np.zeros(0, np.int64)
_Entry = TypeVar("_Entry", np.int8, np.uint8, np.uint64)


class Lexemes(NamedTuple):
    """All tokens of a text in order: their kinds and their spans."""

    kind: NDArray[np.int8]
    start: Offsets
    end: Offsets


@dataclass(frozen=True, slots=True)
class LexiconScanner:
    """The scanner of a language: a function from a text to its structure and text channels."""

    lexicon: Lexicon

    def __call__(self, text: str) -> Tokens:
        """The structure and text channels of a text."""
        return self._scan_joined([self.lexicon.fold(text)])[0]

    def all(self, texts: Sequence[str]) -> list[Tokens]:
        """Both channels of each of many texts, in less time than one by one."""
        folded = [*map(self.lexicon.fold, texts)]
        groups = batches([each.text for each in folded])
        return [tokens for numbers in groups for tokens in self._scan_joined([folded[n] for n in numbers])]

    def _scan_joined(self, folded: Sequence[Folded]) -> list[Tokens]:
        words = word_streams(folded)
        structures = _structures(self.lexicon, folded)
        return [
            {Channel.STRUCTURE: structure, Channel.TEXT: text}
            for structure, text in zip(structures, words, strict=True)
        ]


def scanner(lexicon: Lexicon) -> LexiconScanner:
    """The scanner of a language."""
    return LexiconScanner(lexicon)


def _structures(lexicon: Lexicon, folded: Sequence[Folded]) -> list[TokenStream]:
    """The structure of each of many folded texts, with places in the texts as they were before."""
    streams = split_streams(folded, *program(lexicon, [each.text for each in folded]))
    if not lexicon.macros:
        return streams
    return [
        stream if text.start is None else _in_own_places(stream) for text, stream in zip(folded, streams, strict=True)
    ]


def _in_own_places(stream: TokenStream) -> TokenStream:
    """The tokens without those of a macro that begin in the same character as the one before: in a name, two letters
    may have been folded from one, such as the ligature of f and i."""
    kept = _all_but(np.flatnonzero(stream.start[1:] == stream.start[:-1]) + 1, len(stream))
    if kept is None:
        return stream
    return TokenStream(stream.codes.take(kept), stream.start.take(kept), stream.end.take(kept))


def program(lexicon: Lexicon, texts: Sequence[str]) -> tuple[Codes, Offsets, Offsets]:
    """Code, start and end of each token of (folded) texts, without comments; positions are those in the texts joined
    with one blank between each and the next."""
    found = _cut(lexicon, mask(texts, lexicon.pattern, lexicon.masks_without_comments), lexicon.structure_roles)
    codes = found.by_first(lexicon.code_by_first)
    if len(found.wide_sign):
        codes[found.wide_sign] = in_vocabulary(lexicon.vocabulary, hash_signs(found.first[found.wide_sign]))
    codes[found.keyword] = lexicon.keyword_codes.take(found.which)
    kept = found.kept
    columns = codes, found.start, found.end
    if kept is not None:
        columns = _some(columns, kept)
    macros = lexicon.expansion.macros_of(texts, columns[1]) if lexicon.macros else []
    if macros:
        words = found.words if kept is None else found.words.take(kept)
        columns = lexicon.expansion(texts, macros, words, columns)
    if not lexicon.idle:
        return columns
    cues = lexicon.idle.cues(columns[0]) if macros else found.cues(lexicon)
    some = lexicon.idle.all_but(cues, texts, *columns[1:])
    return columns if some is None else _some(columns, some)


def _some(columns: tuple[Codes, Offsets, Offsets], kept: Offsets) -> tuple[Codes, Offsets, Offsets]:
    """The tokens that are kept."""
    codes, start, end = columns
    return codes.take(kept), start.take(kept), end.take(kept)


def lexemes(lexicon: Lexicon, text: str) -> Lexemes:
    """Every token of a text, comments included."""
    [(found, _)] = lexemes_with_structure(lexicon, [lexicon.fold(text)])
    return found


def lexemes_with_structure(lexicon: Lexicon, folded: Sequence[Folded]) -> list[tuple[Lexemes, Flags]]:
    """Every token of each of many texts, comments included, and which of them are the structure, where no macros stand
    for others; in less time than one by one."""
    result: list[tuple[Lexemes, Flags]] = []
    for numbers in batches([each.text for each in folded]):
        group = [folded[number] for number in numbers]
        (kind, start, end), compared = _joined_lexemes(lexicon, [each.text for each in group])
        for some, *span in split_tokens(group, kind + _COMPARED * compared, start, end):
            result.append((Lexemes(some % _COMPARED, *span), some >= _COMPARED))
    return result


_COMPARED = np.int8(64)  # is added to the kinds of tokens that are the structure


def _joined_lexemes(lexicon: Lexicon, texts: Sequence[str]) -> tuple[Lexemes, Flags]:
    """Every token of (folded) texts, and which of them are the structure; positions are those in the texts joined with
    one blank between each and the next."""
    found = _cut(lexicon, mask(texts, lexicon.pattern, lexicon.masks), lexicon.roles)
    kind = found.by_first(lexicon.kind_by_first)
    kind[found.wide_sign], kind[found.keyword] = TokenKind.SIGN, TokenKind.KEYWORD
    kept = slice(None) if found.kept is None else found.kept
    lexemes = Lexemes(kind[kept], found.start[kept], found.end[kept])
    compared = lexemes.kind != TokenKind.COMMENT
    if lexicon.optional:
        is_optional = np.isin(found.first[kept], [*map(ord, lexicon.optional)])
        compared &= ~((lexemes.kind == TokenKind.SIGN) & is_optional)
    if lexicon.idle:
        some = np.flatnonzero(compared)
        cues = found.cues(lexicon).take(some)
        left = lexicon.idle.all_but(cues, texts, lexemes.start.take(some), lexemes.end.take(some))
        if left is not None:
            compared[np.delete(some, left)] = False
    return lexemes, compared


def structure_among(lexicon: Lexicon, folded: Folded, found: Lexemes, compared: Flags) -> tuple[Offsets, Offsets]:
    """The starts and ends of those tokens of a text that are its structure. Where macros stand for others, these are
    sought anew."""
    if lexicon.macros and any(definitions(folded.text)):
        [stream] = _structures(lexicon, [folded])
        return stream.start, stream.end
    return found.start.compress(compared), found.end.compress(compared)


class _Cut(NamedTuple):
    """Tokens of a text before their codes are looked up."""

    first: Chars  # the first character of each
    words: Hashes  # the polynomial of each
    start: Offsets
    end: Offsets
    keyword: Offsets  # the tokens that are keywords
    which: Offsets  # the number of each such keyword in `Lexicon.spellings`
    wide_sign: Offsets  # the tokens that are signs and do not fit into bytes
    kept: Offsets | None  # the tokens that count, None for all

    def by_first(self, table: NDArray[_Entry]) -> NDArray[_Entry]:
        """The table's entry for the first character of each token; words of letters beyond Latin-1 count as names."""
        if self.first.dtype == np.uint8:
            return table.take(self.first)
        return table.take(np.where(self.first > 255, ord("a"), self.first))

    def cues(self, lexicon: Lexicon) -> Cues:
        """The cues of the tokens that count, as `IdleTokens` gives them for their codes."""
        cues = self.by_first(lexicon.cue_by_first)
        if lexicon.own:
            cues[self.keyword[self.which == lexicon.spellings.index(lexicon.own)]] = OWN
        return cues if self.kept is None else cues.take(self.kept)


def _cut(lexicon: Lexicon, masked: MaskedText, of_chars: Roles) -> _Cut:
    chars = between_blanks(masked.text)
    roles = of_chars.of(chars)
    start, end = cut(roles)
    first = chars[1:].take(start)
    words = TokenHasher(lower(masked.text) if lexicon.fold_case else chars[1:-1]).in_order(start, end)
    keyword, which = lexicon.keyword_places.find(words)
    wide_sign = _NONE if first.dtype == np.uint8 else np.flatnonzero((first > 255) & (roles[1:].take(start) == WHOLE))
    original_start, original_end = masked.original(start, end)
    gone = _continuations(masked.text, chars, start)
    if lexicon.prefixes:
        prefixed = _prefixed(lexicon, words, start, end, np.flatnonzero(first == ord(_MASKS[TokenKind.STRING])))
        original_start[prefixed] = original_start[prefixed - 1]
        gone = np.concatenate([gone, prefixed - 1])
    return _Cut(first, words, original_start, original_end, keyword, which, wide_sign, _all_but(gone, len(start)))


def _continuations(text: str, chars: Chars, start: Offsets) -> Offsets:
    """The numbers of the tokens that are backslashes at the end of a line, which are layout."""
    if "\\" not in text:
        return _NONE
    after = chars[2:].take(start)
    return np.flatnonzero((chars[1:].take(start) == ord("\\")) & ((after == ord("\n")) | (after == ord("\r"))))


def _prefixed(lexicon: Lexicon, words: Hashes, start: Offsets, end: Offsets, strings: Offsets) -> Offsets:
    """The numbers of those `strings` that have a prefix, such as r or f, right before them."""
    strings = strings[strings > 0]
    strings = strings[end[strings - 1] == start[strings]]
    return strings[lexicon.prefix_places.find(words[strings - 1])[0]]


def _all_but(gone: Offsets, count: int) -> Offsets | None:
    """The numbers of the `count` tokens that are not gone; None if none is gone."""
    if not len(gone):
        return None
    kept = np.ones(count, np.bool_)
    kept[gone] = False
    return np.flatnonzero(kept)
