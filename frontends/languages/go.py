"""Go."""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import (
    BACKQUOTED_RAW,
    C_COMMENTS,
    CHARACTER,
    DOUBLE_QUOTED,
    NUMBER_POINT,
    POINT_NUMBER,
)
from frontends.lexing.scanner import Lexicon, scanner

_KEYWORDS = """
break case chan const continue default defer else fallthrough for func go goto if import interface map package range
return select struct switch type var true false nil iota
bool byte complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune string uint uint16 uint32 uint64
uint8 uintptr any
"""

LEXICON = Lexicon(
    vocabulary="go",
    optional=";",
    keywords=frozenset(_KEYWORDS.split()),
    rules=(
        *C_COMMENTS,
        BACKQUOTED_RAW,  # s := `a\` + "b\"" → name : = string + string
        DOUBLE_QUOTED,
        CHARACTER,  # r := '\n' → name : = string
        NUMBER_POINT,  # x := 1. + .5e-3 → name : = number + number
        POINT_NUMBER,
    ),
)

FRONTENDS = (Frontend("go", scanner(LEXICON), "own scanner", endings=(".go",), aliases=("golang",)),)
