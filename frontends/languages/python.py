"""Python.

An f-string is one string, whatever it interpolates; a string on a line of its own is a comment, and indentation layout.
`match`, `case`, `type` and `_` are names, because a program may use them as such.
"""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import (
    DOUBLE_QUOTED_CONTINUED,
    HASH_LINE,
    NUMBER_POINT,
    POINT_NUMBER,
    SINGLE_QUOTED_CONTINUED,
    TRIPLE_QUOTED,
)
from frontends.lexing.scanner import Lexicon, scanner, string

_KEYWORDS = """
False None True and as assert async await break class continue def del elif else except finally for from global if
import in is lambda nonlocal not or pass raise return try while with yield
"""
_PREFIXES = "r b u f t rb br fr rf tr rt ur"

LEXICON = Lexicon(
    vocabulary="python",
    optional=";",
    lone_strings=True,
    keywords=frozenset(_KEYWORDS.split()),
    prefixes=frozenset(_PREFIXES.split()),
    rules=(
        HASH_LINE,
        TRIPLE_QUOTED,
        # x = rb'''it's⏎one''' + f"{y!r}" → name = string + string
        string("'", r"''(?:[^'\\]++|\\.|'(?!''))*+(?:''')?+"),
        DOUBLE_QUOTED_CONTINUED,
        SINGLE_QUOTED_CONTINUED,
        NUMBER_POINT,  # 1_000.5e-3j → number
        POINT_NUMBER,
    ),
)

FRONTENDS = (
    Frontend(
        "python",
        scanner(LEXICON),
        "own scanner",
        endings=(".py", ".pyw", ".pyi", ".pyx", ".sage"),
        aliases=("py", "python3", "cython"),
    ),
)
