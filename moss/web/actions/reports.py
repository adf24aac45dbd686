"""A run's report for others: evidence of one pair as a single page, and share links to all of it or to one pair.

Evidence is the stored report, completed by what only the server knows. A share link can be opened without an account
until it expires: its address is signed, so nobody can make one up, and whether it still holds is looked up each time.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

from flask import abort
from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy import exists, select

from moss.messages import day, marked
from moss.messages import gettext as _
from moss.model import Report
from moss.report.evidence.document import EvidenceError, Provenance, make_evidence
from moss.report.evidence.document import EvidenceRequest as Exhibit
from moss.report.evidence.pdf import find_browser, print_pdf
from moss.report.words.fairness import FairnessPoint, fairness_of
from moss.store.results.cases import find_case, last_of, people_of
from moss.store.results.reports import load_report, pair_at
from moss.store.tables import CaseEventKind, CaseState, DropRow, PairRow, RunRow, ShareLinkRow, now
from moss.web.request.context import audit, db, me, note_use, server

_DECISIONS = {
    CaseState.SUSPICIOUS: marked("Suspicious"),
    CaseState.CONFIRMED: marked("Confirmed"),
    CaseState.DISMISSED: marked("Dismissed"),
}


def bundle_name(run: RunRow) -> str:
    """The file name under which a run's bundle is downloaded."""
    return f"run-{run.id}.zip"


def report_of(
    run: RunRow,
    texts_of: Collection[int] | None = None,
    matches_of: Collection[int] | None = None,
    ranking_of: Collection[int] | None = None,
    figures_of: Collection[int] | None = None,
) -> Report:
    """The report of a run, with the name of its bundle. A submit script's run has none: its sender has the files."""
    report = load_report(db(), run, texts_of, matches_of, ranking_of, figures_of)
    if db().scalar(select(exists().where(DropRow.run_id == run.id))):
        return report
    return replace(report, parameters={**report.parameters, "bundle": bundle_name(run)})


def exhibit_of(
    run: RunRow, rank: int, *, anonymous: bool = False, note: str = "", student: int | None = None
) -> Exhibit:
    """The request for the evidence of a pair, or for the copy of one of its students, ready for `make_evidence`.
    Answers 404 if there is no such pair or student."""
    pair = (pair_at(db(), run, rank) if run.finished else None) or abort(404)
    # Only all texts together tell a student's name from a word of the task, so hiding names needs them all.
    report = report_of(run, None if anonymous or student is not None else {pair.a, pair.b}, {rank})
    shown = report.pairs[rank - 1]
    copies = {pair.a_person_id: shown.a, pair.b_person_id: shown.b}
    reader = "" if student is None else copies.get(student) or abort(404)
    made = now().replace(microsecond=0)
    return Exhibit(
        report, rank, note, anonymous and not reader, made=made, provenance=_provenance(run, pair), student=reader
    )


def fairness_in(run: RunRow, rank: int) -> list[FairnessPoint]:
    """The reasons that may speak against copying in a pair of a run."""
    report = load_report(db(), run, (), {rank})
    return fairness_of(report, report.pairs[rank - 1])


def anonymous_page(run: RunRow, rank: int) -> str:
    """The evidence of a pair for a reader who has only a link: without names and without the decision."""
    origin = Provenance(run.assignment.course.title, run.assignment.name, run.number)
    text = evidence_of(Exhibit(report_of(run, None, {rank}), rank, anonymous=True, provenance=origin))
    return text.encode("utf-8", "replace").decode()


def evidence_of(exhibit: Exhibit) -> str:
    """The evidence as one HTML page."""
    try:
        return make_evidence(exhibit)
    except EvidenceError as error:
        abort(500, str(error))


def pdf_of(page: str) -> bytes:
    """A page of evidence, printed."""
    try:
        return print_pdf(page)
    except EvidenceError as error:
        abort(501 if find_browser() is None else 500, str(error))


def _provenance(run: RunRow, pair: PairRow) -> Provenance:
    assignment = run.assignment
    return Provenance(assignment.course.title, assignment.name, run.number, me().name, _decision(run, pair))


def _decision(run: RunRow, pair: PairRow) -> str:
    """The decision about a pair, with who made it and when; empty if there is none."""
    people = people_of(pair)
    case = find_case(db(), run.assignment_id, people) if people else None
    if case is None or case.state is CaseState.UNREVIEWED:
        return ""
    last = last_of(case, CaseEventKind.STATE)
    word = _(_DECISIONS[case.state])
    return _("%(state)s, by %(author)s on %(day)s", state=word, author=last.author, day=day(last.at)) if last else word


def make_link(run: RunRow, rank: int | None, label: str, days: int, *, anonymous: bool) -> ShareLinkRow:
    """Make a link to a run's report, or to one of its pairs, with names or without."""
    if rank is not None and pair_at(db(), run, rank) is None:
        abort(404)
    expires = now() + timedelta(days=days)
    link = ShareLinkRow(run_id=run.id, rank=rank, label=label, user_id=me().id, expires=expires, anonymous=anonymous)
    db().add(link)
    db().flush()
    audit("shared a report", course_id=run.assignment.course_id, run=run.id, link=link.id, days=days,
          names="no" if anonymous else "yes")  # fmt: skip
    return link


def revoke_link(link: ShareLinkRow) -> None:
    """Let a link lead nowhere from now on."""
    link.revoked = link.revoked or now()
    audit("revoked a link", link=link.id, run=link.run_id)


def token_of(link: ShareLinkRow) -> str:
    """The signed part of a link's address."""
    return str(_serializer().dumps([link.id, int(link.expires.timestamp())]))


def open_link(token: str) -> tuple[ShareLinkRow, RunRow]:
    """The link with this token, and its run; answers 404 or 410 if there is no such link or it no longer holds."""
    try:
        link_id, expires = _serializer().loads(token)
    except (BadSignature, ValueError, TypeError):
        abort(404)
    link = db().get(ShareLinkRow, link_id)
    if link is None or link.revoked or now() >= link.expires or int(link.expires.timestamp()) != expires:
        abort(410, _("This link has expired or was revoked. Ask the person who sent it for a new one."))
    note_use(ShareLinkRow.used, link)
    return link, db().get_one(RunRow, link.run_id)


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(server().secret, salt="share")
