"""Grouping: which of the files that were sent make one program, and what it is called.

As MOSS does it: a program is all files with one number or, with -d, all files in one directory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from moss.intake import Intake, Limits
from moss.intake.entries import Entry
from moss.intake.limits import Account, IntakeRun
from moss.intake.names import numbered
from moss.intake.source_files import Outcome, Part, read_part, with_documents
from moss.model import Problem, Role, SourceFile, Submission
from moss.settings import Settings
from moss.wire.request import AUTOMATIC, Request, SentFile

HANDED_OUT = "handed-out code"
NO_INTAKE_LIMITS_GIVEN = Limits()


@dataclass(frozen=True, slots=True)
class Program:
    """Files that are compared as one, in the order in which they came."""

    id: str
    files: tuple[SentFile, ...]


def submissions_of(request: Request, limits: Limits = NO_INTAKE_LIMITS_GIVEN) -> Intake:
    """The programs of a request as submissions, in the order in which they came, then the starter code."""
    run = IntakeRun(limits)
    read = [(program, Role.NEW) for program in programs_of(request)]
    if request.base:
        read.append((Program(HANDED_OUT, request.base), Role.BASE))
    submissions: list[Submission] = []
    problems: list[Problem] = []
    for program, role in read:
        outcomes = _read(program, run)
        submissions.append(_submission(program, role, outcomes))
        problems.extend(_problems(program, outcomes))
    return Intake(tuple(submissions), tuple(problems))


def settings_of(request: Request, limits: Limits = NO_INTAKE_LIMITS_GIVEN) -> Settings:
    """The settings that a request asks for."""
    return Settings(
        language=AUTOMATIC if request.language.lower() == AUTOMATIC else request.language,
        directory=_is_by_directory(request),
        max_matches=request.max_matches,
        show=request.show,
        comment=request.comment,
        limits=limits,
    )


def inputs_of(request: Request) -> dict[str, list[str]]:
    """The sources of the submissions as a report names them, programs in the order in which they came."""
    return {
        "paths": [program.id for program in programs_of(request)],
        "base": [file.name for file in request.base],
        "archive": [],
    }


def programs_of(request: Request) -> list[Program]:
    """The programs in the order in which they came; each has an id of its own."""
    by_directory = _is_by_directory(request)
    groups: dict[str | int, list[SentFile]] = {}
    for file in request.files:
        groups.setdefault(_directory(file.name) if by_directory else file.program, []).append(file)
    names = [str(key) if by_directory else files[0].name for key, files in groups.items()]
    # Names that came over the wire have no blanks, so ` (2)` can only mark a repetition.
    ids = numbered(names, lambda name: (name, ""))
    return [Program(id, tuple(files)) for id, files in zip(ids, groups.values(), strict=True)]


def _is_by_directory(request: Request) -> bool:
    # A client that flattens names numbers its programs; by directory they would all be one, and there would be no pair.
    return request.directory and any("/" in file.name for file in request.files)


def _directory(name: str) -> str:
    head, slash, _ = name.rpartition("/")
    return head.rstrip("/") or "/" if slash else "."


def _read(program: Program, run: IntakeRun) -> list[Outcome]:
    account = Account(run)
    paths = numbered([file.name.rpartition("/")[2] or "unnamed" for file in program.files])
    parts = [
        Part(Entry(path, file.chunks, claimed=file.size), path, file.name)
        for path, file in zip(paths, program.files, strict=True)
    ]
    return with_documents([outcome for part in parts for outcome in read_part(part, account, depth=0)], run)


def _submission(program: Program, role: Role, outcomes: Sequence[Outcome]) -> Submission:
    files = [outcome.file for outcome in outcomes if outcome.file]
    skipped = tuple(Problem(outcome.path, outcome.reason) for outcome in outcomes if not outcome.file)
    return Submission(program.id, program.id, _told_apart(files), role, skipped)


def _told_apart(files: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    paths = numbered([file.path for file in files])
    return tuple(replace(file, path=path) for file, path in zip(files, paths, strict=True))


def _problems(program: Program, outcomes: Sequence[Outcome]) -> Iterable[Problem]:
    yield from (Problem(outcome.shown, outcome.reason) for outcome in outcomes if outcome.reason)
    if not any(outcome.file for outcome in outcomes):
        yield Problem(program.id, "no readable file")
