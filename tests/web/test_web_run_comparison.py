"""Two runs beside each other, and a report as data."""

from __future__ import annotations

import csv
import io
import json

import pytest
from support.classes import SAMPLES, add_class, add_run
from support.reading import make_reading

from moss.store.tables import JobRow, JobState, MembershipRow, PersonRow, RunRow


@pytest.fixture(scope="module")
def reading(tmp_path_factory):
    """A course with finished runs, which these tests only read."""
    with make_reading(tmp_path_factory.mktemp("comparing")) as made:
        yield made


def test_the_assignments_other_runs_are_offered(reading):
    usual, few = reading.runs
    page = reading.get(f"/runs/{usual}/compared-with/").text
    assert f'href="/runs/{usual}/compared-with/{few}"' in page
    assert "Ignore passages shared by more than: 2" in page
    assert f'href="/runs/{usual}/compared-with/{reading.other_run}"' in page
    assert f'href="/runs/{usual}/compared-with/{usual}"' not in page


def test_an_only_run_is_told_what_to_do(reading):
    page = reading.get(f"/runs/{reading.other_run}/compared-with/").text
    assert "This is the only finished run" in page
    assert f'href="/runs/{reading.other_run}/what-if"' in page


def test_what_was_chosen_and_how_pairs_moved_is_shown(reading):
    usual, few = reading.runs
    page = reading.get(f"/runs/{few}/compared-with/{usual}").text
    assert "Run 2 compared with Run 1" in page
    assert "from the size of the class" in page
    assert "alma" in page
    assert f'href="/runs/{few}/pairs/1"' in page
    assert f'href="/runs/{usual}/pairs/1"' in page
    assert page.count("<path ") >= 2


def test_pairs_are_filtered_and_ordered(reading):
    usual, few = reading.runs
    here = f"/runs/{few}/compared-with/{usual}"

    def rows(query):
        page = reading.get(f"{here}?{query}").text
        table = page[page.index('id="pairs"') :]
        return table.count("<tr data-move="), table

    every, _ = rows("")
    number, table = rows("name=ALMA")
    assert 0 < number < every
    assert "celine" in table
    assert rows("name=nobody+of+this+name")[0] == 0
    assert rows("only=nonsense&order=nonsense")[0] == every
    assert sum(rows(f"only={kind}")[0] for kind in ("new", "gone", "risen", "fallen")) <= every
    for order in ("rank", "before", "gain", "climb"):
        assert rows(f"order={order}")[0] == every


def test_a_run_compared_with_itself_has_not_changed(reading):
    page = reading.get(f"/runs/{reading.runs[0]}/compared-with/{reading.runs[0]}").text
    assert "Both runs used the same settings." in page
    assert "▲ 1<" not in page


def test_runs_of_two_assignments_are_called_by_their_names(reading):
    page = reading.get(f"/runs/{reading.other_run}/compared-with/{reading.runs[0]}").text
    assert "Essay 2" in page
    assert "Essay 1" in page


def test_both_runs_must_be_the_readers(tmp_path):
    with make_reading(tmp_path) as fresh:
        hidden_course = fresh.server.add_course("Secret")
        hidden = add_run(fresh.server.store, add_class(fresh.server.store, hidden_course, SAMPLES / "essays"))
        fresh.server.work()
        with fresh.server.store.session() as session:
            session.query(MembershipRow).filter_by(course_id=hidden_course).delete()
        mine = fresh.runs[0]
        for path in (f"/runs/{mine}/compared-with/{hidden}", f"/runs/{hidden}/compared-with/{mine}"):
            for person in ("instructor", "assistant", "stranger"):
                assert fresh.get(path, person).status_code == 404
                assert fresh.get(f"{path}/state", person).status_code == 404
            assert fresh.get(path, "administrator").status_code == 200
        assert fresh.get(f"/runs/{mine}/compared-with/999").status_code == 404
        assert "Secret" not in fresh.get(f"/runs/{mine}/compared-with/").text


def test_a_run_that_failed_says_why(tmp_path):
    with make_reading(tmp_path) as fresh:
        failed = add_run(fresh.server.store, fresh.first)
        with fresh.server.store.session() as session:
            job = session.get_one(JobRow, session.get_one(RunRow, failed).job_id)
            job.state, job.reason = JobState.FAILED, "The worker was out of memory."
        page = fresh.get(f"/runs/{failed}/compared-with/{fresh.runs[0]}").text
        assert "The worker was out of memory." in page
        assert "data-state-url" not in page


def test_names_of_strangers_do_no_harm(tmp_path):
    with make_reading(tmp_path) as fresh:
        with fresh.server.store.session() as session:
            session.query(PersonRow).filter_by(name="alma").one().name = "<script>alert(1)</script>"
        bad = add_run(fresh.server.store, fresh.first)
        fresh.server.work()
        person = f"/people/{_id_of(fresh, '<script>alert(1)</script>')}/"
        for path in (f"/runs/{bad}/compared-with/{fresh.runs[0]}", f"/courses/{fresh.course}/people", person,
                     f"/runs/{bad}/what-if/preview"):  # fmt: skip
            page = fresh.get(path).text
            assert "&lt;script&gt;alert(1)" in page
            assert "<script>alert" not in page


def _id_of(reading, name):
    with reading.server.store.reading() as session:
        return session.query(PersonRow).filter_by(name=name, course_id=reading.course).one().id


def test_the_report_has_tools_for_those_who_may_use_them(reading):
    run = reading.runs[0]
    page = reading.get(f"/runs/{run}/").text
    wanted = [f"/runs/{run}/{end}" for end in ("what-if", "compared-with/", "report.json", "pairs.csv", "scores.csv")]
    for path in (*wanted, f"/courses/{reading.course}/people", f"/runs/{run}/shares"):
        assert f'href="{path}"' in page
        assert reading.get(path).status_code == 200
    assert f'href="/runs/{run}/shares"' not in reading.get(f"/runs/{run}/", "assistant").text


def test_a_report_can_be_taken_away_as_data(reading):
    run = reading.runs[0]
    answer = reading.get(f"/runs/{run}/report.json", "assistant")
    report = json.loads(answer.text)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="run-{run}-report.json"'
    pairs = list(csv.DictReader(io.StringIO(reading.get(f"/runs/{run}/pairs.csv").text)))
    scores = list(csv.DictReader(io.StringIO(reading.get(f"/runs/{run}/scores.csv").text)))
    assert [(pair["a"], pair["b"]) for pair in report["pairs"]] == [(pair["a"], pair["b"]) for pair in pairs]
    assert all(pair["matches"] for pair in report["pairs"])
    assert [int(pair["matches"]) for pair in pairs] == [len(pair["matches"]) for pair in report["pairs"]]
    assert len(scores) > len(pairs)
    assert scores[0]["a"] == pairs[0]["a"]


@pytest.mark.parametrize("name", ["report.json", "pairs.csv", "scores.csv"])
def test_data_is_for_members_and_of_finished_runs(reading, name):
    assert reading.get(f"/runs/{reading.runs[0]}/{name}", "stranger").status_code == 404
    assert reading.get(f"/runs/{reading.runs[0]}/{name}", "nobody").status_code == 302


def test_an_unfinished_run_has_no_data(tmp_path):
    with make_reading(tmp_path) as fresh:
        waiting = add_run(fresh.server.store, fresh.first)
        for name in ("report.json", "pairs.csv", "scores.csv"):
            assert fresh.get(f"/runs/{waiting}/{name}").status_code == 404
