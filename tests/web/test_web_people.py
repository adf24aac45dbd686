"""People over a course: who stands out together and how often, and all about one person."""

from __future__ import annotations

import re

import pytest
from support.classes import SAMPLES, add_class, add_run
from support.reading import make_reading

from moss.store.courses.people import course_view
from moss.store.results.cases import in_order, open_case
from moss.store.tables import AssignmentRow, CaseState, CourseRow, PairRow, PersonRow, RunEntryRow, SubmissionRow
from moss.version import SCORE_VERSION


@pytest.fixture(scope="module")
def reading(tmp_path_factory):
    """A course with finished runs, which these tests only read."""
    with make_reading(tmp_path_factory.mktemp("people")) as made:
        yield made


@pytest.fixture
def fresh(tmp_path):
    """The same, to be changed."""
    with make_reading(tmp_path) as made:
        yield made


def person(reading, name, course=None):
    with reading.server.store.reading() as session:
        return session.query(PersonRow).filter_by(name=name, course_id=course or reading.course).one().id


def view_of(reading):
    with reading.server.store.reading() as session:
        return course_view(session, session.get_one(CourseRow, reading.course))


def rows_of(page):
    """The names in each row of the strips."""
    table = page[page.index('class="scrolls strips"') : page.index("</table>")]
    return [re.findall(r"<bdi>(.*?)</bdi>", row) for row in table.split("<tr>")[2:]]


def test_those_who_stand_out_in_both_assignments_are_counted_twice(reading):
    view = view_of(reading)
    assert {tuple(p.name for p in row.people): row.times for row in view.rows} == {
        ("alma", "celine"): 2,
        ("diego", "farid"): 2,
    }
    assert view.rows[0].strength >= view.rows[1].strength
    assert view.times_of() == {person(reading, name): 2 for name in ("alma", "celine", "diego", "farid")}


def test_the_newest_run_of_each_assignment_counts(reading):
    assert [run.id for run in view_of(reading).runs] == [reading.runs[1], reading.other_run]


def test_more_often_comes_before_stronger(fresh):
    with fresh.server.store.session() as session:  # alma and celine, the strongest, no longer share anything
        for row in session.query(SubmissionRow).join(PersonRow).filter(PersonRow.name == "alma"):
            if row.assignment_id == fresh.second:
                row.left_out = True
    add_run(fresh.server.store, fresh.second)
    fresh.server.work()
    rows = view_of(fresh).rows
    assert [(row.people[0].name, row.times) for row in rows] == [("diego", 2), ("alma", 1)]
    assert rows[1].seen[1] is None


def test_the_page_shows_pairs_by_assignments_with_links(reading):
    page = reading.get(f"/courses/{reading.course}/people", "assistant").text
    assert re.search(r"<b>2</b><span>pairs that are unusual more than once", page)
    assert rows_of(page)[0] == ["alma", "celine"]
    assert f'href="/runs/{reading.other_run}/pairs/1"' in page
    assert f'href="/people/{person(reading, "alma")}/"' in page


def test_pairs_are_filtered_by_name_and_number(reading):
    here = f"/courses/{reading.course}/people"
    assert rows_of(reading.get(f"{here}?name=FARID").text) == [["diego", "farid"]]
    assert "0 pairs" in reading.get(f"{here}?name=nobody").text
    assert "0 pairs" in reading.get(f"{here}?least=3").text
    assert reading.get(f"{here}?least=x&page=-7").status_code == 200
    assert reading.get(f"{here}?page=99").status_code == 200


def test_a_course_without_runs_says_so(reading):
    empty = reading.server.add_course("Empty")
    assert "Nothing to show yet" in reading.get(f"/courses/{empty}/people").text


def test_a_class_too_small_is_named(fresh):
    with fresh.server.store.session() as session:
        assignment = session.get_one(AssignmentRow, fresh.second)
        for row in [row for row in assignment.submissions if row.person][3:]:
            row.left_out = True
    add_run(fresh.server.store, fresh.second)
    fresh.server.work()
    page = fresh.get(f"/courses/{fresh.course}/people").text
    assert "Too few submissions to tell what is unusual: <bdi>Essay 2</bdi>" in page


def test_assignments_that_were_ranked_by_different_scores_are_not_taken_for_alike(fresh, monkeypatch):
    path, said = f"/courses/{fresh.course}/people", f"different versions of the rules ({SCORE_VERSION} and 99)"
    assert "versions of the rules" not in fresh.get(path).text
    monkeypatch.setattr("moss.version.SCORE_VERSION", 99)
    add_run(fresh.server.store, fresh.second)
    fresh.server.work()
    assert said in fresh.get(path).text


def test_somebody_of_an_earlier_year_is_marked_and_not_led_to(fresh):
    last_year = fresh.server.add_course("Programming 1", "2025")
    earlier = add_class(fresh.server.store, last_year, SAMPLES / "essays", "Essay of 2025")
    with fresh.server.store.session() as session:
        for each in session.query(PersonRow).filter_by(course_id=last_year):
            each.name = f"{each.name} of 2025"
    add_run(fresh.server.store, fresh.second, archives=(earlier,))
    fresh.server.work()
    page = fresh.get(f"/courses/{fresh.course}/people").text
    assert ["alma", "alma of 2025"] in rows_of(page)
    assert f'href="/people/{person(fresh, "alma of 2025", last_year)}/"' not in page


def test_who_was_erased_is_in_no_pair(fresh):
    gone = person(fresh, "alma")
    with fresh.server.store.session() as session:
        session.query(RunEntryRow).filter_by(person_id=gone).update({"person_id": None})
        for side in (PairRow.a_person_id, PairRow.b_person_id):
            session.query(PairRow).filter(side == gone).update({side: None})
        session.query(SubmissionRow).filter_by(person_id=gone).delete()
        session.query(PersonRow).filter_by(id=gone).delete()
    assert [row.people[0].name for row in view_of(fresh).rows] == ["diego"]
    assert fresh.get(f"/courses/{fresh.course}/people").status_code == 200
    assert fresh.get(f"/people/{gone}/").status_code == 404
    assert fresh.get(f"/runs/{fresh.runs[0]}/compared-with/{fresh.runs[1]}").status_code == 200


def test_the_page_of_a_person(fresh):
    alma, celine = person(fresh, "alma"), person(fresh, "celine")
    with fresh.server.store.session() as session:
        open_case(session, fresh.first, in_order(alma, celine)).state = CaseState.SUSPICIOUS
    page = fresh.get(f"/people/{alma}/", "assistant").text
    assert f'href="/people/{celine}/"' in page
    assert f'href="/runs/{fresh.other_run}/pairs/1"' in page
    assert 'data-state="suspicious"' in page
    assert page.count('data-label="Version"') == 2
    assert "very unusual" in page


def test_somebody_without_anything_has_a_page_too(fresh):
    with fresh.server.store.session() as session:
        session.add(PersonRow(course_id=fresh.course, name="new here"))
    page = fresh.get(f"/people/{person(fresh, 'new here')}/").text
    assert "This student is in no finished run yet." in page
    assert "Nothing has been decided about this student." in page


def test_erasing_is_offered_to_who_may(reading):
    path = f"/people/{person(reading, 'alma')}/"
    assert "Erase this student" in reading.get(path).text
    assert "Erase this student" not in reading.get(path, "assistant").text


def test_strangers_see_nothing(reading):
    for path in (f"/courses/{reading.course}/people", f"/people/{person(reading, 'alma')}/"):
        assert reading.get(path, "stranger").status_code == 404
        assert reading.get(path, "nobody").status_code == 302
