"""Tables on standard output: columns that fit the terminal, or all of it where there is none."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Print rows under headings; columns named in `right` are aligned to the right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    Console(width=None if sys.stdout.isatty() else 400, highlight=False).print(table)


def printable(text: str) -> str:
    """The text without what would move the cursor or change the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
