"""Where the servers that tests start are installed, and what to say when they are not."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from browser.tools import lacking

PLACES = (
    "/usr/lib/postgresql/*/bin",  # Debian
    "/usr/pgsql-*/bin",  # Fedora and its kin
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/opt/homebrew/bin",
    "/usr/local/bin",
)
NO_POSTGRES = "PostgreSQL 15 or newer is missing: apt install postgresql (Debian), brew install postgresql@16 (macOS)"


def found(name: str) -> list[str]:
    """Where a program is: on the path, and then in the places where installers put it."""
    folders = [folder for place in PLACES for folder in Path("/").glob(place[1:])]
    return [path for path in (shutil.which(name), *(shutil.which(name, path=folder) for folder in folders)) if path]


def version(program: str) -> int:
    """The first number in what a program says of its version; 0 when it does not run."""
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    number = re.search(r"\d+", told)
    return int(number[0]) if number else 0


def postgres_programs() -> Path:
    """The folder with the programs of the newest PostgreSQL that is installed."""
    newest = max(found("initdb"), key=version, default=None)
    if newest is None or version(newest) < 15:
        lacking(NO_POSTGRES)
    return Path(newest).resolve().parent  # a link to it may stand where its companions do not
