"""HTML pages that a Debian package brings: Python's documentation, or any folder of pages."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

_TAGS = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>", re.DOTALL | re.IGNORECASE)
_SPACE = re.compile(r"\s+")


def find_pages(folder: Path | None = None) -> list[Path]:
    """All HTML pages of the folder, or of Python's documentation where Debian puts it; or what to install."""
    folders = [folder] if folder else sorted(Path("/usr/share/doc").glob("python3*/html"))
    for found in folders:
        pages = sorted(found.rglob("*.html"))
        if pages:
            return pages
    raise SystemExit(
        f"no HTML pages in {folder}"
        if folder
        else "Python's documentation is missing: apt install python3-doc (Debian), or name any folder with HTML pages "
        "by --pages (for instance of a package unpacked by: apt-get download python3.11-doc && dpkg -x *.deb .)"
    )


def other_pages(pages: list[Path]) -> list[Path]:
    """HTML pages elsewhere in Debian's documentation: neither these nor Python's."""
    known = {path.resolve() for path in pages}
    found = sorted(path for path in Path("/usr/share/doc").rglob("*.html") if path.is_file())
    return [path for path in found if "python3" not in path.parts[4] and path.resolve() not in known]


def without_tags(page: str) -> str:
    """The text of a page without tags and white space, which the winnowing paper fingerprinted."""
    return _SPACE.sub("", unescape(_TAGS.sub(" ", page)))
