"""Cases, evidence and share links by the API."""

from __future__ import annotations

from flask import Response, abort, url_for
from sqlalchemy import select

from moss.store import tables
from moss.store.results.case_lists import cases_by_state
from moss.store.results.cases import Decision, DecisionError, assignees, decide, open_case, people_meant
from moss.store.results.reports import pair_at
from moss.web.actions.reports import evidence_of, exhibit_of, make_link, revoke_link, token_of
from moss.web.api.operations import operation
from moss.web.api.result_bodies import (
    CaseBody,
    CaseFilterBody,
    EventBody,
    EvidenceWishBody,
    NewDecisionBody,
    NewShareBody,
    ShareBody,
)
from moss.web.request.access import Right
from moss.web.request.context import audit, db, me
from moss.web.request.limits import heavy_work


@operation("GET", "/courses/<int:course>/cases", Right.READ)
def list_cases(course: tables.CourseRow, query: CaseFilterBody) -> list[CaseBody]:
    """The cases of a course, newest first."""
    return [_shown(case) for case in cases_by_state(db(), course.id, query.state)]


@operation("GET", "/cases/<int:case>", Right.READ)
def read_case(case: tables.CaseRow) -> CaseBody:
    """One case with its history."""
    return _shown(case)


@operation("POST", "/cases/<int:case>", Right.TEACH)
def change_case(case: tables.CaseRow, body: NewDecisionBody) -> CaseBody:
    """Decide a case, give it to somebody, or add a note."""
    return _carry_out(case, body)


@operation("POST", "/runs/<int:run>/pairs/<int:rank>/case", Right.TEACH)
def decide_pair(run: tables.RunRow, rank: int, body: NewDecisionBody) -> CaseBody:
    """Decide the case of a run's pair, give it to somebody, or add a note; a missing case is made."""
    pair = pair_at(db(), run, rank) or abort(404)
    people = people_meant(db(), run, pair) or abort(404)
    return _carry_out(open_case(db(), run.assignment_id, people), body)


@operation("GET", "/runs/<int:run>/pairs/<int:rank>/evidence", Right.READ, gives="text/html")
def read_evidence(run: tables.RunRow, rank: int, query: EvidenceWishBody) -> Response:
    """The evidence of a pair as one HTML file."""
    with heavy_work():
        made = evidence_of(exhibit_of(run, rank, anonymous=query.anonymous, student=query.student))
    return Response(made.encode("utf-8", "replace"), mimetype="text/html")


@operation("GET", "/runs/<int:run>/shares", Right.TEACH)
def list_shares(run: tables.RunRow) -> list[ShareBody]:
    """The links to a run's report."""
    wanted = select(tables.ShareLinkRow).filter_by(run_id=run.id).order_by(tables.ShareLinkRow.id)
    return [_link(link) for link in db().scalars(wanted)]


@operation("POST", "/runs/<int:run>/shares", Right.TEACH, status=201)
def create_share(run: tables.RunRow, body: NewShareBody) -> ShareBody:
    """Make a link by which a report, or one pair, can be read without an account."""
    return _link(make_link(run, body.rank, body.label, body.days, anonymous=body.anonymous))


@operation("DELETE", "/links/<int:link>", Right.TEACH, status=204)
def revoke_share(link: tables.ShareLinkRow) -> None:
    """Revoke a link."""
    revoke_link(link)


def _carry_out(case: tables.CaseRow, body: NewDecisionBody) -> CaseBody:
    members = {user.id for user in assignees(db(), case.assignment.course)}
    if body.assignee_id is not None and body.assignee_id not in members:
        abort(422, "A case can only be given to a member of the course.")
    try:
        decide(db(), case, me(), Decision(body.state, body.assignee_id, body.unassign, body.note))
    except DecisionError as error:
        abort(422, f"That cannot be: {error}.")
    audit("decided a case", course_id=case.assignment.course_id, case=case.id, state=case.state.value)
    db().refresh(case)
    return _shown(case)


def _shown(case: tables.CaseRow) -> CaseBody:
    return CaseBody(
        id=case.id, assignment_id=case.assignment_id, people=(case.a.name, case.b.name), state=case.state,
        assignee_id=case.assignee_id, changed=case.changed,
        events=[EventBody.model_validate(event) for event in case.events],
    )  # fmt: skip


def _link(link: tables.ShareLinkRow) -> ShareBody:
    return ShareBody(
        id=link.id, label=link.label, rank=link.rank, anonymous=link.anonymous, created=link.created,
        expires=link.expires, revoked=link.revoked,
        address=url_for("shares.overview", token=token_of(link), _external=True),
    )  # fmt: skip
