"""The pages about people and administration in a made-up language: every word of ours is marked for translation."""

from __future__ import annotations

import io
import re

import pytest
from support.corpora import add_here
from support.keeping import add_full_course
from support.pseudo_language import CLOSE, OPEN, unmarked
from support.server import Server

from moss.store.tables import AuditEntryRow, CorpusRightRow
from moss.web.pages.audit_words import ACTIONS, LABELS

OF_INSTRUCTOR = [
    "/account",
    "/courses/1/people",
    "/courses/1/roster",
    "/courses/1/cases",
    "/courses/1/cases?state=partners",
    "/courses/1/cases?state=confirmed",
    "/cases/1/",
    "/people/1/",
    "/people/1/erase",
    "/courses/1/members",
    "/courses/1/settings",
    "/courses/1/export",
    "/courses/1/audit",
    "/courses/import",
    "/runs/1/shares",
    "/runs/1/shares?rank=1",
    "/runs/1/pairs/1/passages/1/elsewhere",
    "/runs/1/submissions/1/elsewhere",
]
OF_ADMINISTRATOR = ["/users", "/users?text=nobody", "/users/2/", "/corpora", "/audit", "/erase", "/erase?name=ann"]
ROSTER = (
    "name,address,number,section,other names,group\nAnn Quill,ann@example.org,1,Tue,annq;Person 1,one\n"
    "Dan Tusk,,2,Wed,Person 1;Person 2,one\n"
)
WRONG = [
    ("instructor", "/account/name", {"name": ""}),
    ("instructor", "/account/password", {"old": "x", "password": "y", "again": "y"}),
    ("instructor", "/account/tokens", {"token_name": "x", "days": "7"}),
    ("instructor", "/courses/1/members", {"email": "x", "role": "assistant"}),
    ("instructor", "/courses/1/members", {"email": "a@example.org", "role": "x"}),
    ("instructor", "/courses/1/settings", {"name": "x", "kept": "days", "days": "x"}),
    ("instructor", "/courses/1/settings", {"name": "x", "kept": "days", "days": "1"}),
    ("instructor", "/courses/1/settings", {"name": "x", "kept": "always", "webhook": "ftp://x"}),
    ("instructor", "/courses/1/delete", {"confirm": "x"}),
    ("instructor", "/people/1/erase", {"confirm": "x"}),
    ("instructor", "/courses/1/roster", {"lines": ""}),
    ("instructor", "/courses/1/cases/dismiss", {"pair": "3"}),
    ("administrator", "/users", {"email": "x"}),
    ("administrator", "/erase", {"name": "Ann", "people": "1", "confirm": "x"}),
    ("administrator", "/users/1/administrator", {"administrator": ""}),
]


@pytest.fixture
def strange(server: Server, tmp_path, made_up_language) -> Server:
    """A server with something on every page, which speaks the made-up language from now on."""
    add_full_course(server)
    (tmp_path / "old.py").write_text("print(1)\n" * 50)
    add_here(server.config.data / "corpora" / "years", tmp_path / "old.py")
    instructor = server.client()
    instructor.post("/account/tokens", {"token_name": "Script", "days": "90"})
    instructor.post("/courses/1/members", {"email": "mira@example.org", "role": "assistant"})
    instructor.post("/runs/1/shares", {"days": "14"})
    instructor.post("/runs/1/shares", {"label": "Board", "days": "14", "rank": "1", "anonymous": "yes"})
    instructor.post("/courses/1/export")
    instructor.post("/courses/1/roster", {"lines": ROSTER}, follow_redirects=True)
    with server.store.session() as session:
        session.add(CorpusRightRow(corpus="years", course_id=1, search=True, add=True))
        for action in ACTIONS:
            detail = dict.fromkeys(LABELS, 1) | {"role": "assistant", "state": "confirmed", "names": "no"}
            session.add(AuditEntryRow(actor="nora@example.org", action=action, course_id=1, detail=detail))
    server.work()
    return server


NAMES = {"Ann", "Quill", "Instructor", "Administrator"}  # which are the whole title of a page


def left(page: str) -> list[str]:
    """The words of a page that no message brought; without the tabs of a course and what is around all pages, which
    are looked at elsewhere."""
    inner = "<main" + page.partition("<main")[2].partition("</main>")[0] + re.search(r"<title>.*?</title>", page)[0]
    return unmarked(re.sub(r'<nav class="tabs".*?</nav>', "", inner, flags=re.DOTALL), NAMES)


def test_every_page_about_people_is_marked(strange):
    found = {}
    for person, paths in (
        ("instructor", OF_INSTRUCTOR),
        ("assistant", OF_INSTRUCTOR),
        ("administrator", OF_ADMINISTRATOR),
    ):
        browser = strange.client(person)
        for path in paths:
            answer = browser.get(path)
            if person != "assistant" or answer.status_code == 200:
                assert answer.status_code == 200, (person, path)
                found[person, path] = left(answer.text)
    assert [f"{where}: {words}" for where, words in found.items() if words] == []


def test_every_refusal_about_people_is_marked(strange):
    for person, path, form in WRONG:
        answer = strange.client(person).post(path, form)
        assert answer.status_code in (200, 422), (path, form, answer.status_code)
        assert left(answer.text) == [], (path, form)


def test_invitations_are_marked(strange):
    for person, path, form in (
        ("administrator", "/users", {"email": "new@example.org", "role": "administrator"}),
        ("administrator", "/users/2/reset", {}),
        ("instructor", "/courses/1/members", {"email": "late@example.org", "role": "instructor"}),
    ):
        browser = strange.client(person)
        page = browser.get(browser.post(path, form).headers["Location"]).text
        assert left(page) == []
        link = re.search(r"/invitations/[\w-]+", page)[0]
        for reader in ("nobody", "stranger"):
            assert left(strange.client(reader).get(link).text) == [], (path, reader)


def test_an_import_is_marked_while_it_waits_and_when_it_has_failed(strange):
    browser = strange.client("stranger")
    state = browser.post("/courses/import", {"file": (io.BytesIO(b"x"), "x.zip")}).headers["Location"]
    assert left(browser.get(state).text) == []
    strange.work()
    page = browser.get(state).text
    assert left(page) == []
    assert f"{OPEN}it is not a zip file" in page
    assert CLOSE in page
