"""docs/changing.md: the files that it names exist, and its patches do what they say when the changed program is run."""

from __future__ import annotations

import json
import re

import pytest
from support.changed_copy import CHANGES, ROOT, changed_copy, run_python
from support.programs import write_class

PAGE = (ROOT / "docs" / "changing.md").read_text()
SECTIONS = {section.partition("\n")[0]: section for section in re.split(r"^## \d+\. ", PAGE, flags=re.MULTILINE)[1:]}


def named(section: str, kind: str) -> list[str]:
    """The paths on the lines of a section that begin with a word."""
    lines = re.findall(rf"^- {kind}: (.*(?:\n  .*)*)", section, re.MULTILINE)
    return [path for line in lines for path in re.findall(r"`([\w./-]+)`", line)]


def test_fifteen_changes_are_described():
    assert re.findall(r"^## (\d+)\. ", PAGE, re.MULTILINE) == [str(number) for number in range(1, 16)]


@pytest.mark.parametrize("title", SECTIONS)
def test_the_files_of_a_change_exist(title):
    files = named(SECTIONS[title], "Files")
    assert files
    assert [path for path in [*files, *named(SECTIONS[title], "Patch")] if not (ROOT / path).exists()] == []
    for path in named(SECTIONS[title], "New"):
        assert (ROOT / path).parent.is_dir()
        assert not (ROOT / path).exists()


def test_a_patch_touches_the_files_that_its_change_names():
    patched = {title: named(section, "Patch") for title, section in SECTIONS.items() if named(section, "Patch")}
    assert {ROOT / path for [path] in patched.values()} == {*CHANGES.glob("*.patch")}
    for title, [path] in patched.items():
        patch = (ROOT / path).read_text()
        touched = re.findall(r"^--- a/.*\n\+\+\+ b/(.*)", patch, re.MULTILINE)
        added = re.findall(r"^--- /dev/null\n\+\+\+ b/(.*)", patch, re.MULTILINE)
        assert set(touched) == set(named(SECTIONS[title], "Files")), title
        assert [path.rpartition("/")[0] for path in added] == [
            path.rpartition("/")[0] for path in named(SECTIONS[title], "New")
        ], title


def logo(name: str) -> str:
    """A program of some length; the name makes no difference to its structure."""
    return "\n".join(f"TO {name}{n} :{name}\n REPEAT 4 [FORWARD :{name} LEFT 9{n}]\n ; {name}\nEND" for n in range(9))


def test_a_language(tmp_path):
    copy = changed_copy("language", tmp_path)
    hw1 = write_class(tmp_path / "hw1", {name: {"turtle.lgo": logo(name)} for name in ("ada", "emeka")})
    report = json.loads(run_python(copy, "-m", "moss", "compare", "--quiet", "--no-cache", "--json", "-", hw1))
    assert [file["language"] for record in report["submissions"] for file in record["files"]] == ["logo", "logo"]
    [pair] = report["pairs"]
    assert {match["channel"] for match in pair["matches"]} == {"structure"}
    assert pair["share_a"] == pair["share_b"] == 1
    assert "turtle" in run_python(copy, "-m", "moss", "languages")


def test_a_platform(tmp_path):
    copy = changed_copy("platform", tmp_path)
    files = {"jdoe__1__hw1.py": "x = 1\n", "jdoe__2__hw1.py": "x = 2\n", "ines__1__hw1.py": "y = 1\n"}
    hw1 = write_class(tmp_path, {"hw1": files}) / "hw1"
    shown = json.loads(run_python(copy, "-m", "moss", "intake", "show", "--json", hw1))
    found = [(one["owner"], one["version"], one["files"]) for one in shown["submissions"]]
    assert sorted(found) == [("ines", "1", ["hw1.py"]), ("jdoe", "1", ["hw1.py"]), ("jdoe", "2", ["hw1.py"])]
    assert [one["layout"] for one in shown["downloads"]] == ["turnin"]


def test_an_option(tmp_path):
    copy = changed_copy("option", tmp_path)
    sample = ROOT / "sample_submissions" / "python-textstats" / "submissions"
    compare = ["-m", "moss", "compare", "--quiet", "--no-cache", "--json", "-", sample]
    every, some = (json.loads(run_python(copy, *compare, *more)) for more in ([], ["--least-passage", "100"]))
    assert some["pairs"] == [pair for pair in every["pairs"] if pair["longest"] >= 100]
    assert 0 < len(some["pairs"]) < len(every["pairs"])
    assert (every["parameters"]["least_passage"], some["parameters"]["least_passage"]) == (0, 100)
    assert run_python(copy, "-m", "moss", "manual") == (copy / "docs" / "moss.1").read_text()


def test_a_figure_is_in_the_schema(tmp_path):
    """Where else it is: tests/test_codec.py."""
    copy = changed_copy("figure", tmp_path)
    assert run_python(copy, "-m", "moss", "schema") == (copy / "docs" / "report-schema.json").read_text()


JOB = """
import sys
from pathlib import Path
from moss.jobs.ledger import add_job
from moss.store.tables import AssignmentRow, CaseRow, JobRow, NoticeRow, PersonRow
from support.server import make_server

with make_server(Path(sys.argv[1])) as server:
    course = server.add_course()
    with server.store.session() as session:
        people = [PersonRow(course_id=course, name=name) for name in ("ada", "emeka")]
        assignment = AssignmentRow(course_id=course, name="Homework 1")
        session.add_all([*people, assignment])
        session.flush()
        session.add(CaseRow(assignment_id=assignment.id, a_id=people[0].id, b_id=people[1].id))
        job = add_job(session, "remind", {}, course_id=course, user_id=server.id_of("instructor")).id
    server.work()
    with server.store.reading() as session:
        print(session.get_one(JobRow, job).state, [notice.text for notice in session.query(NoticeRow)])
"""


def test_a_kind_of_job(tmp_path):
    copy = changed_copy("job", tmp_path)
    assert run_python(copy, "-c", JOB, tmp_path / "data") == "done ['Unreviewed cases: 1']\n"
