"""Decisions: made by those who may, kept with their history, and still there after the next run."""

from __future__ import annotations

import json
import re

import pytest
from sqlalchemy import update
from support.classes import SAMPLES, add_class, add_run, add_submission
from support.decisions import CONFIRMED
from support.server import Server

from moss.model import SourceFile, Submission
from moss.store.results.case_lists import appearances, states_of
from moss.store.results.cases import Decision, DecisionError, decide
from moss.store.results.review_queue import count_waiting
from moss.store.tables import AssignmentRow, AuditEntryRow, CaseRow, CaseState, PairRow, ResultRow, RunRow, UserRow
from moss.version import SCORE_VERSION


def the_case(server: Server) -> CaseRow:
    with server.store.reading() as session:
        case = session.query(CaseRow).one()
        assert case.events is not None
        return case


def test_a_decision_is_kept_with_its_history(reported):
    instructor = reported.client()
    answer = instructor.post("/runs/1/pairs/1/case", {"state": "suspicious", "note": "Same typo.", "assignee": "3"})
    assert answer.status_code == 302
    case = the_case(reported)
    assert case.state is CaseState.SUSPICIOUS
    assert [(e.kind, e.before, e.after, e.note) for e in case.events] == [
        ("state", "unreviewed", "suspicious", ""), ("assignee", "", "Assistant", ""), ("note", "", "", "Same typo."),
    ]  # fmt: skip
    page = instructor.get("/runs/1/pairs/1").text
    assert 'data-state="suspicious"' in page
    assert "Same typo." in page
    assert "assigned to <bdi>Assistant</bdi>" in page
    with reported.store.reading() as session:
        assert session.query(AuditEntryRow).filter_by(action="decided a case").count() == 1


def test_the_overview_shows_each_pairs_state(reported):
    reported.client().post("/runs/1/pairs/2/case", {"state": "dismissed"})
    page = reported.client("assistant").get("/runs/1/").text
    assert page.count('data-state="dismissed"') == 1
    assert page.count('data-state="unreviewed"') == 1


def test_an_assistant_proposes_and_decides_nothing(reported):
    assistant = reported.client("assistant")
    page = assistant.get("/runs/1/pairs/1").text
    assert "Evidence" in page
    assert "Propose and next" in page
    assert 'name="assignee"' not in page
    assert assistant.post("/runs/1/pairs/1/case", {"state": "confirmed", "note": "Same typo."}).status_code == 302
    assert the_case(reported).state is CaseState.UNREVIEWED
    assert "proposes:" in reported.client().get("/runs/1/pairs/1").text
    assert "proposed a decision" in [each.action for each in audited(reported)]
    for path in ("/cases/1/undo", "/cases/1/hearing", "/runs/1/pairs/1/passages/1/starter"):
        assert assistant.post(path, {}).status_code == 403, path


def as_shown(page: str) -> dict[str, str]:
    """What the form of a page sends if nobody changes anything in it."""
    form = re.search(r'(?s)<form [^>]*class="decision">.*?</form>', page)[0]
    hidden = dict(re.findall(r'<input type="hidden" name="(shown-\w+)" value="([^"]*)"', form))
    return hidden | {"state": re.search(r'value="(\w+)"[^>]* checked', form)[1], "note": ""}


def test_what_a_reader_left_as_it_was_shown_stays_as_a_colleague_changed_it(reported):
    me, assistant = reported.client(), reported.client("assistant")
    mine, theirs = (as_shown(each.get("/runs/1/pairs/1").text) for each in (me, assistant))
    assert mine == {"shown-state": "unreviewed", "shown-assignee": "", "state": "unreviewed", "note": ""}
    reported.client("administrator").post("/runs/1/pairs/1/case", {"state": "suspicious", "assignee": "3"})
    assert me.post("/runs/1/pairs/1/case", mine | {"assignee": "", "note": "Same typo."}).status_code == 302
    assert assistant.post("/runs/1/pairs/1/case", theirs | {"note": "I think so, too."}).status_code == 302
    case = the_case(reported)
    assert (case.state, case.assignee_id) == (CaseState.SUSPICIOUS, 3)
    assert [event.kind for event in case.events] == ["state", "assignee", "note", "note"]


def test_what_two_people_change_at_once_is_not_overwritten(reported):
    me = reported.client()
    mine = as_shown(me.get("/runs/1/pairs/1").text)
    reported.client("administrator").post("/runs/1/pairs/1/case", {"state": "suspicious", "assignee": "3"})
    for change in ({"state": "dismissed"}, {"assignee": "1"}):
        refused = me.post("/runs/1/pairs/1/case?name=e", {"assignee": ""} | mine | change)
        assert refused.status_code == 422
        assert "Somebody changed this case while you had it open." in refused.text
        assert 'href="/runs/1/pairs/1?name=e">Go back' in refused.text
    case = the_case(reported)
    assert (case.state, case.assignee_id) == (CaseState.SUSPICIOUS, 3)
    assert me.post("/runs/1/pairs/1/case", mine | {"state": "suspicious"}).status_code == 302, "both say so"
    mine = as_shown(me.get("/cases/1/").text)
    assert me.post("/cases/1/", mine | {"state": "dismissed"}).status_code == 302
    assert the_case(reported).state is CaseState.DISMISSED


def test_an_undo_takes_back_what_its_page_showed_and_nothing_that_was_decided_since(reported):
    me = reported.client()
    page = me.post("/runs/1/pairs/1/case?name=e", {"state": "dismissed"}, follow_redirects=True).text
    [toast, button] = [address.replace("&amp;", "&") for address in re.findall(r'action="(/cases/1/undo[^"]*)"', page)]
    assert page.count('name="then" value="/runs/1/pairs/1?name=e"') == 2
    reported.client("administrator").post("/runs/1/pairs/1/case", {"state": "suspicious"})
    for address in (toast, button):
        assert me.post(address, {"then": "/"}).status_code == 422
    assert the_case(reported).state is CaseState.SUSPICIOUS
    reported.client("administrator").post("/runs/1/pairs/1/case", {"state": "dismissed"})
    assert me.post(toast, {"then": "/runs/1/pairs/1?name=e"}).location == "/runs/1/pairs/1?name=e"
    assert the_case(reported).state is CaseState.SUSPICIOUS


def audited(server: Server) -> list[AuditEntryRow]:
    with server.store.reading() as session:
        return session.query(AuditEntryRow).all()


def test_a_case_is_confirmed_only_after_the_list(reported):
    instructor = reported.client()
    answer = instructor.post("/runs/1/pairs/1/case", {"state": "confirmed", "checked": ["read", "asked"]})
    assert answer.status_code == 422
    assert "Tick every point of the list" in answer.text
    assert instructor.post("/runs/1/pairs/1/case", CONFIRMED).status_code == 302
    assert the_case(reported).state is CaseState.CONFIRMED


def test_saving_can_go_on_to_the_next_pair_until_all_are_reviewed(reported):
    instructor = reported.client()
    to_next = {"state": "dismissed", "then": "next"}
    assert instructor.post("/runs/1/pairs/1/case", to_next).headers["Location"].endswith("/runs/1/pairs/2#case")
    assert instructor.post("/runs/1/pairs/2/case", to_next).headers["Location"].endswith("/runs/1/")
    assert "No other pair of this run needs review." in instructor.get("/runs/1/").text


def test_a_decision_keeps_the_list_that_its_pair_was_opened_from(reported):
    instructor = reported.client()
    answer = instructor.post("/runs/1/pairs/1/case?name=a&sort=longest", {"state": "dismissed"})
    assert answer.headers["Location"].endswith("/runs/1/pairs/1?name=a&sort=longest#case")
    answer = instructor.post("/runs/1/pairs/2/case?name=a", {"state": "suspicious", "then": "1"})
    assert answer.headers["Location"].endswith("/runs/1/pairs/1?name=a#case"), "the next of that list"
    assert instructor.post("/runs/1/pairs/2/case", {"state": "dismissed", "then": "99"}).status_code == 404


def test_needs_review_means_the_same_everywhere(reported):
    """On the badges of the list, in its filter, on the assignment's page and on that of the pair."""
    instructor = reported.client()
    with reported.store.session() as session:
        session.get_one(ResultRow, 1).baseline = {"pairs": 9, "typical": 0, "spread": 0.1, "limit": 0.5, "far": 0.6}
        session.execute(update(PairRow).where(PairRow.rank == 1).values(score=0.9))
        session.execute(update(PairRow).where(PairRow.rank == 2).values(score=0.1))

    def said():
        script = instructor.get("/runs/1/pairs.js").text
        listed = json.loads(script.partition("mossPairs.states=")[2].removesuffix(";\n"))
        badges = re.findall(r'<tr id="pair-(\d+)".*?data-state="unreviewed"', instructor.get("/runs/1/").text)
        counted = re.search(r"<b>(\d+)</b><span>needs review", instructor.get("/assignments/1/").text)[1]
        pages = [n for n in (1, 2) if 'data-state="unreviewed"' in summary(instructor.get(f"/runs/1/pairs/{n}").text)]
        return [listed.get("unreviewed", []), [int(rank) for rank in badges], pages], int(counted)

    assert said() == ([[1]] * 3, 1), "the second pair is ordinary"
    instructor.post("/runs/1/pairs/1/case", {"state": "dismissed"})
    assert said() == ([[]] * 3, 0)


def summary(page):
    return re.search(r"<summary>.*?</summary>", page[page.index('id="case"') :], re.DOTALL)[0]


def test_a_decision_is_taken_back_on_its_page(reported):
    instructor = reported.client()
    instructor.post("/runs/1/pairs/1/case", {"state": "dismissed"})
    assert "Undo the last decision" in instructor.get("/runs/1/pairs/1").text
    assert instructor.post("/cases/1/undo", {"then": "/runs/1/pairs/1"}).headers["Location"] == "/runs/1/pairs/1"
    assert the_case(reported).state is CaseState.UNREVIEWED
    assert "Undo the last decision" not in instructor.get("/cases/1/").text


def test_a_hearing_is_written_down_and_shown_on_the_case(reported):
    instructor = reported.client()
    instructor.post("/runs/1/pairs/1/case", {"state": "suspicious"})
    with reported.store.reading() as session:
        student = session.query(CaseRow).one().a.name
    form = {"day": "2026-11-30", "student": student, "statement": "We learned together.", "outcome": "A warning."}
    assert instructor.post("/cases/1/hearing", form).status_code == 302
    page = reported.client("assistant").get("/cases/1/").text
    assert "30 Nov 2026" in page
    assert "We learned together." in page
    assert "A warning." in page
    assert instructor.post("/cases/1/hearing", {"day": "soon"}).status_code == 422


def test_a_passage_becomes_starter_code_by_a_button(reported):
    instructor = reported.client()
    assert "Treat as starter code" in instructor.get("/runs/1/pairs/1/passages/1/elsewhere").text
    assert instructor.post("/runs/1/pairs/1/passages/1/starter", {}).status_code == 302
    assert "Passage 1 of pair 1, run 1" in instructor.get("/assignments/1/").text
    assert instructor.post("/runs/1/pairs/1/passages/99/starter", {}).status_code == 404


def test_evidence_is_named_by_course_assignment_and_students(reported):
    name = reported.client().get("/runs/1/pairs/1/evidence").headers["Content-Disposition"]
    assert "evidence-" in name
    assert all(owner in name for owner in _owners(reported)[:1])
    anonymous = reported.client().get("/runs/1/pairs/1/evidence?anonymous=yes").headers["Content-Disposition"]
    assert not any(owner in anonymous for owner in _owners(reported))


def test_to_a_stranger_nothing_exists(reported):
    reported.client().post("/runs/1/pairs/1/case", CONFIRMED)
    stranger = reported.client("stranger")
    for path in ("/runs/1/", "/runs/1/pairs/1", "/runs/1/pairs/1/evidence", "/cases/1/", "/runs/1/shares"):
        assert stranger.get(path).status_code == 404, path
    assert stranger.post("/cases/1/", {"state": "dismissed"}).status_code == 404
    assert "You’re not in a course yet" in stranger.get("/").text


def test_a_form_of_another_site_changes_nothing(reported):
    instructor = reported.client()
    answer = instructor.flask.post("/runs/1/pairs/1/case", data=CONFIRMED)
    assert answer.status_code == 400
    with reported.store.reading() as session:
        assert session.query(CaseRow).count() == 0


@pytest.mark.parametrize(
    "form", [{"state": "guilty"}, {"assignee": "4"}, {"assignee": "x"}, CONFIRMED | {"note": "n" * 10_001}]
)
def test_a_decision_that_cannot_be_is_refused_whole(reported, form):
    answer = reported.client().post("/runs/1/pairs/1/case", form)
    assert answer.status_code == 422
    with reported.store.reading() as session:
        assert session.query(CaseRow).count() == 0


def test_decisions_survive_the_next_run_with_a_late_submission(reported):
    instructor = reported.client()
    instructor.post("/runs/1/pairs/1/case", CONFIRMED | {"note": "Admitted it."})
    with reported.store.session() as session:
        late = Submission("late", "late", (SourceFile("late.txt", "Nothing like the others. " * 30),))
        add_submission(session, session.get_one(AssignmentRow, 1), late)
    second = add_run(reported.store, 1)
    reported.work()
    with reported.store.reading() as session:
        states = states_of(session, session.get_one(RunRow, second))
        assert list(states.values()).count(CaseState.CONFIRMED) == 1
        assert [seen.run.id for seen in appearances(session, session.query(CaseRow).one())] == [2, 1]
    assert "Admitted it." in instructor.get("/cases/1/").text


def test_home_lists_what_is_suspicious_until_it_is_decided(reported):
    instructor = reported.client()
    instructor.post("/runs/1/pairs/2/case", {"state": "suspicious", "assignee": str(reported.id_of("instructor"))})
    assert 'id="suspicious"' in instructor.get("/").text
    assert "No open cases." not in instructor.get("/").text  # among those assigned to me
    assert "No open cases." in reported.client("assistant").get("/").text
    instructor.post("/cases/1/", {"state": "dismissed"})
    assert 'id="suspicious"' not in instructor.get("/").text


def test_home_lists_pairs_that_stand_out_until_somebody_judged_them(reported):
    instructor = reported.client()
    before = instructor.get("/").text
    assert "Needs review" in before
    assert "/runs/1/pairs/1" in before
    instructor.post("/runs/1/pairs/1/case", {"state": "dismissed"})
    assert '/runs/1/pairs/1"' not in instructor.get("/").text


def test_home_lists_the_pairs_of_the_newest_finished_run_alone(reported):
    instructor = reported.client()
    second = add_run(reported.store, 1)
    before = instructor.get("/").text
    assert "/runs/1/pairs/1" in before
    assert part_of(before, "running") == [f"/runs/{second}/progress"]
    assert part_of(before, "recent") == ["/runs/1/"]
    reported.work()
    after = instructor.get("/").text
    assert f"/runs/{second}/pairs/1" in after
    assert "/runs/1/pairs/" not in after
    assert part_of(after, "running") == []
    assert part_of(after, "recent") == [f"/runs/{second}/", "/runs/1/"]


def test_home_lists_a_dozen_pairs_whatever_the_number_of_assignments(reported):
    """Those of the assignments that wait longest; the others are counted, and what is assigned to me is listed."""
    instructor = reported.client()
    for number in range(2, 16):
        add_run(reported.store, add_class(reported.store, 1, SAMPLES / "essays", f"Homework {number}"))
        reported.work()
        page = instructor.get("/").text
        assert len(set(re.findall(r"/runs/\d+/pairs/\d+", page))) <= 12
        assert re.findall(r"(\d+) more assignments? needs? review", page) == ([str(number - 12)] if number > 12 else [])
    assert re.findall(r"/runs/(\d+)/pairs/\d+", page) == [str(run) for run in range(1, 13)]
    instructor.post("/runs/15/pairs/1/case", {"state": "unreviewed", "assignee": str(reported.id_of("instructor"))})
    page = instructor.get("/").text
    assert part_of(page, "mine") == ["/runs/15/pairs/1"]
    assert "3 more assignments need review" in page
    with reported.store.reading() as session:
        assert f"{sum(count_waiting(session, 1).values())} pairs need review" in page


def part_of(page: str, name: str) -> list[str]:
    """The addresses in a panel of Home, of which there is none if it would be empty."""
    found = re.search(rf'aria-labelledby="{name}">(.*?)</section>', page, re.DOTALL)
    return re.findall('href="([^"]+)"', found[1]) if found else []


def test_evidence_is_one_file_that_needs_nothing(reported):
    answer = reported.client("assistant").get("/runs/1/pairs/1/evidence")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert "<script" not in answer.text
    assert "Similarity is not proof" in answer.text or "not prove" in answer.text


def test_anonymous_evidence_names_nobody_and_its_table_is_for_instructors(reported):
    with reported.store.reading() as session:
        names = [person.name for person in session.query(CaseRow).all()] or _owners(reported)
    page = reported.client().get("/runs/1/pairs/1/evidence?anonymous=yes").text
    assert not [name for name in names if name in page]
    table = reported.client().get("/runs/1/pairs/1/evidence/names")
    assert table.text.splitlines()[0] == "pseudonym,submission,owner"
    assert len(table.text.splitlines()) == 3
    assert reported.client("assistant").get("/runs/1/pairs/1/evidence/names").status_code == 403


def _owners(server):
    from moss.store.tables import PairRow, RunEntryRow

    with server.store.reading() as session:
        pair = session.query(PairRow).filter_by(run_id=1, rank=1).one()
        both = session.query(RunEntryRow).filter(RunEntryRow.run_id == 1, RunEntryRow.number.in_((pair.a, pair.b)))
        return [entry.owner for entry in both]


def test_a_pair_that_is_not_there_is_not_found(reported):
    instructor = reported.client()
    for path in ("/runs/1/pairs/999", "/runs/1/pairs/999/evidence", "/runs/1/submissions/999", "/cases/7/"):
        assert instructor.get(path).status_code == 404
    assert instructor.post("/runs/1/pairs/999/case", {"state": "dismissed"}).status_code == 404


def test_saying_the_same_again_writes_no_history(reported):
    reported.client().post("/runs/1/pairs/1/case", {"state": "dismissed"})
    with reported.store.session() as session:
        case, user = session.query(CaseRow).one(), session.get_one(UserRow, 2)
        before = len(case.events)
        decide(session, case, user, Decision(CaseState.DISMISSED))
        session.expire(case)
        assert len(case.events) == before
        with pytest.raises(DecisionError):
            decide(session, case, user, Decision(note="n" * 20_000))


@pytest.fixture
def ranked_anew(reported, monkeypatch):
    """Two pairs of run 1 are decided; run 2 is ranked by another score, and one pair is decided again after it."""
    instructor = reported.client()
    for rank in (1, 2):
        instructor.post(f"/runs/1/pairs/{rank}/case", {"state": "suspicious", "note": f"Seen in run 1, pair {rank}."})
    monkeypatch.setattr("moss.version.SCORE_VERSION", 99)
    add_run(reported.store, 1)
    reported.work()
    instructor.post("/runs/2/pairs/2/case", CONFIRMED)
    return instructor


def test_runs_that_were_ranked_by_different_scores_are_not_compared(ranked_anew):
    page = ranked_anew.get("/runs/2/compared-with/1").text
    assert f"different versions of the score: {SCORE_VERSION} before, 99 now" in page
    assert "How the top pairs moved" not in page
    assert "data-move" not in page
    assert "share anything in either run" not in page
    assert f"score {SCORE_VERSION}</td><td>scan" in page  # among what was chosen otherwise
    assert "Rules: scan" in ranked_anew.get("/runs/2/compared-with/").text


def test_a_case_tells_which_run_was_ranked_by_which_score(ranked_anew):
    page = ranked_anew.get("/cases/1/").text
    assert "These runs used different versions of the score" in page
    assert page.count(f"score {SCORE_VERSION}</td>") == page.count("score 99</td>") == 1


def test_a_decision_that_was_carried_over_says_so_until_somebody_decides_again(ranked_anew):
    said = f"which used another version of the score ({SCORE_VERSION})"
    assert said in ranked_anew.get("/runs/2/pairs/1").text
    assert said not in ranked_anew.get("/runs/2/pairs/2").text
    assert said not in ranked_anew.get("/runs/1/pairs/1").text


def test_programs_and_readers_are_told_the_score(ranked_anew):
    assert ranked_anew.get("/runs/2/report.json").json["rules"]["score"] == 99
    assert ranked_anew.get("/runs/1/report.json").json["rules"]["score"] == SCORE_VERSION
    assert "ranked by score 99" in ranked_anew.get("/runs/2/pairs/1/evidence").text
    assert "ranked by score 99" in ranked_anew.get("/runs/2/").text


def test_by_one_score_nothing_is_said_of_it(reported):
    instructor = reported.client()
    instructor.post("/runs/1/pairs/1/case", {"state": "suspicious"})
    add_run(reported.store, 1)
    reported.work()
    assert "different versions of the score" not in instructor.get("/cases/1/").text
    assert "another version of the score" not in instructor.get("/runs/2/pairs/1").text
    assert "How the top pairs moved" in instructor.get("/runs/2/compared-with/1").text


def test_a_case_of_equal_comments_alone_shows_no_share_of_nothing(reported):
    instructor = reported.client()
    instructor.post("/runs/1/pairs/1/case", {"state": "suspicious"})
    with reported.store.session() as session:
        session.execute(update(PairRow).values(share_a=0, share_b=0))
    page = instructor.get("/cases/1/").text
    assert "no code shared" in page
    assert "0% of" not in page


def test_a_case_says_what_may_speak_against_copying_and_has_a_copy_for_each_student(reported):
    instructor = reported.client()
    instructor.post("/runs/1/pairs/1/case", {"state": "suspicious"})
    page = instructor.get("/cases/1/").text
    assert "What may speak against copying" in page
    assert "Do others in this class have it?" in page
    assert "As of run 1." in page
    with reported.store.reading() as session:
        case = session.query(CaseRow).one()
        people = {case.a_id: case.a.name, case.b_id: case.b.name}
    for id, name in people.items():
        [other] = set(people.values()) - {name}
        assert f"/runs/1/pairs/1/evidence?student={id}" in page
        copy = instructor.get(f"/runs/1/pairs/1/evidence?student={id}")
        assert name in copy.text
        assert other not in copy.text
        assert other not in copy.headers["Content-Disposition"]
        assert other not in instructor.get(f"/api/v1/runs/1/pairs/1/evidence?student={id}").text
    assert instructor.get("/runs/1/pairs/1/evidence?student=999999").status_code == 404
