"""Histories and sections on a server: stored with submissions, shown by runs, moved with courses, erased."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from sqlalchemy import select
from support.classes import add_run
from support.keeping import places_of
from support.repositories import Change, make_repository, zip_folder
from support.server import make_server
from support.uploads import Desk, open_desk, program, zipped

from moss.jobs.handlers.deletion import erase
from moss.model import LineOrigin
from moss.store.results.reports import load_report
from moss.store.results.run_input import bundle_of
from moss.store.submissions.corrections import merge
from moss.store.tables import AssignmentRow, PersonRow, RunEntryRow, RunRow, SubmissionRow, SubmittedFileRow
from moss.store.transfer.export_course import write_archive
from moss.store.transfer.import_course import import_course

WORK = program(1) + program(2)


@pytest.fixture
def desk(tmp_path, database_url) -> Desk:
    with make_server(tmp_path / "server", database_url) as server:
        yield open_desk(server)


def repositories(folder: Path) -> bytes:
    """A class of two with histories, and one without: Bo helped Ann, under another spelling too."""
    ann = [
        Change({"main.py": program(1)}, author="Ann Lee <ann@example.org>"),
        Change({"main.py": WORK}, author="Bo Kim <bo@example.org>", day=1, message="Bo Kim's part"),
        Change({"main.py": WORK + "print(1)\nprint(2)\n"}, author="bkim <bo@example.org>", day=2),
    ]
    make_repository(folder / "class" / "Ann Lee", ann)
    make_repository(folder / "class" / "Bo Kim", [Change({"main.py": WORK}, "Bo Kim <bo@example.org>", day=9)])
    (folder / "class" / "Cy Ode").mkdir()
    (folder / "class" / "Cy Ode" / "main.py").write_text(program(3))
    return zip_folder(folder / "class")


def report_of(server, run):
    with server.store.reading() as session:
        return load_report(session, session.get_one(RunRow, run))


def compared(desk: Desk, tmp_path: Path) -> int:
    """A finished run of the class with histories."""
    desk.confirm(desk.send({"class.zip": repositories(tmp_path)}))
    run = add_run(desk.server.store, desk.assignment)
    desk.server.work()
    return run


def test_a_run_shows_who_had_a_passage_first(desk, tmp_path):
    run = compared(desk, tmp_path)
    report = report_of(desk.server, run)
    ann, bo, cy = report.submissions
    assert [commit.author for commit in ann.history.commits] == ["Ann Lee", "Bo Kim", "bkim"]
    assert cy.history is None
    match = report.pairs[0].matches[0]
    assert ann.history.commits[match.a.commit - 1].time < bo.history.commits[match.b.commit - 1].time
    shown = desk.server.client().get(f"/runs/{run}/pairs/1").text
    assert "By the dates of the commits, Ann Lee had" in shown
    assert "can be forged" in shown
    assert "ann@example.org" in shown


def test_an_erased_person_is_named_in_nobodys_history(desk, tmp_path):
    run = compared(desk, tmp_path)
    desk.server.client().get(f"/runs/{run}/pairs/1")
    with desk.server.store.session() as session:
        erased = erase(session, session.scalars(select(PersonRow).filter_by(name="Bo Kim")).one())
        assert erased.runs == (run,)
    assert places_of(desk.server.store, ["Bo Kim", "bo@example.org", "bkim"]) == []
    [ann] = [record for record in report_of(desk.server, run).submissions if record.id == "Ann Lee"]
    assert [commit.author for commit in ann.history.commits] == ["Ann Lee", "[erased]", "[erased]"]
    assert ann.history.commits[1].subject == "[erased]'s part"
    assert all(commit.time for commit in ann.history.commits)


def test_a_run_without_them_is_made_anew_if_only_their_commits_are_in_it(desk, tmp_path):
    """Somebody who handed in nothing for this run can have helped in it."""
    run = compared(desk, tmp_path)
    with desk.server.store.session() as session:
        person = PersonRow(course_id=session.get_one(AssignmentRow, desk.assignment).course_id, name="bkim")
        session.add(person)
        session.flush()
        assert erase(session, person).runs == (run,)
    names = {c.author for r in report_of(desk.server, run).submissions if r.history for c in r.history.commits}
    assert names == {"Ann Lee", "[erased]"}


def test_a_course_takes_histories_and_sections_along(desk, tmp_path):
    run = compared(desk, tmp_path)
    with desk.server.store.session() as session:
        for row in session.scalars(select(SubmissionRow)):
            row.section, row.account = "A", f"{row.owner}@school"
        course = session.get_one(AssignmentRow, desk.assignment).course
        archive = io.BytesIO()
        write_archive(session, course, archive, lambda *told: None)
        archive.seek(0)
        there = import_course(session, archive, 1)
        session.flush()
        rows = [
            session.scalars(select(SubmissionRow).join(AssignmentRow).filter_by(course_id=number)).all()
            for number in (course.id, there.id)
        ]
        before, after = (
            [(r.section, r.account, r.history, [f.origins for f in r.files]) for r in some] for some in rows
        )
        assert before == after
        assert any(history for _, _, history, _ in after)
        entries = session.scalars(select(RunEntryRow).order_by(RunEntryRow.id)).all()
        half = len(entries) // 2
        assert [e.figures for e in entries[:half]] == [e.figures for e in entries[half:]]
    assert report_of(desk.server, run).submissions[0].history


def test_a_bundle_can_be_repeated_with_its_histories(desk, tmp_path):
    run = compared(desk, tmp_path)
    with desk.server.store.reading() as session:
        bundle = bundle_of(session, session.get_one(RunRow, run))
    [ann, _, _] = bundle.submissions
    assert ann.history.commits[0].author == "Ann Lee"
    assert ann.files[0].origins[0] == LineOrigin(1, 1)


def test_merged_drafts_have_both_histories(desk, tmp_path):
    upload = desk.send({"class.zip": repositories(tmp_path)})
    with desk.server.store.session() as session:
        drafts = session.scalars(select(SubmissionRow).filter_by(upload_id=upload).order_by(SubmissionRow.owner)).all()
        made = merge(session, [drafts[0], drafts[1]])
        assert [commit["author"] for commit in made.history["commits"]] == ["Ann Lee", "Bo Kim", "bkim", "Bo Kim"]
        assert made.history["count"] == 4
        files = session.scalars(select(SubmittedFileRow).filter_by(submission_id=made.id)).all()
        assert sorted(file.origins[0][1] for file in files) == [1, 4]


def test_sections_reach_the_report_of_a_run(desk):
    members = {
        f"{section}/{name}_{number}_assignsubmission_file_/main.py": program(number)
        for number, (section, name) in enumerate((("Lab 1", "Ann Lee"), ("Lab 1", "Bo Kim"), ("Lab 2", "Cy Ode")), 11)
    }
    desk.confirm(desk.send({"class.zip": zipped(members)}))
    assert {row.owner: row.section for row in desk.rows()} == {"Ann Lee": "Lab 1", "Bo Kim": "Lab 1", "Cy Ode": "Lab 2"}
    run = add_run(desk.server.store, desk.assignment)
    desk.server.work()
    assert [record.section for record in report_of(desk.server, run).submissions] == ["Lab 1", "Lab 1", "Lab 2"]
