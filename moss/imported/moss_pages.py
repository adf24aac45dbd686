"""Results of Stanford's MOSS, saved page by page: index.html, and for each pair matchN-top.html, -0.html, -1.html.

The index has names, percentages and the order; a pair's top page has the lines of its passages; the two side pages have
the programs. Pages that a browser or a script has saved differ in the case of tags and in their links, so nothing
depends on those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from typing import NamedTuple

from moss.imported.found import ForeignPair, ForeignPassage, ForeignResult, ForeignText
from moss.imported.result_files import ResultFiles
from moss.intake.encodings import decode
from moss.intake.limits import IntakeError
from moss.intake.names import displayable
from moss.messages import gettext
from moss.model import ImportedFrom, Problem

INDEX = ("index.html", "index.htm")
_MATCH = re.compile(r"match(\d{1,6})\.html?\Z")
_CELL = re.compile(r"(?P<name>.*?)\s*\((?P<percent>\d{1,3})%\)\s*\Z", re.DOTALL)
_LINES = re.compile(r"\s*(\d{1,9})-(\d{1,9})\s*\Z")
_PROGRAM = re.compile(r"<pre>\n?(.*)</pre>", re.IGNORECASE | re.DOTALL)
_BEGINNING = re.compile(r'<a name="?\d+"?></a>\s?<font[^<>]*>\s?<a [^<>]*>\s?<img[^<>]*>\s?</a>\n{0,2}', re.IGNORECASE)
_TAG = re.compile(r"</?(?:a|font|img|pre)\b[^<>]*>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|#\d{1,7});")
_OPTIONS = re.compile(r"Options\s+([^<\n]{1,500})")

_MEANING = (
    "the mean of the two percentages that MOSS printed, each the part of one program that lies in matched passages, "
    "rounded down. MOSS itself lists pairs by how much was matched. Tokens are words and signs."
)


class _Row(NamedTuple):
    """A pair as the index lists it."""

    number: str
    a: str
    b: str
    percent_a: int
    percent_b: int


class _Anchors(HTMLParser):
    """The links of a page, as addresses and texts."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self._address: str | None = None
        self._words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self._address, self._words = dict(attrs).get("href") or "", []

    def handle_data(self, data: str) -> None:
        if self._address is not None:
            self._words.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._address is not None:
            self.found.append((self._address, "".join(self._words)))
            self._address = None


def is_moss(files: ResultFiles) -> bool:
    """Whether these are saved pages of MOSS."""
    return any(name in files for name in INDEX)


def read_moss(files: ResultFiles) -> ForeignResult:
    """The findings of MOSS; raises IntakeError."""
    [index, *_] = [name for name in INDEX if name in files]
    page = _page(files, index)
    rows = list(_rows(page))
    if not rows and "No matches were found" not in page:
        raise IntakeError(gettext("there is no list of pairs in its %(page)s as MOSS writes it", page=index))
    texts: dict[str, dict[str, ForeignText]] = {}
    problems: list[Problem] = []
    pairs = [_pair(row, files, texts, problems) for row in rows if row.a != row.b]
    options = _OPTIONS.search(page)
    version = f"options {options[1].strip()}" if options else ""
    return ForeignResult(ImportedFrom("MOSS", _MEANING, version), texts, pairs, (), problems)


def _page(files: ResultFiles, path: str) -> str:
    return decode(files.read(path))[0].replace("\r\n", "\n")


def _anchors(page: str) -> list[tuple[str, str]]:
    parser = _Anchors()
    parser.feed(page)
    parser.close()
    return parser.found


def _rows(page: str) -> Iterator[_Row]:
    """The pairs of the index: two links to one match, each with a name and a percentage."""
    waiting: tuple[str, str, int] | None = None
    for address, words in _anchors(page):
        found, cell = _MATCH.search(address), _CELL.match(words)
        if not found or not cell:
            continue
        name, percent = displayable(cell["name"].strip()), min(100, int(cell["percent"]))
        if waiting and waiting[0] == found[1]:
            yield _Row(found[1], waiting[1], name, waiting[2], percent)
            waiting = None
        else:
            waiting = found[1], name, percent


def _pair(
    row: _Row, files: ResultFiles, texts: dict[str, dict[str, ForeignText]], problems: list[Problem]
) -> ForeignPair:
    missing = []
    for name, side in ((row.a, 0), (row.b, 1)):
        texts.setdefault(name, {})
        page = _beside(files, f"match{row.number}-{side}")
        if page and not texts[name]:
            texts[name][_file_name(name)] = ForeignText(_program(_page(files, page)))
        elif not page:
            missing.append(f"match{row.number}-{side}.html")
    top = _beside(files, f"match{row.number}-top")
    passages = tuple(_passages(_page(files, top), row)) if top else ()
    if not top:
        missing.append(f"match{row.number}-top.html")
    if missing:
        reason = f"there is no {' and no '.join(missing)} beside the index, so its passages are not shown"
        problems.append(Problem(f"{row.a} and {row.b}", reason))
        passages = ()
    shares = row.percent_a / 100, row.percent_b / 100
    return ForeignPair(row.a, row.b, sum(shares) / 2, *shares, passages)


def _beside(files: ResultFiles, stem: str) -> str | None:
    return next((name for name in (f"{stem}.html", f"{stem}.htm") if name in files), None)


def _file_name(name: str) -> str:
    """The name of the one file of a submission; MOSS joins the files of a directory, whose name ends in a slash."""
    return name.rstrip("/").rpartition("/")[2] or "program"


def _passages(page: str, row: _Row) -> Iterator[ForeignPassage]:
    """The passages of a top page: links whose texts are lines, left and right in turn."""
    lines = [(int(found[1]), int(found[2])) for _, words in _anchors(page) if (found := _LINES.match(words))]
    for left, right in zip(lines[::2], lines[1::2], strict=False):
        yield ForeignPassage(_file_name(row.a), left, _file_name(row.b), right)


def _program(page: str) -> str:
    """The program in a side page, without the marks. MOSS leaves ampersands as they are; others write them as they
    should be written, and then every one of them begins an entity."""
    found = _PROGRAM.search(page)
    text = _TAG.sub("", _BEGINNING.sub("", found[1] if found else ""))
    if "&amp;" in text and len(_ENTITY.findall(text)) == text.count("&"):
        return unescape(text)
    return text.replace("&lt;", "<").replace("&gt;", ">")
