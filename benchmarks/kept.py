"""The figures that docs/performance.md shows: benchmarks keep their tables in a JSON file, the page is made from it.

    python benchmarks/kept.py            # fill the tables of docs/performance.md from docs/performance.json
    python benchmarks/kept.py --check    # only say whether they agree

Each table is kept with the command that printed it, the day and the machine. A program that is run again replaces its
own tables and no others, so a part of the page can be measured anew. In the page a table stands between two comments,
of which the first names it: `<!-- measured: NAME -->` and `<!-- end of NAME -->`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from findings import Table

ROOT = Path(__file__).parents[1]
FIGURES, PAGE = ROOT / "docs" / "performance.json", ROOT / "docs" / "performance.md"

_PLACE = re.compile(r"(<!-- measured: ([a-z-]+) -->\n).*?(<!-- end of \2 -->)", re.DOTALL)


def add_option(parser: argparse.ArgumentParser) -> None:
    """Let a program be told where to keep its tables."""
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep the tables in this file too, as JSON")


def show(file: Path | None, name: str, table: Table, lines: Sequence[str] = ()) -> None:
    """Print a table and the lines that belong to it, and keep them if a file is given."""
    print("\n".join(["", table.plain(), *lines]), flush=True)
    if file is not None:
        known = json.loads(file.read_text()) if file.exists() else {}
        known[name] = {
            "command": _command(),
            "day": datetime.now(UTC).strftime("%Y-%m-%d"),
            "machine": machine(),
            "headings": list(table.headings),
            "rows": [list(row) for row in table.rows],
            "lines": list(lines),
        }
        file.write_text(json.dumps(dict(sorted(known.items())), indent=1, ensure_ascii=False) + "\n")


def _command() -> str:
    """The command that was typed, without the places of files on this machine."""
    words, given = [f"benchmarks/{Path(sys.argv[0]).name}"], iter(sys.argv[1:])
    for word in given:
        if word.partition("=")[0] in ("--keep", "--corpora", "--peers-in", "--before"):
            if "=" not in word:
                next(given, None)
        else:
            words.append(word)
    return " ".join(["python", *words])


def machine() -> str:
    """The machine and the versions, in one line."""
    found = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    models = {line.partition(":")[2].strip() for line in found.splitlines() if line.startswith("model name")}
    kind = ", ".join(sorted(models)) or platform.machine()
    load = f"load {os.getloadavg()[0]:.1f}"
    return f"{kind}, {os.cpu_count()} cores, Python {platform.python_version()}, {load}"


def filled(page: str, figures: Mapping[str, Any]) -> str:
    """The page with its tables as they were measured; a table that nobody has measured says so."""
    return _PLACE.sub(lambda place: f"{place[1]}{_shown(figures.get(place[2]))}\n{place[3]}", page)


def _shown(kept: Mapping[str, Any] | None) -> str:
    if kept is None:
        return "Not measured yet."
    origin = f"`{kept['command']}`, {kept['day']}: {kept['machine']}."
    listed = [f"- {line}" for line in kept["lines"]]
    parts = [origin, Table(kept["headings"], kept["rows"]).markdown(), "\n".join(listed)]
    return "\n\n".join(part for part in parts if part)


def main() -> None:
    """Fill the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, and fail if the page does not agree")
    parser.add_argument("--figures", type=Path, default=FIGURES, metavar="FILE")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE")
    given = parser.parse_args()
    page = given.page.read_text()
    wanted = filled(page, json.loads(given.figures.read_text()))
    if page == wanted:
        print(f"{given.page.name} agrees with {given.figures.name}")
    elif given.check:
        sys.exit(f"{given.page.name} does not agree with {given.figures.name}: run python benchmarks/kept.py")
    else:
        given.page.write_text(wanted)
        print(f"{given.page.name} has been filled from {given.figures.name}")


if __name__ == "__main__":
    main()
