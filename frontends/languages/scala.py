"""Scala."""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import (
    DOUBLE_QUOTED,
    NESTED_SLASH_STAR,
    NUMBER_FRACTION,
    POINT_NUMBER,
    SLASH_LINE,
    TRIPLE_QUOTED_RAW,
    hole,
)
from frontends.lexing.scanner import Lexicon, scanner, string

_KEYWORDS = """
abstract case catch class def do else enum export extends false final finally for forSome given if implicit import lazy
macro match new null object override package private protected return sealed super then this throw trait true try type
using val var while with yield
"""

# 'a' '\u0041' 'name → string string ' name
_CHARACTER = string("'", r"(?:[^'\\\n\r]|\\[^\n\r]{1,6}?)'")  # without a second quote it is a symbol
# s"""a ${f("b")} "c"⏎d""" e → string name
_INTERPOLATED_LINES = string('"', rf'(?<=\w")""(?:[^"$]++|"(?!"")|\$(?!\{{)|\$\{{{hole("{", "}", lines=True)})*+"*+')
# s"a ${f("b")} $c" d → string name
_INTERPOLATED = string('"', rf'(?<=\w")(?:[^"\\$\n\r]++|\\[^\n\r]|\$"|\$(?!["{{])|\$\{{{hole("{", "}")})*+"?+')

LEXICON = Lexicon(
    vocabulary="scala",
    optional=";",
    own="this",
    keywords=frozenset(_KEYWORDS.split()),
    prefixes=frozenset({"s", "f", "raw"}),
    rules=(
        SLASH_LINE,
        NESTED_SLASH_STAR,
        _INTERPOLATED_LINES,
        _INTERPOLATED,
        TRIPLE_QUOTED_RAW,  # """a\""" b → string name
        DOUBLE_QUOTED,  # "${" a → string name
        _CHARACTER,
        NUMBER_FRACTION,
        POINT_NUMBER,
    ),
)

FRONTENDS = (Frontend("scala", scanner(LEXICON), "own scanner", endings=(".scala", ".sc"), aliases=("sbt",)),)
