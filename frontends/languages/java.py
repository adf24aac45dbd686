r"""Java.

The compiler undoes escapes such as `\u0061` before anything else: they may stand for quotes, blanks and line ends, too.
"""

from __future__ import annotations

import re

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import (
    C_COMMENTS,
    CHARACTER,
    DOUBLE_QUOTED,
    NUMBER_POINT,
    POINT_NUMBER,
    TRIPLE_QUOTED,
)
from frontends.lexing.scanner import Lexicon, scanner
from frontends.normalise.folding import TextRewrite

_KEYWORDS = """
abstract assert boolean break byte case catch char class const continue default do double else enum extends final
finally float for goto if implements import instanceof int interface long native new package private protected public
return short static strictfp super switch synchronized this throw throws transient try void volatile while
true false null var record sealed permits yield
"""

# in\u0074 x = "\\u0041"; → keyword name = string ;
_ESCAPE = re.compile(r"\\\\|\\u+([0-9A-Fa-f]{4})")  # of two backslashes the second begins no escape
ESCAPES = TextRewrite(_ESCAPE, lambda match: chr(int(match[1], 16)) if match[1] else None, (re.compile(r"\\u"),))

LEXICON = Lexicon(
    vocabulary="java",
    statements=True,
    own="this",
    keywords=frozenset(_KEYWORDS.split()),
    letters="$",
    first=(ESCAPES,),
    rules=(
        *C_COMMENTS,
        TRIPLE_QUOTED,  # s = """⏎a "b" c"""; → name = string ;
        DOUBLE_QUOTED,  # s = "// no comment"; // one → name = string ; comment
        CHARACTER,  # c = '"'; → name = string ;
        NUMBER_POINT,  # d = 1.5e-3f; → name = number ;
        POINT_NUMBER,  # d = .5; → name = number ;
    ),
)

FRONTENDS = (Frontend("java", scanner(LEXICON), "own scanner", endings=(".java",), aliases=("jav",)),)
