"""Ruby.

What a slash, a percent sign, a question mark or `<<` begins depends on what stands before it, and that tells nearly
always. A string is one token with what it interpolates, and so is a symbol. A heredoc's string runs from its `<<` to
its end, so the few signs behind the `<<NAME` belong to it; a long rest of that line makes it no heredoc, because a
program could hide there.
"""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import HASH_LINE, NUMBER_FRACTION
from frontends.lexing.scanner import Lexicon, comment, scanner, string

_KEYWORDS = """
BEGIN END __ENCODING__ __FILE__ __LINE__ alias and begin break case class def defined do else elsif end ensure false for
if in module next nil not or redo rescue retry return self super then true undef unless until when while yield
"""

_BREAK = r"(?:\r\n?+|\n)"
_PLAIN = r"(?:[^'\\]++|\\.?+)*+'?+"


def _until(close: str, depth: int = 2) -> str:
    """What follows the opening quote, through code that is interpolated to some depth."""
    code = r"[^}]*+"
    if depth:
        text = rf'[^{{}}"\'$/]++|\$.?+|"{_until(chr(34), depth - 1)}|\'{_PLAIN}|(?<=[(\[,])/(?:[^/\\]++|\\.?+)*+/?+|/'
        code = rf"(?:{text}|\{{(?:{text}|\{{[^}}]*+\}}?+)*+\}}?+)*+"
    return rf"(?:[^{close}\\#]++|\\.?+|\#(?!\{{)|\#\{{{code}\}}?+)*+{close}?+"


def _nested(opens: str, close: str, depth: int = 3) -> str:
    """A bracketed text, through brackets in it to some depth."""
    inner = _nested(opens, close, depth - 1) if depth else rf"\{opens}"
    return rf"\{opens}(?:[^\{opens}\{close}\\]++|\\.?+|{inner})*+\{close}?+"


def _heredoc(marks: str, first: str, name: str) -> str:
    """What follows the first sign of `<<NAME`, up to the line that ends the text."""
    return (
        rf"(?<![\w)\]<].)<{marks}(?P<{name}_quote>[\"'`]?+)(?P<{name}>{first}\w*+)(?P={name}_quote)"
        rf"[^\n\r]{{0,60}}+{_BREAK}"
        rf"(?:(?![ \t]*+(?P={name})[\r\n])[^\n\r]*+{_BREAK})*+(?:[ \t]*+(?P={name})(?![^\r\n])|[^\n\r]*+)"
    )


_BRACKETED = "|".join(_nested(*pair) for pair in ("()", "[]", "{}", "<>"))
_BOUNDED = r"(?P<bound>[^\w\s()\[\]{}<>])(?:\\.?+|(?!(?P=bound)).)*+(?P=bound)?+"
_PERCENT = (
    r"(?<![\w)\]}\"'.].)(?<!\bdef .)"  # else it is a sign
    rf"(?:[qQwWiIrsx]?+(?:{_BRACKETED})|(?:[qQwWiIrsx]|(?=\|)){_BOUNDED})[a-z]*+"
)
_BEFORE_VALUE = "if unless and or not when while until return then elsif in"
_BEFORE_REGEX = (
    *(rf"(?<=[(,=~!|&?:;{{\[\n\r+*<>]{gap}/)" for gap in ("", " ")),
    *(rf"(?<=\b{word}{gap}/)" for word in _BEFORE_VALUE.split() for gap in ("", " ")),
    r"(?<=\s/)(?<!\bdef /)(?!\s)",
    r"(?<=\s[ \t]/)(?=[\n\r])",
)
"""What may stand before a regular expression but not before a division, each of one width."""

_WORD = r"[@$]{0,2}[^\W\d]\w*+(?:[?!](?!=))?+"
_SIGNS = r"\[\]=?+|[+\-!~]@|[+\-*/%<>=!~^&|]{1,3}"

LEXICON = Lexicon(
    vocabulary="ruby",
    keywords=frozenset(_KEYWORDS.split()),
    letters="@$",
    islands=(
        HASH_LINE,
        comment("=", r"(?<![^\n\r]=)begin\b(?:[^\n\r]++|[\n\r](?!=end\b))*+(?:[\n\r]=end[^\n\r]*+)?+"),
        comment("_", r"(?<![^\n\r]_)_END__(?![^\r\n]).*+"),
        string('"', rf"(?<!\$.){_until(chr(34))}"),
        string("'", rf"(?<!\$.){_PLAIN}"),
        string("`", rf"(?<![$.:].){_until('`')}"),
        string("/", rf"(?:{'|'.join(_BEFORE_REGEX)})(?!=\s){_until('/')}[a-z]*+"),
        string("%", _PERCENT),
        string("<", _heredoc("[~-]", r"[^\W\d]", "indented")),
        string("<", _heredoc("", "[A-Z_]", "plain")),
        string("?", r"(?<![^\s(,\[=|{].)(?:\\(?:[CM]-)?+.|[^\s\\])(?!\w)"),
        string(":", rf"(?<![\w:)\]}}\"'?].)(?:{_WORD}|{_SIGNS}|\"{_until(chr(34))}|'{_PLAIN})"),
        NUMBER_FRACTION,
    ),
)

FRONTENDS = (
    Frontend(
        "ruby",
        scanner(LEXICON),
        "own scanner",
        endings=(".rb", ".rake", ".gemspec", ".ru"),
        aliases=("rb", "jruby"),
    ),
)
