"""Rust."""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import DOUBLE_QUOTED_LINES, NESTED_SLASH_STAR, NUMBER_LAST_POINT, SLASH_LINE
from frontends.lexing.scanner import Lexicon, scanner, string

_KEYWORDS = """
as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub
ref return self Self static struct super trait true type union unsafe use where while yield
abstract become box do final macro override priv try typeof unsized virtual
bool char f32 f64 i128 i16 i32 i64 i8 isize str u128 u16 u32 u64 u8 usize
"""

# r"a\" b → string name
_RAW = string('"', r'(?<=r")[^"]*+"?+')
# br##"a "# b"## c → string name
_RAW_FENCED = string(  # any number of # on both sides
    "#", r'(?<=r#)(?P<fence>#*+)"(?:[^"]++|"(?!#(?P=fence)))*+(?:"#(?P=fence))?+'
)
# 'a' '\u{41}' b'\n' &'a str → string string string & ' name keyword
_CHARACTER = string(  # without a second quote it is a lifetime
    "'", r"(?:[^'\\\n\r]|\\(?:u\{[0-9A-Fa-f_]{1,8}\}|x[0-9A-Fa-f]{2}|[^\n\r]))'"
)

LEXICON = Lexicon(
    vocabulary="rust",
    keywords=frozenset(_KEYWORDS.split()),
    prefixes=frozenset({"b", "r", "br", "c", "cr"}),
    rules=(SLASH_LINE, NESTED_SLASH_STAR, _RAW, _RAW_FENCED, DOUBLE_QUOTED_LINES, _CHARACTER, NUMBER_LAST_POINT),
)

FRONTENDS = (Frontend("rust", scanner(LEXICON), "own scanner", endings=(".rs",), aliases=("rs",)),)
