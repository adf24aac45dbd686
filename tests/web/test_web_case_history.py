"""Cases beyond a plain decision: proposals, undoing, partners, hearings, and passages treated as starter code."""

from __future__ import annotations

from datetime import date

import pytest
from support.classes import add_run

from moss.model import Role
from moss.store.results.case_lists import states_of
from moss.store.results.cases import (
    Decision,
    DecisionError,
    add_statement,
    decide,
    hearing_of,
    open_case,
    open_proposal,
    people_of,
    propose,
    set_hearing,
    set_outcome,
    undo_decision,
)
from moss.store.results.reports import pair_at
from moss.store.results.review_queue import review_queue
from moss.store.submissions.corrections import treat_as_starter_code
from moss.store.tables import CaseRow, CaseState, PairRow, RunRow, SubmissionRow, UserRow


@pytest.fixture
def case_of(reported):
    """Opens the case of the best pair, with an instructor and an assistant."""

    def opened(session):
        run = session.get_one(RunRow, 1)
        people = people_of(pair_at(session, run, 1))
        instructor, assistant = (session.get_one(UserRow, reported.id_of(who)) for who in ("instructor", "assistant"))
        return open_case(session, run.assignment_id, people), instructor, assistant

    return opened


def test_a_proposal_changes_nothing_until_somebody_decides(reported, case_of):
    with reported.store.session() as session:
        case, instructor, assistant = case_of(session)
        propose(session, case, assistant, Decision(CaseState.CONFIRMED, note="Same typing error."))
        session.refresh(case)
        assert case.state is CaseState.UNREVIEWED
        assert open_proposal(case).after == "confirmed"
        decide(session, case, instructor, Decision(CaseState.DISMISSED))
        session.refresh(case)
        assert open_proposal(case) is None
        assert [event.kind for event in case.events] == ["proposal", "note", "state"]


def test_a_decision_can_be_taken_back_and_both_stay_in_the_history(reported, case_of):
    with reported.store.session() as session:
        case, instructor, _ = case_of(session)
        with pytest.raises(DecisionError, match="no decision to take back"):
            undo_decision(session, case, instructor)
        decide(session, case, instructor, Decision(CaseState.DISMISSED))
        session.refresh(case)
        assert undo_decision(session, case, instructor) is CaseState.UNREVIEWED
        session.refresh(case)
        assert [(event.before, event.after) for event in case.events] == [
            ("unreviewed", "dismissed"),
            ("dismissed", "unreviewed"),
        ]


def test_partners_need_no_review_and_stay_partners_in_the_next_run(reported, case_of):
    with reported.store.session() as session:
        case, instructor, _ = case_of(session)
        course = case.assignment.course
        assert 1 in unreviewed(session, course.id)
        decide(session, case, instructor, Decision(CaseState.PARTNERS))
        assert 1 not in unreviewed(session, course.id)
    second = add_run(reported.store, 1)
    reported.work()
    with reported.store.reading() as session:
        assert list(states_of(session, session.get_one(RunRow, second)).values()).count(CaseState.PARTNERS) == 1


def unreviewed(session, course_id) -> set[int]:
    queue = review_queue(session, [course_id], 20, 0)
    return {pair.rank for pairs in queue.unreviewed for pair in pairs[:20]}


def test_a_hearing_is_a_part_of_the_history(reported, case_of):
    with reported.store.session() as session:
        case, instructor, _ = case_of(session)
        add_statement(session, case, instructor, case.a.name, " We learned together. ")
        set_hearing(session, case, instructor, "2026-11-30")
        set_hearing(session, case, instructor, "2026-11-30")  # nothing new
        set_outcome(session, case, instructor, "A warning.")
        found = hearing_of(case)
        assert [(said.after, said.note) for said in found.statements] == [(case.a.name, "We learned together.")]
        assert found.day == date(2026, 11, 30)
        assert found.outcome.note == "A warning."
        assert [event.kind for event in case.events] == ["statement", "hearing", "outcome"]
        set_hearing(session, case, instructor, "")
        assert hearing_of(case).day is None


def test_a_hearing_of_nobody_or_never_is_refused(reported, case_of):
    with reported.store.session() as session:
        case, instructor, _ = case_of(session)
        for wrong in (
            lambda: add_statement(session, case, instructor, "Mallory", "I was there."),
            lambda: add_statement(session, case, instructor, case.a.name, "  "),
            lambda: add_statement(session, case, instructor, case.a.name, "x" * 10_001),
            lambda: set_hearing(session, case, instructor, "tomorrow"),
        ):
            with pytest.raises(DecisionError):
                wrong()
        assert case.events == []


def test_a_passage_that_is_starter_code_is_ignored_from_the_next_run_on(reported):
    with reported.store.session() as session:
        run = session.get_one(RunRow, 1)
        pair = pair_at(session, run, 1)
        before = pair.tokens
        longest = max(pair.matches, key=lambda match: match.tokens)
        made = treat_as_starter_code(session, run, pair, longest)
        assert made.role is Role.BASE
        assert made.id == treat_as_starter_code(session, run, pair, longest).id  # asked twice, made once
        people = people_of(pair)
    second = add_run(reported.store, 1)
    reported.work()
    assert tokens_of(reported, second, people) <= before - longest.tokens
    with reported.store.session() as session:
        session.get_one(SubmissionRow, made.id).left_out = True  # taken back
    third = add_run(reported.store, 1)
    reported.work()
    assert tokens_of(reported, third, people) == before


def tokens_of(server, run_id, people) -> int:
    with server.store.reading() as session:
        pairs = session.query(PairRow).filter_by(run_id=run_id)
        return next((pair.tokens for pair in pairs if people_of(pair) == people), 0)


def test_cases_are_not_made_by_looking(reported):
    with reported.store.reading() as session:
        assert session.query(CaseRow).count() == 0
