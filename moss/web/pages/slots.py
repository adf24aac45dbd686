"""The contents of the slots of stored pages, filled when a page is sent because they depend on time and reader."""

from __future__ import annotations

from flask import render_template

from moss.report.served import state_badge
from moss.store.results.cases import assignees, carried_over, documents_of, find_case, pair_at, people_of, states_of
from moss.store.tables import CaseState, RunRow
from moss.web.request.context import db


def overview_slots(run: RunRow) -> dict[str, str]:
    """The slots of the overview: tools, and the state of each pair."""
    badges = {f"state-{rank}": state_badge(state.value) for rank, state in states_of(db(), run).items()}
    return _around(run) | badges | {"tools": render_template("web/_report_tools.html", run=run)}


def pair_slots(run: RunRow, rank: int) -> dict[str, str]:
    """The slots of a pair's page: its case, and for each passage the link to who else has it."""
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
    """The slots of a submission's page: the link to look it up in earlier years."""
    return _around(run) | {"submission": render_template("web/_submission_tools.html", run=run, number=number)}


def _around(run: RunRow) -> dict[str, str]:
    """The slots that every page has."""
    return {
        "head": render_template("web/_report_head.html"),
        "masthead": render_template("web/_account.html"),
        "notice": render_template("web/_report_notice.html", run=run),
    }
