"""The templates of pages: their filters, and the links between pages.

One set of templates makes the report on disk and the one that a server sends. They differ only in their links, and in
the slots, which are places that a server fills.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from frontends.language_titles import language_title
from moss import messages
from moss.messages import number, percent
from moss.model import Region, Report
from moss.report.code.visible_text import visible, visible_plain
from moss.report.json_report import shown_ids
from moss.report.words.references import kind_in_words
from moss.shipped import shipped

if TYPE_CHECKING:
    from gettext import NullTranslations

TEMPLATES = shipped("templates")
REPORT_FOLDERS = (TEMPLATES / "parts", TEMPLATES / "report")
"""The templates that a report's pages are made of; each folder has its style sheets and scripts in `assets`."""

PAIR_LIST = "pairs.js"
"""The script with the data of the overview's lists."""

JINJA_OPTIONS = {
    "undefined": StrictUndefined,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "extensions": ["jinja2.ext.i18n"],
}


class Links(Protocol):
    """The links of a page, on disk or on a server."""

    def live(self) -> bool:
        """Whether a server sends the page, with its own security policy and filled slots."""

    def alone(self) -> bool:
        """Whether the reader may see this page only: it has no links, and names nobody else."""

    def home(self) -> str:
        """The address behind the program's name."""

    def overview(self) -> str:
        """The list of pairs."""

    def pair(self, number: int) -> str:
        """The page of the pair with this number, counted from 1 in the order of the report."""

    def pair_list(self) -> str:
        """The script with the data of the overview's lists."""

    def submission(self, number: int) -> str:
        """The page of the submission with this number, counted from 1 in the order of the report."""

    def cluster(self, number: int) -> str:
        """The page of the cluster with this number, counted from 1 in the order of the report."""

    def asset(self, name: str) -> str:
        """A style sheet, a script or a picture."""

    def slot(self, name: str) -> Markup:
        """The mark of a place that depends on time or reader and is filled when the page is sent."""


@dataclass(frozen=True, slots=True)
class DiskLinks:
    """Links between files of one folder, relative, so that the folder can be moved and opened from disk."""

    root: str = ""  # how to get from the page to the report's folder: "" or "../"

    def live(self) -> bool:
        """No server sends the pages."""
        return False

    def alone(self) -> bool:
        """There are other pages beside it."""
        return False

    def home(self) -> str:
        """The list of pairs: on disk there is no other home."""
        return self.overview()

    def overview(self) -> str:
        """The list of pairs."""
        return f"{self.root}index.html"

    def pair(self, number: int) -> str:
        """The page of a pair."""
        return f"{self.root}pairs/{number:04}.html"

    def pair_list(self) -> str:
        """The script with the data of the overview's lists."""
        return f"{self.root}{PAIR_LIST}"

    def submission(self, number: int) -> str:
        """The page of a submission."""
        return f"{self.root}submissions/{number:04}.html"

    def cluster(self, number: int) -> str:
        """The page of a cluster."""
        return f"{self.root}clusters/{number:04}.html"

    def asset(self, name: str) -> str:
        """A file beside the pages."""
        return f"{self.root}assets/{name}"

    def slot(self, name: str) -> Markup:
        """Nothing, because on disk nobody fills slots."""
        return Markup()


class CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates, kept beside their sources as Python keeps its modules: if the folder can be written to."""

    def __init__(self, templates: Path) -> None:
        folder = templates / "__pycache__"
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
        super().__init__(str(folder), "%s.jinja")

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


@cache
def environment() -> Environment:
    """The templates with their filters; everything is escaped unless it is markup by type."""
    loader, kept = FileSystemLoader(TEMPLATES), CompiledTemplates(TEMPLATES)
    made = Environment(loader=loader, autoescape=True, auto_reload=False, bytecode_cache=kept, **JINJA_OPTIONS)  # type: ignore[arg-type]
    furnish(made)
    return made


def furnish(made: Environment) -> None:
    """Give templates the filters that all pages use, and their sentences."""
    made.filters.update(
        reference_kind=kind_in_words,
        ago=messages.ago, counted=messages.counted, day=messages.day, language=language_title, lines=lines,
        listed=messages.listed, moment=messages.moment, number=number, percent=percent, visible=visible,
        visible_plain=visible_plain, shared=shared,
    )  # fmt: skip
    made.policies["ext.i18n.trimmed"] = True
    made.install_gettext_callables(  # type: ignore[attr-defined]
        lambda *message: messages.catalogue().gettext(*message),
        lambda *message: messages.catalogue().ngettext(*message),
        pgettext=lambda *message: messages.catalogue().pgettext(*message),
        npgettext=lambda *message: messages.catalogue().npgettext(*message),
        newstyle=True,
    )
    made.globals.update(_=_sentence, gettext=_sentence, ngettext=_counted_sentence)


def _sentence(message: str, /, **values: object) -> Markup:
    """A sentence of a template, with its places filled in. Jinja's own function fills in places that are not there, and
    its alias `_` looks that function up each time: together a sixth of the time of a page full of words."""
    text = Markup(messages.catalogue().gettext(message))
    return text % values if values or "%" in text else text


def _counted_sentence(singular: str, plural: str, count: int, /, **values: object) -> Markup:
    """A sentence of a template in the form that goes with a number, which Jinja's own function writes without a mark
    between thousands."""
    return Markup(messages.catalogue().ngettext(singular, plural, count)) % ({"num": number(count)} | values)


def report_assets() -> dict[str, Path]:
    """The style sheets, scripts and pictures of a report's pages, by name."""
    files = (path for folder in REPORT_FOLDERS for path in (folder / "assets").iterdir() if path.is_file())
    return {path.name: path for path in sorted(files)}


@cache
def macros(template: str) -> Any:
    """The macros of a template as functions, for pages that are put together in Python."""
    return environment().get_template(template).module


def mark(template: str, macro: str, value: str) -> Markup:
    """The mark that a macro makes of one of few values, made once for each language."""
    return _mark(template, macro, value, messages.catalogue())


@lru_cache(maxsize=256)
def _mark(template: str, macro: str, value: str, language: NullTranslations) -> Markup:
    made: Markup = getattr(macros(template), macro)(value)
    return made


@cache
def compile_templates() -> None:
    """Compile all templates of reports, so that processes forked from this one need not do it again."""
    for name in environment().list_templates(extensions=["html"]):
        if name.startswith(("parts/", "report/")):
            environment().get_template(name)


def lines(region: Region) -> str:
    """The lines of a region in words: `line 3`, `lines 3–7`."""
    start, end = region.start_line, region.end_line
    if start == end:
        return messages.gettext("line %(line)s", line=start)
    return messages.gettext("lines %(start)s–%(end)s", start=start, end=end)


def shared(share: float) -> str:
    """The share of a submission that a pair's passages have, in whole percent; a dash if they have nothing that shares
    count. A pair with the same comments and no code in common is such: its score may be high, and 0% would be wrong."""
    return percent(share) if share else "–"


Found = TypeVar("Found")


def once(find: Callable[[Report], Found]) -> Callable[[Report], Found]:
    """The function, remembering what it found out about the last report: each of many pages needs it."""
    last: tuple[Report, Found] | None = None

    @wraps(find)
    def remembered(report: Report) -> Found:
        nonlocal last
        held = last
        if held is None or held[0] is not report:
            last = held = report, find(report)
        return held[1]

    return remembered


@once
def numbers(report: Report) -> dict[str, int]:
    """The number of each submission, from 1, by its id."""
    return {record.id: number for number, record in enumerate(report.submissions, 1)}


@once
def paged(report: Report) -> frozenset[str]:
    """The submissions that have a page: those of the shown pairs."""
    return shown_ids(report)
