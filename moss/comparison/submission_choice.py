"""The choice of submissions by names and paths, in a class or without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from moss.comparison.pipeline import ExternalArchive, with_external_archives
from moss.intake import AS_USUAL, AUTO, Choice, Intake, collect, newest_versions, only_below
from moss.messages import gettext
from moss.model import Problem, Role, Submission
from moss.settings import Settings

_LISTED = 5  # names in a message


class SubmissionChoiceError(ValueError):
    """A name that stands for no submission, or for several; the message is one sentence for the user."""


class _Meant(NamedTuple):
    id: str
    file: str | None  # if one of its files is meant


@dataclass(frozen=True, slots=True)
class ChosenSubmissions:
    """A class in the order in which it is compared, what was handed out, and who in it was named."""

    submissions: tuple[Submission, ...]
    base: tuple[Submission, ...]
    numbers: tuple[int, ...]
    files: tuple[str | None, ...]
    problems: tuple[Problem, ...]  # what could not be read


class ClassInput(NamedTuple):
    """Where a class and its earlier work are, and what is read of them: as a comparison is told."""

    paths: Sequence[Path] = ()
    archive: Sequence[Path] = ()
    kept: Sequence[ExternalArchive] = ()
    choice: Choice = AS_USUAL
    layout: str = AUTO
    all_versions: bool = False


NO_CLASS = ClassInput()


def choose_submissions(
    names: Sequence[str], inside: ClassInput, base: Sequence[Path], settings: Settings
) -> ChosenSubmissions:
    """The submissions that these names or paths stand for, in this class; a path elsewhere is one more submission of
    it. Without a class, they are all there is."""
    if not all(names):
        raise SubmissionChoiceError(gettext("a submission's name is empty"))
    handed_out = collect([], base=base, limits=settings.limits, choice=inside.choice, encoding=settings.encoding)
    intake = _collected(inside, (), settings)
    folders = inside.paths
    beside = [name for name in names if _meant(intake.submissions, _inside(name, folders), folders) is None]
    if len({Path(name).absolute() for name in beside}) < len(beside):
        raise SubmissionChoiceError(gettext("%(id)s is named twice, but a pair needs two submissions", id=beside[0]))
    if beside:
        _check_there(beside, folders, intake.submissions)
        intake = _collected(inside, beside, settings)
    members = [submission for submission in intake.submissions if submission.role is not Role.BASE]
    others = [replace(submission, role=Role.NEW) for submission in intake.submissions if submission.role is Role.BASE]
    submissions = tuple(sorted((*members, *others), key=lambda submission: submission.id))
    added = dict(zip(beside, others, strict=True))
    found = [_meant_surely(name, folders, members, added) for name in names]
    place = {submission.id: number for number, submission in enumerate(submissions)}
    chosen = ChosenSubmissions(
        submissions,
        handed_out.submissions,
        tuple(place[one.id] for one in found),
        tuple(one.file for one in found),
        (*intake.problems, *handed_out.problems),
    )
    _check(chosen)
    return chosen


def _collected(inside: ClassInput, beside: Sequence[str], settings: Settings) -> Intake:
    """The class, and what is beside it: like something handed out, each path of that is one submission."""
    found = collect(
        inside.paths, inside.archive, beside, directory=settings.directory, limits=settings.limits,
        choice=inside.choice, layout=inside.layout, encoding=settings.encoding,
    )  # fmt: skip
    found = found if inside.all_versions else newest_versions(found)
    found = only_below(found, settings.subdirectory) if settings.subdirectory else found
    return with_external_archives(found, inside.kept, lambda done, total: None)


def _inside(name: str, folders: Sequence[Path]) -> str:
    """A path in one of the class's folders as it is called there; any other name as it is."""
    path = Path(name)
    for folder in folders:
        if path.exists() and folder.is_dir() and path.resolve().is_relative_to(folder.resolve()):
            return path.resolve().relative_to(folder.resolve()).as_posix()
    return path.as_posix()


def _meant(submissions: Sequence[Submission], name: str, folders: Sequence[Path]) -> _Meant | None:
    """The submission of a class that a name stands for: its id, its owner, a file in it, or the beginning of one id."""
    if not folders:
        return None
    members = [submission for submission in submissions if submission.role is not Role.BASE]
    for fitting in (
        [_Meant(one.id, None) for one in members if one.id == name],
        [_Meant(one.id, None) for one in members if one.owner == name],
        [_Meant(one.id, file.path) for one in members for file in one.files if f"{one.id}/{file.path}" == name],
        [_Meant(one.id, None) for one in members if one.id.startswith(name)],
    ):
        if len(fitting) == 1:
            return fitting[0]
        if fitting and not Path(name).exists():
            raise SubmissionChoiceError(
                gettext(
                    "%(name)r could be any of %(submissions)s",
                    name=name,
                    submissions=_some([one.id for one in fitting]),
                )
            )
    return None


def _meant_surely(
    name: str, folders: Sequence[Path], members: Sequence[Submission], added: dict[str, Submission]
) -> _Meant:
    if name in added:
        return _Meant(added[name].id, None)
    meant = _meant(members, _inside(name, folders), folders)
    assert meant is not None, name  # it was found before, and what was added is not among the members
    return meant


def _check_there(beside: Sequence[str], folders: Sequence[Path], submissions: Sequence[Submission]) -> None:
    for name in beside:
        if Path(name).resolve() in [folder.resolve() for folder in folders if folder.is_dir()]:
            raise SubmissionChoiceError(gettext("%(name)s is the class itself: name a submission in it", name=name))
        if not Path(name).exists():
            raise SubmissionChoiceError(_not_there(name, folders, submissions))


def _not_there(name: str, folders: Sequence[Path], submissions: Sequence[Submission]) -> str:
    if not folders:
        return gettext("there is no file or folder: %(name)s", name=name)
    return gettext(
        "there is no submission %(name)r in %(places)s; it has %(submissions)s",
        name=name,
        places=", ".join(map(str, folders)),
        submissions=_some(sorted(one.id for one in submissions if one.role is not Role.BASE)),
    )


def _check(chosen: ChosenSubmissions) -> None:
    """Refuse what cannot be explained."""
    named = [chosen.submissions[number] for number in chosen.numbers]
    for submission in named:
        if not submission.files:
            reasons = [problem.reason for problem in submission.skipped] or [gettext("it is empty")]
            raise SubmissionChoiceError(
                gettext("%(id)s has no file that can be read: %(reason)s", id=submission.id, reason=reasons[0])
            )
    if len(named) == 2 and named[0].id == named[1].id:
        raise SubmissionChoiceError(gettext("%(id)s is named twice, but a pair needs two submissions", id=named[0].id))
    if len(named) == 2 and named[0].owner == named[1].owner:
        both = f"{named[0].id} and {named[1].id}"
        raise SubmissionChoiceError(
            gettext(
                "%(both)s are both by %(student)s, and nobody is compared with themselves",
                both=both,
                student=named[0].owner,
            )
        )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
