"""Evidence from a server says what is true of its run, and the run can be repeated from its bundle."""

from __future__ import annotations

import io
import json
import re
import zipfile
from html import unescape

import pytest
from click.testing import CliRunner
from sqlalchemy import delete, select, update
from support.classes import SAMPLES, add_class, add_run, add_submission
from support.decisions import CONFIRMED
from support.server import database_of, make_server

from moss.cli import main
from moss.model import Cell, Problem, Role, Rules, SourceFile, Submission
from moss.store.tables import AssignmentRow, ResultRow, RunEntryRow, SubmittedFileRow
from moss.store.tables import SubmissionRow as Row
from moss.version import HASH_VERSION, SCAN_VERSION, SCORE_VERSION

BOOK = SourceFile("book.ipynb", "print('one')\n# title\n", cells=(Cell("cell 1", "python", 0, 12),))


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """The database and the number of a run of a sample class with starter code and earlier work, also of another
    assignment, in which somebody of the class has handed in before; with a notebook, a language that was chosen, and a
    file that could not be read."""
    folder = tmp_path_factory.mktemp("compared")
    with make_server(folder) as server:
        number = start(server)
        server.work()
    return database_of(folder), number


def start(server):
    """Begin that run."""
    course = server.add_course()
    assignment = add_class(server.store, course, SAMPLES / "python-textstats")
    with server.store.session() as session:
        made = session.get_one(AssignmentRow, assignment)
        row = add_submission(session, made, Submission("Zoë/Q", "Zoë/Q", (BOOK,)))
        row.skipped = [Problem("a.bin", "binary")]
        first = session.scalars(select(Row).filter_by(role=Role.NEW).order_by(Row.id)).first()
        first.language = "text"
        session.scalars(select(Row).filter_by(role=Role.ARCHIVE).order_by(Row.id)).first().reference = "chatbot"
        before = AssignmentRow(course_id=course, name="Last year")
        session.add(before)
        session.flush()
        for owner in (first.owner, "Somebody"):
            add_submission(session, before, Submission(owner, owner, (SourceFile("old.py", "total = 1\n" * 40),)))
        earlier = before.id
    return add_run(server.store, assignment, archives=(earlier,), comment="midterm")


@pytest.fixture
def server(tmp_path, compared):
    """A server that has it."""
    (tmp_path / "moss.sqlite3").write_bytes(compared[0])
    with make_server(tmp_path) as made:
        yield made


@pytest.fixture
def run(compared):
    """Its number."""
    return compared[1]


def words(page: str) -> str:
    """What a reader sees of a page, with single spaces."""
    return " ".join(unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)).split())


def evidence(server, run, query="", person="instructor") -> str:
    answer = server.client(person).get(f"/runs/{run}/pairs/1/evidence{query}")
    assert answer.status_code == 200
    return words(answer.text)


def test_evidence_names_what_was_handed_out_and_earlier_work(server, run):
    text = evidence(server, run)
    assert "Starter code is not counted in these shares." in text
    assert "No starter code was given" not in text
    assert "None was given to the program" not in text
    assert "starter code starter (1 file)" in text
    assert "earlier work 5 submissions chatbot’s answer 1" in text
    assert "In a chatbot’s answers:" in text
    with server.store.reading() as session:
        starter = session.scalars(select(SubmittedFileRow.sha256).join(Row).where(Row.role == Role.BASE)).one()
    assert f"{starter} starter/" in text


def test_evidence_of_an_older_run_is_not_mistaken_either(server, run):
    """Runs of earlier versions did not say what was handed out, and had no path to say it by."""
    with server.store.session() as session:
        result = session.scalars(select(ResultRow)).one()
        older = {name: value for name, value in result.parameters.items() if name != "handed_out"}
        session.execute(update(ResultRow).values(parameters=older | {"base": []}))
    text = evidence(server, run)
    assert "Starter code is not counted in these shares." in text
    assert "starter code given" in text
    bundle = server.client().get(f"/runs/{run}/bundle.zip").data
    assert "handed-out/" in " ".join(zipfile.ZipFile(io.BytesIO(bundle)).namelist())


def test_without_a_handout_it_says_so(reported):
    text = evidence(reported, 1)
    assert ("No starter code was given" in text) == ("starter code none" in text)


@pytest.mark.parametrize("query", ["", "?anonymous=yes"])
def test_evidence_says_whose_case_it_is(server, run, query):
    text = evidence(server, run, query)
    assert "Course Programming 1, 2026" in text
    assert "Assignment Homework 1, run 1 (midterm)" in text
    assert "Decision None yet" in text
    assert "Prepared by Instructor" in text
    server.client().post(f"/runs/{run}/pairs/1/case", CONFIRMED)
    text = evidence(server, run, query, "assistant")
    assert "Decision Confirmed, by Instructor on " in text
    assert "Prepared by Assistant" in text


def test_the_command_in_evidence_and_report_is_one_that_works(server, run):
    for page in (evidence(server, run), words(server.client().get(f"/runs/{run}/").text)):
        assert f"moss repeat run-{run}.zip --output report" in page
        assert "moss compare" not in page


def repeated(tmp_path, content, *options):
    (tmp_path / "run.zip").write_bytes(content)
    found = tmp_path / "again.json"
    words = ["repeat", str(tmp_path / "run.zip"), "--json", str(found), "--quiet", "-j", "1", *options]
    return CliRunner().invoke(main, words), json.loads(found.read_text()) if found.exists() else None


def test_the_bundle_gives_the_same_report(server, run, tmp_path):
    browser = server.client()
    done, again = repeated(tmp_path, browser.get(f"/runs/{run}/bundle.zip").data, "-o", str(tmp_path / "report"))
    assert (done.exit_code, "the same as in the report of the run" in done.stderr) == (0, True), done.output
    first = json.loads(browser.get(f"/runs/{run}/report.json").text)
    assert again.pop("created") >= first.pop("created")
    assert again["parameters"].pop("bundle") == "run.zip"
    assert again == first
    assert "moss repeat run.zip --output report" in words((tmp_path / "report" / "index.html").read_text())
    a, b = first["pairs"][0]["a"], first["pairs"][0]["b"]
    made = CliRunner().invoke(main, ["evidence", str(tmp_path / "report"), a, b, "-o", str(tmp_path / "case.html")])
    assert made.exit_code == 0, made.output


def test_what_was_changed_or_is_missing_is_not_taken_for_the_same(server, run, tmp_path):
    with server.store.session() as session:
        session.execute(delete(Row).where(Row.role == Role.BASE))
    done, _ = repeated(tmp_path, server.client().get(f"/runs/{run}/bundle.zip").data)
    assert done.exit_code == 1
    assert "the result differs from the report of the run" in done.stderr
    assert "lacks the handed-out file" in done.stderr
    assert "other rules" not in done.stderr


def test_another_report_by_other_rules_says_so(server, run, tmp_path, monkeypatch):
    with server.store.session() as session:
        session.execute(delete(Row).where(Row.role == Role.BASE))
    content = server.client().get(f"/runs/{run}/bundle.zip").data
    monkeypatch.setattr("moss.version.SCORE_VERSION", 99)
    done, _ = repeated(tmp_path, content)
    assert done.exit_code == 1
    assert f"it was made by rules {Rules(SCAN_VERSION, HASH_VERSION, SCORE_VERSION).in_words}, not" in done.stderr


def test_only_instructors_get_the_bundle(server, run):
    assert server.client("assistant").get(f"/runs/{run}/bundle.zip").status_code == 403
    assert server.client("stranger").get(f"/runs/{run}/bundle.zip").status_code == 404
    assert "bundle.zip" not in server.client("assistant").get(f"/runs/{run}/").text
    assert "bundle.zip" in server.client().get(f"/runs/{run}/").text
    with server.store.reading() as session:
        assert session.scalars(select(RunEntryRow).filter_by(run_id=run)).first() is not None


def packed(index) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("bundle.json", index)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [b"", b"no zip", packed("{}"), packed("[" * 100_000), packed('{"format": "moss-bundle", "version": 99}'),
     packed(json.dumps({"format": "moss-bundle", "version": 1, "settings": {"nonsense": 1}, "inputs": {}, "about": {},
                        "report": {}, "submissions": []})),
     packed(json.dumps({"format": "moss-bundle", "version": 1, "settings": {}, "inputs": {}, "about": {}, "report": {},
                        "submissions": [{"id": "a", "owner": "a", "role": "king", "skipped": [], "files": []}]}))],
)  # fmt: skip
def test_what_is_no_bundle_is_refused_in_one_sentence(tmp_path, content):
    done, _ = repeated(tmp_path, content)
    assert done.exit_code == 2
    assert done.stderr.startswith("moss: ")
    assert "Traceback" not in done.output
