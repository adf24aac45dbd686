r"""Islands that many languages have: their comments, strings and numbers, written once.

Each pattern is linear on any input. It reads with possessive quantifiers, and once it has read more than a few
characters it cannot fail any more: what is never closed ends with the line or with the file.

A number that is written as one word (`42`, `0xFFu`, `1_000`) needs no island, as the scanner takes every word that
begins with a digit for a number; the rows here find those with a point, a signed exponent or an apostrophe in them.
"""

from __future__ import annotations

from frontends.lexing.scanner import LexicalRule, comment, number, string

SLASH_LINE = comment("/", r"/[^\n\r]*+")  # // to the end of the line
SLASH_STAR = comment("/", r"\*(?:[^*]++|\*(?!/))*+(?:\*/)?+")  # /* ... */
HASH_LINE = comment("#", r"[^\n\r]*+")


def _nested_comment(depth: int) -> str:
    deeper = rf"|/\*{_nested_comment(depth - 1)}" if depth else r"|/"
    return rf"(?:[^*/]++|\*(?!/)|/(?!\*){deeper})*+(?:\*/)?+"


NESTED_SLASH_STAR = comment("/", rf"\*{_nested_comment(6)}")  # /* /* */ */, up to seven deep

_QUOTED = r'(?:[^"\\\n\r]++|\\[^\n\r])*+"?+'

DOUBLE_QUOTED = string('"', _QUOTED)
DOUBLE_QUOTED_CONTINUED = string('"', r'(?:[^"\\\n\r]++|\\(?:\r\n|.))*+"?+')  # a backslash joins the next line
DOUBLE_QUOTED_LINES = string('"', r'(?:[^"\\]++|\\.)*+"?+')  # may run over lines
SINGLE_QUOTED = string("'", r"(?:[^'\\\n\r]++|\\[^\n\r])*+'?+")
SINGLE_QUOTED_CONTINUED = string("'", r"(?:[^'\\\n\r]++|\\(?:\r\n|.))*+'?+")
SINGLE_QUOTED_LINES = string("'", r"(?:[^'\\]++|\\.)*+'?+")
TRIPLE_QUOTED = string('"', r'""(?:[^"\\]++|\\.|"(?!""))*+(?:""")?+')  # """ ... """, with escapes
TRIPLE_QUOTED_RAW = string('"', r'""(?:[^"]++|"(?!""))*+"*+')  # without escapes; the last quotes all belong to it
BACKQUOTED_RAW = string("`", r"[^`]*+`?+")

CHARACTER = string(  # a character (or what it is folded to) or an escape; else the sign stands alone
    "'", r"(?:[^'\\\n\r]{0,4}+|\\[^\n\r]{1,10}?)'"
)


def hole(left: str, right: str, *, lines: bool = False, depth: int = 3) -> str:
    """The rest of an interpolated expression: strings and nested brackets in it, and what closes it.

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


NUMBER_POINT = number("0-9", _digits(r"(?:\.(?:\w|'(?=\w))*+)?+"))  # 1. and 1.5e-3: the point is always its own
NUMBER_FRACTION = number("0-9", _digits(r"(?:\.(?=[0-9])\w*+)?+"))  # 1.5, but 1..2 and 1.max(2) are not fractions
NUMBER_LAST_POINT = number("0-9", _digits(r"(?:\.(?:(?=[0-9])\w*+|(?![.\w])))?+"))  # and 1. where no name follows
POINT_NUMBER = number(".", r"(?<!\.\.)[0-9]\w*+(?:(?<=[eE])[+-]\w++)?+")  # .5

C_COMMENTS: tuple[LexicalRule, ...] = (SLASH_LINE, SLASH_STAR)
