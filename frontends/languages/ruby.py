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
    """An expression for the rest of a string, through code that is interpolated to some depth."""
    code = r"[^}]*+"
    if depth:
        text = rf'[^{{}}"\'$/]++|\$.?+|"{_until(chr(34), depth - 1)}|\'{_PLAIN}|(?<=[(\[,])/(?:[^/\\]++|\\.?+)*+/?+|/'
        code = rf"(?:{text}|\{{(?:{text}|\{{[^}}]*+\}}?+)*+\}}?+)*+"
    return rf"(?:[^{close}\\#]++|\\.?+|\#(?!\{{)|\#\{{{code}\}}?+)*+{close}?+"


def _nested(opens: str, close: str, depth: int = 3) -> str:
    """An expression for a bracketed text, through brackets inside it to some depth."""
    inner = _nested(opens, close, depth - 1) if depth else rf"\{opens}"
    return rf"\{opens}(?:[^\{opens}\{close}\\]++|\\.?+|{inner})*+\{close}?+"


def _heredoc(marks: str, first: str, name: str) -> str:
    """An expression for the rest of a heredoc behind the first sign of `<<NAME`, up to the line that ends its text."""
    return (
        rf"(?<![\w)\]<].)<{marks}(?P<{name}_quote>[\"'`]?+)(?P<{name}>{first}\w*+)(?P={name}_quote)"
        rf"[^\n\r]{{0,60}}+{_BREAK}"
        rf"(?:(?![ \t]*+(?P={name})[\r\n])[^\n\r]*+{_BREAK})*+(?:[ \t]*+(?P={name})(?![^\r\n])|[^\n\r]*+)"
    )


_BRACKETED = "|".join(_nested(*pair) for pair in ("()", "[]", "{}", "<>"))
_BOUNDED = r"(?P<bound>[^\w\s()\[\]{}<>])(?:\\.?+|(?!(?P=bound)).)*+(?P=bound)?+"
# a % b; %w[c [d] e] + %q|f| → name % name ; string + string
_PERCENT = (
    r"(?<![\w)\]}\"'.].)(?<!\bdef .)"  # else it is a sign
    rf"(?:[qQwWiIrsx]?+(?:{_BRACKETED})|(?:[qQwWiIrsx]|(?=\|)){_BOUNDED})[a-z]*+"
)
_BEFORE_VALUE = "if unless and or not when while until return then elsif in"
# Lookbehinds, each of one width, for what may stand before a regular expression but not before a division.
# a / b / c → name / name / name
# if /a"#{b}/i =~ c → keyword string = ~ name
_BEFORE_REGEX = (
    *(rf"(?<=[(,=~!|&?:;{{\[\n\r+*<>]{gap}/)" for gap in ("", " ")),
    *(rf"(?<=\b{word}{gap}/)" for word in _BEFORE_VALUE.split() for gap in ("", " ")),
    r"(?<=\s/)(?<!\bdef /)(?!\s)",
    r"(?<=\s[ \t]/)(?=[\n\r])",
)

_WORD = r"[@$]{0,2}[^\W\d]\w*+(?:[?!](?!=))?+"
_SIGNS = r"\[\]=?+|[+\-!~]@|[+\-*/%<>=!~^&|]{1,3}"

LEXICON = Lexicon(
    vocabulary="ruby",
    optional=";",
    keywords=frozenset(_KEYWORDS.split()),
    letters="@$",
    rules=(
        HASH_LINE,
        # =begin⏎a⏎=end⏎b → comment name
        comment("=", r"(?<![^\n\r]=)begin\b(?:[^\n\r]++|[\n\r](?!=end\b))*+(?:[\n\r]=end[^\n\r]*+)?+"),
        # a⏎__END__⏎b → name comment
        comment("_", r"(?<![^\n\r]_)_END__(?![^\r\n]).*+"),
        string('"', rf"(?<!\$.){_until(chr(34))}"),  # "a #{b["c"]} d" e → string name
        string("'", rf"(?<!\$.){_PLAIN}"),  # 'it\'s' a → string name
        string("`", rf"(?<![$.:].){_until('`')}"),  # `ls #{a}` b → string name
        string("/", rf"(?:{'|'.join(_BEFORE_REGEX)})(?!=\s){_until('/')}[a-z]*+"),
        string("%", _PERCENT),
        # a(<<~TEXT)⏎  b 'c'⏎  TEXT⏎d → name ( string name
        string("<", _heredoc("[~-]", r"[^\W\d]", "indented")),
        # a = <<END⏎b 'c'⏎END⏎d; x << y → name = string name ; name < < name
        string("<", _heredoc("", "[A-Z_]", "plain")),
        # [?a, b ? c : d] → [ string , name ? name : name ]
        string("?", r"(?<![^\s(,\[=|{].)(?:\\(?:[CM]-)?+.|[^\s\\])(?!\w)"),
        # {:a => :"b c", d: :+} → { string = > string , name : string }
        string(":", rf"(?<![\w:)\]}}\"'?].)(?:{_WORD}|{_SIGNS}|\"{_until(chr(34))}|'{_PLAIN})"),
        NUMBER_FRACTION,  # 1.5 1..2 3.times → number number . . number number . name
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
