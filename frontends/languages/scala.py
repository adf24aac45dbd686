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

_CHARACTER = string("'", r"(?:[^'\\\n\r]|\\[^\n\r]{1,6}?)'")  # 'name, a symbol, is none
_INTERPOLATED_LINES = string(  # s"""..."""
    '"', rf'(?<=\w")""(?:[^"$]++|"(?!"")|\$(?!\{{)|\$\{{{hole("{", "}", lines=True)})*+"*+'
)
_INTERPOLATED = string('"', rf'(?<=\w")(?:[^"\\$\n\r]++|\\[^\n\r]|\$"|\$(?!["{{])|\$\{{{hole("{", "}")})*+"?+')

LEXICON = Lexicon(
    vocabulary="scala",
    keywords=frozenset(_KEYWORDS.split()),
    prefixes=frozenset({"s", "f", "raw"}),
    islands=(
        SLASH_LINE,
        NESTED_SLASH_STAR,
        _INTERPOLATED_LINES,
        _INTERPOLATED,
        TRIPLE_QUOTED_RAW,
        DOUBLE_QUOTED,
        _CHARACTER,
        NUMBER_FRACTION,
        POINT_NUMBER,
    ),
)

FRONTENDS = (Frontend("scala", scanner(LEXICON), "own scanner", endings=(".scala", ".sc"), aliases=("sbt",)),)
