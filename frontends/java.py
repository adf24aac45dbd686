"""Java."""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.islands import C_COMMENTS, CHARACTER, DOUBLE_QUOTED, NUMBER_POINT, POINT_NUMBER, TRIPLE_QUOTED
from frontends.scanner import Lexicon, scanner

_KEYWORDS = """
abstract assert boolean break byte case catch char class const continue default do double else enum extends final
finally float for goto if implements import instanceof int interface long native new package private protected public
return short static strictfp super switch synchronized this throw throws transient try void volatile while
true false null var record sealed permits yield
"""

LEXICON = Lexicon(
    vocabulary="java",
    keywords=frozenset(_KEYWORDS.split()),
    letters="$",
    islands=(*C_COMMENTS, TRIPLE_QUOTED, DOUBLE_QUOTED, CHARACTER, NUMBER_POINT, POINT_NUMBER),
)

FRONTENDS = (Frontend("java", scanner(LEXICON), "own scanner", endings=(".java",), aliases=("jav",)),)
