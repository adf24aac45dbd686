"""Chosen: which submissions are meant by names and paths, in a class or without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from moss.intake import Intake, collect, newest_versions
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


def choose_submissions(
    names: Sequence[str], inside: Path | None, base: Sequence[Path], settings: Settings
) -> ChosenSubmissions:
    """The submissions that these names or paths stand for, in this class; a path elsewhere is one more submission of
    it. Without a class, they are all there is."""
    if not all(names):
        raise SubmissionChoiceError("an empty name stands for no submission")
    handed_out = collect([], base=base, limits=settings.limits)
    intake = _collected(inside, (), settings)
    beside = [name for name in names if _meant(intake.submissions, _inside(name, inside), inside) is None]
    if len({Path(name).absolute() for name in beside}) < len(beside):
        raise SubmissionChoiceError(f"{beside[0]} is named twice: a pair is of two submissions")
    if beside:
        _check_there(beside, inside, intake.submissions)
        intake = _collected(inside, beside, settings)
    members = [submission for submission in intake.submissions if submission.role is not Role.BASE]
    others = [replace(submission, role=Role.NEW) for submission in intake.submissions if submission.role is Role.BASE]
    submissions = tuple(sorted((*members, *others), key=lambda submission: submission.id))
    added = dict(zip(beside, others, strict=True))
    found = [_meant_surely(name, inside, members, added) for name in names]
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


def _collected(inside: Path | None, beside: Sequence[str], settings: Settings) -> Intake:
    """The class, and what is beside it: like something handed out, each path of that is one submission."""
    return newest_versions(collect([inside] if inside else [], base=beside, limits=settings.limits))


def _inside(name: str, inside: Path | None) -> str:
    """A path in the class's folder as it is called there; any other name as it is."""
    path = Path(name)
    if inside is not None and path.exists() and path.resolve().is_relative_to(inside.resolve()):
        return path.resolve().relative_to(inside.resolve()).as_posix()
    return Path(name).as_posix()


def _meant(submissions: Sequence[Submission], name: str, inside: Path | None) -> _Meant | None:
    """The submission of a class that a name stands for: its id, its owner, a file in it, or the beginning of one id."""
    if inside is None:
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
            raise SubmissionChoiceError(f"{name!r} could be any of {_some([one.id for one in fitting])}")
    return None


def _meant_surely(
    name: str, inside: Path | None, members: Sequence[Submission], added: dict[str, Submission]
) -> _Meant:
    if name in added:
        return _Meant(added[name].id, None)
    meant = _meant(members, _inside(name, inside), inside)
    assert meant is not None, name  # it was found before, and what was added is not among the members
    return meant


def _check_there(beside: Sequence[str], inside: Path | None, submissions: Sequence[Submission]) -> None:
    for name in beside:
        if inside and Path(name).resolve() == inside.resolve():
            raise SubmissionChoiceError(f"{name} is the class itself: name a submission in it")
        if not Path(name).exists():
            hint = f"; it has {_some(sorted(one.id for one in submissions if one.role is not Role.BASE))}"
            where = f"submission {name!r} in {inside}{hint}" if inside else f"file or folder: {name}"
            raise SubmissionChoiceError(f"there is no {where}")


def _check(chosen: ChosenSubmissions) -> None:
    """Refuse what cannot be explained."""
    named = [chosen.submissions[number] for number in chosen.numbers]
    for submission in named:
        if not submission.files:
            reasons = [problem.reason for problem in submission.skipped] or ["it is empty"]
            raise SubmissionChoiceError(f"{submission.id} has no file that can be read: {reasons[0]}")
    if len(named) == 2 and named[0].id == named[1].id:
        raise SubmissionChoiceError(f"{named[0].id} is named twice: a pair is of two submissions")
    if len(named) == 2 and named[0].owner == named[1].owner:
        both = f"{named[0].id} and {named[1].id}"
        raise SubmissionChoiceError(f"{both} are both of {named[0].owner}, and nobody is compared with themselves")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
