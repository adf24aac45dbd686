"""JavaScript and TypeScript, which share a vocabulary and so one scanner.

A slash begins a regular expression or divides: what stands before it tells, nearly always. A template literal is one
string, with what it interpolates; three levels of templates in templates are followed. Words that only TypeScript
reserves (`type`, `as`, `string`) are names, so that a program and its copy with type annotations keep most codes.
"""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import (
    C_COMMENTS,
    DOUBLE_QUOTED_CONTINUED,
    NUMBER_POINT,
    POINT_NUMBER,
    SINGLE_QUOTED_CONTINUED,
)
from frontends.lexing.scanner import Lexicon, comment, scanner, string
from frontends.normalise.folding import LINE_ENDS

_KEYWORDS = """
async await break case catch class const continue debugger default delete do else enum export extends false finally for
function if implements import in instanceof interface let new null of package private protected public return static
super switch this throw true try typeof undefined var void while with yield
"""

_BEFORE_VALUE = "return typeof case in of delete void throw do else await yield"
# Lookbehinds, each of one width, for what may stand before a regular expression but not before a division.
# a / b / c → name / name / name
# x = /[/]"/g; → name = string ;
# return /a b/.test(s) → keyword string . name ( name )
# i++ / 2 / n → name + + / number / name
_BEFORE_REGEX = (
    *(rf"(?<=[(,=:\[&|?{{}};~^%*\n\r]{gap}/)" for gap in ("", " ")),
    r"(?<=!/)",
    *(rf"(?<=(?<![{sign}])[{sign}]{gap}/)" for gap in ("", " ") for sign in ("+", "-")),
    *(rf"(?<==>{gap}/)" for gap in ("", " ")),
    r"(?<=[\t\n\r ][\t ]/)(?! )",
    r"(?<=\*/ /)(?! )",
    *(rf"(?<=\b{word}{gap}/)" for word in _BEFORE_VALUE.split() for gap in ("", " ")),
)

# x = /[/\]]/ → name = string
_CLASS = r"\[(?:[^\]\\\n\r]++|\\[^\n\r])*+\]?+"
_REGEX = rf"(?:[^/\\\[\n\r]++|\\[^\n\r]|{_CLASS})++(?:/[a-z]*+)?+"

_QUOTED = (r'"(?:[^"\\\n\r]++|\\.)*+"?+', r"'(?:[^'\\\n\r]++|\\.)*+'?+")


def _template(depth: int) -> str:
    """An expression for the rest of a template literal, through templates inside it to some depth."""
    code = r"[^}]*+"
    if depth:
        code = _code("|".join((rf"`{_template(depth - 1)}", *_QUOTED, rf"(?<=[(,=])/{_REGEX}", "/")))
    return rf"(?:[^`\\$]++|\\.?+|\$(?!\{{)|\$\{{{code}\}}?+)*+`?+"


def _code(literal: str, depth: int = 3) -> str:
    """An expression for interpolated code up to the brace that closes it, through blocks inside it to some depth."""
    block = rf"\{{{_code(literal, depth - 1)}\}}?+" if depth else r"\{"
    return rf"(?:[^{{}}`'\"/]++|{literal}|{block})*+"


LEXICON = Lexicon(
    vocabulary="javascript",
    optional=";",
    keywords=frozenset(_KEYWORDS.split()),
    letters="$",
    first=(LINE_ENDS,),
    rules=(
        *C_COMMENTS,
        string("/", rf"(?:{'|'.join(_BEFORE_REGEX)})(?![*/>]){_REGEX}"),
        DOUBLE_QUOTED_CONTINUED,
        SINGLE_QUOTED_CONTINUED,
        string("`", _template(2)),  # `a ${f({b: `c`})} d` + e → string + name
        comment("#", r"(?<!.#)![^\n\r]*+"),  # #!/usr/bin/env node⏎x → comment name
        NUMBER_POINT,
        POINT_NUMBER,
    ),
)

_scan = scanner(LEXICON)

FRONTENDS = (
    Frontend(
        "javascript",
        _scan,
        "own scanner",
        endings=(".js", ".jsx", ".mjs", ".cjs"),
        aliases=("js", "jsx", "node", "nodejs", "ecmascript"),
    ),
    Frontend("typescript", _scan, "own scanner", endings=(".ts", ".tsx", ".mts", ".cts"), aliases=("ts", "tsx")),
)
