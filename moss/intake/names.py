"""Names that are safe to keep, safe to print and unique."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence

from frontends import for_path
from moss.intake.entries import UnreadableError
from moss.messages import gettext as _
from moss.messages import number

LONGEST_PATH = 4096

ARCHIVE_SUFFIXES = (
    ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tgz", ".tbz2", ".tbz", ".txz", ".tzst", ".tar", ".zip", ".jar",
    ".7z", ".rar", ".bundle", ".gz", ".bz2", ".xz", ".zst",
)  # fmt: skip

_TEXT_ENDINGS = frozenset({".ipynb", ".docx", ".odt", ".pdf", ".rtf", ".epub", ".txt", ".md"})
_ADDED_BY_PLATFORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r" ?\(\d+\)\Z",  # a browser that has downloaded it before
        r"[- ]\d{3,}\Z",  # Moodle
        r"\Agradebook \S+ |[- ]\d{4}(?:-\d\d){5}\Z",  # Blackboard
        r" download \w{3,9} \d{1,2}, \d{4} \d{3,4} [ap]m\Z",  # Brightspace
    )
)
_DRIVE = re.compile(r"[A-Za-z]:")
_UNPRINTABLE = re.compile("[\0\ud800-\udfff]")


def displayable(name: str) -> str:
    """The name with every character that cannot be written as UTF-8 replaced."""
    if name.isascii() and "\0" not in name:
        return name
    # A name on disk holds undecodable bytes as lone surrogates, which no file or terminal accepts.
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", name)


def seen(name: str) -> str:
    """The name; if nothing of it can be seen, as of a folder that somebody called by a space, its characters' numbers.

    >>> seen("  ")
    'U+0020 U+0020'
    """
    if any(char.isprintable() and not char.isspace() for char in name):
        return name
    return " ".join(f"U+{ord(char):04X}" for char in name)


def member_path(name: str) -> str:
    """The safe relative path of an archive member, empty for the archive's own root; raises UnreadableError."""
    path = name.replace("\\", "/")
    if "\0" in path:
        raise UnreadableError(_("refused, because its name contains a NUL character"))
    if path.startswith("/") or _DRIVE.match(path):
        raise UnreadableError(_("refused, because its name is an absolute path"))
    if len(path) > LONGEST_PATH:
        raise UnreadableError(_("refused, because its name is longer than %(n)s characters", n=number(LONGEST_PATH)))
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise UnreadableError(_("refused, because its name leads out of the archive"))
    return displayable("/".join(parts))


def without_archive_suffix(name: str) -> str:
    """The name of what an archive holds: `alice` for `alice.tar.gz`."""
    lower = name.lower()
    for suffix in ARCHIVE_SUFFIXES:
        if lower.endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def stem_of(name: str) -> str:
    """The name of a file without an ending that says what is in it: `ann` for `ann.py`, but all of `ann.lee`."""
    stem, ending = os.path.splitext(name)
    known = ending.lower() in _TEXT_ENDINGS or for_path(name) is not None
    return stem if ending and known else name


def title_of_download(name: str) -> str:
    """The title of an assignment, as far as the name of its download tells.

    >>> title_of_download("CS101-Homework 3-4711.zip")
    'CS101-Homework 3'
    >>> title_of_download("gradebook_CS101_Sorting_2025-10-03-22-05-00.zip")
    'Sorting'
    """
    title = stem_of(without_archive_suffix(name)).replace("_", " ")
    for added in _ADDED_BY_PLATFORMS:
        title = added.sub("", title)
    return " ".join(title.split())


def unique_ids(paths: Sequence[tuple[str, ...]]) -> list[str]:
    """For each path, its last component, preceded by as many of its parents as make it unique, else numbered."""
    distinct = sorted(set(paths))
    depth = dict.fromkeys(distinct, 1)
    while True:
        names = {path: "/".join(path[-depth[path] :]) for path in distinct}
        count = Counter(names.values())
        longer = [path for path in distinct if count[names[path]] > 1 and depth[path] < len(path)]
        if not longer:
            return numbered([names[path] for path in paths], lambda name: (name, ""))
        for path in longer:
            depth[path] += 1


def numbered(names: Sequence[str], split: Callable[[str], tuple[str, str]] = os.path.splitext) -> list[str]:
    """The names in order, every repetition with ` (2)`, ` (3)`, … where `split` divides it: before its ending."""
    taken = set(names)
    if len(taken) == len(names):
        return list(names)
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        candidate, (stem, ending) = name, split(name)
        while seen[name] > 1 and (candidate := f"{stem} ({seen[name]}){ending}") in taken:
            seen[name] += 1
        taken.add(candidate)
        result.append(candidate)
    return result
