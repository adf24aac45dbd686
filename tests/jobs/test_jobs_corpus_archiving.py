"""Assignments that are kept in corpora: found in later years, under their owners' names, and forgotten with them."""

from __future__ import annotations

import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select
from support.classes import add_run, add_submission
from support.corpora import add_here, prose, write_files
from support.server import make_server

from moss.corpus.storage.removal import all_addresses
from moss.jobs.handlers.deletion import erase, remove
from moss.jobs.ledger import add_job, claim
from moss.model import Role, SourceFile, Submission
from moss.services.preview import PreviewRequest, answer_to
from moss.store.courses.corpus_archiving import Addresses, addresses_of
from moss.store.results.reports import load_report
from moss.store.tables import AssignmentRow, JobRow, JobState, NoticeRow, PersonRow, RunEntryRow, RunRow, RunTextRow

NEW = {"Fay": prose(1, 300), "Gil": prose(50, 300), "Ada": prose(1, 300)}


@pytest.fixture
def server(tmp_path, database_url):
    with make_server(tmp_path / "data", database_url) as made:
        yield made


def hand_in(server, course, name, texts) -> int:
    with server.store.session() as session:
        made = AssignmentRow(course_id=course, name=name)
        session.add(made)
        session.flush()
        for owner, text in texts.items():
            add_submission(session, made, Submission(owner, owner, (SourceFile("essay.txt", text),)))
        return made.id


def keep(server, assignment, corpus="years") -> JobRow:
    with server.store.session() as session:
        job = add_job(session, "shelve", {"assignment": assignment, "corpus": corpus}, user_id=2)
        number = job.id
    server.work()
    with server.store.reading() as session:
        return session.get_one(JobRow, number)


@pytest.fixture
def years(server):
    """Last year's essays, kept in the corpus `years`, and this year's, of which Fay's is Ada's and Bob's of old."""
    old = {"Ada": prose(1, 300), "Bob": prose(1, 300), "Cyd": prose(3)}
    before = hand_in(server, server.add_course("Writing", "2025"), "Essay", old)
    assert keep(server, before).state is JobState.DONE
    return before, hand_in(server, server.add_course("Writing", "2026"), "Essay", NEW)


def compared(server, assignment, **options):
    run = add_run(server.store, assignment, corpora=("years",), **options)
    server.work()
    with server.store.reading() as session:
        row = session.get_one(RunRow, run)
        assert row.finished is not None, row.job.reason
        return run, load_report(session, row)


def kept_in(server, corpus="years") -> list[str]:
    return sorted(all_addresses(server.config.data / "corpora" / corpus))


OWNED = ["Ada (Writing, 2025: Essay)", "Bob (Writing, 2025: Essay)"]


def test_what_was_kept_is_found_under_the_names_of_its_owners(server, years):
    _, report = compared(server, years[1])
    assert sorted(s.id for s in report.submissions if s.role is Role.ARCHIVE) == OWNED
    pairs = {frozenset((pair.a, pair.b)) for pair in report.pairs}
    assert frozenset(("Fay", OWNED[0])) in pairs, "Ada's text is kept for Bob's, too, and both are named"
    assert frozenset(("Fay", OWNED[1])) in pairs
    assert frozenset(("Ada", OWNED[0])) not in pairs, "nobody is compared with themselves"
    assert frozenset(("Ada", OWNED[1])) in pairs
    with server.store.reading() as session:
        entries = session.scalars(select(RunEntryRow).where(RunEntryRow.role == Role.ARCHIVE)).all()
        assert all(entry.submission_id and entry.person_id and not entry.corpus for entry in entries)
        assert session.scalars(select(RunTextRow)).all() == []
        assert "3 submissions of Essay added to the corpus years." in session.scalars(select(NoticeRow.text)).all()


def test_nothing_is_shown_twice(server, years):
    _, alone = compared(server, years[1], archives=(years[0],))
    assert len(alone.submissions) == 6
    keep(server, years[0])
    assert len(kept_in(server)) == 3
    keep(server, years[1])
    _, again = compared(server, years[1])
    assert len(again.submissions) == 5, "what is compared is no earlier work of itself"


def test_only_the_newest_version_is_compared(server, years):
    with server.store.session() as session:
        assignment = session.get_one(AssignmentRow, years[0])
        newer = Submission("Bob", "Bob", (SourceFile("essay.txt", prose(1, 290)),))
        number = add_submission(session, assignment, newer).id
    keep(server, years[0])
    assert len(kept_in(server)) == 4
    run, report = compared(server, years[1])
    assert sorted(s.id for s in report.submissions if s.role is Role.ARCHIVE) == OWNED
    with server.store.reading() as session:
        assert number in session.scalars(select(RunEntryRow.submission_id).filter_by(run_id=run)).all()


def test_whoever_is_erased_leaves_the_corpus_and_the_reports(server, years):
    run, _ = compared(server, years[1])
    with server.store.session() as session:
        addresses = addresses_of(session)
        erase(session, session.scalars(select(PersonRow).filter_by(name="Ada").order_by(PersonRow.id)).first())
    assert len(kept_in(server)) == 3
    server.work()
    assert [addresses.submission(address) for address in kept_in(server)] == [2, 3]
    with server.store.reading() as session:
        report = load_report(session, session.get_one(RunRow, run))
    assert OWNED[0] not in {s.id for s in report.submissions}
    _, later = compared(server, years[1])
    assert [s.id for s in later.submissions if s.role is Role.ARCHIVE] == OWNED[1:]


def test_a_run_that_has_asked_a_corpus_begins_anew_when_somebody_is_erased(server, years):
    runs = [add_run(server.store, years[1], corpora=corpora) for corpora in (("years",), ())]
    with server.store.session() as session:
        jobs = [session.get_one(RunRow, run).job_id for run in runs]
        assert all(claim(session, job) for job in jobs)
    with server.store.session() as session:
        erase(session, session.scalars(select(PersonRow).filter_by(name="Cyd")).one())
    with server.store.reading() as session:
        assert [session.get_one(JobRow, job).state for job in jobs] == [JobState.QUEUED, JobState.RUNNING]


def test_an_assignment_that_is_deleted_leaves_the_corpus(server, years, tmp_path):
    add_here(server.config.data / "corpora" / "years", write_files(tmp_path / "more", {"other.txt": prose(1, 280)}))
    with server.store.session() as session:
        remove(session, session.get_one(AssignmentRow, years[0]))
    server.work()
    assert [address.rpartition("/")[2] for address in kept_in(server)] == ["other.txt"]
    _, report = compared(server, years[1])
    assert [s.files[0].path for s in report.submissions if s.role is Role.ARCHIVE] == ["other.txt"]


def test_what_is_erased_but_not_taken_out_yet_is_not_shown(server, years):
    with server.store.session() as session:
        remove(session, session.get_one(AssignmentRow, years[0]))
        for job in session.scalars(select(JobRow).filter_by(kind="forget", state=JobState.QUEUED)):
            session.delete(job)
    assert len(kept_in(server)) == 3
    _, report = compared(server, years[1])
    assert {s.role for s in report.submissions} == {Role.NEW}


def test_a_corpus_of_another_server_holds_documents_and_nobody(server, years, tmp_path):
    with make_server(tmp_path / "other") as other:
        theirs = hand_in(other, other.add_course("Elsewhere"), "Essay", NEW)
        keep(other, theirs, "mine")
        shutil.copytree(server.config.data / "corpora" / "years", other.config.data / "corpora" / "years")
        _, report = compared(other, theirs)
        old = [s for s in report.submissions if s.role is Role.ARCHIVE]
        assert [s.id for s in old] == ["submissions/1/essay.txt (years)", "submissions/2/essay.txt (years)"]
        with other.store.session() as session:
            add_job(session, "forget", {})
        other.work()
        assert len(kept_in(other)) == 3


def test_a_preview_names_them_too(server, years):
    run = add_run(server.store, years[1])
    server.work()
    config = server.config
    asked = PreviewRequest(config.database, config.job_megabytes, run, {}, (), ("years",), config.data, 50)
    assert sorted(member.label for member in answer_to(asked).came) == OWNED


def test_a_corpus_that_cannot_be_used_is_told(server, years):
    manifest = server.config.data / "corpora" / "years" / "corpus.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"version": 99}))
    job = keep(server, years[1])
    assert job.state is JobState.FAILED
    assert job.reason == "Nothing was added to the corpus years: it was made by another version of moss."
    with server.store.reading() as session:
        assert job.reason in session.scalars(select(NoticeRow.text)).all()
    assert list((server.config.data / "work").iterdir()) == []


@given(st.integers(1, 10**9), st.text(), st.sampled_from(["ab12", "ab13", "ab1"]))
def test_addresses_lead_back(number, path, other):
    mine = Addresses("ab12")
    assert mine.submission(mine.of(number, path)) == number
    assert (Addresses(other).submission(mine.of(number, path)) is not None) == (other == "ab12")
    assert Addresses("").submission(Addresses("").of(number, path)) is None
    assert mine.submission(path) is None
