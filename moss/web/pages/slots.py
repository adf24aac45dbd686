"""The contents of the slots of stored pages, filled when a page is sent because they depend on time and reader."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flask import current_app, g

from moss.model import Standing
from moss.report.evidence.pdf import find_browser
from moss.report.packed_page import PackedPage, with_states
from moss.report.pages.pair_list import states_script
from moss.report.served import state_badge
from moss.store.results.case_lists import carried_over, shown_states
from moss.store.results.cases import assignees, documents_of, find_case, open_proposal, people_of
from moss.store.results.reports import baseline_of, pair_at
from moss.store.tables import CaseRow, CaseState, PairRow, RunRow
from moss.web.pages.cases import CHECKS
from moss.web.request.access import is_anonymous
from moss.web.request.context import db


def _states(run: RunRow) -> tuple[tuple[int, CaseState], ...]:
    """The states of the cases of a run's pairs, asked for once in a request."""
    if "case_states" not in g:
        g.case_states = shown_states(db(), run)
    states: tuple[tuple[int, CaseState], ...] = g.case_states
    return states


def with_case_states(run: RunRow, page: PackedPage) -> PackedPage:
    """An overview, or a cluster's page, with the state of each pair's case, which all who may decide see alike."""
    return with_states(page, tuple((rank, state_badge(state.value)) for rank, state in _states(run)))


def pair_list_slots(run: RunRow) -> dict[str, str]:
    """The slot of the overview's data: the states of the pairs' cases."""
    ranks: dict[str, list[int]] = {}
    for rank, state in _states(run):
        ranks.setdefault(state.value, []).append(rank)
    return {"states": states_script(ranks)}


def overview_slots(run: RunRow) -> dict[str, str]:
    """The slots of the overview, apart from the state of each pair: tools, and the states that filter the clusters."""
    if is_anonymous():
        return cluster_slots(run)
    return cluster_slots(run) | {"tools": _rendered("web/_report_tools.html", run=run)}


def cluster_slots(run: RunRow) -> dict[str, str]:
    """The slots of a cluster's page, apart from the state of each pair: the states that filter its graph."""
    states = (f"{rank}:{state.value}" for rank, state in _states(run))
    return (_anonymous() if is_anonymous() else _around(run)) | {"states": " ".join(states)}


def pair_slots(run: RunRow, rank: int, names: Iterable[str]) -> dict[str, str]:
    """The slots of a pair's page: its case, and for each passage the link to who else has it."""
    if is_anonymous():
        return _anonymous()
    pair = pair_at(db(), run, rank)
    if pair is None:
        return _around(run)
    people, documents = people_of(pair), documents_of(db(), pair)
    case = find_case(db(), run.assignment_id, people) if people else None
    panel = _rendered(
        "web/_case_panel.html", run=run, rank=rank, case=case, documents=documents, states=CaseState,
        state=_shown_state(run, pair, case),
        earlier=carried_over(db(), case, run) if case else None,
        erased=people is None and not documents, one=_is_one_student(pair),
        assignees=assignees(db(), run.assignment.course),
        proposal=open_proposal(case) if case else None, checks=CHECKS, prints=find_browser() is not None,
    )  # fmt: skip
    return _around(run) | _passage_links(run, rank, names) | {"case": panel}


def _is_one_student(pair: PairRow) -> bool:
    """Whether both sides of a pair are names of one student."""
    return pair.a_person_id is not None and pair.a_person_id == pair.b_person_id


def _shown_state(run: RunRow, pair: PairRow, case: CaseRow | None) -> CaseState | None:
    """The state of a pair's case, as lists show it: an ordinary pair that nobody has judged or was given has none."""
    if case and (case.state is not CaseState.UNREVIEWED or case.assignee_id is not None):
        return case.state
    is_ordinary = baseline_of(db(), run).standing(pair.score) is Standing.ORDINARY
    return None if is_ordinary else CaseState.UNREVIEWED


def _passage_links(run: RunRow, rank: int, names: Iterable[str]) -> dict[str, str]:
    """The slots `passage-N` among the names of a page's slots; a page may have hundreds."""
    numbers = {name: int(name.removeprefix("passage-")) for name in names if name.startswith("passage-")}
    return {name: _rendered("web/_passage.html", run=run, rank=rank, match={"number": number})
            for name, number in numbers.items()}  # fmt: skip


def submission_slots(run: RunRow, number: int) -> dict[str, str]:
    """The slots of a submission's page: the link to look it up in earlier years."""
    if is_anonymous():
        return _anonymous()
    return _around(run) | {"submission": _rendered("web/_submission_tools.html", run=run, number=number)}


def _anonymous() -> dict[str, str]:
    """The slots of every page in anonymous mode: whatever else could be there names people, or leads to who does."""
    return {
        "head": _rendered("web/_report_head.html"),
        "masthead": _rendered("web/_account.html", anonymous=True),
        "notice": _rendered("web/_anonymous_notice.html"),
    }


def _around(run: RunRow) -> dict[str, str]:
    """The slots that every page has."""
    return {
        "head": _rendered("web/_report_head.html"),
        "masthead": _rendered("web/_account.html"),
        "crumbs": _rendered("web/_report_crumbs.html", run=run),
        "notice": _rendered("web/_report_notice.html"),
    }


def _rendered(template: str, **values: Any) -> str:
    """A template with these values, and with those that all have, which are computed once for all slots of a page."""
    if "shared_values" not in g:
        g.shared_values = {}
        current_app.update_template_context(g.shared_values)
    return current_app.jinja_env.get_template(template).render(g.shared_values | values)
