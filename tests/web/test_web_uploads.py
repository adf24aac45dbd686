"""Uploads: received in chunks, looked at, corrected, confirmed or discarded; and what is refused."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select
from support.server import make_server
from support.uploads import CHUNK, Desk, moodle_export, open_desk, program, zipped
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from moss.store.submissions.corrections import together
from moss.store.tables import (
    ContentRow,
    JobRow,
    JobState,
    SubmissionRow,
    SubmittedFileRow,
    UploadChunkRow,
    UploadPartRow,
    UploadRow,
    UploadState,
)

ANN, BO, CY = program(1), program(2), program(3)
PNG = b"\x89PNG\r\n\x1a\n"
JSON = {"Accept": "application/json"}


@pytest.fixture
def desk(server) -> Desk:
    return open_desk(server)


def rows(desk: Desk, table) -> int:
    with desk.server.store.reading() as session:
        return session.scalar(select(func.count()).select_from(table))


def draft(desk: Desk, owner: str) -> SubmissionRow:
    with desk.server.store.reading() as session:
        return session.scalars(select(SubmissionRow).filter_by(owner=owner)).one()


# Receiving


def test_chunks_may_come_in_any_order_and_more_than_once(desk):
    content = bytes(range(256)) * 10_000  # two chunks and a half
    upload = desk.begin()["id"]
    for start in (2 * CHUNK, 0, 2 * CHUNK, CHUNK, 0):
        answer = desk.chunk(upload, "a.bin", content[start : start + CHUNK], start, len(content))
        assert answer.status_code == 200
    assert answer.json == {"path": "a.bin", "size": len(content), "complete": True}
    assert rows(desk, UploadChunkRow) == 3


def test_after_a_broken_connection_one_can_ask_what_is_there(desk):
    upload = desk.begin()["id"]
    desk.put(upload, "hw/small.py", b"x = 1\n")
    desk.chunk(upload, "large.bin", b"x" * CHUNK, CHUNK, 3 * CHUNK)
    found = desk.browser.get(f"/uploads/{upload}/parts").json
    assert found["arrived"] == [
        {"role": "new", "path": "hw/small.py", "size": 6, "complete": True, "starts": []},
        {"role": "new", "path": "large.bin", "size": CHUNK, "complete": False, "starts": [CHUNK]},
    ]


def test_a_file_that_was_longer_before_leaves_nothing_behind(desk):
    upload = desk.begin()["id"]
    desk.put(upload, "a.py", b"x" * (CHUNK + 5))
    assert desk.put(upload, "a.py", b"short").json == {"path": "a.py", "size": 5, "complete": True}
    assert desk.put(upload, "a.py", b"").json == {"path": "a.py", "size": 0, "complete": True}
    assert rows(desk, UploadChunkRow) == 0


def test_the_same_name_may_come_in_two_roles(desk):
    upload = desk.begin()["id"]
    desk.put(upload, "main.py", ANN.encode())
    desk.put(upload, "main.py", BO.encode(), "base")
    desk.recognise(upload)
    assert rows(desk, SubmissionRow) == 2


@pytest.mark.parametrize("path", ["../a.py", "/etc/passwd", "C:\\a.py", "a/../../b", "a\0b", "", ".", "x" * 256])
def test_paths_that_lead_elsewhere_are_refused(desk, path):
    answer = desk.put(desk.begin()["id"], path, b"x")
    assert answer.status_code == 422
    assert answer.json["error"]["message"]


@pytest.mark.parametrize(
    "place",
    [
        {"path": "a", "start": 1, "total": 2, "role": "new"},
        {"path": "a", "start": 0, "total": 3, "role": "new"},
        {"path": "a", "start": -CHUNK, "total": 1, "role": "new"},
        {"path": "a", "start": CHUNK, "total": 1, "role": "new"},
        {"path": "a", "start": "x", "total": 1, "role": "new"},
        {"path": "a", "start": 0, "total": 1, "role": "boss"},
        {"path": "a", "start": 0},
    ],
)
def test_chunks_that_do_not_fit_are_refused(desk, place):
    upload = desk.begin()["id"]
    answer = desk.browser.put(f"/uploads/{upload}/parts", b"x", query_string=place, headers=JSON)
    assert answer.status_code in (400, 422)
    assert rows(desk, UploadPartRow) == 0


def test_no_more_than_the_operator_allows(tmp_path):
    with make_server(tmp_path, upload_megabytes=2) as server:
        desk = open_desk(server)
        upload = desk.begin()["id"]
        assert desk.put(upload, "a.bin", b"x" * CHUNK).status_code == 200
        refused = desk.chunk(upload, "b.bin", b"x" * CHUNK, 0, CHUNK + 1)
        assert refused.status_code == 413
        assert refused.json["error"]["message"] == "This server accepts at most 2 MB in one upload."
        assert desk.put(upload, "b.bin", b"x" * CHUNK).status_code == 200
        assert desk.put(upload, "c.bin", b"x").status_code == 413
        assert rows(desk, UploadPartRow) == 2
        form = {"data": b"x" * 4 * CHUNK, "content_type": "multipart/form-data; boundary=x"}
        assert desk.browser.post(f"/assignments/{desk.assignment}/uploads", **form).status_code == 413


def test_no_more_often_than_the_operator_allows(tmp_path):
    with make_server(tmp_path, uploads_per_hour=2) as server:
        desk = open_desk(server)
        desk.begin()
        desk.begin()
        answer = desk.browser.post(f"/assignments/{desk.assignment}/uploads", headers=JSON)
        assert answer.status_code == 429
        assert "Wait" in answer.json["error"]["message"]
        assert int(answer.headers["Retry-After"]) > 0
        assert rows(desk, UploadRow) == 2


def test_without_a_script_a_form_sends_everything(desk):
    form = {
        "new": FileStorage(io.BytesIO(zipped({"ann/a.py": ANN, "bo/a.py": BO})), "hw1.zip"),
        "new-folder": FileStorage(io.BytesIO(b""), ""),
        "base": FileStorage(io.BytesIO(CY.encode() + b"#" * 3 * CHUNK), "starter.py"),
        "other": FileStorage(io.BytesIO(b"x"), "x"),
    }
    boundary, body = encode_multipart(form)
    kind = f'multipart/form-data; boundary="{boundary}"'
    answer = desk.browser.post(f"/assignments/{desk.assignment}/uploads", body, content_type=kind)
    assert answer.status_code == 303
    page = desk.browser.get(answer.headers["Location"])
    assert 'http-equiv="refresh"' in page.text
    desk.server.work()
    page = desk.browser.get(answer.headers["Location"]).text
    assert_counts(page, **{"students": 2, "files": 2, "starter code": 1})
    assert list(desk.drafts(1)) == ["ann", "bo", "starter.py"]


def test_a_folder_by_a_form_keeps_its_paths(desk):
    form = {"new-folder": [(io.BytesIO(ANN.encode()), "hw/ann/a.py"), (io.BytesIO(BO.encode()), "hw/bo/a.py")]}
    desk.browser.post(f"/assignments/{desk.assignment}/uploads", form)
    desk.server.work()
    assert desk.drafts(1) == {"ann": ["a.py"], "bo": ["a.py"]}


def test_many_small_files_come_together(desk):
    upload = desk.begin()
    form = {"new": [(io.BytesIO(program(n).encode()), f"hw/student{n}/main.py") for n in range(50)]}
    assert desk.browser.post(upload["parts"], form, headers=JSON).json == {"received": True}
    desk.recognise(upload["id"])
    assert len(desk.drafts(upload["id"])) == 50


def test_what_is_not_complete_is_not_looked_at(desk):
    upload = desk.begin()["id"]
    empty = desk.browser.post(f"/uploads/{upload}/recognise", headers=JSON)
    assert (empty.status_code, empty.json["error"]["message"]) == (422, "Choose at least one file.")
    desk.chunk(upload, "a.bin", b"x" * CHUNK, 0, 2 * CHUNK)
    missing = desk.browser.post(f"/uploads/{upload}/recognise", headers=JSON)
    assert missing.status_code == 422
    assert "1 file did not arrive completely, first a.bin." in missing.json["error"]["message"]
    page = desk.browser.get(f"/uploads/{upload}/").text
    assert "This upload isn’t complete" in page
    assert "a.bin" in page
    assert "files missing" in desk.browser.get(f"/assignments/{desk.assignment}/").text


def test_after_it_is_looked_at_no_more_files_come(desk):
    upload = desk.send({"ann.py": ANN})
    assert desk.put(upload, "b.py", b"x").status_code == 422


def test_it_is_looked_at_once(desk):
    upload = desk.begin()["id"]
    desk.put(upload, "ann.py", ANN.encode())
    desk.browser.post(f"/uploads/{upload}/recognise")
    again = desk.browser.post(f"/uploads/{upload}/recognise", headers=JSON)
    assert again.status_code == 422
    assert rows(desk, JobRow) == 1


# Rights


ROUTES = [
    ("post", "/assignments/{assignment}/uploads"),
    ("get", "/uploads/{upload}/parts"),
    ("put", "/uploads/{upload}/parts"),
    ("post", "/uploads/{upload}/parts"),
    ("post", "/uploads/{upload}/recognise"),
    ("post", "/uploads/{upload}/cancel"),
    ("post", "/uploads/{upload}/submissions"),
    ("post", "/uploads/{upload}/confirm"),
    ("post", "/uploads/{upload}/discard"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_uploads_are_the_instructors(desk, method, path):
    upload = desk.send({"ann.py": ANN})
    path = path.format(assignment=desk.assignment, upload=upload)
    for person, status in (("assistant", 403), ("stranger", 404)):
        assert getattr(desk.server.client(person), method)(path).status_code == status
    assert desk.upload(upload).state is UploadState.READY


def test_assistants_may_look(desk):
    upload = desk.send({"ann.py": ANN})
    page = desk.server.client("assistant").get(f"/uploads/{upload}/")
    assert page.status_code == 200
    assert "Confirm" not in page.text
    assert desk.server.client("stranger").get(f"/uploads/{upload}/").status_code == 404
    assert desk.server.client("stranger").get(f"/uploads/{upload}/status").status_code == 404


def test_rows_of_another_upload_are_out_of_reach(desk):
    mine, other = desk.send({"ann.py": ANN}), desk.send({"bo.py": BO})
    theirs = draft(desk, "bo").id
    form = {"do": "save", "row": theirs, f"owner-{theirs}": "mine now"}
    desk.browser.post(f"/uploads/{mine}/submissions", form)
    chosen = desk.browser.post(f"/uploads/{mine}/submissions", {"do": "chosen", "chosen": theirs, "bulk": "out"})
    assert chosen.status_code == 422
    assert list(desk.drafts(other)) == ["bo"]


# Looking and correcting


def test_progress_is_told(desk):
    upload = desk.begin()["id"]
    desk.put(upload, "ann.py", ANN.encode())
    desk.browser.post(f"/uploads/{upload}/recognise")
    assert desk.browser.get(f"/uploads/{upload}/status").json["state"] == "recognising"
    assert "Reading your upload" in desk.browser.get(f"/uploads/{upload}/").text
    assert "being read" in desk.browser.get(f"/assignments/{desk.assignment}/").text
    desk.server.work()
    assert desk.browser.get(f"/uploads/{upload}/status").json["state"] == "ready"
    assert "waiting for you" in desk.browser.get(f"/assignments/{desk.assignment}/").text


@pytest.mark.parametrize(
    ("name", "content", "cause"),
    [
        ("hw.zip", b"PK\x03\x04 and then nothing that fits", "hw.zip"),
        ("hw.zip", b"", "hw.zip: an empty file"),
        ("photo.jpg", b"\xff\xd8\xff\xe0" + bytes(200), "a JPEG image"),
    ],
)
def test_an_upload_in_which_nothing_can_be_read_says_why_and_can_be_sent_again(desk, name, content, cause):
    upload = desk.begin()["id"]
    desk.put(upload, name, content)
    desk.browser.post(f"/uploads/{upload}/recognise")
    desk.server.work()
    page = desk.browser.get(f"/uploads/{upload}/").text
    assert "This upload couldn’t be read" in page
    assert cause in page
    assert "Upload again" in page
    assert "couldn’t be read" in desk.browser.get("/").text, "Home tells of it, too"
    answer = desk.browser.post(f"/uploads/{upload}/discard")
    assert answer.headers["Location"] == f"/assignments/{desk.assignment}/"


def test_an_upload_that_waits_is_shown_on_home_and_in_the_course(desk):
    upload = desk.send({"hw.zip": zipped({"ann/a.py": ANN, "bo/a.py": BO})})
    for path in ("/", "/courses/1/", f"/assignments/{desk.assignment}/"):
        assert f'href="/uploads/{upload}/"' in desk.browser.get(path).text, path
    desk.confirm(upload)
    for path in ("/", "/courses/1/", f"/assignments/{desk.assignment}/"):
        assert f'href="/uploads/{upload}/"' not in desk.browser.get(path).text, path


@pytest.mark.parametrize(
    ("content", "reads", "word"),
    [(ANN, False, "being read"), (ANN, True, "waiting for you"), ("", True, "couldn’t be read")],
    ids=["being read", "ready", "failed"],
)
def test_the_course_says_how_far_an_upload_is(desk, content, reads, word):
    upload = desk.begin()["id"]
    desk.put(upload, "ann.py", content.encode())
    desk.browser.post(f"/uploads/{upload}/recognise")
    if reads:
        desk.server.work()
    page = " ".join(desk.browser.get("/courses/1/").text.split())
    assert f'<a href="/uploads/{upload}/">Upload {upload}</a>' in page
    assert word in page.split(f"Upload {upload}</a>")[1].split("</td>")[0]


def test_it_is_cancelled_and_tried_again(desk):
    upload = desk.begin()["id"]
    desk.put(upload, "ann.py", ANN.encode())
    desk.browser.post(f"/uploads/{upload}/recognise")
    desk.browser.post(f"/uploads/{upload}/cancel")
    desk.server.work()
    page = desk.browser.get(f"/uploads/{upload}/").text
    assert "Reading it was cancelled." in page
    assert desk.drafts(upload) == {}
    desk.recognise(upload)
    assert list(desk.drafts(upload)) == ["ann"]


def test_a_failure_says_why(desk):
    upload = desk.begin()["id"]
    desk.put(upload, "ann.py", ANN.encode())
    desk.browser.post(f"/uploads/{upload}/recognise")
    with desk.server.store.session() as session:
        job = session.scalars(select(JobRow)).one()
        job.state, job.reason = JobState.FAILED, "the disk is full"
    page = desk.browser.get(f"/uploads/{upload}/").text
    assert "the disk is full" in page
    assert "Upload again" in page


def test_what_was_recognised_is_shown(desk):
    people = {
        "Ann Lee": {"main.py": ANN},
        "Bo Kim": {"main.py": BO, "app.js": "let a = 1;\n", "photo.png": PNG},
    }
    upload = desk.send({"Homework.zip": moodle_export(people), "notes.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"})
    page = desk.browser.get(f"/uploads/{upload}/").text
    assert "an office document with a password, or from before 2007" in page
    desk.recognise(upload, reading="classes")
    page = desk.browser.get(f"/uploads/{upload}/").text
    assert_counts(page, students=3, files=3)
    assert "Homework.zip/Bo Kim" in page
    assert "a PNG image, not read as text" in page
    assert "nothing readable" in page
    assert 'value="Ann Lee"' in page
    assert re.search(r"Python[^<]*<span class=\"muted\">2 files", page)
    assert re.search(r"JavaScript[^<]*<span class=\"muted\">1 file<", page)


def test_hostile_names_are_only_text(desk):
    name = '<img src=x onerror=alert(1)>"\u202e'
    upload = desk.send({f"hw/{name}/{name}.py": ANN, "hw/bo/a.py": BO, f"hw/{name}/{name}.png": PNG})
    page = desk.browser.get(f"/uploads/{upload}/").text
    assert "<img src=x" not in page
    page = desk.confirm(upload)
    assert "<img src=x" not in page
    assert "\u202e" not in re.sub('value="[^"]*"', "", page)


def test_a_row_is_corrected_by_the_script(desk):
    upload = desk.send({"ann.py": ANN, "bo.py": BO})
    path = f"/submissions/{draft(desk, 'ann').id}"
    assert desk.browser.post(path, {"owner": " Ann  Lee "}, headers=JSON).json["owner"] == "Ann Lee"
    assert desk.browser.post(path, {"role": "archive"}, headers=JSON).json["role"] == "archive"
    assert desk.browser.post(path, {"language": "JAVA"}, headers=JSON).json["language"] == "java"
    changed = draft(desk, "Ann Lee")
    assert (changed.role, changed.language, changed.confirmed) == ("archive", "java", False)
    assert list(desk.drafts(upload)) == ["Ann Lee", "bo"]


def test_a_text_that_no_student_wrote_has_its_kind_for_a_role(desk):
    upload = desk.send({"ann.py": ANN, "bo.py": BO})
    path = f"/submissions/{draft(desk, 'ann').id}"
    assert ">chatbot’s answer<" in desk.browser.get(f"/uploads/{upload}/").text
    assert desk.browser.post(path, {"role": "chatbot"}, headers=JSON).json["role"] == "chatbot"
    changed = draft(desk, "ann")
    assert (changed.role, changed.reference) == ("archive", "chatbot")
    desk.browser.post(path, {"role": "new"}, headers=JSON)
    assert (draft(desk, "ann").role, draft(desk, "ann").reference) == ("new", "")


def test_a_page_is_corrected_by_a_form(desk):
    upload = desk.send({"ann.py": ANN, "bo.py": BO})
    ann, bo = draft(desk, "ann").id, draft(desk, "bo").id
    form = {
        "do": "save", "row": [ann, bo], f"owner-{ann}": "Ann", f"role-{ann}": "new", f"language-{ann}": "auto",
        f"owner-{bo}": "Bo", f"role-{bo}": "out", f"language-{bo}": "auto",
    }  # fmt: skip
    assert desk.browser.post(f"/uploads/{upload}/submissions", form).status_code == 303
    assert list(desk.drafts(upload)) == ["Ann", "Bo"]
    assert draft(desk, "Bo").left_out
    refused = desk.browser.post(f"/uploads/{upload}/submissions", form | {f"owner-{ann}": "X", f"owner-{bo}": " "})
    assert refused.status_code == 422
    assert "bo.py: Enter a name." in refused.text
    assert 'value="X"' in refused.text, "what was typed is kept"
    assert list(desk.drafts(upload)) == ["Ann", "Bo"], "and nothing is saved"


def test_several_are_changed_at_once(desk):
    upload = desk.send({"ann.py": ANN, "bo.py": BO, "cy.py": CY})
    path = f"/uploads/{upload}/submissions"
    chosen = [draft(desk, "ann").id, draft(desk, "bo").id]
    page = desk.browser.post(path, {"do": "chosen", "chosen": chosen, "bulk": "archive"}, follow_redirects=True).text
    assert "2 submissions: earlier work." in page
    assert (draft(desk, "bo").role, draft(desk, "cy").role) == ("archive", "new")
    desk.browser.post(f"{path}?search=cy", {"do": "all", "bulk": "out"})
    assert [draft(desk, name).left_out for name in ("ann", "bo", "cy")] == [False, False, True]
    assert desk.browser.post(path, {"do": "chosen", "bulk": "out"}).status_code == 422
    assert desk.browser.post(path, {"do": "all", "bulk": "boss"}).status_code == 422


def test_a_team_whose_files_came_separately_is_merged(desk):
    upload = desk.send(
        {
            "ann.zip": zipped({"main.py": ANN, "x.png": PNG}),
            "bo.zip": zipped({"main.py": BO}),
            "cy.py": CY,
        }
    )
    path = f"/uploads/{upload}/submissions"
    alone = desk.browser.post(path, {"do": "merge", "chosen": [draft(desk, "ann").id]})
    assert alone.status_code == 422
    assert "at least two" in alone.text
    chosen = [draft(desk, "ann").id, draft(desk, "bo").id]
    page = desk.browser.post(path, {"do": "merge", "chosen": chosen}, follow_redirects=True).text
    assert "Merged into one submission by ann, bo with 2 files." in page
    assert desk.drafts(upload) == {"ann, bo": ["main.py", "main (2).py"], "cy": ["cy.py"]}
    assert [path for path, _ in draft(desk, "ann, bo").skipped] == ["x.png"]


def test_each_of_a_team_is_found(desk):
    upload = desk.send({"hw.zip": zipped({"ann/a.py": ANN, "bo/b.py": BO, "cy/c.py": CY})})
    chosen = [draft(desk, "ann").id, draft(desk, "bo").id]
    desk.browser.post(f"/uploads/{upload}/submissions", {"do": "merge", "chosen": chosen})
    desk.confirm(upload)
    administrator = desk.server.client("administrator")
    for name in ("ann", "bo"):
        for page in (f"/assignments/{desk.assignment}/?search={name}", f"/erase?name={name}"):
            found = administrator.get(page).text
            assert "ann, bo" in found, page
        assert ">cy<" not in administrator.get(f"/assignments/{desk.assignment}/?search={name}").text


def test_names_that_are_too_long_together_are_no_team(desk):
    upload = desk.send({"hw.zip": zipped({f"{letter * 101}/a.py": ANN + letter for letter in "xy"})})
    chosen = [draft(desk, letter * 101).id for letter in "xy"]
    answer = desk.browser.post(f"/uploads/{upload}/submissions", {"do": "merge", "chosen": chosen})
    assert answer.status_code == 422
    assert "too long" in answer.text
    assert len(desk.drafts(upload)) == 2


@given(st.lists(st.text("ab, ", min_size=1, max_size=9), min_size=1, max_size=9))
def test_a_team_is_called_by_all_of_its_names_once(owners):
    name = together(owners)
    assert all(owner in name for owner in owners)
    assert together([*owners, *owners]) == name


def assert_counts(page, **counts):
    """What was found is counted on cards."""
    for word, count in counts.items():
        assert f"<b>{count}</b><span>{word}</span>" in page


def test_a_large_class_is_shown_page_by_page(desk):
    upload = desk.send({"hw.zip": zipped({f"student{n:04}/main.py": program(n) for n in range(1000)})})
    page = desk.browser.get(f"/uploads/{upload}/").text
    assert_counts(page, students="1,000", files="1,000")
    assert page.count("data-save=") == 50
    assert "Page 1 of 20" in page
    assert "student0999" in desk.browser.get(f"/uploads/{upload}/?page=20").text
    found = desk.browser.get(f"/uploads/{upload}/?search=student077").text
    assert found.count("data-save=") == 10
    desk.browser.post(f"/uploads/{upload}/submissions?search=student077", {"do": "all", "bulk": "archive"})
    assert desk.browser.get(f"/uploads/{upload}/?role=archive").text.count("data-save=") == 10
    assert "990 students added. Earlier work of 10 students added." in desk.confirm(upload)
    again = desk.send({"hw.zip": zipped({f"student{n:04}/main.py": program(n) for n in range(1001)})})
    assert "1000 unchanged and skipped" not in desk.confirm(again), "ten of them were earlier work before"


# Confirming and discarding


def test_confirmed_parts_are_gone_and_the_upload_is_closed(desk):
    upload = desk.send({"ann.py": ANN})
    assert "1 student added. You can compare them now." in desk.confirm(upload)
    assert rows(desk, UploadPartRow) == rows(desk, UploadChunkRow) == 0
    assert desk.browser.get(f"/uploads/{upload}/").status_code == 302
    assert desk.browser.post(f"/uploads/{upload}/confirm").status_code == 422
    assert desk.browser.post(f"/uploads/{upload}/discard").status_code == 422
    assert len(desk.rows()) == 1


def test_nothing_of_a_discarded_upload_is_kept(desk):
    desk.confirm(desk.send({"bo.py": BO}))
    upload = desk.send({"ann.py": ANN, "bo.py": BO})
    assert desk.browser.post(f"/uploads/{upload}/discard").status_code == 303
    assert (rows(desk, UploadRow), rows(desk, SubmissionRow), rows(desk, SubmittedFileRow), rows(desk, ContentRow)) == (
        1,
        1,
        1,
        1,
    )
    assert rows(desk, UploadChunkRow) == rows(desk, UploadPartRow) == 0


def test_an_upload_that_is_being_looked_at_can_be_discarded(desk):
    upload = desk.begin()["id"]
    desk.put(upload, "ann.py", ANN.encode())
    desk.browser.post(f"/uploads/{upload}/recognise")
    assert desk.browser.post(f"/uploads/{upload}/discard", headers=JSON).status_code == 200
    desk.server.work()
    assert rows(desk, UploadRow) == rows(desk, SubmissionRow) == rows(desk, ContentRow) == 0


def test_the_whole_way_on_each_database(tmp_path, database_url):
    with make_server(tmp_path, database_url) as server:
        desk = open_desk(server)
        upload = desk.begin()["id"]
        members = {"ann/a.py": ANN, "ann/x.png": PNG, "bo/a.py": BO, "cy/a.py": CY, "dan/x.png": PNG}
        desk.put(upload, "hw.zip", zipped(members))
        desk.put(upload, "large.txt", b"words and more words\n" * 60_000, "archive")
        desk.recognise(upload)
        page = desk.browser.get(f"/uploads/{upload}/?problems=1").text
        assert page.count("data-save=") == 2, "of ann a file could not be read, and of dan none could"
        assert desk.browser.get(f"/uploads/{upload}/?search=A.PY&role=new").text.count("data-save=") == 3
        path = f"/uploads/{upload}/submissions"
        chosen = [draft(desk, "ann").id, draft(desk, "bo").id]
        assert desk.browser.post(path, {"do": "merge", "chosen": chosen}).status_code == 303
        assert desk.browser.post(f"{path}?search=cy", {"do": "all", "bulk": "base"}).status_code == 303
        assert "2 students added. Earlier work of 1 student added. Starter code added." in desk.confirm(upload)
        assert "already here and unchanged: cy" in desk.confirm(desk.send({"cy/a.py": CY}, "base"))
        cy = next(row for row in desk.rows() if row.owner == "cy")
        assert desk.browser.post(f"/submissions/{cy.id}", {"role": "new", "owner": "dan"}).status_code == 303
        assert [(row.owner, row.version) for row in desk.rows()][1:3] == [("dan", 1), ("dan", 2)]
        assert desk.browser.post(f"/uploads/{desk.send({'eve.py': ANN})}/discard").status_code == 303
        form = {"confirmation": "Homework 1"}
        assert desk.browser.post(f"/assignments/{desk.assignment}/delete", form).status_code == 303
        assert rows(desk, ContentRow) == rows(desk, SubmissionRow) == rows(desk, UploadRow) == 0
