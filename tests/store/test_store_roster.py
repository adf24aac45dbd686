"""Rosters: how they are read, which names they join, what follows a merge and is undone by parting, and partners."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select
from support.classes import add_run
from support.keeping import add_full_course, forget_now, hand_in, places_of, program
from support.server import make_server

from moss.jobs.handlers.deletion import erase
from moss.store.courses.merges import merge_people, names_of_student, part_person
from moss.store.courses.roster import LARGEST_GROUP, fit_of, match_names, partners_of, remove_roster, set_roster
from moss.store.courses.roster_file import normal, read_roster
from moss.store.results.case_lists import states_of
from moss.store.results.cases import Decision, decide, find_case, in_order, open_case, people_of
from moss.store.results.reports import pair_at
from moss.store.results.review_queue import review_queue
from moss.store.results.run_input import run_input_of
from moss.store.tables import (
    AssignmentRow,
    CaseEventRow,
    CaseRow,
    CaseState,
    PairRow,
    PartnersRow,
    PersonRow,
    RunEntryRow,
    RunRow,
    SubmissionRow,
    UserRow,
)
from moss.store.validation import RefusedError


@pytest.fixture
def server(tmp_path):
    with make_server(tmp_path) as made:
        yield made


@pytest.fixture
def each_server(tmp_path, database_url):
    """A server on SQLite, and one on PostgreSQL."""
    with make_server(tmp_path, database_url) as made:
        yield made


def person(session, name) -> PersonRow:
    return session.scalars(select(PersonRow).filter_by(name=name)).one()


def roster(session, text: str) -> list[str]:
    return set_roster(session, 1, read_roster(text.encode()))


def test_columns_are_found_in_any_order_language_of_spreadsheets_and_encoding():
    english = read_roster(b"Section,E-Mail,Name,Comment\nA,ada@example.org,Ada Lovelace,x\n")
    excel = read_roster("Surname;First name;ID number;Username\nMüller;Jörg;0012;jm|joerg\n".encode("cp1252"))
    assert (english.lines[0].name, english.lines[0].address, english.lines[0].section) == (
        "Ada Lovelace",
        "ada@example.org",
        "A",
    )
    assert english.unused == ("Comment",)
    assert (excel.lines[0].name, excel.lines[0].number, excel.lines[0].other_names) == (
        "Jörg Müller",
        "0012",
        ("jm", "joerg"),
    )


def test_two_students_of_one_name_are_told_apart_and_neither_is_guessed():
    first, second, other = read_roster(b"name,number\nAnna Schmidt,1\nANNA  schmidt,2\nBo,3\n").lines
    assert (first.name, second.name, other.name) == ("Anna Schmidt (1)", "ANNA schmidt (2)", "Bo")
    assert normal("Anna Schmidt") in first.keys & second.keys


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "first line has to name the columns"),
        ("address\na@example.org\n", "first line has to name the columns"),
        ("name,student\na,b\n", "Two columns mean the same: name"),
        ("name\n", "has no students"),
        ("name,address\nAda,\n,x@example.org\n", "Line 3 has no name"),
        ("name\n" + "x" * 201, "Something in line 2 is longer"),
    ],
)  # fmt: skip
def test_a_roster_that_cannot_be_read_is_refused_in_one_sentence(text, sentence):
    with pytest.raises(RefusedError, match=sentence):
        read_roster(text.encode())


@given(st.binary(max_size=300))
def test_any_bytes_are_a_roster_or_refused(content):
    for header in (b"", b"name,other names,partners\n"):
        with suppress(RefusedError):
            assert all(line.name for line in read_roster(header + content).lines)


def test_a_name_that_one_line_fits_is_joined_and_an_ambiguous_one_is_listed(server):
    add_full_course(server)
    with server.store.session() as session:
        session.scalars(select(SubmissionRow).filter_by(owner="Person 3")).one().account = "dee-git"
        roster(
            session,
            "name,address,number,other names\nAnn Elisabeth Quill,,7,QUILL, ann\n"
            'Robert Rust,ann@example.org,8,bob rust\nDee,d@example.org,9,"dee-git;Dan Tusk"\nDeedee,,10,Dan Tusk\n',
        )
        joined = {each.name: each.student.name for each in session.scalars(select(PersonRow)) if each.same_as_id}
        assert joined == {"Bob Rust": "Robert Rust", "Person 3": "Dee"}
        found = fit_of(session, 1)
        assert [(each.name, [fit.name for fit in fits]) for each, fits in found.ambiguous] == [
            ("Dan Tusk", ["Dee", "Deedee"])
        ]
        assert {"Ann Quill", "Cleo Sand", "Person 0"} <= {each.name for each in found.unknown}


def test_a_student_of_two_platforms_is_one_in_the_next_run_and_the_later_work_counts(server):
    add_full_course(server)
    with server.store.session() as session:
        roster(session, "name,other names,section\nAnn Quill,annq,B 2\nBob Rust,,B 1\n")
        assignment = session.get_one(AssignmentRow, 1)
        later = hand_in(session, assignment, "annq", program(1, "later"))
        later.handed_in = later.created + timedelta(days=1)
        match_names(session, 1)
        given = run_input_of(session, session.get_one(RunRow, 1))
        anns = [each for each in given.submissions if each.owner == "Ann Quill"]
        assert [(each.id, each.section, "later" in each.files[0].text) for each in anns] == [("Ann Quill", "B 2", True)]
        assert given.sources["Ann Quill"].person_id == person(session, "Ann Quill").id


def rows(session, *tables):
    """All rows of some tables, without what says when and how."""
    hidden = {"changed", "kept_apart", "id", "created"}
    return [
        sorted(
            [
                {k: v for k, v in row.items() if k not in hidden}
                for row in session.execute(select(t.__table__)).mappings()
            ],
            key=str,
        )
        for t in tables
    ]


def merged(session, one, other):
    return merge_people(session, person(session, one), person(session, other))


def test_decisions_survive_a_merge_and_parting_brings_everything_back(each_server):
    add_full_course(each_server)
    with each_server.store.session() as session:
        session.add(PersonRow(course_id=1, name="Ann Elisabeth Quill"))
        session.flush()
        before = rows(session, PersonRow, RunEntryRow, PairRow, CaseRow, CaseEventRow)
        run = session.get_one(RunRow, 1)
        states = states_of(session, run)
        assert len(set(states.values())) > 1
        into = merged(session, "Ann Quill", "Ann Elisabeth Quill")
        assert states_of(session, run) == states
        assert person(session, "Ann Quill").id not in set(session.scalars(select(PairRow.a_person_id)))
        assert {"Ann Quill"} == {each.name for each in names_of_student(session, into)} - {into.name}
        part_person(session, person(session, "Ann Quill"))
        assert rows(session, PersonRow, RunEntryRow, PairRow, CaseRow, CaseEventRow) == before
        roster(session, "name,other names\nAnn Elisabeth Quill,Ann Quill\n")
        assert person(session, "Ann Quill").same_as_id is None, "a roster does not undo what was done by hand"


def test_a_decision_about_a_merged_student_holds_in_the_next_run(server):
    add_full_course(server)
    with server.store.session() as session:
        user = session.get_one(UserRow, 2)
        ann, cleo = person(session, "Ann Quill"), person(session, "Cleo Sand")
        case = open_case(session, 1, in_order(ann.id, cleo.id))
        decide(session, case, user, Decision(CaseState.DISMISSED))
        roster(session, "name,other names\nA. Quill,Ann Quill\n")
    second = add_run(server.store, 1)
    server.work()
    with server.store.reading() as session:
        run = session.get_one(RunRow, second)
        both = {person(session, "A. Quill").id, person(session, "Cleo Sand").id}
        dismissed = [r for r, state in states_of(session, run).items() if state is CaseState.DISMISSED]
        assert both in [set(people_of(pair_at(session, run, rank))) for rank in dismissed]
        assert "A. Quill" in set(session.scalars(select(RunEntryRow.label).filter_by(run_id=second)))


def test_two_cases_with_one_other_are_joined_and_parted(server):
    add_full_course(server)
    with server.store.session() as session:
        user = session.get_one(UserRow, 2)
        ann, dan, other = (person(session, name) for name in ("Ann Quill", "Dan Tusk", "Person 1"))
        for each, state in ((ann, CaseState.CONFIRMED), (dan, CaseState.DISMISSED)):
            decide(session, open_case(session, 1, in_order(each.id, other.id)), user, Decision(state, note=each.name))
        before = rows(session, CaseRow, CaseEventRow)
        merge_people(session, dan, ann)
        case = find_case(session, 1, in_order(ann.id, other.id))
        assert case.state is CaseState.DISMISSED, "what was decided last counts"
        assert {event.note for event in case.events} == {"", "Ann Quill", "Dan Tusk"}
        part_person(session, person(session, "Dan Tusk"))
        session.expire_all()
        assert [[row | {"case_id": 0} for row in each] for each in rows(session, CaseRow, CaseEventRow)] == [
            [row | {"case_id": 0} for row in each] for each in before
        ]
        assert find_case(session, 1, in_order(ann.id, other.id)).state is CaseState.CONFIRMED


def test_a_student_is_never_a_pair_with_themselves(server):
    add_full_course(server)
    with server.store.session() as session:
        merged(session, "Bob Rust", "Ann Quill")
        pairs = session.scalars(select(PairRow)).all()
        alone = [pair for pair in pairs if pair.a_person_id == pair.b_person_id]
        assert [people_of(pair) for pair in alone] == [None]
        waiting = [pair for some in review_queue(session, [1], 20, 0).unreviewed for pair in some[:20]]
        assert not {pair.rank for pair in waiting} & {pair.rank for pair in alone}


@pytest.mark.parametrize(("one", "other"), [("Ann Quill", "Ann Quill"), ("Ann Quill", "Stranger")])
def test_merges_that_cannot_be_are_refused(server, one, other):
    add_full_course(server)
    elsewhere = server.add_course()
    with server.store.session() as session:
        session.add(PersonRow(course_id=elsewhere, name="Stranger"))
        session.flush()
        with pytest.raises(RefusedError):
            merged(session, one, other)
        with pytest.raises(RefusedError):
            part_person(session, person(session, "Ann Quill"))


def state(session, one, other) -> CaseState:
    case = find_case(session, 1, in_order(person(session, one).id, person(session, other).id))
    return case.state if case else CaseState.UNREVIEWED


def test_partners_of_the_roster_are_marked_unless_somebody_decided(each_server):
    add_full_course(each_server)
    with each_server.store.session() as session:
        for case in session.scalars(select(CaseRow)).all():
            session.delete(case)
        session.flush()
        ids = in_order(person(session, "Ann Quill").id, person(session, "Dan Tusk").id)
        decide(session, open_case(session, 1, ids), session.get_one(UserRow, 2), Decision(CaseState.SUSPICIOUS))
        text = "name,partners,group\nAnn Quill,bob rust; Dan Tusk; Nobody,\nBob Rust,,t\nCleo Sand,,t\nDan Tusk,,\n"
        problems = roster(session, text)
        assert problems == ["Who the partner “Nobody” of Ann Quill is, the roster doesn’t say."]
        assert [(row.a.name, row.b.name) for row in partners_of(session, 1)] == [
            ("Ann Quill", "Bob Rust"), ("Ann Quill", "Dan Tusk"), ("Bob Rust", "Cleo Sand"),
        ]  # fmt: skip
        assert state(session, "Ann Quill", "Bob Rust") is state(session, "Bob Rust", "Cleo Sand") is CaseState.PARTNERS
        assert state(session, "Ann Quill", "Dan Tusk") is CaseState.SUSPICIOUS
        roster(session, "name,group\nBob Rust,t\nCleo Sand,t\n")
        assert state(session, "Ann Quill", "Bob Rust") is CaseState.UNREVIEWED
        assert state(session, "Bob Rust", "Cleo Sand") is CaseState.PARTNERS
        remove_roster(session, 1)
        assert state(session, "Bob Rust", "Cleo Sand") is CaseState.UNREVIEWED
        assert not session.scalars(select(PartnersRow)).all()


def test_a_group_as_large_as_a_lab_makes_no_partners(server):
    server.add_course()
    with server.store.session() as session:
        lines = "".join(f"P{n},lab\n" for n in range(LARGEST_GROUP + 1))
        (problem,) = roster(session, f"name,group\n{lines}")
        assert "lab" in problem
        assert not session.scalars(select(PartnersRow)).all()


def test_erasing_a_student_takes_all_names_and_what_the_roster_says(server):
    add_full_course(server)
    secret = ("annsother", "annsaddress@example.org", "990099", "Ann Quill", "A. Quill", "annslineofcode")
    with server.store.session() as session:
        roster(
            session, "name,address,number,other names\nA. Quill,annsaddress@example.org,990099,Ann Quill;annsother\n"
        )
        erase(session, person(session, "Ann Quill"))
    forget_now(server)
    assert places_of(server.store, secret) == []


def test_the_roster_goes_with_the_last_assignment_that_expires(server):
    add_full_course(server)
    with server.store.session() as session:
        roster(session, "name,address\nNever Came,never@example.org\nAnn Quill,ann@example.org\n")
        session.get_one(AssignmentRow, 1).course.retention_days = 1
        session.get_one(AssignmentRow, 1).created -= timedelta(days=9)
    forget_now(server)
    with server.store.reading() as session:
        assert session.scalars(select(PersonRow)).all() == []
