"""C#."""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import C_COMMENTS, CHARACTER, DOUBLE_QUOTED, NUMBER_FRACTION, POINT_NUMBER, hole
from frontends.lexing.scanner import Lexicon, scanner, string
from frontends.normalise.folding import LINE_ENDS

_KEYWORDS = """
abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else
enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock
long namespace new null object operator out override params private protected public readonly ref return sbyte sealed
short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using
virtual void volatile while
async await dynamic get init nint nuint partial record required set var when where with yield
"""

# @"C:\" + @"a ""b""" → string + string
_VERBATIM = r'"(?:[^"]++|"")*+"?+'


def _raw(quotes: str) -> str:
    """An expression for the rest of a string that at least three quotes open, and as many close."""
    return rf'(?P<{quotes}>""++)(?:[^"]++|(?!"(?P={quotes}))"++)*+(?:"(?P={quotes})"*+)?+'


_INTERPOLATED = rf'"(?!"")(?:[^"\\{{\n\r]++|\\[^\n\r]|\{{\{{|\{{{hole("{", "}")})*+"?+'
_INTERPOLATED_VERBATIM = rf'"(?:[^"{{]++|""|\{{\{{|\{{{hole("{", "}", lines=True)})*+"?+'

LEXICON = Lexicon(
    statements=True,
    own="this",
    vocabulary="csharp",
    keywords=frozenset(_KEYWORDS.split()),
    first=(LINE_ENDS,),
    rules=(
        *C_COMMENTS,
        string("@", _VERBATIM),  # @"a⏎b" c → string name
        string("@", rf"\${_INTERPOLATED_VERBATIM}"),  # @$"a {f("x")}⏎b" c → string name
        string("$", rf"@{_INTERPOLATED_VERBATIM}"),  # $@"a {f("x")}⏎b" c → string name
        string("$", _INTERPOLATED),  # $"a {f("x")} {{" c → string name
        string("$", rf'(?<!\$\$)\$*+"{_raw("quotes_behind_dollars")}'),  # $$"""a "b" {{x}}""" c → string name
        string('"', _raw("quotes")),  # """a "b"⏎c""" d → string name
        DOUBLE_QUOTED,
        CHARACTER,
        NUMBER_FRACTION,
        POINT_NUMBER,
    ),
)

FRONTENDS = (Frontend("csharp", scanner(LEXICON), "own scanner", endings=(".cs", ".csx"), aliases=("c#", "cs")),)
