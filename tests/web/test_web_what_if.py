"""What if: a preview is what a run would find, stores nothing, and can become a run."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.classes import SAMPLES, add_class, add_run, add_submission
from support.reading import make_reading

from moss.model import SourceFile, Submission
from moss.services.preview import PreviewRequest, answer_to
from moss.store.results.run_outcome import outcome_of
from moss.store.tables import AssignmentRow, JobRow, MembershipRow, RunRow, TokenStreamRow
from moss.version import SCORE_VERSION
from moss.web.pages import what_if
from moss.web.request.limits import TURNS


@pytest.fixture(scope="module")
def reading(tmp_path_factory):
    """A course with finished runs, which these tests only read."""
    with make_reading(tmp_path_factory.mktemp("what-if")) as made:
        yield made


def question(reading, run, *archives, **settings) -> PreviewRequest:
    config = reading.server.config
    return PreviewRequest(config.database, 2048, run, settings, archives, (), config.data, 50)


def test_the_form_has_what_the_run_used(reading):
    page = reading.get(f"/runs/{reading.runs[1]}/what-if").text
    assert 'name="max_matches" value="2"' in page
    assert 'name="noise" value=""' in page
    assert 'placeholder="12, 3"' in page  # of code and of prose
    assert "Essay 2" in page


def test_the_token_is_only_in_the_button_that_starts(reading):
    page = reading.get(f"/runs/{reading.runs[0]}/what-if").text
    form = page[page.index('id="wishes"') : page.index("</form>", page.index('id="wishes"'))]
    assert form.count("form_token") == 1
    assert form.index('class="asks"') < form.index('class="starts main-button" name="form_token"')


def test_a_preview_is_what_a_run_finds(reading):
    found = answer_to(question(reading, reading.runs[0], max_matches=2))
    with reading.server.store.reading() as session:
        real = outcome_of(session, session.get_one(RunRow, reading.runs[1]), cleaned=False)
    expected = [
        ({real.members[a].label, real.members[b].label}, score)
        for a, b, score in zip(real.ranking.a[:50], real.ranking.b[:50], real.ranking.score[:50].tolist(), strict=True)
    ]
    previewed = [c for c in found.changes if c.after and c.after.rank <= 50]
    assert [({m.label for m in c.pair}, c.after.score) for c in previewed] == expected
    assert previewed


def test_a_preview_with_the_same_settings_changes_nothing(reading):
    page = reading.get(f"/runs/{reading.runs[0]}/what-if/preview").text
    assert "▲ 1<" not in page
    assert "The same 2 pairs are unusual." in page


def test_a_preview_by_another_score_says_nothing_of_ranks(reading, monkeypatch):
    monkeypatch.setattr("moss.version.SCORE_VERSION", 99)
    found = answer_to(question(reading, reading.runs[0], max_matches=2))
    assert found.scores == (SCORE_VERSION, 99)
    assert not found.changes


def test_earlier_work_can_be_added(reading):
    page = reading.get(f"/runs/{reading.runs[0]}/what-if/preview?archives={reading.second}").text
    assert f'value="{reading.second}" checked' in page
    assert "not compared before" in page
    assert " new submissions</summary>" in page


def test_a_preview_stores_nothing(reading):
    def stored():
        with reading.server.store.reading() as session:
            return [session.query(table).count() for table in (RunRow, JobRow, TokenStreamRow)]

    before = stored()
    assert reading.get(f"/runs/{reading.runs[0]}/what-if/preview?noise=5&language=java").status_code == 200
    assert stored() == before


def test_what_a_lexer_that_cannot_be_trusted_would_have_to_read_needs_a_run(tmp_path):
    with make_reading(tmp_path) as fresh:
        with fresh.server.store.session() as session:
            assignment = AssignmentRow(course_id=fresh.course, name="Never compared")
            session.add(assignment)
            session.flush()
            unread = Submission("zoe", "zoe", (SourceFile("a.cob", "DISPLAY 'never read'. " * 20),))
            add_submission(session, assignment, unread)
            path = f"/runs/{fresh.runs[0]}/what-if/preview?archives={assignment.id}"
        assert "Some files have not been read with these settings yet" in fresh.get(path).text


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("noise=1", "Noise must be at least 2, not 1."),
        ("max_matches=many", "“Ignore passages shared by more than” must be a whole number."),
        ("noise=20&guarantee=5", "Guarantee (5) must be at least noise (20)"),
        ("language=klingon", "klingon"),
        ("archives=999", "One of the chosen assignments no longer exists, or you don’t have access to it."),
    ],
)
def test_what_cannot_be_is_said_at_the_field(reading, asked, sentence):
    answer = reading.get(f"/runs/{reading.runs[0]}/what-if/preview?{asked}")
    assert answer.status_code == 422
    assert "wrong-field" in answer.text
    assert sentence in answer.text


def test_one_that_takes_too_long_is_given_up_with_a_sentence(reading, monkeypatch):
    monkeypatch.setattr(what_if, "SECONDS", 0.001)
    answer = reading.get(f"/runs/{reading.runs[0]}/what-if/preview?noise=17")
    assert answer.status_code == 200
    assert "The preview took longer than 0.001 seconds." in answer.text
    monkeypatch.undo()  # and what was given up is not what is kept
    assert "slopes" in reading.get(f"/runs/{reading.runs[0]}/what-if/preview?noise=17").text


def test_beside_other_threads_too(reading):
    stop = threading.Event()
    other = threading.Thread(target=stop.wait)
    other.start()
    try:
        assert "slopes" in reading.get(f"/runs/{reading.runs[0]}/what-if/preview?noise=9").text
    finally:
        stop.set()
        other.join()


def test_two_at_a_time_for_each_reader(reading, monkeypatch):
    begun, may_end = threading.Semaphore(0), threading.Event()

    def slow(question, seconds):
        begun.release()
        may_end.wait()
        return answer_to(question)

    monkeypatch.setattr(what_if, "preview", slow)
    path = f"/runs/{reading.runs[0]}/what-if/preview?max_matches=4"
    with ThreadPoolExecutor(2) as pool:
        two = [pool.submit(reading.get, f"{path}&noise={noise}") for noise in (9, 10)]
        for _ in two:
            begun.acquire()
        third = reading.get(path + "&noise=8")
        may_end.set()
        assert [each.result().status_code for each in two] == [200, 200]
    assert third.status_code == 429
    assert third.headers["Retry-After"] == third.headers["Refresh"] == "2"
    assert reading.get(path).status_code == 200
    assert not len(TURNS)


def test_an_answer_is_kept_until_something_is_handed_in(tmp_path, monkeypatch):
    with make_reading(tmp_path) as fresh:
        made = []
        monkeypatch.setattr(what_if, "preview", lambda asked, seconds: made.append(asked) or answer_to(asked))
        path = f"/runs/{fresh.runs[0]}/what-if/preview?max_matches=5"
        assert fresh.get(path).text.count("zoe") == 0
        assert fresh.get(path, "assistant").status_code == 200
        assert len(made) == 1
        with fresh.server.store.session() as session:
            late = Submission("late", "zoe", (SourceFile("late.txt", "A text that was handed in late. " * 30),))
            add_submission(session, session.get_one(AssignmentRow, fresh.first), late)
        assert "zoe" in fresh.get(path).text
        assert len(made) == 2


def test_it_becomes_a_run_and_then_a_comparison(tmp_path):
    with make_reading(tmp_path) as fresh:
        client = fresh.server.client()
        form = {"max_matches": "4", "language": "auto", "comment": "tried", "archives": str(fresh.second)}
        answer = client.post(f"/runs/{fresh.runs[0]}/what-if", form)
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/runs/4/compared-with/{fresh.runs[0]}")
        with fresh.server.store.reading() as session:
            new = session.get_one(RunRow, 4)
            assert new.settings == {"max_matches": 4, "language": "auto", "comment": "tried"}
            assert (new.assignment_id, new.archives) == (fresh.first, [fresh.second])
        here = answer.headers["Location"]
        assert "Waiting to start" in client.get(here).text
        assert client.get(f"{here}/state").json["state"] == "queued"
        fresh.server.work()
        assert client.get(f"{here}/state").json == {"report": here}
        assert "Run 3 compared with Run 1" in client.get(here).text


def test_a_wrong_start_is_refused_with_what_was_typed(reading):
    answer = reading.server.client().post(f"/runs/{reading.runs[0]}/what-if", {"noise": "1", "comment": "my words"})
    assert answer.status_code == 422
    assert "Noise must be at least 2, not 1." in answer.text
    assert 'value="my words"' in answer.text


def test_who_may_look_and_who_may_start(reading):
    path = f"/runs/{reading.runs[0]}/what-if"
    page = reading.get(path, "assistant")
    assert page.status_code == 200
    assert "Start a run" not in page.text
    assert reading.server.client("assistant").post(path, {}).status_code == 403
    for person in ("stranger", "nobody"):
        assert reading.get(path, person).status_code in (302, 404)
        assert reading.get(f"{path}/preview?noise=6", person).status_code in (302, 404)
        assert reading.server.client(person).post(path, {}).status_code in (303, 404)


def test_only_assignments_that_the_reader_may_see_can_be_added(tmp_path):
    with make_reading(tmp_path) as fresh:
        hidden_course = fresh.server.add_course("Secret")
        hidden = add_class(fresh.server.store, hidden_course, SAMPLES / "essays", "Hidden essay")
        used = add_run(fresh.server.store, fresh.first, archives=(hidden,))
        fresh.server.work()
        with fresh.server.store.session() as session:
            session.query(MembershipRow).filter_by(course_id=hidden_course).delete()
        assert "Hidden essay" not in fresh.get(f"/runs/{fresh.runs[0]}/what-if").text
        assert fresh.get(f"/runs/{fresh.runs[0]}/what-if/preview?archives={hidden}").status_code == 422
        # What the report shows anyway can stay.
        assert f'value="{hidden}" checked' in fresh.get(f"/runs/{used}/what-if").text
        assert fresh.get(f"/runs/{used}/what-if/preview?archives={hidden}").status_code == 200


def test_a_run_that_is_not_finished_leads_to_its_progress(tmp_path):
    with make_reading(tmp_path) as fresh:
        waiting = add_run(fresh.server.store, fresh.first)
        assert fresh.get(f"/runs/{waiting}/what-if").headers["Location"] == f"/runs/{waiting}/progress"
        assert fresh.get(f"/runs/{waiting}/what-if/preview").status_code == 404
        assert fresh.server.client().post(f"/runs/{waiting}/what-if", {}).status_code == 404
