"""Slots: what is filled into a stored page when it is sent, because it depends on time and reader."""

from __future__ import annotations

from flask import render_template

from moss.report.served import state_badge
from moss.store.results.cases import assignees, carried_over, documents_of, find_case, pair_at, people_of, states_of
from moss.store.tables import CaseState, RunRow
from moss.web.request.context import db


def overview_slots(run: RunRow) -> dict[str, str]:
    """Of the overview: tools, and the state of each pair."""
    badges = {f"state-{rank}": state_badge(state.value) for rank, state in states_of(db(), run).items()}
    return _around(run) | badges | {"tools": render_template("web/_report_tools.html", run=run)}


def pair_slots(run: RunRow, rank: int) -> dict[str, str]:
    """Of a pair's page: its case, and for each passage where to look who else has it."""
    pair = pair_at(db(), run, rank)
    if pair is None:
        return _around(run)
    people, documents = people_of(pair), documents_of(db(), pair)
    case = find_case(db(), run.assignment_id, people) if people else None
    panel = render_template(
        "web/_case_panel.html", run=run, rank=rank, case=case, documents=documents, states=CaseState,
        earlier=carried_over(db(), case, run) if case else None,
        erased=people is None and not documents, assignees=assignees(db(), run.assignment.course),
    )  # fmt: skip
    passages = {
        f"passage-{match.number}": render_template("web/_passage.html", run=run, rank=rank, match=match)
        for match in pair.matches
    }
    return _around(run) | passages | {"case": panel}


def submission_slots(run: RunRow, number: int) -> dict[str, str]:
    """Of a submission's page: where to look for it in earlier years."""
    return _around(run) | {"submission": render_template("web/_submission_tools.html", run=run, number=number)}


def _around(run: RunRow) -> dict[str, str]:
    """What every page has."""
    return {
        "head": render_template("web/_report_head.html"),
        "masthead": render_template("web/_account.html"),
        "notice": render_template("web/_report_notice.html", run=run),
    }
