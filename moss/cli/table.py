"""Tables on standard output: columns that fit the terminal, or all of it where there is none."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from unicodedata import combining, east_asian_width

from moss.messages import looked_up


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Print rows under headings, which are marked messages; columns named in `right` are aligned to the right."""
    cells = [[printable(cell) for cell in row] for row in rows]
    right = [_shown(heading) for heading in right]
    headings = [_shown(heading) for heading in headings]
    if sys.stdout.isatty():
        _print_folded(headings, cells, right)
        return
    columns = zip(*[[*headings], *cells], strict=True)
    widths = [max(map(_width, column)) for column in columns]
    for row in ([*headings], *cells):
        padded = [
            blank + cell if heading in right else cell + blank
            for cell, heading, width in zip(map(str.rstrip, row), headings, widths, strict=True)
            for blank in (" " * (width - _width(cell)),)
        ]
        print("  ".join(padded).rstrip())


def _print_folded(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str]) -> None:
    """Print a table whose cells are folded where they are too long for the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console(highlight=False).print(table)


def _shown(heading: str) -> str:
    """A heading in the reader's language; a second one of the same name has a space behind it."""
    return looked_up(heading.rstrip()) + heading[len(heading.rstrip()) :]


def _width(text: str) -> int:
    """The number of columns of the terminal that a text takes."""
    return len(text) if text.isascii() else sum(map(_places, text))


def _places(char: str) -> int:
    return 0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1


def printable(text: str) -> str:
    """The text without characters that would move the cursor or change the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
