"""Runs that are compared with corpora: what comes from one is shown, kept as long as the run, and goes with it."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import func, select
from support.classes import add_run
from support.corpora import prose
from support.essays import ADDRESS, OLD, add_corpus, add_essays
from support.keeping import forget_now, places_of
from support.server import make_server

from moss.jobs.handlers.deletion import erase, remove
from moss.jobs.job_process import do
from moss.jobs.ledger import claim
from moss.model import Role
from moss.services.preview import PreviewRefusal, PreviewRequest, answer_to
from moss.store.results.cases import find_case, open_case, people_meant, people_of
from moss.store.results.reports import load_report, pair_at
from moss.store.results.runs import delete_run
from moss.store.submissions.contents import read_texts
from moss.store.tables import AssignmentRow, ContentRow, JobRow, JobState, PersonRow, RunEntryRow, RunRow, RunTextRow


@pytest.fixture
def server(tmp_path, database_url, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with make_server(tmp_path / "data", database_url) as made:
        yield made


@pytest.fixture
def assignment(server):
    """New essays, of which Ada's has the middle of an old one; that is in the corpus `essays`."""
    add_corpus(server)
    return add_essays(server)


def done(server, run_id) -> JobRow:
    with server.store.session() as session:
        job_id = session.get_one(RunRow, run_id).job_id
        lease = claim(session, job_id)
    do(server.store, server.config, job_id, lease)
    with server.store.reading() as session:
        return session.get_one(JobRow, job_id)


def finished(server, assignment, **options) -> int:
    run = add_run(server.store, assignment, corpora=("essays",), **options)
    assert done(server, run).state is JobState.DONE
    return run


def report_of(server, run_id):
    with server.store.reading() as session:
        return load_report(session, session.get_one(RunRow, run_id))


def count(session, table) -> int:
    return session.scalar(select(func.count()).select_from(table))


def test_what_a_corpus_holds_is_compared_and_can_be_read(server, assignment):
    run = finished(server, assignment)
    report = report_of(server, run)
    assert {s.id: s.role for s in report.submissions} == dict.fromkeys(("Ada", "Bob", "Cyd"), Role.NEW) | {
        OLD: Role.ARCHIVE
    }
    (pair,) = report.pairs
    assert {pair.a, pair.b} == {"Ada", OLD}
    assert sum(match.tokens for match in pair.matches) > 120
    (old,) = [s for s in report.submissions if s.id == OLD]
    assert old.files[0].text == prose(77, 300)
    assert report.parameters["archive"] == ["corpus:essays"]
    with server.store.reading() as session:
        (entry,) = session.scalars(select(RunEntryRow).where(RunEntryRow.corpus != ""))
        assert (entry.label, entry.corpus, entry.submission_id, entry.person_id) == (OLD, "essays", None, None)
        assert entry.owner == ADDRESS


def test_texts_stay_while_a_run_has_them_and_no_longer(server, assignment):
    first, second = finished(server, assignment), finished(server, assignment)
    forget_now(server)
    word = prose(77, 300)[:60]
    assert report_of(server, first).pairs == report_of(server, second).pairs
    for run in (first, second):
        assert "contents.packed" in places_of(server.store, [word])
        with server.store.session() as session:
            delete_run(session, session.get_one(RunRow, run))
    assert places_of(server.store, [word]) == []
    with server.store.reading() as session:
        assert count(session, RunTextRow) == 0
        assert count(session, ContentRow) == 3


def test_texts_go_with_the_assignment(server, assignment):
    finished(server, assignment)
    with server.store.session() as session:
        remove(session, session.get_one(AssignmentRow, assignment))
    with server.store.reading() as session:
        assert [count(session, table) for table in (RunTextRow, ContentRow, PersonRow)] == [0, 0, 0]


def test_an_attempt_that_was_broken_off_leaves_what_the_next_one_has(server, assignment, monkeypatch):
    run = add_run(server.store, assignment, corpora=("essays",))
    with monkeypatch.context() as patch:
        patch.setattr("moss.jobs.handlers.run.compare_submissions", lambda *_, **__: 1 / 0)
        assert done(server, run).state is JobState.QUEUED
    with server.store.session() as session:
        kept = set(session.scalars(select(RunTextRow.content_id)))
        session.scalars(select(JobRow)).one().not_before = None
    server.work()
    with server.store.reading() as session:
        assert session.get_one(RunRow, run).finished is not None
        assert set(session.scalars(select(RunTextRow.content_id))) == kept
        assert (
            len(read_texts(session, [file["text"] for e in session.scalars(select(RunEntryRow)) for file in e.files]))
            == 4
        )


def test_a_decision_stays_with_the_address(server, assignment):
    run = finished(server, assignment)
    with server.store.session() as session:
        pair = pair_at(session, session.get_one(RunRow, run), 1)
        assert people_of(pair) is None
        people = people_meant(session, session.get_one(RunRow, run), pair)
        case = open_case(session, assignment, people)
        assert {case.a.name, case.b.name} == {"Ada", ADDRESS}
        assert people_meant(session, session.get_one(RunRow, run), pair) == people
    later = finished(server, assignment)
    with server.store.reading() as session:
        again = people_of(pair_at(session, session.get_one(RunRow, later), 1))
        assert find_case(session, assignment, again) is not None
    with server.store.session() as session:
        remove(session, session.get_one(AssignmentRow, assignment))
        assert count(session, PersonRow) == 0


def test_an_address_can_be_erased_as_a_person_is(server, assignment):
    run = finished(server, assignment)
    with server.store.session() as session:
        people_meant(session, session.get_one(RunRow, run), pair_at(session, session.get_one(RunRow, run), 1))
        erase(session, session.scalars(select(PersonRow).filter_by(name=ADDRESS)).one())
    assert places_of(server.store, [prose(77, 300)[:60], ADDRESS]) == []
    server.work()
    assert [s.id for s in report_of(server, run).submissions] == ["Ada", "Bob", "Cyd", "erased"]


def refusal(server, assignment) -> str:
    job = done(server, add_run(server.store, assignment, corpora=("essays",)))
    assert job.state is JobState.FAILED
    with server.store.reading() as session:
        assert [count(session, table) for table in (RunTextRow, RunEntryRow)] == [0, 0]
    return job.reason


def test_a_corpus_that_has_vanished_is_named(server, assignment):
    folder = server.config.data / "corpora" / "essays"
    folder.rename(folder.with_name("elsewhere"))
    assert refusal(server, assignment) == (
        "The corpus essays is not in the worker’s data folder: it was removed, or the worker runs on a machine without "
        "that folder."
    )


def test_a_corpus_of_another_version_is_named(server, assignment):
    manifest = server.config.data / "corpora" / "essays" / "corpus.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"version": 99}))
    assert refusal(server, assignment) == (
        "The corpus essays can’t be searched: it was made by another version of moss."
    )


def test_a_damaged_corpus_is_named(server, assignment):
    folder = server.config.data / "corpora" / "essays"
    (segment,) = (folder / "segments").iterdir()
    (segment / "texts.parquet").write_bytes(b"nothing")
    reason = refusal(server, assignment)
    assert reason.startswith("The corpus essays can’t be searched: ")
    assert str(server.config.data) not in reason


def preview(server, run, *corpora):
    config = server.config
    return answer_to(PreviewRequest(config.database, config.job_megabytes, run, {}, (), corpora, config.data, 50))


def test_a_preview_asks_corpora_and_stores_nothing(server, assignment):
    run = add_run(server.store, assignment)
    done(server, run)
    found = preview(server, run, "essays")
    assert [member.label for member in found.came] == [OLD]
    assert preview(server, run).came == ()
    with server.store.reading() as session:
        assert [count(session, table) for table in (RunTextRow, ContentRow)] == [0, 3]
    assert isinstance(preview(server, run, "nothing"), PreviewRefusal)
    with_it = finished(server, assignment)
    same = preview(server, with_it, "essays")
    assert (same.came, same.went) == ((), ())
    assert [member.label for member in preview(server, with_it).went] == [OLD]
