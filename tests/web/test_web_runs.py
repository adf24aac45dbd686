"""Runs in the browser: started with what was chosen, watched, cancelled, deleted, and told of."""

from __future__ import annotations

from datetime import timedelta

import pytest
from support.classes import SAMPLES, add_class

from moss.jobs.job_process import do
from moss.jobs.ledger import claim, fail, tell
from moss.store.results.runs import clean_settings
from moss.store.tables import (
    AssignmentRow,
    AuditEntryRow,
    JobRow,
    LogLineRow,
    MembershipRow,
    NoticeRow,
    PairRow,
    RunRow,
    now,
)
from moss.store.validation import RefusedError


@pytest.fixture
def assignment(server):
    """An assignment with the sample essays."""
    return add_class(server.store, server.add_course(), SAMPLES / "essays")


def runs_of(server):
    with server.store.reading() as session:
        return session.query(RunRow).order_by(RunRow.id).all()


def started(server, assignment, **form):
    """A run as the instructor starts it."""
    answer = server.client().post(f"/assignments/{assignment}/runs", form)
    assert answer.status_code == 303
    return runs_of(server)[-1]


def claimed(server, run):
    with server.store.session() as session:
        return claim(session, run.job_id)


def test_a_run_is_started_done_and_told_of(server, assignment):
    client = server.client()
    answer = client.post(f"/assignments/{assignment}/runs", {"language": "auto", "comment": "  first   try "})
    assert answer.headers["Location"] == "/runs/1/progress"
    assert "Waiting to start" in client.get("/runs/1/progress").text
    server.work()
    assert client.get("/runs/1/progress").headers["Location"] == "/runs/1/"
    assert client.get("/runs/1/state").json["report"] == "/runs/1/"
    notices = client.get("/notices/new").json
    assert notices == [{"id": 1, "text": "Run 1 of Homework 1 (Programming 1, 2026) is finished.", "url": "/runs/1/"}]
    assert 'href="/runs/1/"' in client.get("/notices").text
    client.post("/notices/seen", {"last": "1"})
    assert client.get("/notices/new").json == []
    assert server.client("assistant").get("/notices/new").json == []


def test_what_was_chosen_is_used_and_remembered(server, assignment):
    other = add_class(server.store, server.add_course("Other"), SAMPLES / "essays", "Last year")
    form = {"language": "java", "max_matches": "7", "noise": "10", "guarantee": " 20 ", "show": "5", "comment": "x"}
    run = started(server, assignment, **form, archives=[str(other)])
    chosen = {"language": "java", "max_matches": 7, "noise": 10, "guarantee": 20, "show": 5, "comment": "x"}
    assert (run.settings, run.archives, run.number) == (chosen, [other], 1)
    page = server.client().get(f"/assignments/{assignment}/runs/new").text
    assert '<option value="java" selected>' in page
    assert 'name="guarantee" value="20"' in page
    assert f'value="{other}" checked' in page


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"max_matches": "1"}, "Max-matches must be at least 2, not 1."),
        ({"noise": "30", "guarantee": "20"}, "Guarantee (20) must be at least noise (30)"),
        ({"noise": "many"}, "“Noise” must be a whole number."),
        ({"show": "9999999999999999999999"}, "“Pairs shown” must be at most 1,000,000."),
        ({"show": "-1"}, "Show must be at least 0, not -1."),
        ({"language": "klingon"}, "klingon"),
        ({"comment": "x" * 2001}, "Use at most 2,000 characters."),
        ({"archives": ["999"]}, "One of the chosen assignments no longer exists, or you don’t have access to it."),
        ({"archives": ["x"]}, "One of the chosen assignments no longer exists, or you don’t have access to it."),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence_and_kept_in_the_form(server, assignment, form, sentence):
    answer = server.client().post(f"/assignments/{assignment}/runs", {"comment": "kept", **form})
    assert answer.status_code == 422
    assert sentence in answer.text
    assert form.get("comment", "kept")[:50] in answer.text
    assert runs_of(server) == []
    assert server.waiting() == []


def test_earlier_work_comes_from_courses_that_the_user_may_see(server, assignment):
    hidden = server.add_course("Hidden")
    theirs = add_class(server.store, hidden, SAMPLES / "essays", "Not for you")
    with server.store.session() as session:
        session.query(MembershipRow).filter_by(course_id=hidden).delete()
    client = server.client()
    assert "Not for you" not in client.get(f"/assignments/{assignment}/runs/new").text
    assert client.post(f"/assignments/{assignment}/runs", {"archives": [str(theirs)]}).status_code == 422
    assert "Not for you" in server.client("administrator").get(f"/assignments/{assignment}/runs/new").text


def test_nothing_to_compare_is_said(server):
    with server.store.session() as session:
        session.add(AssignmentRow(course_id=server.add_course(), name="Empty"))
    answer = server.client().post("/assignments/1/runs", {})
    assert answer.status_code == 422
    assert "Upload submissions and confirm them first" in answer.text


def test_the_same_wish_twice_is_one_run_and_another_is_another(server, assignment):
    started(server, assignment)
    again = server.client().post(f"/assignments/{assignment}/runs", {})
    assert again.status_code == 422
    assert "Run 1 with the same settings is already waiting" in again.text
    assert started(server, assignment, noise="9").number == 2
    server.work()
    assert started(server, assignment).number == 3


def test_progress_says_stage_amount_and_time_left(server, assignment):
    run = started(server, assignment)
    lease = claimed(server, run)
    client = server.client("assistant")
    assert client.get("/runs/1/state").json["sentence"] == "Starting"
    with server.store.session() as session:
        began = now() - timedelta(seconds=60)
        tell(session, run.job_id, lease, stage="scanning", done=1000, total=3000, stage_started=began)
    state = client.get("/runs/1/state").json
    assert (state["sentence"], state["left"]) == ("Reading code: 1,000 of 3,000", "about 2 minutes left in this step")
    assert state["share"] == pytest.approx(1 / 3)
    page = client.get("/runs/1/progress").text
    assert '<noscript><meta http-equiv="refresh"' in page
    assert 'value="0.3333"' in page
    assert '<li data-stage="scanning" data-step="now" aria-current="step">' in page


def test_a_failed_run_says_why_and_is_over(server, assignment):
    run = started(server, assignment)
    lease = claimed(server, run)
    with server.store.session() as session:
        fail(session, run.job_id, lease, "Nothing <here> can be compared.")
    page = server.client().get("/runs/1/progress").text
    assert "Nothing &lt;here&gt; can be compared." in page
    assert "noscript" not in page
    assert "Compare again" in page
    assert server.client().get("/notices/new").json[0]["text"].endswith("failed. Nothing <here> can be compared.")


def test_cancelling_a_waiting_run_ends_it_and_tells_nobody(server, assignment):
    started(server, assignment)
    assert server.client("assistant").post("/runs/1/cancel").status_code == 403
    server.client().post("/runs/1/cancel")
    server.work()
    client = server.client()
    assert client.get("/runs/1/state").json["state"] == "cancelled"
    client.post("/runs/1/cancel")
    assert "This run is already over." in client.get("/runs/1/progress").text
    with server.store.reading() as session:
        assert session.query(NoticeRow).count() == 0
        assert [entry.action for entry in session.query(AuditEntryRow)] == ["started a run", "cancelled a run"]


def test_cancelling_a_run_under_way_is_seen_by_whoever_does_it(server, assignment):
    run = started(server, assignment)
    lease = claimed(server, run)
    server.client().post("/runs/1/cancel")
    assert "Stopping" in server.client().get("/runs/1/progress").text
    do(server.store, server.config, run.job_id, lease)
    assert server.client().get("/runs/1/state").json["state"] == "cancelled"


def test_the_log_is_plain_text(server, assignment):
    run = started(server, assignment)
    assert server.client().get("/runs/1/log").text == "Nothing has happened yet.\n"
    with server.store.session() as session:
        session.add(LogLineRow(job_id=run.job_id, text="<b>Scanning</b>"))
    answer = server.client("assistant").get("/runs/1/log")
    assert answer.mimetype == "text/plain"
    assert answer.text.endswith("UTC  <b>Scanning</b>\n")


def test_deleting_a_run_removes_its_report_and_its_notices(reported):
    client = reported.client()
    with reported.store.session() as session:
        session.add(NoticeRow(user_id=2, text="Run 1 is finished.", path="/runs/1/"))
    assert reported.client("assistant").post("/runs/1/delete").status_code == 403
    assert client.post("/runs/1/delete").headers["Location"] == "/assignments/1/"
    assert client.get("/runs/1/").status_code == 404
    with reported.store.reading() as session:
        assert [session.query(table).count() for table in (RunRow, PairRow, NoticeRow)] == [0, 0, 0]
        assert session.query(JobRow).filter_by(kind="run").count() == 0


def test_a_run_that_is_deleted_while_it_goes_on_stops(server, assignment):
    run = started(server, assignment)
    lease = claimed(server, run)
    server.client().post("/runs/1/delete")
    do(server.store, server.config, run.job_id, lease)
    with server.store.reading() as session:
        assert session.query(PairRow).count() == 0


def test_strangers_see_and_do_nothing(server, assignment):
    started(server, assignment)
    stranger = server.client("stranger")
    for path in ("/runs/1/progress", "/runs/1/state", "/runs/1/log", f"/assignments/{assignment}/runs/new"):
        assert stranger.get(path).status_code == 404
    for path in ("/runs/1/cancel", "/runs/1/delete", f"/assignments/{assignment}/runs"):
        assert stranger.post(path).status_code == 404


def test_only_ones_own_notices_are_marked(server):
    with server.store.session() as session:
        session.add_all(NoticeRow(user_id=user, text="x", path="") for user in (2, 2, 3))
    server.client().post("/notices/seen", {"last": "1"})
    with server.store.reading() as session:
        assert [notice.seen for notice in session.query(NoticeRow).order_by(NoticeRow.id)] == [True, False, False]


@pytest.mark.parametrize("answer", ["no", False, "False"])
def test_quotations_can_be_left_out(answer):
    assert clean_settings({"quotations": answer}) == {"quotations": False}
    assert clean_settings({"quotations": ""}) == {}
    with pytest.raises(RefusedError, match="“Quotations in essays” must be yes or no"):
        clean_settings({"quotations": "perhaps"})
