"""Upgrades: whatever an earlier version left behind can be opened, and nothing in it is lost.

Each set was made by the version of its day (see `make.py`). Whoever changes a format sees here what becomes of data
that are already there.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import create_engine
from support.accounts import log_in_as
from support.classes import add_run
from support.server import make_server
from upgrades.questions import ask_corpus, ask_server, told
from upgrades.sets import SETS, copy_rows, lost, rows_in, unpack_set

from moss.cli import main as moss
from moss.jobs.worker import add_daily_jobs
from moss.report.folder_reader import report_schema
from moss.store.submissions.fingerprints import count_behind
from moss.store.tables import CaseRow, CourseRow, RunEntryRow, RunRow
from moss.store.transfer.export_course import write_archive
from moss.store.transfer.import_course import import_course


@pytest.fixture(params=SETS, ids=lambda path: path.name.partition(".")[0])
def earlier(request, tmp_path, monkeypatch):
    """A set, and the folder in which it was made as the current one: paths in it are relative."""
    monkeypatch.chdir(tmp_path)
    return unpack_set(request.param, tmp_path)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, earlier):
    """The server's database of the set, with the schema of its time."""
    if request.param == "sqlite":
        return earlier.database
    target = request.getfixturevalue("postgres_url")
    copy_rows(earlier.database, target)
    return target


@pytest.fixture
def server(earlier, database):
    """The set's server, started by this version."""
    with make_server(Path("data"), database) as made:
        yield made


FIRST = {"scan": 1, "hash": 1, "score": 1}
"""The rules of what does not say by which it was made."""


def report_now(*options):
    return told("compare", *options, "--json", "-", "handed-in/class")


def test_there_are_sets():
    assert SETS


def test_evidence_can_be_made_from_an_old_report(earlier):
    report = json.loads(Path("report.json").read_text())
    assert report["pairs"]
    for pair in report["pairs"]:
        done = CliRunner().invoke(moss, ["evidence", "report", pair["a"], pair["b"], "-o", "case.html"])
        assert done.exit_code == 0, done.output
        page = Path("case.html").read_text()
        assert pair["a"] in page
        assert pair["b"] in page
        assert f"ranked by score {report.get('rules', FIRST)['score']}," in page
    done = CliRunner().invoke(moss, ["evidence", "report", "Ann", "Bob", "-o", "case.html"])
    assert "annslineofcode" in Path("case.html").read_text(), done.output


def test_a_report_has_all_fields_that_it_had(earlier):
    before, after = json.loads(Path("report.json").read_text()), report_now(*earlier.expected["options"], "--no-cache")
    assert (before["format"], before["version"]) == (after["format"], after["version"])
    assert shape(before) <= shape(after) | described(report_schema())


def shape(plain, at="") -> set[str]:
    """The names of all fields that are anywhere in a report."""
    if isinstance(plain, dict):
        return {f"{at}.{name}" for name in plain}.union(*(shape(each, f"{at}.{name}") for name, each in plain.items()))
    return set().union(*(shape(each, f"{at}[]") for each in plain)) if isinstance(plain, list) else set()


def described(schema, within=None, at="") -> set[str]:
    """The names of all fields that a schema describes, also of those that no report has at the moment."""
    within = within or schema
    if "$ref" in within:
        return described(schema, schema["$defs"][within["$ref"].rpartition("/")[2]], at)
    found = {f"{at}.{name}" for name in within.get("properties", {})}
    found |= {
        each for name, part in within.get("properties", {}).items() for each in described(schema, part, f"{at}.{name}")
    }
    return found | (described(schema, within["items"], f"{at}[]") if isinstance(within.get("items"), dict) else set())


def test_an_old_cache_changes_no_result(earlier):
    options = earlier.expected["options"]
    with_it, without = (report_now(*options, *each) for each in (("--cache", "cache"), ("--no-cache",)))
    assert with_it | {"created": ""} == without | {"created": ""}


def test_an_old_corpus_answers(earlier):
    current(Path("corpora/essays"))
    assert ask_corpus(Path("corpora/essays"), Path("essays")) == earlier.expected["corpus"]


def current(*corpora):
    """Build corpora anew that say they need it; each of them says so in the sentence that names the command."""
    for folder in corpora:
        said = CliRunner().invoke(moss, ["corpus", "list", f"./{folder}"])
        if said.stderr:
            assert f"moss corpus rebuild {folder}" in said.stderr
            done = CliRunner().invoke(moss, ["corpus", "rebuild", f"./{folder}", "-j", "1"])
            assert done.exit_code == 0, done.output


def test_no_row_of_the_database_is_lost(earlier, database):
    engine = create_engine(database)
    before = rows_in(engine)
    with make_server(Path("data"), database):
        assert lost(before, rows_in(engine)) == []
    engine.dispose()


def test_programs_are_told_what_they_were_told(earlier, server):
    before, after = earlier.expected["answers"], ask_server(server.app, earlier.expected["token"])
    assert lost(before, after) == []
    for run in (1, 2, 3):
        assert after[f"/runs/{run}"]["rules"] == before[f"/runs/{run}"].get("rules", FIRST)


def test_people_log_in_and_read_everything(earlier, server):
    browser, answer = log_in_as(server, "instructor")
    assert answer.status_code == 303, answer.text
    for address in [
        "/",
        "/courses/2/",
        "/assignments/2/",
        "/runs/2/compared-with/1",
        "/runs/2/submissions/1",
        "/cases/1/",
    ]:
        assert browser.get(address, follow_redirects=True).status_code == 200, address
    for run in (1, 2, 3):
        shown = earlier.expected["answers"][f"/runs/{run}/pairs?limit=100"]["items"]
        overview = browser.get(f"/runs/{run}/").text
        for pair in shown:
            page = browser.get(f"/runs/{run}/pairs/{pair['rank']}").text
            assert all(pair[side]["owner"] in overview and pair[side]["owner"] in page for side in "ab")
    assert "annslineofcode" in browser.get("/runs/2/pairs/1/evidence").text
    assert "Both said so on Tuesday." in browser.get("/cases/1/").text


def test_guests_follow_their_links(earlier, server):
    nobody = server.client("nobody")
    to_pair, to_report = earlier.expected["links"]
    assert "Fay Zorn" in nobody.get(to_report).text
    assert "annslineofcode" in nobody.get(to_pair, follow_redirects=True).text
    assert nobody.get(f"{to_pair}pairs/2").status_code == 404


def test_a_passage_is_found_in_an_earlier_year(server):
    with server.store.session() as session:
        add_daily_jobs(session)  # as a worker does when it starts
    server.work()
    with server.store.reading() as session:
        assert count_behind(session) == 0
        number = session.query(RunEntryRow.number).filter_by(run_id=1, owner="Dan Vine").scalar()
    assert "Programming 1, 2025" in server.client().get(f"/runs/1/submissions/{number}/elsewhere").text


def test_a_new_run_has_the_old_archives_and_decisions(server):
    before = {(case.a.name, case.b.name): case.state for case in cases(server)}
    current(Path("data/corpora/years"), Path("data/corpora/library"))
    run = add_run(server.store, 2, archives=(1,), corpora=("years", "library"), show=20)
    server.work()
    with server.store.reading() as session:
        assert session.get_one(RunRow, run).finished is not None, session.get_one(RunRow, run).job.reason
    overview = server.client().get(f"/runs/{run}/").text
    assert "library/solution.py" in overview
    assert before == {(case.a.name, case.b.name): case.state for case in cases(server)}
    for state in before.values():
        assert f'data-state="{state}"' in overview


def cases(server) -> list[CaseRow]:
    with server.store.reading() as session:
        found = session.query(CaseRow).order_by(CaseRow.id).all()
        assert all((case.a.name, case.b.name) for case in found)  # loaded while the session is there
        return found


def test_a_course_that_was_exported_can_be_imported(earlier, tmp_path, database_url):
    archive = Path("course.zip").read_bytes()
    with make_server(tmp_path / "new", database_url) as server:
        with server.store.session() as session:
            course = import_course(session, io.BytesIO(archive), server.id_of("instructor")).id
        for run in (1, 2, 3):
            report = server.client().get(f"/runs/{run}/report.json").json
            assert lost(earlier.expected["answers"][f"/runs/{run}/report"], report) == []
        assert lost(members(archive), members(exported(server, course))) == []


def exported(server, course) -> bytes:
    file = io.BytesIO()
    with server.store.reading() as session:
        write_archive(session, session.get_one(CourseRow, course), file, lambda *_: None)
    return file.getvalue()


def members(archive: bytes) -> dict[str, object]:
    """What is in the archive of a course, but for when and by what it was made."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        found = {name: opened.read(name) for name in opened.namelist()}
    plain = {name: json.loads(content) for name, content in found.items() if name.endswith(".json")}
    plain["course.json"] |= {"exported": None, "tool": None}
    return found | plain
