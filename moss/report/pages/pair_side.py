"""One side of a pair's page: its files with marked passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from moss.messages import gettext, ngettext, percent
from moss.model import FileRecord, ReferenceKind, Report, Status, SubmissionRecord
from moss.report.code.character_layers import Marking
from moss.report.code.code_view import MarkedFile, PassagePlace, code
from moss.report.code.file_sheet import sheet_of
from moss.report.code.visible_text import escape, visible, visible_plain
from moss.report.page_frames import page_frame
from moss.report.page_templates import Links
from moss.report.words.references import kind_in_words


class SidePassage(NamedTuple):
    """A passage on one side: how it is marked, and where it is."""

    marking: Marking
    place: PassagePlace


@dataclass(frozen=True, slots=True)
class PairFile:
    """A file as the page shows it."""

    name: str
    file: FileRecord
    path: Markup
    lines: int
    matched: int  # lines with a marked character
    base: int  # lines with handed-out code
    code: Markup


@dataclass(frozen=True, slots=True)
class PairSide:
    """One submission of the pair."""

    letter: str  # a or b
    number: int
    name: Markup
    plain_name: str
    kind: ReferenceKind | None  # if it is a reference
    share: float
    files: tuple[PairFile, ...]


def side_of(
    letter: str, number: int, record: SubmissionRecord, share: float, found: Sequence[SidePassage], careful: bool
) -> PairSide:
    """A submission with the passages found in it; files with passages come first."""
    here = {file.path: [f for f in found if f.place.region.file == file.path] for file in record.files}
    ordered = sorted(record.files, key=lambda file: (not here[file.path], file.status is Status.SKIPPED))
    files = tuple(_file(f"{letter}{n}", file, here[file.path], careful) for n, file in enumerate(ordered, 1))
    return PairSide(
        letter,
        number,
        visible(record.id),
        visible_plain(record.id),
        record.kind,
        share,
        files,
    )


def _file(name: str, file: FileRecord, found: Sequence[SidePassage], careful: bool) -> PairFile:
    sheet = sheet_of(file.language, file.text, careful)
    shown = MarkedFile(name, sheet, [f.marking for f in found], [f.place for f in found], file.base, file.cells)
    return PairFile(
        name,
        file,
        visible(file.path),
        len(sheet.starts) - 1,
        shown.matched,
        len(shown.starter),
        code(shown),
    )


def side_name(side: PairSide, links: Links) -> str:
    """The name of a submission, which leads to its page unless the reader may see this one only."""
    name = f"<bdi>{side.name}</bdi>"
    return name if links.alone() else f'<a href="{links.submission(side.number)}">{name}</a>'


def side_markup(report: Report, side: PairSide, links: Links) -> str:
    """A side as the page shows it."""
    share = gettext("%(share)s shared", share=percent(side.share)) if side.share else gettext("no code shared")
    return page_frame("report/_pair_side.html", report, links).fill(
        letter=side.letter,
        plain_name=escape(side.plain_name),
        name=side_name(side, links),
        kind=f' <span class="badge">{escape(kind_in_words(side.kind))}</span>' if side.kind else "",
        width=round(100 * side.share, 1),
        share=escape(share),
        files="".join(map(_file_markup, side.files)),
    )


def _file_markup(file: PairFile) -> str:
    reason = f'<p class="reason">{visible(file.file.reason)}</p>\n' if file.file.reason else ""
    head = f"<h3><bdi>{file.path}</bdi> <small>{escape(_lines_in_words(file))}</small></h3>"
    return f'<section class="file" id="{file.name}" data-lines="{file.lines}">\n{head}\n{reason}{file.code}</section>\n'


def _lines_in_words(file: PairFile) -> str:
    """How many lines of a file are shared, and how many are starter code."""
    if not file.code:
        return gettext("empty")
    shared = ngettext(
        "%(matched)s of %(num)s line shared", "%(matched)s of %(num)s lines shared", file.lines, matched=file.matched
    )
    starter = gettext("%(n)s starter code", n=file.base)
    return f"{shared}, {starter}" if file.base else shared
