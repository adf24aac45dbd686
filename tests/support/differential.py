"""Compare our scanners with Pygments, token by token, on real code.

Both sides become sets of (kind, start, end), where a kind is a word, a number, a string or a comment; signs are left
out, as Pygments joins them (`<<=`) and we do not. What the two call differently by design is made equal here, by these
rules and by those that `COMPARISONS` names for a language:

- Pygments cuts strings and comments into pieces (quotes, escapes, text) and we do not: pieces that touch are joined.
- Its line comments may hold the end of the line; ours never do. A backslash that joins two lines is blank for it.
- It joins qualified names, annotations and labels (`java.util.List`, `@Override`): they are cut into their words.
- It cuts some numbers into pieces (`12|80`, `0|x1F`, `5000|ms`): numbers, and words behind them, that touch are joined.
- It gives some numbers a sign that is none of theirs (`== -1`) or the first point of what follows (`0..9`, `1.max(2)`):
  both are taken away.
- It takes lines of the C preprocessor for comments: nothing inside them is compared.
- What a language's `unseen` names is not compared either.
- In Ruby, `<<` before a heredoc's name is an operator for it, `key:` a string, and `1.5` two numbers; for us they are a
  string, a word and a number.
- Where a string has code in it (`"${code}"`), it scans that code, while for us all of it is the string.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text, _TokenType

from frontends.languages import c, csharp, go, java, javascript, kotlin, php, python, ruby, rust, scala, swift
from frontends.lexing.scanner import Lexicon, TokenKind, lexemes

Token = tuple[str, int, int]
"""Its kind and its span."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one language is compared."""

    lexicon: Lexicon
    lexer: str  # Pygments' name of it
    comments: tuple[_TokenType, ...] = (Comment,)  # what Pygments calls comments, if it has other names for some
    unseen: tuple[_TokenType, ...] = ()  # tokens that are larger for Pygments than they are
    words: str = r"\w+"
    misled: str = ""  # what a file contains that Pygments stumbles over; it is not compared
    not_keywords: tuple[_TokenType, ...] = ()  # what Pygments calls keywords for standing where one could
    contextual: str = ""  # words which only one side takes for keywords, or only in some places


C_TYPES = """
size_t ssize_t off_t pid_t rlim_t va_list FILE intptr_t uintptr_t intmax_t uintmax_t
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
"""

COMPARISONS: dict[str, Comparison] = {
    # Pygments takes any `module` for the keyword and a class's name after it; `.class` is an attribute for it.
    "java": Comparison(java.LEXICON, "java", words=r"[\w$]+", misled=r"\bmodule\s*[;)]", contextual="class module"),
    # We know one table of keywords for C and C++.
    "c": Comparison(c.LEXICON, "c", words=r"[\w$]+", contextual=C_TYPES + "class new"),
    "cc": Comparison(c.LEXICON, "cpp", words=r"[\w$]+", contextual=C_TYPES + "operator module thread"),
    # [Obsolete("text")] is one token for Pygments.
    "csharp": Comparison(csharp.LEXICON, "csharp", unseen=(Name.Attribute,), contextual="group nameof value"),
    "go": Comparison(go.LEXICON, "go"),
    "kotlin": Comparison(
        kotlin.LEXICON,
        "kotlin",
        contextual="""Any Boolean Byte Double Float Int Long Short String Unit annotation class constructor crossinline
        data get internal noinline private set value""",
    ),
    # /// is a string for Pygments.
    "rust": Comparison(rust.LEXICON, "rust", comments=(Comment, String.Doc), contextual="Self mut self"),
    "scala": Comparison(scala.LEXICON, "scala", contextual="asInstanceOf classOf isInstanceOf super synchronized this"),
    "swift": Comparison(
        swift.LEXICON,
        "swift",
        words=r"[\w$]+",
        contextual="_ Any Protocol Type dynamicType get left none open right self set",
    ),
    "python": Comparison(python.LEXICON, "python"),
    "javascript": Comparison(
        javascript.LEXICON, "javascript", words=r"[\w$]+", contextual="Infinity as constructor from"
    ),
    # Any name where a type is expected is a keyword for Pygments; ours are JavaScript's.
    "typescript": Comparison(
        javascript.LEXICON,
        "typescript",
        words=r"[\w$]+",
        not_keywords=(Keyword.Type,),
        contextual="Infinity NaN abstract any as async bigint boolean constructor declare default double from in "
        "int is keyof long module namespace never number object override readonly short string symbol this "
        "type unique unknown",
    ),
    "php": Comparison(
        php.LEXICON,
        "php",
        comments=(Comment, String.Doc),
        words=r"[\w$]+",
        contextual="PHP_VERSION callable default instanceof match namespace self stdClass",
    ),
    # %i[...] is no string for Pygments, and `x %= 2` begins one; methods that are often called without brackets are
    # keywords for it.
    "ruby": Comparison(
        ruby.LEXICON,
        "ruby",
        words=r"[\w$@]+",
        misled=r"%[iI][(\[{]|%= ",
        contextual="attr attr_accessor attr_reader attr_writer begin class end extend for include loop "
        "module_function new private protected public raise self",
    ),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The tokens that both sides found, those of one only, and how often just one calls a word a keyword."""

    both: set[Token]
    ours: set[Token]
    theirs: set[Token]
    keywords: Counter[str]


def compare(how: Comparison, text: str) -> Outcome:
    """Scan a text with both."""
    ours, our_keywords = our_tokens(how.lexicon, text)
    found_pieces = _in_ruby(_pieces(how, text)) if how.lexer == "ruby" else _pieces(how, text)
    pieces = list(_inside_strings(found_pieces, ours))
    theirs = set(_joined(how, text, pieces))
    unseen = _Spans([(start, end) for kind, _, start, end in pieces if kind == "unseen"])
    found = {token for token in _touching_joined(ours) if not unseen.touch(token[1], token[2])}
    their_keywords = {
        (start, end) for kind, what, start, end in pieces if what in Keyword and what not in how.not_keywords
    }
    their_names = {(start, end) for kind, what, start, end in pieces if what in Name and what not in Name.Builtin}
    disputed = (our_keywords & their_names) | (their_keywords - our_keywords)
    both = found & theirs
    keywords = Counter(text[start:end] for kind, start, end in both if kind == "word" and (start, end) in disputed)
    for word in how.contextual.split():
        del keywords[word]
    return Outcome(both, found - theirs, theirs - found, keywords)


def our_tokens(lexicon: Lexicon, text: str) -> tuple[list[Token], set[tuple[int, int]]]:
    """Our tokens without the signs, in order, and the spans of those that are keywords."""
    rows = [
        (kind, start, end)
        for kind, start, end in zip(*(column.tolist() for column in lexemes(lexicon, text)), strict=True)
        if kind != TokenKind.SIGN and text[start:end].strip("\\\r\n")
    ]
    names = {TokenKind.COMMENT: "comment", TokenKind.STRING: "string", TokenKind.NUMBER: "number"}
    tokens = [(names.get(kind, "word"), start, end) for kind, start, end in rows]
    return tokens, {(start, end) for kind, start, end in rows if kind == TokenKind.KEYWORD}


Piece = tuple[str, _TokenType, int, int]


def _pieces(how: Comparison, text: str) -> Iterator[Piece]:
    """The tokens of Pygments, under our names of the kinds."""
    lexer: Lexer = get_lexer_by_name(how.lexer)
    for start, what, value in lexer.get_tokens_unprocessed(text + "\n"):  # some rules want a line to end
        switched_off = what is Comment and how.lexer in ("c", "cpp")  # by #if 0
        if switched_off or any(what in kind for kind in (Comment.Preproc, Comment.PreprocFile, *how.unseen)):
            kind = "unseen"
        elif any(what in kind for kind in how.comments):
            kind = "comment"
        elif what is String.Symbol and value.isidentifier():
            kind = "other"
        elif what in String:
            kind = "string"
        elif what in Number:
            kind = "number"
        else:
            kind = "other"
        if what in Comment.Single or what in String.Doc or what in String.Delimiter:
            value = value.rstrip("\r\n")
        elif kind == "number" and value[0] in "+-":
            start, value = start + 1, value[1:]
        yield kind, what, start, start + len(value)


def _in_ruby(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The pieces of a Ruby program: the sign before a heredoc's name is of the string, and `1.5` is one number."""
    found = [piece for piece in pieces if piece[2] < piece[3]]
    found += [("other", Text, 0, 0)] * 2
    i = 0
    while i < len(found) - 2:
        (kind, what, start, end), (_, after, *_), (third, _, fraction, last) = found[i : i + 3]
        if kind == third == "number" and after is Operator and fraction == end + 1:
            end, i = last, i + 2
        elif what is Operator and after in (String.Heredoc, String.Delimiter):
            kind = "string"
        yield kind, what, start, end
        i += 1


def _inside_strings(pieces: Iterator[Piece], ours: list[Token]) -> Iterator[Piece]:
    """The pieces, with those inside our strings called strings, if Pygments has a string at both ends of ours."""
    found = list(pieces)
    begins = {start for kind, _, start, _ in found if kind == "string"}
    ends = {end for kind, _, _, end in found if kind == "string"}
    spans = _Spans([(start, end) for kind, start, end in ours if kind == "string" and start in begins and end in ends])
    for kind, what, start, end in found:
        yield ("string" if spans.contain(start, end) else kind), what, start, end


def _joined(how: Comparison, text: str, pieces: list[Piece]) -> Iterator[Token]:
    """Tokens from pieces: those of strings, comments and numbers joined, all else cut into words."""
    tokens: list[Token] = []
    for kind, _, start, end in pieces:
        if kind == "number" and text[end - 1] == "." and re.match(r"[.\w]", text[end:]):
            tokens.append((kind, start, end - 1))
        elif kind == "other":
            tokens += [
                ("word", match.start(), match.end()) for match in re.compile(how.words).finditer(text, start, end)
            ]
        elif kind != "unseen":
            tokens.append((kind, start, end))
    for kind, start, end in _touching_joined(tokens):
        yield ("number" if kind == "word" and text[start].isdecimal() else kind), start, end


_JOINED = {("string", "string"), ("comment", "comment"), ("number", "number"), ("number", "word")}


def _touching_joined(tokens: list[Token]) -> Iterator[Token]:
    """The tokens, with those joined that touch and are of one kind, or are a number and a word."""
    last: Token | None = None
    for kind, start, end in tokens:
        if last and last[2] == start and (last[0], kind) in _JOINED:
            last = (last[0], last[1], end)
            continue
        if last:
            yield last
        last = (kind, start, end)
    if last:
        yield last


class _Spans:
    """Ordered spans that can be searched."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._inside = {place: span for span in spans for place in range(*span)}

    def contain(self, start: int, end: int) -> bool:
        """Whether a span lies inside one of them."""
        span = self._inside.get(start)
        return span is not None and end <= span[1]

    def touch(self, start: int, end: int) -> bool:
        """Whether a span begins or ends inside one of them."""
        return start in self._inside or end - 1 in self._inside
