r"""Lexical rules that many languages have: comments, strings and numbers, written once, each with an example.

Each pattern is linear on any input. It reads with possessive quantifiers, and once it has read more than a few
characters it cannot fail any more: what is never closed ends with the line or with the file.

A number that is written as one word (`42`, `0xFFu`, `1_000`) needs no rule, as the scanner takes every word that
begins with a digit for a number; the rules here find those with a point, a signed exponent or an apostrophe in them.
"""

from __future__ import annotations

from frontends.lexing.scanner import LexicalRule, comment, number, string

# a // b⏎c → name comment name
SLASH_LINE = comment("/", r"/[^\n\r]*+")
# a /* b⏎c */ d → name comment name
SLASH_STAR = comment("/", r"\*(?:[^*]++|\*(?!/))*+(?:\*/)?+")
# a # b⏎c → name comment name
HASH_LINE = comment("#", r"[^\n\r]*+")


def _nested_comment(depth: int) -> str:
    deeper = rf"|/\*{_nested_comment(depth - 1)}" if depth else r"|/"
    return rf"(?:[^*/]++|\*(?!/)|/(?!\*){deeper})*+(?:\*/)?+"


# /* a /* b */ c */ d → comment name
NESTED_SLASH_STAR = comment("/", rf"\*{_nested_comment(6)}")  # up to seven deep

_QUOTED = r'(?:[^"\\\n\r]++|\\[^\n\r])*+"?+'

# "a \" b" c "d⏎e → string name string name
DOUBLE_QUOTED = string('"', _QUOTED)
# "a \⏎ b" c → string name
DOUBLE_QUOTED_CONTINUED = string('"', r'(?:[^"\\\n\r]++|\\(?:\r\n|.))*+"?+')  # a backslash joins the next line
# "a⏎b" c → string name
DOUBLE_QUOTED_LINES = string('"', r'(?:[^"\\]++|\\.)*+"?+')
# 'a \' b' c 'd⏎e → string name string name
SINGLE_QUOTED = string("'", r"(?:[^'\\\n\r]++|\\[^\n\r])*+'?+")
# 'a \⏎ b' c → string name
SINGLE_QUOTED_CONTINUED = string("'", r"(?:[^'\\\n\r]++|\\(?:\r\n|.))*+'?+")
# 'a⏎b' c → string name
SINGLE_QUOTED_LINES = string("'", r"(?:[^'\\]++|\\.)*+'?+")
# """a "b" \"""⏎c""" d → string name
TRIPLE_QUOTED = string('"', r'""(?:[^"\\]++|\\.|"(?!""))*+(?:""")?+')
# """a \"""" b → string name
TRIPLE_QUOTED_RAW = string('"', r'""(?:[^"]++|"(?!""))*+"*+')  # without escapes; the last quotes all belong to it
# `a \` b → string name
BACKQUOTED_RAW = string("`", r"[^`]*+`?+")

# 'a' '\'' '\u0041' 'abcde' → string string string ' name '
CHARACTER = string(  # a character (or what it is folded to) or an escape; else the sign stands alone
    "'", r"(?:[^'\\\n\r]{0,4}+|\\[^\n\r]{1,10}?)'"
)


def hole(left: str, right: str, *, lines: bool = False, depth: int = 3) -> str:
    """An expression for the rest of interpolated code, up to the bracket that closes it, through strings and brackets.

    >>> import re
    >>> re.match(hole("{", "}"), 'f("}") + {1} } and more')[0]
    'f("}") + {1} }'

    It ends with the line if it is never closed, or with the file if it may have several `lines`.
    """
    nested = rf"\{left}{hole(left, right, lines=lines, depth=depth - 1)}" if depth else rf"\{left}"
    newline = "" if lines else r"\n\r"
    return rf'(?:[^{left}{right}"{newline}]++|"{_QUOTED}|{nested})*+\{right}?+'


def _digits(fraction: str) -> str:
    """A number in hexadecimal or decimal with this kind of fraction; tried only where there is more than one word."""
    return (
        r"(?=\w*+(?:[.']|(?<=[eEpP])[+-]))"
        rf"(?:(?<=0)[xX](?:\w|'(?=\w))*+{fraction}(?:(?<=[pP])[+-]\w++)?+"
        rf"|(?:\w|'(?=\w))*+{fraction}(?:(?<=[eE])[+-]\w++)?+)"
    )


# 1. 1.5e-3 1'000 0x1.8p+1 → number number number number
NUMBER_POINT = number("0-9", _digits(r"(?:\.(?:\w|'(?=\w))*+)?+"))  # a point behind digits is always the number's
# 1.5 1..2 1.max → number number . . number number . name
NUMBER_FRACTION = number("0-9", _digits(r"(?:\.(?=[0-9])\w*+)?+"))
# 1.5 1. 1..2 1.max → number number number . . number number . name
NUMBER_LAST_POINT = number("0-9", _digits(r"(?:\.(?:(?=[0-9])\w*+|(?![.\w])))?+"))
# .5e-3 a.5 1...2 → number name . number number . . . number
POINT_NUMBER = number(".", r"(?<!\.\.)[0-9]\w*+(?:(?<=[eE])[+-]\w++)?+")

C_COMMENTS: tuple[LexicalRule, ...] = (SLASH_LINE, SLASH_STAR)
