r"""SPICE netlists: the letter that a component's name begins with is the component, and all else of its line is names.

A title or comment line begins with a star, and commands begin with a point.

    >>> [(found.lastgroup, found[0]) for found in _PIECES.finditer("R1 in out 4.7k ; load\n.tran 1m")]
    [('keyword', 'R'), ('name', '1'), ('name', 'in'), ('name', 'out'), ('number', '4.7k'), ('comment', '; load'),
     ('keyword', '.tran'), ('number', '1m')]
    >>> [found.lastgroup for found in _PIECES.finditer("* a title\nV1 a 0 DC 5 'x'")]
    ['comment', 'keyword', 'name', 'name', 'number', 'keyword', 'number', 'string']
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


def _painted_spans(text: str) -> Iterator[tuple[int, int, Paint]]:
    for piece in _PIECES.finditer(text):
        yield piece.start(), piece.end(), Paint[str(piece.lastgroup).upper()]


def scan(text: str) -> Tokens:
    """The structure and text channels of a netlist."""
    folded = fold(text)
    return painted_tokens("spice", folded, colours(len(folded.text), _painted_spans(folded.text)))


FRONTENDS = (
    Frontend(
        "spice", scan, "own scanner", endings=(".cir", ".ckt", ".sp", ".spice", ".net"), aliases=("pspice", "ltspice")
    ),
)
