"""Planning: which front end reads which stretch of which file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from frontends import GENERIC, Frontend, UnknownLanguageError, by_name
from frontends.selection import choose, main_language
from moss.comparison.scanned_files import FilePlan, Part
from moss.model import Role, SourceFile, Submission

Plans = tuple[FilePlan, ...]


def plan_all(submissions: Sequence[Submission], language: str) -> list[Plans]:
    """For each submission how its files are read, if the user asked for this language (or `auto`)."""
    main = main_language(file.path for submission in _class_first(submissions) for file in submission.files)
    return [
        tuple(_plan(file, _wished(submission, language), main) for file in submission.files)
        for submission in submissions
    ]


def _wished(submission: Submission, language: str) -> Frontend | None:
    """The front end that the user asked for: for this submission, or for all; None for each file's own."""
    name = language if submission.language == "auto" else submission.language
    return None if name == "auto" else by_name(name)


def _class_first(submissions: Sequence[Submission]) -> Iterable[Submission]:
    """The submissions whose endings tell what language the class works in."""
    return [s for s in submissions if s.role is Role.NEW] or submissions


def _plan(file: SourceFile, wished: Frontend | None, main: Frontend | None) -> FilePlan:
    if not file.cells:
        frontend = choose(file.path, file.text, wished, main)
        return FilePlan(file.text, (Part(frontend.name, ((0, len(file.text)),)),))
    spans: dict[str, list[tuple[int, int]]] = {}
    for cell in file.cells:
        spans.setdefault(_cell_language(cell.language), []).append((cell.start, cell.end))
    return FilePlan(file.text, tuple(Part(name, tuple(found)) for name, found in spans.items()))


def _cell_language(name: str) -> str:
    """The name of the front end for a notebook cell; a kernel that we do not know is read by words and signs."""
    try:
        return by_name(name).name
    except UnknownLanguageError:
        return GENERIC.name
