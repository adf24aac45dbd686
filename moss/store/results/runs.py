"""Runs as they are requested: which settings can be chosen, and which earlier work a run may be compared with."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session, contains_eager

from frontends import UnknownLanguageError, by_name
from moss.messages import gettext as _
from moss.messages import marked, number
from moss.model import Role
from moss.settings import Settings, SettingsError
from moss.store.accounts.notices import delete_notices
from moss.store.submissions.contents import delete_unused_texts, texts_of_runs
from moss.store.tables import (
    AssignmentRow,
    CourseRow,
    JobRow,
    JobState,
    RunRow,
    SubmissionRow,
    now,
)
from moss.store.validation import RefusedError

NUMBERS = ("max_matches", "noise", "guarantee", "show")
CHOICES = ("language", *NUMBERS, "comment", "quotations")
"""The fields of `Settings` that whoever starts a run can choose."""
TITLES = {
    "max_matches": marked("Ignore passages shared by more than"), "noise": marked("Noise"),
    "guarantee": marked("Guarantee"), "show": marked("Pairs shown"), "quotations": marked("Quotations in essays"),
}  # fmt: skip
"""The labels of the settings that can be wrong."""
COMPARE = "compare"
"""Where the payload of a recognition has the run that is to follow, if one is."""
_LONGEST_COMMENT = 2000
_MOST = 1_000_000  # of any number
_SAME_CLICK = timedelta(seconds=10)  # time within which a second request for the same run counts as a double click


def clean_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """The chosen settings, as fields of `Settings`, without those that were left open."""
    unknown = sorted(given.keys() - set(CHOICES))
    if unknown:
        raise RefusedError(unknown[0], _("There is no setting “%(name)s”.", name=unknown[0]))
    chosen: dict[str, Any] = {name: _number(name, given[name]) for name in NUMBERS if _is_given(given, name)}
    if _is_given(given, "language"):
        chosen["language"] = _language(given["language"])
    if _is_given(given, "comment"):
        chosen["comment"] = _comment(given["comment"])
    if _is_given(given, "quotations"):
        chosen["quotations"] = _yes_or_no("quotations", given["quotations"])
    try:
        Settings(**chosen)
    except SettingsError as error:
        words = str(error)
        field = words.split()[0].replace("-", "_")
        raise RefusedError(field, f"{words[0].upper()}{words[1:]}.") from None
    return chosen


def _is_given(given: Mapping[str, Any], name: str) -> bool:
    value = given.get(name)
    return value is not None and str(value).strip() != ""


def _number(name: str, value: Any) -> int:
    shown = _(TITLES[name])
    text = str(value).strip()
    if isinstance(value, bool) or not (text.isascii() and text.lstrip("-").isdigit()):
        raise RefusedError(name, _("“%(setting)s” must be a whole number.", setting=shown))
    if len(text) > 9 or int(text) > _MOST:
        raise RefusedError(name, _("“%(setting)s” must be at most %(most)s.", setting=shown, most=number(_MOST)))
    return int(text)


def _yes_or_no(name: str, value: Any) -> bool:
    answers = {"yes": True, "true": True, "no": False, "false": False}
    if (answer := answers.get(str(value).strip().lower())) is None:
        raise RefusedError(name, _("“%(setting)s” must be yes or no.", setting=_(TITLES[name])))
    return answer


def _language(value: Any) -> str:
    name = str(value).strip()
    try:
        return "auto" if name == "auto" else by_name(name).name
    except UnknownLanguageError as error:
        words = str(error)
        raise RefusedError("language", f"{words[0].upper()}{words[1:]}.") from None


def _comment(value: Any) -> str:
    text = " ".join(str(value).split())
    if len(text) > _LONGEST_COMMENT:
        raise RefusedError("comment", _("Use at most %(most)s characters.", most=number(_LONGEST_COMMENT)))
    return text


def possible_archives(
    session: Session, assignment: AssignmentRow, courses: Collection[CourseRow]
) -> list[AssignmentRow]:
    """The other assignments with submissions in these courses: those of the same course first, newest first."""
    handed_in = exists().where(
        SubmissionRow.assignment_id == AssignmentRow.id, SubmissionRow.confirmed, ~SubmissionRow.left_out
    )
    query = (
        select(AssignmentRow)
        .where(
            AssignmentRow.course_id.in_([course.id for course in courses]), AssignmentRow.id != assignment.id, handed_in
        )
        .order_by(
            AssignmentRow.course_id != assignment.course_id, AssignmentRow.course_id.desc(), AssignmentRow.id.desc()
        )
    )
    return list(session.scalars(query))


def clean_archives(given: Sequence[Any], possible: Sequence[AssignmentRow]) -> list[int]:
    """The chosen assignments; raises RefusedError if one is not among the possible ones."""
    ids = {str(assignment.id): assignment.id for assignment in possible}
    for value in given:
        if str(value) not in ids:
            raise RefusedError(
                "archives", _("One of the chosen assignments no longer exists, or you don’t have access to it.")
            )
    return sorted({ids[str(value)] for value in given})


def clean_corpora(given: Sequence[Any], possible: Collection[str]) -> list[str]:
    """The chosen corpora; raises RefusedError if one is not among the possible ones."""
    for name in given:
        if name not in possible:
            raise RefusedError("corpora", _("One of the chosen corpora can’t be read, or you don’t have access to it."))
    return sorted(set(given))


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The request for a run."""

    settings: dict[str, Any] = field(default_factory=dict)  # fields of `Settings` that were chosen
    archives: list[int] = field(default_factory=list)  # assignments whose submissions are earlier work
    corpora: list[str] = field(default_factory=list)  # names of the server's corpora


def add_run(session: Session, assignment: AssignmentRow, user_id: int | None, wish: RunRequest) -> RunRow:
    """Add a run of an assignment, and remember its settings; its job is still to be added."""
    session.refresh(
        assignment, with_for_update=True
    )  # so that two requests at once get different numbers, or are seen to be the same
    _check_submissions(session, assignment)
    _check_new(session, assignment, wish)
    last = session.scalar(select(func.max(RunRow.number)).where(RunRow.assignment_id == assignment.id)) or 0
    run = RunRow(
        assignment_id=assignment.id, number=last + 1, user_id=user_id, settings=wish.settings, archives=wish.archives,
        corpora=wish.corpora,
    )  # fmt: skip
    session.add(run)
    assignment.settings = {**wish.settings, "archives": wish.archives, "corpora": wish.corpora}
    session.flush()
    return run


def _check_submissions(session: Session, assignment: AssignmentRow) -> None:
    handed_in = select(SubmissionRow.id).filter_by(
        assignment_id=assignment.id, confirmed=True, left_out=False, role=Role.NEW
    )
    if session.scalar(handed_in.limit(1)) is None:
        raise RefusedError("", _("There is nothing to compare yet. Upload submissions and confirm them first."))


def unfinished_runs(session: Session, assignment_id: int) -> Sequence[RunRow]:
    """The runs of an assignment that are waiting or under way."""
    query = select(RunRow).join(JobRow, RunRow.job_id == JobRow.id).options(contains_eager(RunRow.job))
    busy = JobRow.state.in_((JobState.QUEUED, JobState.RUNNING))
    return session.scalars(query.where(RunRow.assignment_id == assignment_id, busy).order_by(RunRow.id)).all()


def latest_run(session: Session, assignment_id: int) -> RunRow | None:
    """The newest run of an assignment that is finished."""
    query = select(RunRow).filter_by(assignment_id=assignment_id).where(RunRow.finished.is_not(None))
    return session.scalar(query.order_by(RunRow.number.desc()).limit(1))


def _check_new(session: Session, assignment: AssignmentRow, wish: RunRequest) -> None:
    for run in unfinished_runs(session, assignment.id):
        job = run.job
        soon = job is None or job.state is JobState.QUEUED or now() - run.created < _SAME_CLICK
        if soon and not (job and job.cancel) and RunRequest(run.settings, run.archives, run.corpora) == wish:
            raise RefusedError("", _("Run %(number)s with the same settings is already waiting.", number=run.number))


def remembered(assignment: AssignmentRow) -> RunRequest:
    """The settings that were chosen last."""
    settings = {name: value for name, value in assignment.settings.items() if name in CHOICES}
    archives, corpora = (list(assignment.settings.get(name, ())) for name in ("archives", "corpora"))
    return RunRequest(settings, archives, corpora)


def delete_run(session: Session, run: RunRow) -> None:
    """Delete a run with its report; a worker that still works on it finds nothing and stops."""
    delete_notices(session, path_of(run))
    texts = texts_of_runs(session, [run.id])
    session.execute(delete(RunRow).where(RunRow.id == run.id))
    delete_unused_texts(session, texts)
    if run.job_id is not None:
        session.execute(delete(JobRow).where(JobRow.id == run.job_id))
    session.expunge(run)


def path_of(run: RunRow) -> str:
    """The path of a run's report on the server."""
    return f"/runs/{run.id}/"
