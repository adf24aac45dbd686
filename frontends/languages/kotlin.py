"""Kotlin."""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import CHARACTER, NESTED_SLASH_STAR, NUMBER_FRACTION, POINT_NUMBER, SLASH_LINE, hole
from frontends.lexing.scanner import Lexicon, scanner, string

_KEYWORDS = """
as break class continue do else false for fun if in interface is null object package return super this throw true try
typealias typeof val var when while
abstract actual annotation by catch companion const constructor crossinline data enum expect external final finally
get import infix init inline inner internal lateinit noinline open operator out override private protected public
reified sealed set suspend tailrec vararg where
"""

# """a ${f("b")} "c"⏎d"""" e → string name
_LINES = string(  # the last quotes all belong to it
    '"', rf'""(?:[^"$]++|"(?!"")|\$(?!\{{)|\$\{{{hole("{", "}", lines=True)})*+"*+'
)
# "a $b ${if (c) "d" else "e"}" f → string name
_QUOTED = string('"', rf'(?:[^"\\$\n\r]++|\\[^\n\r]|\$(?!\{{)|\$\{{{hole("{", "}")})*+"?+')

LEXICON = Lexicon(
    vocabulary="kotlin",
    optional=";",
    own="this",
    keywords=frozenset(_KEYWORDS.split()),
    rules=(
        SLASH_LINE,
        NESTED_SLASH_STAR,
        _LINES,
        _QUOTED,
        CHARACTER,  # '\u0041' → string
        NUMBER_FRACTION,  # 1.5 1..2 → number number . . number
        POINT_NUMBER,
    ),
)

FRONTENDS = (Frontend("kotlin", scanner(LEXICON), "own scanner", endings=(".kt", ".kts"), aliases=("kt",)),)
