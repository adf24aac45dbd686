"""Jupyter notebooks as the text that their authors wrote: the sources of all cells, without outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from moss.model import Cell

NOTEBOOK = ".ipynb"  # the ending of a notebook's name
MOST_CELLS = 2000  # that are told apart: each costs as much as a small file, and nobody writes so many
_REST = f"cells {MOST_CELLS + 1} to "
_SURROGATES = re.compile("[\ud800-\udfff]")


def extract(notebook: str) -> tuple[str, tuple[Cell, ...]]:
    """The cells' sources one after another and where each of them lies; raises ValueError if it is no notebook."""
    import json

    try:
        content = json.loads(notebook)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    language = _language(content)
    pieces: list[str] = []
    cells: list[Cell] = []
    start = 0
    for number, cell in enumerate(_cells(content), 1):
        source = _source(cell)
        if not source:
            continue
        if len(cells) <= MOST_CELLS:
            cells.append(Cell(f"cell {number}", _cell_language(cell, language), start, start + len(source)))
        else:
            cells[-1] = Cell(f"{_REST}{number}", language, cells[-1].start, start + len(source))
        pieces.append(source if source.endswith("\n") else source + "\n")
        start += len(pieces[-1])
    return "".join(pieces), tuple(cells)


def has_rest(cells: Sequence[Cell]) -> bool:
    """Whether some cells, too many to be told apart, are one."""
    return bool(cells) and cells[-1].label.startswith(_REST)


def _cells(content: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(content, dict):
        raise ValueError("not an object")
    sheets = content.get("worksheets", [content])  # format 3 had sheets of cells
    if not isinstance(sheets, list):
        raise ValueError("no cells")
    for sheet in sheets:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        if not isinstance(cells, list):
            raise ValueError("no cells")
        for cell in cells:
            if not isinstance(cell, dict):
                raise ValueError("a cell that is not an object")
            yield cell


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise ValueError("a cell without text")
    # JSON can spell half a character, which nothing downstream could write.
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", source)


def _language(content: Any) -> str:
    metadata = _object(content, "metadata")
    for section, key in (("kernelspec", "language"), ("language_info", "name")):
        name = _object(metadata, section).get(key)
        if isinstance(name, str) and name.strip():
            return name.strip().lower()
    return "python"


def _cell_language(cell: dict[str, Any], default: str) -> str:
    if cell.get("cell_type", "code") != "code":
        return "text"
    language = cell.get("language")  # format 3 says it for each cell
    return language.lower() if isinstance(language, str) and language else default


def _object(parent: Any, key: str) -> dict[str, Any]:
    value = parent.get(key) if isinstance(parent, dict) else None
    return value if isinstance(value, dict) else {}
