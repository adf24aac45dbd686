"""The plan of a class: which front end reads which part of which file."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from frontends import GENERIC, Frontend, UnknownLanguageError, by_name
from frontends.selection import MAY_HOLD_PROGRAMS, choose, count_languages, main_language
from moss.comparison.quotations import is_prose, quoted_spans, without
from moss.comparison.scanned_files import FilePart, FilePlan
from moss.intake.documents.paragraphs import CODE, PROSE
from moss.intake.notebooks import NOTEBOOK
from moss.model import Channel, Role, SourceFile, Submission

Plans = tuple[FilePlan, ...]


def plan_all(
    submissions: Sequence[Submission],
    language: str,
    quotations: bool = True,
    beside: Sequence[Submission] = (),
) -> list[Plans]:
    """The plans of each submission's files, if the user asked for this language (or `auto`), and for essays with or
    without their quotations. Starter code is read in the language of the class `beside` which it is planned."""
    everyone = [*submissions, *beside]
    paths = [file.path for submission in _class_first(everyone) for file in submission.files]
    main, known = main_language(paths), count_languages(paths)
    plans: list[Plans] = []
    for submission in submissions:
        wished = _wished(submission, language)
        planned = (_plan(_with_known(file, known), wished, main, quotations) for file in submission.files)
        plans.append(tuple(map(_as_handout(wished or main), planned) if submission.role is Role.BASE else planned))
    return plans


def _with_known(file: SourceFile, known: Container[str]) -> SourceFile:
    """The file, the programs in it, if it is a document, in a language that the class has: marks of a language may
    mislead, as `=>` does, and a copy must be read as its original was."""
    if not known or not file.cells or file.path.lower().endswith(NOTEBOOK):
        return file
    cells = (c if c.language in known or c.language == PROSE else replace(c, language=CODE) for c in file.cells)
    return replace(file, cells=tuple(cells))


def _as_handout(main: Frontend | None) -> Callable[[FilePlan], FilePlan]:
    """A function that plans to read prose in starter code in the language of the class, too: programs are handed out in
    tasks, in pages and in files of any name, and nobody is accused for what is found there."""

    def also_read(plan: FilePlan) -> FilePlan:
        names = {part.language for part in plan.parts}
        if main is None or main.channel is Channel.TEXT or main.name in names or not names & MAY_HOLD_PROGRAMS:
            return plan
        return replace(plan, parts=(*plan.parts, FilePart(main.name, ((0, len(plan.text)),))))

    return also_read


def _wished(submission: Submission, language: str) -> Frontend | None:
    """The front end that the user asked for, for this submission or for all; None if each file has its own."""
    name = language if submission.language == "auto" else submission.language
    return None if name == "auto" else by_name(name)


def _class_first(submissions: Sequence[Submission]) -> Iterable[Submission]:
    """The submissions whose file endings tell the language of the class: the new ones, if there are any."""
    return [s for s in submissions if s.role is Role.NEW] or submissions


def _plan(file: SourceFile, wished: Frontend | None, main: Frontend | None, quotations: bool) -> FilePlan:
    spans: dict[str, list[tuple[int, int]]] = {}
    if not file.cells:
        spans[choose(file.path, file.text, wished, main).name] = [(0, len(file.text))]
    for language, start, end in _sections(file) if file.cells else ():
        spans.setdefault(_cell_language(language, wished, main), []).append((start, end))
    if not quotations and is_prose(file):
        spans = {
            name: without(found, quoted_spans(file.text)) if by_name(name).channel is Channel.TEXT else found
            for name, found in spans.items()
        }
    return FilePlan(file.text, tuple(FilePart(name, tuple(found)) for name, found in spans.items()))


def _sections(file: SourceFile) -> Iterator[tuple[str, int, int]]:
    """Language, start and end of the sections of a file that are read separately: a notebook's cells, or a document's
    listings and the prose between them, in which passages cross paragraphs as they cross lines."""
    if file.path.lower().endswith(NOTEBOOK):
        yield from ((cell.language, cell.start, cell.end) for cell in file.cells)
        return
    for language, cells in groupby(file.cells, key=lambda cell: cell.language):
        found = list(cells)
        yield language, found[0].start, found[-1].end


def _cell_language(name: str, wished: Frontend | None, main: Frontend | None) -> str:
    """The name of the front end for a cell. Cells of a kernel that we do not know are read by the generic scanner; a
    program in a document that does not tell its language is read like the programs beside the document."""
    if name == CODE:
        return (wished or main or GENERIC).name
    try:
        return by_name(name).name
    except UnknownLanguageError:
        return GENERIC.name
