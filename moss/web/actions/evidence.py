"""Evidence of a run's pairs: the stored report, completed by what only the server knows, and rendered as one page."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from flask import abort
from sqlalchemy import exists, select

from moss.messages import day, marked
from moss.messages import gettext as _
from moss.model import Report
from moss.report.evidence.document import EvidenceError, Provenance, make_evidence
from moss.report.evidence.document import EvidenceRequest as Exhibit
from moss.report.evidence.pdf import find_browser, print_pdf
from moss.report.fairness import FairnessPoint, fairness_of
from moss.store.results.cases import find_case, last_of, people_of
from moss.store.results.reports import load_report, pair_at
from moss.store.tables import CaseEventKind, CaseState, DropRow, PairRow, RunRow, now
from moss.web.request.context import db, me

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
) -> Report:
    """The report of a run, with the name of its bundle. A submit script's run has none: its sender has the files."""
    report = load_report(db(), run, texts_of, matches_of, ranking_of)
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
