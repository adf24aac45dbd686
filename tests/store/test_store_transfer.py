"""A course as one archive: what comes out of it elsewhere is what went in, and what is no such archive is refused."""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select
from support.classes import add_run
from support.corpora import add_here, write_files
from support.keeping import add_full_course, forget_now, hand_in, places_of, program
from support.served import served_pages
from support.server import make_server

from moss.jobs.handlers.deletion import erase, remove
from moss.store.courses.roster import set_roster
from moss.store.courses.roster_file import read_roster
from moss.store.results.cases import open_case
from moss.store.results.reports import load_report
from moss.store.submissions.contents import digest_of
from moss.store.tables import (
    AssignmentRow,
    Base,
    CaseRow,
    ContentRow,
    CourseRow,
    MembershipRow,
    PersonRow,
    RunRow,
    UserRow,
)
from moss.store.transfer.archive_format import (
    ArchivedAssignment,
    ArchivedCase,
    ArchivedCourse,
    ArchivedEvent,
    ArchivedFile,
    ArchivedMember,
    ArchivedReport,
    ArchivedRun,
    ArchivedSubmission,
    ArchivedUpload,
)
from moss.store.transfer.archive_reader import ArchiveError
from moss.store.transfer.export_course import write_archive
from moss.store.transfer.import_course import import_course

ROOT = Path(__file__).parents[2]


@pytest.fixture
def server(tmp_path, database_url):
    with make_server(tmp_path / "one", database_url) as made:
        yield made


@pytest.fixture
def sqlite_server(tmp_path):
    with make_server(tmp_path / "two") as made:
        yield made


def exported(server, course_id=1) -> bytes:
    file = io.BytesIO()
    with server.store.reading() as session:
        write_archive(session, session.get_one(CourseRow, course_id), file, lambda *_: None)
    return file.getvalue()


def imported(server, archive: bytes, user_id=2) -> int:
    with server.store.session() as session:
        return import_course(session, io.BytesIO(archive), user_id).id


def members(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def timeless(archive: bytes) -> dict[str, object]:
    """What is in an archive, but for when it was made."""
    found: dict[str, object] = {**members(archive)}
    return found | {"course.json": json.loads(found["course.json"]) | {"exported": None}}


def zipped(found: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in found.items():
            archive.writestr(name, content)
    return file.getvalue()


def runs_of(server, course_id) -> list[int]:
    with server.store.reading() as session:
        query = select(RunRow.id).join(AssignmentRow).where(AssignmentRow.course_id == course_id).order_by(RunRow.id)
        return list(session.scalars(query))


def report_of(server, run_id):
    with server.store.reading() as session:
        return load_report(session, session.get_one(RunRow, run_id))


def test_a_course_is_the_same_after_a_journey_there_and_back(server, sqlite_server):
    add_full_course(server)
    with server.store.session() as session:
        set_roster(
            session, 1, read_roster(b"name,other names,section,partners\nA. Quill,Ann Quill,B,Dan Tusk\nDan Tusk\n")
        )
    first = exported(server)
    there = imported(sqlite_server, first)
    second = exported(sqlite_server, there)
    back = imported(server, second)
    assert timeless(first) == timeless(second) == timeless(exported(server, back))
    assert back != 1


def test_reports_and_reviews_are_the_same_elsewhere(server, sqlite_server):
    add_full_course(server)
    there = imported(sqlite_server, exported(server))
    [run] = runs_of(sqlite_server, there)
    before, after = report_of(server, 1), report_of(sqlite_server, run)
    assert (before.pairs, before.submissions, before.clusters) == (after.pairs, after.submissions, after.clusters)
    assert (before.created, before.baseline, before.problems) == (after.created, after.baseline, after.problems)
    assert (before.ranking.score == after.ranking.score).all()
    assert dict(served_pages(before)) == dict(served_pages(after))
    with sqlite_server.store.reading() as session:
        cases = session.scalars(select(CaseRow).order_by(CaseRow.id)).all()
        assert [(case.a.name, case.b.name, case.state, case.assignee_id) for case in cases] == [
            ("Ann Quill", "Bob Rust", "suspicious", 2), ("Bob Rust", "Cleo Sand", "suspicious", 2),
        ]  # fmt: skip
        assert [event.note for event in cases[0].events if event.note] == ["Ann says Bob asked"]


def test_the_archive_holds_no_password_and_nothing_of_this_server(server):
    add_full_course(server)
    with server.store.session() as session:
        session.get_one(UserRow, 2).password = "hashed-and-secret"
        session.get_one(CourseRow, 1).webhook = "https://hooks.example.org/secret"
    found = members(exported(server))
    assert not any(b"secret" in content for content in found.values())
    assert json.loads(found["course.json"])["members"] == [
        {"email": "anton@example.org", "role": "assistant"}, {"email": "ines@example.org", "role": "instructor"},
    ]  # fmt: skip


def test_members_are_those_who_have_an_account_here_and_whoever_imports(server, sqlite_server):
    add_full_course(server)
    archive = exported(server)
    with sqlite_server.store.session() as session:
        session.get_one(UserRow, 3).email = "somebody.else@example.org"
    course = imported(sqlite_server, archive, user_id=4)
    with sqlite_server.store.reading() as session:
        rows = session.scalars(select(MembershipRow).filter_by(course_id=course).order_by(MembershipRow.user_id))
        assert [(row.user_id, row.role) for row in rows] == [(2, "instructor"), (4, "instructor")]


def test_earlier_work_of_another_course_goes_with_the_reports_that_speak_of_it(server, sqlite_server):
    add_full_course(server)
    other = server.add_course("Programming 1", "2027")
    with server.store.session() as session:
        later = AssignmentRow(course_id=other, name="Homework 1")
        session.add(later)
        session.flush()
        hand_in(session, later, "Fay Vine", program(1, "fayslineofcode"))
        hand_in(session, later, "Ann Quill", program(99))
        number = later.id
    add_run(server.store, number, archives=(1,), show=5)
    server.work()
    with server.store.session() as session:
        fay = session.scalars(select(PersonRow).filter_by(name="Fay Vine")).one()
        open_case(session, number, (1, fay.id))
    first = exported(server, other)
    plain = json.loads(members(first)["course.json"])
    assert [each["name"] for each in plain["assignments"]] == ["Homework 1", "Homework 1 (Programming 1, 2026)"]
    assert plain["people"][:3] == ["Fay Vine", "Ann Quill", "Ann Quill (Programming 1, 2026)"]
    there = imported(sqlite_server, first)
    assert timeless(exported(sqlite_server, there)) == timeless(first)
    before, [run] = report_of(server, 2), runs_of(sqlite_server, there)
    assert dict(served_pages(before)) == dict(served_pages(report_of(sqlite_server, run)))


def test_what_is_from_a_corpus_goes_with_the_reports_that_show_it(server, sqlite_server, tmp_path):
    old = write_files(tmp_path / "old", {"main.py": program(1, "oldlineofcode")})
    add_here(server.config.data / "corpora" / "programs", old)
    add_full_course(server)
    run = add_run(server.store, 1, corpora=("programs",), show=20)
    server.work()
    with server.store.session() as session:
        session.get_one(AssignmentRow, 1).settings = {"show": 20, "archives": [], "corpora": ["programs"]}
    first = exported(server)
    there = imported(sqlite_server, first)
    assert timeless(exported(sqlite_server, there)) == timeless(first)
    before, after = report_of(server, run), report_of(sqlite_server, runs_of(sqlite_server, there)[-1])
    assert any("oldlineofcode" in file.text for record in after.submissions for file in record.files)
    assert dict(served_pages(before)) == dict(served_pages(after))
    forget_now(sqlite_server)
    assert "contents.packed" in places_of(sqlite_server.store, ["oldlineofcode"])
    with sqlite_server.store.session() as session:
        remove(session, session.get_one(CourseRow, there))
    assert places_of(sqlite_server.store, ["oldlineofcode"]) == []


def test_an_archive_from_before_corpora_can_be_imported(server, sqlite_server):
    add_full_course(server)
    found = members(exported(server))
    plain = json.loads(found["course.json"])
    for assignment in plain["assignments"]:
        del assignment["corpora"]
        for run in assignment["runs"]:
            del run["corpora"], run["texts"]
    report = json.loads(found["runs/1-1.json"])
    for entry in report["entries"]:
        del entry["corpus"]
    changed = {"course.json": json.dumps(plain).encode(), "runs/1-1.json": json.dumps(report).encode()}
    there = imported(sqlite_server, zipped(found | changed))
    assert timeless(exported(sqlite_server, there)) == timeless(exported(server))


def test_a_course_from_which_somebody_was_erased_can_still_be_exported(server, sqlite_server):
    add_full_course(server)
    with server.store.session() as session:
        erase(session, session.scalars(select(PersonRow).filter_by(name="Ann Quill")).one())
    archive = exported(server)
    assert not any(b"Ann Quill" in content or b"annsline" in content for content in members(archive).values())
    there = imported(sqlite_server, archive)
    assert timeless(exported(sqlite_server, there)) == timeless(archive)


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> bytes:
    with make_server(tmp_path_factory.mktemp("made")) as made:
        add_full_course(made)
        return exported(made)


def rows_in(server) -> dict[str, int]:
    with server.store.reading() as session:
        tables = Base.metadata.sorted_tables
        return {table.name: session.scalar(select(func.count()).select_from(table)) for table in tables}


def refusal(server, content: bytes) -> str:
    """Why an archive is refused; nothing of it may be left."""
    before = rows_in(server)
    with pytest.raises(ArchiveError) as refused:
        imported(server, content)
    assert rows_in(server) == before
    return str(refused.value)


def changed(archive: bytes, *path, value, name="course.json") -> bytes:
    """The archive with another value at a place in its JSON."""
    found = members(archive)
    plain = json.loads(found[name])
    at = plain
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value(at[path[-1]]) if callable(value) else value
    return zipped(found | {name: json.dumps(plain).encode()})


FIRST = ("assignments", 0, "submissions", 0)
RUN = "runs/1-1.json"


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("format",), "other", "format"),
        (("version",), 2, "version"),
        (("name",), "", "name"),
        (("retention_days",), 0, "retention_days"),
        (("surplus",), 1, "surplus"),
        (("people", 0), 17, "people.0"),
        (("people", 1), "Ann Quill", "it has something twice: people"),
        (("created",), "yesterday", "created"),
        (("created",), "0001-01-01T00:00:00Z", "out of range"),
        (("created",), "2026-01-01T00:00:00", "timezone"),
        (("members", 0, "role"), "administrator", "members.0.role"),
        ((*FIRST, "person"), 99, "not there"),
        ((*FIRST, "person"), -1, "person"),
        ((*FIRST, "upload"), 5, "not there"),
        ((*FIRST, "role"), "king", "role"),
        ((*FIRST, "files", 0, "text"), "../../etc/passwd", "text"),
        ((*FIRST, "files", 0, "cells"), [["1", "python", 0, 99_999]], "cell"),
        ((*FIRST, "version"), 2**40, "version"),
        (("assignments", 0, "cases", 0, "b"), 0, "not about two students"),
        (("assignments", 0, "cases", 0, "b"), 77, "not there"),
        (("assignments", 0, "cases", 0, "events", 0, "after"), "guilty", "events"),
        (("assignments", 0, "cases", 0, "events", 0, "kind"), "hearing", "events"),
        (("assignments", 0, "runs", 0, "number"), 2, "not complete|belongs to nothing"),
        (("assignments", 0, "runs", 0, "archives"), [4], "not there"),
        (("assignments", 0, "runs", 0, "settings"), {"show": -4}, "settings"),
        (("assignments", 0, "runs", 0, "settings"), {"os": "system"}, "settings"),
    ],
)  # fmt: skip
def test_a_course_that_cannot_be_is_refused_in_one_sentence(sqlite_server, archive, path, value, why):
    said = refusal(sqlite_server, changed(archive, *path, value=value))
    assert any(word in said for word in why.split("|")), said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("pairs", 0, "a"), 99, "not there"),
        (("pairs", 0, "score"), 1.5, "score"),
        (("pairs", 0, "score"), float("nan"), "score"),
        (("pairs", 0, "matches", 0, "a", "file"), "other.py", "not there"),
        (("pairs", 0, "matches", 0, "a", "end"), 10**6, "outside"),
        (("pairs", 0, "matches", 0, "stretches"), [[0, 10**6, 0, 1]], "outside"),
        (("entries", 0, "label"), "Bob Rust", "one name"),
        (("entries", 0, "submission"), [0, 99], "not there"),
        (("entries", 0, "files", 0, "text"), digest_of("a text of another course"), "a text of a report is missing"),
        (("clusters",), [["nobody"]], "cluster"),
        (("parameters", "limits"), None, "parameters"),
        (("baseline", "spread"), 0, "spread"),
    ],
)  # fmt: skip
def test_a_report_that_cannot_be_is_refused_in_one_sentence(sqlite_server, archive, path, value, why):
    said = refusal(sqlite_server, changed(archive, *path, value=value, name=RUN))
    assert why in said, said


def test_a_report_may_have_figures_that_are_not_known_here(sqlite_server, archive):
    newer = changed(archive, "pairs", 0, value=lambda pair: pair | {"from_the_future": [1, 2]}, name=RUN)
    course = imported(sqlite_server, newer)
    assert timeless(exported(sqlite_server, course)) == timeless(archive)


def test_what_is_no_archive_or_not_the_whole_of_one_is_refused(sqlite_server, archive):
    assert "not a zip file" in refusal(sqlite_server, b"")
    assert "not a zip file" in refusal(sqlite_server, archive[: len(archive) // 2])
    assert "not a course" in refusal(sqlite_server, zipped({}))
    assert "does not belong" in refusal(sqlite_server, zipped(members(archive) | {"../../evil": b""}))
    assert "does not belong" in refusal(sqlite_server, zipped(members(archive) | {"texts/../course.json": b""}))
    assert "belongs to nothing" in refusal(sqlite_server, zipped(members(archive) | {f"texts/{'0' * 64}": b""}))
    texts = [name for name in members(archive) if name.startswith("texts/")]
    assert "not the text" in refusal(sqlite_server, zipped(members(archive) | {texts[0]: b"another"}))
    assert "is missing" in refusal(
        sqlite_server, zipped({name: each for name, each in members(archive).items() if name != texts[0]})
    )
    assert "ranking in it is damaged" in refusal(sqlite_server, zipped(members(archive) | {"runs/1-1.ranking": b"123"}))
    assert "not there" in refusal(sqlite_server, zipped(members(archive) | {"runs/1-1.ranking": b"\xff" * 16}))
    assert "score" in refusal(sqlite_server, zipped(members(archive) | {"runs/1-1.ranking": bytes(8) + b"\xff" * 8}))


def test_a_bomb_is_refused_before_it_is_unpacked(sqlite_server, archive):
    bomb = zipped(members(archive) | {"runs/1-1.ranking": bytes(300 * 1024 * 1024)})
    assert len(bomb) < 1024 * 1024
    assert "too large" in refusal(sqlite_server, bomb)
    nested = zipped(members(archive) | {"course.json": b"[" * 1_000_000})
    assert "course.json" in refusal(sqlite_server, nested)


def test_two_members_of_one_name_are_refused(sqlite_server, archive):
    file = io.BytesIO(archive)
    with zipfile.ZipFile(file, "a") as opened, pytest.warns(UserWarning, match="Duplicate"):
        opened.writestr("course.json", b"{}")
    assert "several with one name" in refusal(sqlite_server, file.getvalue())


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_archive_is_refused_or_is_whole(sqlite_server, archive, data):
    place = data.draw(st.integers(0, len(archive) - 1))
    broken = bytearray(archive)
    broken[place] ^= data.draw(st.integers(1, 255))
    try:
        course = imported(sqlite_server, bytes(broken))
    except ArchiveError:
        return
    assert timeless(exported(sqlite_server, course)) == timeless(archive)


def test_a_text_of_another_course_cannot_be_had_by_naming_its_digest(sqlite_server, archive):
    secret = "something that only another course has"
    with sqlite_server.store.session() as session:
        session.add(ContentRow(digest=digest_of(secret), characters=len(secret), packed=zlib.compress(secret.encode())))
    wrong = changed(archive, *FIRST, "files", 0, "text", value=digest_of(secret))
    assert "no texts/" in refusal(sqlite_server, wrong) or "belongs to nothing" in refusal(sqlite_server, wrong)


def test_every_field_of_the_format_is_documented():
    described = (ROOT / "docs" / "privacy.md").read_text()
    words = set(re.findall(r"\w+", "".join(re.findall(r"`[^`]+`", described))))
    models = (ArchivedCourse, ArchivedMember, ArchivedAssignment, ArchivedUpload, ArchivedSubmission, ArchivedFile,
              ArchivedRun, ArchivedCase, ArchivedEvent, ArchivedReport)  # fmt: skip
    assert {name for model in models for name in model.model_fields} <= words
