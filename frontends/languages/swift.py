"""Swift."""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import NESTED_SLASH_STAR, NUMBER_FRACTION, SLASH_LINE, hole
from frontends.lexing.scanner import Lexicon, scanner, string

_KEYWORDS = """
Any Self actor as associatedtype async await break case catch class continue convenience default defer deinit didSet do
dynamic else enum extension fallthrough false fileprivate final for func get guard if import in indirect infix init
inout internal is lazy let mutating nil nonisolated nonmutating open operator optional override postfix precedencegroup
prefix private protocol public repeat required rethrows return self set some static struct subscript super switch throw
throws true try typealias unowned var weak where while willSet
"""

# """⏎a \(f("b")) "c"⏎""" d → string name
_LINES = string('"', rf'""(?:[^"\\]++|"(?!"")|\\(?!\().|\\\({hole("(", ")", lines=True)})*+(?:""")?+')
# "a \(f("b")) c" d → string name
_QUOTED = string('"', rf'(?:[^"\\\n\r]++|\\[^(\n\r]|\\\({hole("(", ")")})*+"?+')
# ##"""⏎a "# \(b)⏎"""## c → string name
_FENCED_LINES = string("#", r'(?<!##)(?P<posts>#*+)"""(?:[^"]++|"(?!""#(?P=posts)))*+(?:"""#(?P=posts))?+')
# #"a "b" \"# c → string name
_FENCED = string("#", r'(?<!##)(?P<fence>#*+)"(?:[^"\n\r]++|"(?!#(?P=fence)))*+(?:"#(?P=fence))?+')

LEXICON = Lexicon(
    vocabulary="swift",
    optional=";",
    own="self",
    keywords=frozenset(_KEYWORDS.split()),
    letters="$",
    rules=(SLASH_LINE, NESTED_SLASH_STAR, _LINES, _QUOTED, _FENCED_LINES, _FENCED, NUMBER_FRACTION),
)

FRONTENDS = (Frontend("swift", scanner(LEXICON), "own scanner", endings=(".swift",)),)
