"""Findings of a benchmark: paragraphs, tables and pictures, for the terminal and for a page of documentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill


@dataclass(frozen=True)
class Table:
    """Rows under headings; all but the first column are figures, aligned to the right, unless all are words."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: bool = False  # not figures, so nothing is aligned to the right

    def plain(self) -> str:
        """For the terminal."""
        widths = [max(len(row[i]) for row in [self.headings, *self.rows]) for i in range(len(self.headings))]
        lines = []
        for row in [self.headings, *self.rows]:
            cells = [
                row[0].ljust(widths[0]),
                *(
                    cell.ljust(width) if self.words else cell.rjust(width)
                    for cell, width in zip(row[1:], widths[1:], strict=True)
                ),
            ]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)

    def markdown(self) -> str:
        """For a page."""
        rule = ["---", *["---" if self.words else "---:"] * (len(self.headings) - 1)]
        return "\n".join("| " + " | ".join(row) + " |" for row in [self.headings, rule, *self.rows])


@dataclass(frozen=True)
class Picture:
    """An SVG, the name of its file, and what it shows in words."""

    name: str
    shows: str
    svg: str


@dataclass(frozen=True)
class Section:
    """One finding."""

    title: str
    parts: Sequence[str | Table | Picture] = field(default_factory=list)


def printed(section: Section) -> str:
    """The section for the terminal; pictures are left out."""
    return "\n\n".join([f"== {section.title}", *_plain(section)]) + "\n"


def _plain(section: Section) -> Iterator[str]:
    for part in section.parts:
        if isinstance(part, Table):
            yield part.plain()
        elif isinstance(part, str):
            yield fill(part, 118)


def written(sections: Sequence[Section], heading: str, path: Path, images: Path) -> None:
    """Write the page, and its pictures into the folder of images beside it."""
    images.mkdir(parents=True, exist_ok=True)
    blocks = [heading]
    for section in sections:
        blocks.append(f"## {section.title}")
        for part in section.parts:
            if isinstance(part, Picture):
                (images / part.name).write_text(part.svg)
                blocks.append(f"![{part.shows}]({images.name}/{part.name})")
            else:
                blocks.append(part.markdown() if isinstance(part, Table) else fill(part, 118))
    path.write_text("\n\n".join(blocks) + "\n")
