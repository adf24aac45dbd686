"""C and C++, in one vocabulary, so that copying between them is found.

Both know the keywords of both: a C program that calls a variable `new` is rarer than a copy under another ending.
Lines of the preprocessor are made of the same tokens as any other; what is between `#if 0` and its end is a comment. A
backslash at the end of a line (gcc allows blanks behind it) joins the next one before anything else, in the middle of a
word, too; `<%` and its like are brackets.
"""

from __future__ import annotations

import re

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import (
    DOUBLE_QUOTED,
    NUMBER_POINT,
    POINT_NUMBER,
    SLASH_LINE,
    SLASH_STAR,
)
from frontends.lexing.scanner import Lexicon, comment, scanner, string
from frontends.normalise.folding import TextRewrite

_KEYWORDS = """
alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch char
char8_t char16_t char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit
continue decltype default delete do double dynamic_cast else enum explicit export extern false final float for friend
goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected
public register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct
switch synchronized template this thread_local throw true try typedef typeid typename typeof typeof_unqual union
unsigned using virtual void volatile wchar_t while xor xor_eq
_Alignas _Alignof _Atomic _BitInt _Bool _Complex _Decimal128 _Decimal32 _Decimal64 _Generic _Imaginary _Noreturn
_Static_assert _Thread_local NULL
"""

# in\⏎t x; → keyword name ;
_SPLICE = re.compile(r"\\[ \t\v\f]*+(?:\r\n?+|\n)")
# a<:0:> = 1; → name [ number ] = number ;
_DIGRAPHS = {"<%": "{", "%>": "}", "<:": "[", ":>": "]", "%:": "#"}
_DIGRAPH = re.compile(r"<%|%>|<:(?!:(?![:>]))|:>|%:")  # in C++, <:: is < and ::
SPLICES = TextRewrite(_SPLICE, lambda match: "")
DIGRAPHS = TextRewrite(
    _DIGRAPH,
    lambda match: _DIGRAPHS[match[0]],
    (re.compile("%(?:[>:]|(?<=<%))"), re.compile(":(?:>|(?<=<:))")),
)

# R"x(a ")" b)x" c → string name
_RAW = string(
    '"',
    r'(?<=R")(?P<fence>[^()\\\s"]{0,16}+)\((?:[^)]++|\)(?!(?P=fence)"))*+(?:\)(?P=fence)")?+',
)
# L'a' 'RIFF' '\'' → string string string
_CHARACTERS = string("'", r"(?:[^'\\\n\r]|\\[^\n\r]){1,16}+'")  # several, too; if it is not closed, ' is a sign


_PARTS = 6  # that are left out, one in another


def _skipped(depth: int) -> str:
    """An expression for the rest of a part that the preprocessor leaves out, through such parts in it to some depth."""
    inner = rf"|\#[ \t]*+if{_skipped(depth - 1)}(?:\#[ \t]*+endif\b)?+" if depth else ""
    ends = "if|endif" if depth < _PARTS else "if|endif|else|elif"
    return rf"(?:[^#]++|\#(?![ \t]*+(?:{ends})){inner})*+"


# a⏎#if 0⏎b⏎#if c⏎d⏎#else⏎e⏎#endif⏎#endif⏎f → name comment name
_NEVER = r"[ \t]*+if[ \t]++0(?=[ \t]*+(?:[\n\r]|/[/*]))"
_LEFT_OUT = comment("#", rf"{_NEVER}{_skipped(_PARTS)}(?:\#[ \t]*+(?:endif|else|elif[^\n\r]*+))?+")

LEXICON = Lexicon(
    vocabulary="c",
    keywords=frozenset(_KEYWORDS.split()),
    letters="$",
    first=(SPLICES, DIGRAPHS),
    macros=True,
    statements=True,
    own="this",
    prefixes=frozenset({"l", "u", "u8", "r", "lr", "ur", "u8r"}),
    rules=(
        SLASH_LINE,
        SLASH_STAR,
        _LEFT_OUT,
        _RAW,
        DOUBLE_QUOTED,
        _CHARACTERS,
        NUMBER_POINT,
        POINT_NUMBER,
    ),
)

_SCAN = scanner(LEXICON)

FRONTENDS = (
    Frontend("c", _SCAN, "own scanner", endings=(".c", ".h")),
    Frontend(
        "cc",
        _SCAN,
        "own scanner",
        endings=(".cc", ".cpp", ".cxx", ".c++", ".cp", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".ino"),
        aliases=("c++", "cpp", "cxx"),
    ),
)
