"""Checks: from a class that is sent to its report without a stop, with corrections meanwhile."""

from __future__ import annotations

import io
import re

import pytest
from sqlalchemy import select
from support.hostile_documents import locked
from support.server import Server
from support.uploads import Desk, open_desk, program, zipped

from moss.comparison import shown_pairs
from moss.intake.names import title_of_download
from moss.jobs.job_process import do
from moss.jobs.ledger import claim
from moss.model import ReferenceKind, Role
from moss.store.courses.merges import merge_people
from moss.store.results.reports import load_report
from moss.store.submissions.lists import SubmissionFilter, submissions_of, summary_of, summary_of_assignment
from moss.store.tables import AssignmentRow, JobRow, JobState, PersonRow, RunRow, SubmissionRow, UploadRow

EMPTY = "an empty file, so there is nothing to compare"
JSON = {"Accept": "application/json"}
COPIED = "".join(map(program, range(40, 46)))
CLASS = {f"{who}/main.py": COPIED if who in ("ann", "bo") else program(n) for n, who in enumerate(("ann", "bo", "cy"))}


@pytest.fixture
def desk(server) -> Desk:
    return open_desk(server)


def check(desk: Desk, content: bytes, file: str = "Homework 1.zip", **form: str):
    """Send a class as a browser without scripts does; the answer, and the assignment that it was sent for."""
    sent = {"course": "1", "then": "compare", "new": (io.BytesIO(content), file)} | form
    answer = desk.browser.post("/check", sent)
    found = re.search(r"/assignments/(\d+)/check", answer.headers.get("Location", ""))
    return answer, int(found[1]) if found else 0


def state(desk: Desk, assignment: int) -> dict[str, str]:
    return desk.browser.get(f"/assignments/{assignment}/check/state").json


def runs(server: Server) -> list[RunRow]:
    with server.store.reading() as session:
        return list(session.scalars(select(RunRow).order_by(RunRow.id)))


def assignments(server: Server) -> list[str]:
    with server.store.reading() as session:
        return list(session.scalars(select(AssignmentRow.name).order_by(AssignmentRow.id)))


def test_a_class_becomes_a_report_by_itself(desk):
    answer, assignment = check(desk, zipped(CLASS), "CS1-Sorting-4711.zip")
    assert answer.status_code == 303
    waiting = state(desk, assignment)
    assert (waiting["now"], waiting["over"]) == ("Waiting to start", False)
    assert desk.browser.get("/uploads/1/").headers["Location"] == f"/assignments/{assignment}/check"
    desk.server.work()
    done = state(desk, assignment)
    assert (done["now"], done["over"], done["share"]) == ("The report is ready", True, 1.0)
    assert '<a href="/runs/1/pairs/1"><bdi>ann</bdi> and <bdi>bo</bdi></a>' in done["pairs"]
    assert assignments(desk.server) == ["Homework 1", "CS1-Sorting"]
    page = desk.browser.get(f"/assignments/{assignment}/check").text
    assert "Open report" in page
    assert page.count("data-save=") == 3


def test_whoever_wants_to_confirm_first_does(desk):
    sent = {"course": "1", "then": ["compare", "confirm"], "new": (io.BytesIO(zipped(CLASS)), "hw.zip")}
    assert desk.browser.post("/check", sent).headers["Location"] == "/uploads/1/"
    desk.server.work()
    assert "Confirm 3 students" in desk.browser.get("/uploads/1/").text
    assert runs(desk.server) == []


def test_only_who_teaches_a_course_checks_a_class_in_it(desk):
    statuses = {}
    for person in ("assistant", "stranger", "administrator"):
        browser = desk.server.client(person)
        sent = {"course": "1", "then": "compare", "new": (io.BytesIO(zipped(CLASS)), "hw.zip")}
        statuses[person] = browser.post("/check", sent).status_code
    assert statuses == {"assistant": 403, "stranger": 404, "administrator": 303}
    for course in ("", "2", "x", "9" * 30):
        assert desk.browser.post("/check", {"course": course}).status_code == 404


def test_two_downloads_of_one_name_are_two_assignments_unless_it_is_typed(desk):
    """Platforms call every download `submissions.zip`."""
    for _ in range(2):
        check(desk, zipped(CLASS), "submissions.zip")
    check(desk, zipped({"dan/main.py": program(9)}), "submissions.zip", name=" submissions (2) ")
    desk.server.work()
    assert assignments(desk.server) == ["Homework 1", "submissions", "submissions (2)"]
    with desk.server.store.reading() as session:
        assert summary_of_assignment(session, 3, None).students == 4
    check(desk, zipped(CLASS), "Homework 1.zip")  # for which nothing was ever sent
    assert len(assignments(desk.server)) == 3


def test_files_without_a_common_name_are_named_after_the_day(desk):
    sent = {"course": "1", "then": "compare", "new": [(io.BytesIO(COPIED.encode()), f"{who}.py") for who in "ab"]}
    assert desk.browser.post("/check", sent).status_code == 303
    assert re.fullmatch(r"Class of \d+ \w+ \d{4}", assignments(desk.server)[-1])


@pytest.mark.parametrize(
    ("file", "title"),
    [
        ("Lending library.zip", "Lending library"),
        ("CS101-Homework 3-4711.zip", "CS101-Homework 3"),
        ("submissions (1).zip", "submissions"),
        ("gradebook_CS101_Sorting_2025-10-03-22-05-00.zip", "Sorting"),
        ("Homework 1 Download Oct 3, 2025 1005 PM.zip", "Homework 1"),
        ("hw_3.tar.gz", "hw 3"),
        ("late.py", "late"),
        ("Homework-3", "Homework-3"),
        ("", ""),
    ],
)
def test_an_assignment_is_named_after_its_download(file, title):
    assert title_of_download(file) == title


BAD = {
    "broken": (zipped(CLASS)[:200], "damaged"),
    "empty": (b"", "hw.zip: an empty file"),
    "an archive of nothing": (zipped({}), "It is empty"),
    "with a password": (locked(zipped(CLASS)), "encrypted"),
    "a page saved as the download": (
        b"<!doctype html><title>Log in</title>\n<p>Please log in.</p>\n",
        "hw.zip is no archive",
    ),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(300), "Nothing in it can be read"),
}


@pytest.mark.parametrize("way", ["at once", "confirm first"])
@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_says_why_and_can_be_sent_again(desk, name, way):
    content, cause = BAD[name]
    if way == "at once":
        check(desk, content, "hw.zip")
        desk.server.work()
        page = desk.browser.get("/assignments/2/check").text
        assert "appear here as soon as" not in page
        assert 'data-step="failed"' in state(desk, 2)["steps"]
    else:
        upload = desk.send({"hw.zip": content})
        page = desk.browser.get(f"/uploads/{upload}/").text
    assert "This upload couldn’t be read" in page
    assert cause in page
    assert "Upload again" in page
    again = desk.browser.post("/uploads/1/discard", follow_redirects=True)
    assert "Upload the class" in again.text
    with desk.server.store.reading() as session:
        assert session.scalars(select(UploadRow)).all() == []


def test_a_problem_names_the_file_as_it_was_sent(desk):
    upload = desk.send({"photo.jpg": b"\xff\xd8\xff\xe0" + bytes(300)})
    page = desk.browser.get(f"/uploads/{upload}/").text
    assert "Nothing in it can be read. photo.jpg: " in page


def test_home_says_that_more_uploads_wait_than_it_lists(desk):
    for number in range(6):
        check(desk, b"", f"hw{number}.zip")
        desk.server.work()
        more = "More are in the lists of the courses." in desk.browser.get("/").text
        assert more == (number == 5)


def test_a_check_with_one_student_says_what_is_missing(desk):
    _, assignment = check(desk, zipped({"ann/main.py": COPIED}))
    desk.server.work()
    alone = state(desk, assignment)
    assert alone["now"] == "There is nothing to compare yet"
    assert "Only ann has work that can be read." in alone["end"]
    assert 'href="#upload">Add more work' in alone["end"]
    assert 'href="#found">See what was found' in alone["end"]
    assert "Compare again" not in alone["end"]
    assert "Were there more students in what you sent?" in alone["end"]
    assert 'id="upload"' in desk.browser.get(f"/assignments/{assignment}/check").text
    page = desk.browser.get("/runs/1/progress").text
    assert f'href="/assignments/{assignment}/#add">Add more work' in page
    assert "Compare again" not in page
    sent = {"then": "compare", "new": (io.BytesIO(zipped({"bo/main.py": COPIED})), "late.zip")}
    desk.browser.post(f"/assignments/{assignment}/uploads", sent)
    desk.server.work()
    assert state(desk, assignment)["now"] == "The report is ready"


def test_a_check_with_one_student_who_can_be_read_points_to_the_problems_of_the_others(desk):
    _, assignment = check(desk, zipped({"ann/main.py": COPIED, "bo/prog.exe": b"MZ\0\1" + bytes(200)}))
    desk.server.work()
    end = state(desk, assignment)["end"]
    assert "The problems say why" in end
    assert "Were there more" not in end


def test_what_could_not_be_read_is_still_a_problem_when_more_work_has_come(desk):
    readable = {"ann/main.py": COPIED, "bo/main.py": COPIED}
    _, assignment = check(desk, zipped(readable | {"cy/work.zip": b"PK\3\4 and then nothing of use"}))
    desk.server.work()

    def problems():
        return re.findall(r"<bdi>([^<]+)</bdi>: a damaged", desk.browser.get(f"/assignments/{assignment}/check").text)

    assert problems() == ["Homework 1.zip/cy/work.zip"]
    add(desk, assignment, "more.zip", {"dan/main.py": COPIED})
    assert problems() == ["cy/work.zip"]
    add(desk, assignment, "cy.zip", {"cy/work.py": COPIED})
    assert problems() == [], "cy has handed in again"


def add(desk, assignment, name, files):
    """Send more work to an assignment, and wait for its report."""
    sent = {"then": "compare", "new": (io.BytesIO(zipped(files)), name)}
    desk.browser.post(f"/assignments/{assignment}/uploads", sent)
    desk.server.work()


def test_the_report_says_why_a_file_could_not_be_read(desk):
    """The upload knew it; the run, which reads no files any more, says it all the same, once."""
    readable = {"ann/main.py": COPIED, "bo/main.py": COPIED}
    check(desk, zipped(readable | {"cy/work.zip": b"PK\3\4 and then nothing of use"}))
    desk.server.work()
    page = desk.browser.get("/runs/1/").text
    assert re.findall(r"<bdi>(\S+work.zip)</bdi></code></th><td>([^<]+)</td>", page) == [
        ("cy/work.zip", "a damaged zip archive that cannot be unpacked")
    ]
    assert "1 problem" in page
    [cy] = re.findall(r"<tr><th[^>]*><bdi>cy</bdi></th>(.*?)</tr>", page)
    assert "–" in cy
    assert "%" not in cy, "nothing of it was compared, so it has no score"


def test_the_report_says_which_files_were_read_only_partly(desk):
    """A copy may hide in such a file, so it is not enough that the page of the check told it."""
    broken = {"cy/work.ipynb": '{"cells": [' + COPIED}
    check(desk, zipped({"ann/main.py": COPIED, "bo/main.py": COPIED} | broken))
    desk.server.work()
    reason = "not a valid notebook, so it was read as plain text"
    assert f"<bdi>cy/work.ipynb</bdi></code></th><td>{reason}</td>" in desk.browser.get("/runs/1/").text
    told = desk.browser.get("/runs/1/report.json").json["problems"]
    assert {"path": "cy/work.ipynb", "reason": reason} in told


def test_a_check_that_was_interrupted_is_compared_at_once_when_the_rest_has_come(desk):
    begun = desk.browser.post("/check", {"course": "1", "then": "compare", "file": "hw.zip"}, headers=JSON).json
    content = zipped(CLASS)
    desk.chunk(begun["id"], "hw.zip", content[:100], 0, len(content))
    page = desk.browser.get(begun["page"]).text
    assert "This upload isn’t complete" in page
    assert page.count('name="then" value="compare"') == 1, "in the form for the rest"
    desk.browser.put(f"/uploads/{begun['id']}/parts", content, query_string={
        "path": "hw.zip", "start": 0, "total": len(content), "role": "new"}, headers=JSON)  # fmt: skip
    page = desk.browser.get(begun["page"]).text
    assert page.count('name="then" value="compare"') == 2, "and in the one for what has arrived"
    answer = desk.browser.post(begun["recognise"], {"then": "compare"})
    assert answer.headers["Location"] == "/assignments/2/check"
    desk.server.work()
    assert state(desk, 2)["now"] == "The report is ready"


def test_a_check_of_starter_code_alone_says_what_is_missing(desk):
    sent = {"course": "1", "then": "compare", "base": (io.BytesIO(COPIED.encode()), "starter.py")}
    desk.browser.post("/check", sent)
    desk.server.work()
    assert "There is no submission yet that can be read." in state(desk, 2)["end"]
    assert "Add more work" in state(desk, 2)["end"]


def test_a_file_that_all_students_have_may_be_starter_code(desk):
    handed_out = {f"{who}/given/Library.java": "class Library { int books; int members; int loans; }\n" * 3
                  for who in ("ann", "bo", "cy")}  # fmt: skip
    _, assignment = check(desk, zipped(CLASS | handed_out | {"dan/prog.exe": b"MZ\0\1" + bytes(200)}))
    desk.server.work()
    page = desk.browser.get(f"/assignments/{assignment}/check").text
    assert "All 3 students have the same given/Library.java." in page
    assert 'href="#upload">Add starter code' in page
    sent = {"then": "compare", "base": (io.BytesIO(handed_out["ann/given/Library.java"].encode()), "Library.java")}
    desk.browser.post(f"/assignments/{assignment}/uploads", sent)
    desk.server.work()
    assert "have the same" not in desk.browser.get(f"/assignments/{assignment}/check").text


def test_of_many_files_that_all_students_have_some_are_named(desk):
    program_of = {f"{who}/f{n}.py": program(n) for n in range(7) for who in ("ann", "bo", "cy")}
    _, assignment = check(desk, zipped(program_of))
    desk.server.work()
    page = desk.browser.get(f"/assignments/{assignment}/check").text
    assert "All 3 students have the same f0.py, f1.py, f2.py, f3.py, f4.py and 2 more." in page


def test_two_students_with_one_file_have_not_been_given_it(desk):
    _, assignment = check(desk, zipped({f"{who}/main.py": COPIED for who in ("ann", "bo")}))
    desk.server.work()
    assert "have the same" not in desk.browser.get(f"/assignments/{assignment}/check").text


# Corrections


def correct(desk: Desk, whose: str, **form: str):
    with desk.server.store.reading() as session:
        number = session.scalars(select(SubmissionRow.id).filter_by(owner=whose)).one()
    return desk.browser.post(f"/submissions/{number}", {"then": "compare"} | form, headers=JSON)


def test_a_correction_starts_a_new_run_and_keeps_what_is_finished(desk):
    _, assignment = check(desk, zipped(CLASS | {"dan/main.py": COPIED}))
    desk.server.work()
    assert correct(desk, "ann", role="base").status_code == 200
    assert not state(desk, assignment)["over"]
    desk.server.work()
    first, second = runs(desk.server)
    assert first.finished is not None
    with desk.server.store.reading() as session:
        reports = [load_report(session, session.get_one(RunRow, run.id)) for run in (first, second)]
        assert [len({each.owner for each in report.submissions}) for report in reports] == [4, 3]
        assert summary_of_assignment(session, assignment, None).students == 3


def test_a_run_that_waits_takes_corrections_along_and_one_under_way_is_dropped(desk):
    _, assignment = check(desk, zipped(CLASS))
    [recognition] = desk.server.waiting()
    with desk.server.store.session() as session:
        lease = claim(session, recognition)
    do(desk.server.store, desk.server.config, recognition, lease)
    [before] = runs(desk.server)
    correct(desk, "ann", owner="Ann Lee")
    assert [run.id for run in runs(desk.server)] == [before.id], "which waits, and has its place in the queue"
    with desk.server.store.session() as session:
        claim(session, before.job_id)
    correct(desk, "cy", owner="Cy Old")
    [after] = runs(desk.server)
    assert after.number == 1
    with desk.server.store.reading() as session:
        assert session.get_one(JobRow, after.job_id).state is JobState.QUEUED, "and no longer what was claimed"
    desk.server.work()
    assert "Ann Lee" in state(desk, assignment)["pairs"]


def test_what_is_under_way_is_cancelled(desk):
    _, assignment = check(desk, zipped(CLASS))
    answer = desk.browser.post(f"/assignments/{assignment}/check/cancel")
    assert answer.headers["Location"] == f"/assignments/{assignment}/check"
    assert state(desk, assignment)["now"] == "This upload couldn’t be read"
    assert "Reading it was cancelled." in state(desk, assignment)["end"]
    assert runs(desk.server) == []


# Numbers that agree


def test_students_and_files_are_counted_alike_from_recognition_to_the_report(desk):
    """Starter code is nobody's, a student who handed in twice is one, and one who was excluded is none."""
    attempts = {f"hw_{who}_attempt_2025-10-0{day}-22-05-00_main.py": COPIED + program(day)
                for who, day in (("ann", 1), ("ann", 2), ("bo", 1), ("cy", 1), ("dan", 1))}  # fmt: skip
    upload = desk.begin()["id"]
    desk.put(upload, "class.zip", zipped(attempts))
    desk.put(upload, "starter.py", program(30).encode(), "base")
    desk.put(upload, "last year.zip", zipped({"eve/main.py": program(31), "fay/main.py": program(32)}), "archive")
    desk.recognise(upload)
    correct(desk, "dan", role="out")
    with desk.server.store.reading() as session:
        found = summary_of(session, session.get_one(UploadRow, upload))
    assert (found.students, found.files, found.older) == (3, 3, 1)
    assert (found.earlier, found.starter, found.excluded) == (2, 1, 1)
    assert "Confirm 3 students" in desk.browser.get(f"/uploads/{upload}/").text
    said = desk.confirm(upload)
    assert "3 students added. Earlier work of 2 students added. Starter code added." in said
    desk.browser.post(f"/assignments/{desk.assignment}/runs")
    desk.server.work()
    assert "3 students · 2 earlier submissions · starter code left out" in " ".join(
        desk.browser.get("/runs/1/").text.split()
    )
    with desk.server.store.reading() as session:
        counted = summary_of_assignment(session, desk.assignment, None)
        report = load_report(session, session.get_one(RunRow, 1))
    assert (counted.students, counted.files, counted.earlier, counted.starter) == (3, 3, 2, 1)
    assert sum(len(each.files) for each in report.submissions if each.role == "new") == counted.files
    assert '<td class="number" data-label="Students">3</td>' in desk.browser.get("/courses/1/").text


def test_who_handed_in_under_two_names_is_one_student_on_all_pages(desk):
    _, assignment = check(desk, zipped(CLASS | {"dan/main.py": program(8), "dan/more.py": program(9)}))
    desk.server.work()
    with desk.server.store.session() as session:
        people = {person.name: person for person in session.scalars(select(PersonRow))}
        merge_people(session, people["bo"], people["dan"])
    desk.browser.post(f"/assignments/{assignment}/runs")
    desk.server.work()
    with desk.server.store.reading() as session:
        found = summary_of_assignment(session, assignment, None)
        report = load_report(session, session.get_one(RunRow, 2))
    assert {each.owner for each in report.submissions} == {"ann", "cy", "dan"}
    assert (found.students, found.older) == (3, 1)
    assert found.files == sum(len(each.files) for each in report.submissions) == 4
    assert "3 students" in state(desk, assignment)["steps"]
    assert '<td class="number" data-label="Students">3</td>' in desk.browser.get("/courses/1/").text


def test_two_names_of_one_student_are_not_enough_to_compare(desk):
    _, assignment = check(desk, zipped({who: CLASS[who] for who in ("ann/main.py", "cy/main.py")}))
    desk.server.work()
    with desk.server.store.session() as session:
        merge_people(session, *session.scalars(select(PersonRow).order_by(PersonRow.name.desc())))
    desk.browser.post(f"/assignments/{assignment}/runs")
    desk.server.work()
    assert "Only ann has work that can be read." in state(desk, assignment)["end"]


def test_pairs_of_a_run_under_way_have_the_names_of_its_report(desk, monkeypatch):
    _, assignment = check(desk, zipped(CLASS))
    desk.server.work()
    with desk.server.store.session() as session:
        people = {person.name: person for person in session.scalars(select(PersonRow))}
        people["robert"] = PersonRow(course_id=1, name="robert")
        session.add(people["robert"])
        session.flush()
        merge_people(session, people["bo"], people["robert"])
    seen, original = [], shown_pairs._aligned

    def aligned(*args):
        seen.append(state(desk, assignment)["pairs"])
        return original(*args)

    monkeypatch.setattr(shown_pairs, "_aligned", aligned)
    desk.browser.post(f"/assignments/{assignment}/runs")
    desk.server.work()
    assert "<bdi>ann</bdi> and <bdi>robert</bdi>" in seen[0]


def test_a_student_with_only_an_empty_file_has_no_file_anywhere_and_is_told_of(desk):
    _, assignment = check(desk, zipped(CLASS | {"eve/main.py": ""}))
    desk.server.work()
    with desk.server.store.reading() as session:
        found = summary_of_assignment(session, assignment, session.get_one(UploadRow, 1))
        report = load_report(session, session.get_one(RunRow, 1))
    assert (found.students, found.files) == (4, 3)
    assert sum(file.status != "skipped" for each in report.submissions for file in each.files) == 3
    [eve] = [each for each in report.submissions if each.owner == "eve"]
    assert [(file.path, file.reason) for file in eve.files] == [("main.py", EMPTY)]
    assert f"eve/main.py</bdi>: {EMPTY}" in desk.browser.get(f"/assignments/{assignment}/check").text


# References


def test_a_student_close_to_several_answers_of_a_chatbot_is_listed_once_with_the_kind(desk, monkeypatch):
    """On the page of the check, before and after passages are known, on Home and in the counts of the course."""
    _, assignment = check(desk, zipped(CLASS))
    answers = zipped({f"answer{n}/main.py": COPIED for n in range(1, 5)})
    sent = {"archive": (io.BytesIO(answers), "answers.zip")}
    desk.browser.post(f"/assignments/{assignment}/uploads", sent)
    desk.server.work()
    desk.confirm(2)
    with desk.server.store.session() as session:
        for row in session.scalars(select(SubmissionRow).filter_by(role=Role.ARCHIVE)):
            row.reference = ReferenceKind.CHATBOT
    before, original = [], shown_pairs._aligned

    def aligned(*args):
        before.append(state(desk, assignment)["pairs"])
        return original(*args)

    monkeypatch.setattr(shown_pairs, "_aligned", aligned)
    desk.browser.post(f"/assignments/{assignment}/runs")
    desk.server.work()
    for told in (before[-1], state(desk, assignment)["pairs"], desk.browser.get("/").text):
        with_answers = [row for row in re.findall(r"(?s)<(?:li|tr)>.*?</(?:li|tr)>", told) if "<bdi>answer" in row]
        students = [re.search(r"<bdi>(ann|bo|cy)<", row)[1] for row in with_answers]
        assert sorted(students)[:2] == ["ann", "bo"]
        assert len(students) == len(set(students))
        assert all("chatbot’s answer" in row for row in with_answers)
    assert "3 pairs need review." in desk.browser.get("/").text
    assert re.search(r"<b>3</b>\s*<span>very unusual", desk.browser.get("/runs/2/").text)


# Progress


def test_the_first_pairs_are_shown_while_passages_are_sought(desk, monkeypatch):
    _, assignment = check(desk, zipped(CLASS))
    seen = []
    original = shown_pairs._aligned

    def aligned(*args):
        seen.append([desk.browser.get(path).text for path in (f"/assignments/{assignment}/check", "/runs/1/progress")])
        return original(*args)

    monkeypatch.setattr(shown_pairs, "_aligned", aligned)
    desk.server.work()
    for page in seen[0]:
        assert "<span><bdi>ann</bdi> and <bdi>bo</bdi></span>" in page
        assert "/pairs/1" not in page, "whose page cannot be made yet"
    assert runs(desk.server)[0].first_pairs == [], "the report has them"


def add_reference(desk, name, text, kind):
    """Add a file as earlier work, say its kind, and confirm it; the sentence that is said then."""
    upload = desk.send({name: text}, role="archive")
    with desk.server.store.reading() as session:
        [draft] = session.scalars(select(SubmissionRow.id).filter_by(upload_id=upload))
    assert desk.browser.post(f"/submissions/{draft}", {"role": kind}).status_code < 400
    return desk.confirm(upload)


def test_files_of_one_name_are_references_of_two_kinds_and_hide_no_student(desk):
    """Also if they are the same file, and if a student is called like it."""
    _, assignment = check(desk, zipped(CLASS))
    desk.server.work()
    desk.assignment = assignment
    for name, kind in (("solution.py", "model"), ("solution.py", "chatbot"), ("ann.py", "chatbot")):
        page = add_reference(desk, name, COPIED, kind)
        assert "1 other text added." in page
        assert "replaces an older version" not in page
    desk.browser.post(f"/assignments/{assignment}/runs")
    desk.server.work()
    with desk.server.store.reading() as session:
        report = load_report(session, session.get_one(RunRow, 2))
    assert {("solution", "model"), ("solution", "chatbot"), ("ann", "chatbot"), ("ann", None)} <= {
        (record.owner, record.kind) for record in report.submissions
    }
    with desk.server.store.reading() as session:
        found = summary_of_assignment(session, assignment, None)
        rows = submissions_of(session, assignment, SubmissionFilter()).rows
    assert (found.students, found.earlier, found.texts) == (len(CLASS), 0, 3)
    assert [(row.owner, row.kind) for row in rows if row.owner == "ann"] == [("ann", None), ("ann", "chatbot")]
    assert re.search(r"<b>3</b>\s*<span>other texts", desk.browser.get(f"/assignments/{assignment}/check").text)
