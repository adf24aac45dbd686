"""Courses, assignments, submissions and people, by the API."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import selectinload

from moss.jobs.handlers import deletion
from moss.store import tables
from moss.store.courses.assignments import add_assignment, add_course, clean_term, rename_assignment
from moss.store.results.cases import latest_run
from moss.store.submissions.corrections import Correction, correct
from moss.store.validation import clean_name
from moss.web.actions.corpora import keep_in_corpus
from moss.web.api.bodies import (
    AssignmentBody,
    CourseBody,
    CourseChangeBody,
    KeepingBody,
    MeBody,
    NewAssignmentBody,
    NewCourseBody,
    PagingBody,
    SubmissionBody,
    SubmissionChangeBody,
    SubmissionsBody,
)
from moss.web.api.operations import operation
from moss.web.api.result_bodies import PairBody, PersonBody
from moss.web.api.results import side_pairs
from moss.web.request.access import Right, course_role, my_courses
from moss.web.request.context import audit, db, me


@operation("GET", "/me", Right.USER)
def who_am_i() -> MeBody:
    """Who the token's user is."""
    return MeBody.model_validate(me())


@operation("GET", "/courses", Right.USER)
def list_courses() -> list[CourseBody]:
    """Your courses, newest first."""
    return [_course(course) for course in my_courses(me())]


@operation("POST", "/courses", Right.USER, status=201)
def create_course(body: NewCourseBody) -> CourseBody:
    """Make a course; you are its instructor."""
    course = add_course(db(), body.name, body.term, me(), body.retention_days)
    audit("made a course", course_id=course.id, name=course.name)
    return _course(course)


@operation("GET", "/courses/<int:course>", Right.READ)
def read_course(course: tables.CourseRow) -> CourseBody:
    """One course."""
    return _course(course)


@operation("PATCH", "/courses/<int:course>", Right.TEACH)
def change_course(course: tables.CourseRow, body: CourseChangeBody) -> CourseBody:
    """Rename a course, or change how long its work is kept."""
    course.name = clean_name(body.name) if body.name is not None else course.name
    course.term = clean_term(body.term) if body.term is not None else course.term
    if body.retention_days is not None:
        course.retention_days = body.retention_days or None
        audit("changed a course's retention", course_id=course.id, days=course.retention_days)
    return _course(course)


@operation("DELETE", "/courses/<int:course>", Right.TEACH, status=204)
def delete_course(course: tables.CourseRow) -> None:
    """Delete a course with everything in it."""
    audit("deleted a course", name=course.name)
    deletion.remove(db(), course)


@operation("GET", "/courses/<int:course>/assignments", Right.READ)
def list_assignments(course: tables.CourseRow) -> list[AssignmentBody]:
    """A course's assignments."""
    return [AssignmentBody.model_validate(each) for each in course.assignments]


@operation("POST", "/courses/<int:course>/assignments", Right.TEACH, status=201)
def create_assignment(course: tables.CourseRow, body: NewAssignmentBody) -> AssignmentBody:
    """Make an assignment."""
    assignment = add_assignment(db(), course, body.name)
    audit("made an assignment", course_id=course.id, assignment=assignment.name)
    return AssignmentBody.model_validate(assignment)


@operation("GET", "/assignments/<int:assignment>", Right.READ)
def read_assignment(assignment: tables.AssignmentRow) -> AssignmentBody:
    """One assignment."""
    return AssignmentBody.model_validate(assignment)


@operation("PATCH", "/assignments/<int:assignment>", Right.TEACH)
def change_assignment(assignment: tables.AssignmentRow, body: NewAssignmentBody) -> AssignmentBody:
    """Rename an assignment."""
    rename_assignment(db(), assignment, body.name)
    return AssignmentBody.model_validate(assignment)


@operation("POST", "/assignments/<int:assignment>/keep", Right.TEACH, status=202)
def keep_assignment(assignment: tables.AssignmentRow, body: KeepingBody) -> KeepingBody:
    """Keep what was handed in for later years, in a corpus of the server, which is made if there is none."""
    return KeepingBody(corpus=keep_in_corpus(assignment, body.corpus))


@operation("DELETE", "/assignments/<int:assignment>", Right.TEACH, status=204)
def delete_one_assignment(assignment: tables.AssignmentRow) -> None:
    """Delete an assignment with everything in it."""
    audit("deleted an assignment", course_id=assignment.course_id, assignment=assignment.name)
    deletion.remove(db(), assignment)


@operation("GET", "/assignments/<int:assignment>/submissions", Right.READ)
def list_submissions(assignment: tables.AssignmentRow, query: PagingBody) -> SubmissionsBody:
    """What was handed in, all versions, in the order in which it came."""
    return submissions_where(query, assignment_id=assignment.id, confirmed=True)


def submissions_where(query: PagingBody, **columns: object) -> SubmissionsBody:
    """A page of the submissions with these columns."""
    wanted = select(tables.SubmissionRow).filter_by(**columns)
    total = db().scalar(select(func.count()).select_from(wanted.subquery())) or 0
    rows = wanted.options(selectinload(tables.SubmissionRow.files)).order_by(tables.SubmissionRow.id)
    page = db().scalars(rows.limit(query.limit).offset(query.offset)).all()
    return SubmissionsBody(total=total, items=[SubmissionBody.model_validate(row) for row in page])


@operation("GET", "/submissions/<int:submission>", Right.READ)
def read_submission(submission: tables.SubmissionRow) -> SubmissionBody:
    """One submission."""
    return SubmissionBody.model_validate(submission)


@operation("PATCH", "/submissions/<int:submission>", Right.TEACH)
def change_submission(submission: tables.SubmissionRow, body: SubmissionChangeBody) -> SubmissionBody:
    """Correct a submission: whose it is, what it is, in which language."""
    correct(db(), submission, Correction(body.owner, body.role, body.language))
    db().flush()
    return SubmissionBody.model_validate(submission)


@operation("GET", "/submissions/<int:submission>/matches", Right.READ)
def list_matches(submission: tables.SubmissionRow, query: PagingBody) -> list[PairBody]:
    """Whom a submission resembles most, in its assignment's newest run: for a grading page."""
    run = latest_run(db(), submission.assignment_id)
    return side_pairs(run, submission, query) if run else []


@operation("GET", "/courses/<int:course>/people", Right.READ)
def list_people(course: tables.CourseRow) -> list[PersonBody]:
    """All who handed something in."""
    return [PersonBody.model_validate(person) for person in sorted(course.people, key=lambda person: person.name)]


@operation("DELETE", "/people/<int:person>", Right.TEACH, status=204)
def erase(person: tables.PersonRow) -> None:
    """Erase all that a person handed in, and their name, everywhere in the course."""
    course_id = person.course_id
    deletion.erase(db(), person)
    audit("erased a person", course_id=course_id)


def _course(course: tables.CourseRow) -> CourseBody:
    return CourseBody.model_validate(course).model_copy(update={"role": course_role(me(), course)})
