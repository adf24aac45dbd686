"""SPICE netlists: the letter that a component's name begins with is the component, and all else of its line is names.

A title or comment line begins with a star, and commands begin with a point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from frontends.frontend import Frontend
from frontends.lexing.lexer_adapter import Paint, colours, painted_tokens
from frontends.normalise.folding import fold
from moss.model import Tokens

_PIECES = re.compile(
    r"(?P<comment>(?<![^\n\r])[ \t]*+\*[^\n\r]*+|[;$][^\n\r]*+)"
    r"|(?P<keyword>(?<![^\n\r])[A-Za-z]|\.[A-Za-z]++"
    r"|\b(?:ac|dc|sin|pulse|pwl|exp|sffm|nmos|pmos|npn|pnp|njf|pjf|tran|noise|params|on|off)\b)"
    r"|(?P<name>(?<=(?<![^\n\r])[A-Za-z])\w++|[^\W\d]\w*+)"
    r"|(?P<number>\d\w*+(?:\.\w*+)?+(?:(?<=[eE])[+-]\w++)?+|\.\d\w*+(?:(?<=[eE])[+-]\w++)?+)"
    r"|(?P<string>\"[^\"\n\r]*+\"?+|'[^'\n\r]*+'?+)",
    re.IGNORECASE,
)


def _stretches(text: str) -> Iterator[tuple[int, int, Paint]]:
    for piece in _PIECES.finditer(text):
        yield piece.start(), piece.end(), Paint[str(piece.lastgroup).upper()]


def scan(text: str) -> Tokens:
    """Both channels of a netlist."""
    folded = fold(text)
    return painted_tokens("spice", folded, colours(len(folded.text), _stretches(folded.text)))


FRONTENDS = (
    Frontend(
        "spice", scan, "own scanner", endings=(".cir", ".ckt", ".sp", ".spice", ".net"), aliases=("pspice", "ltspice")
    ),
)
