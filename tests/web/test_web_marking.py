"""In a made-up language that brackets every message, nothing is left unbracketed on any page of the teaching way."""

import re

import pytest
from browser.furnishing import STAFF, furnish
from support.accounts import PASSWORD
from support.pseudo_language import LANGUAGE, unmarked, write_catalogue
from support.server import make_server

from frontends import every_frontend
from frontends.language_titles import language_title
from moss.messages import of_environment
from moss.store.tables import AssignmentRow, CourseRow, SubmissionRow

PAGES = [
    "/", "/courses/", "/courses/1/", "/courses/2/", "/assignments/1/", "/assignments/3/", "/assignments/4/",
    "/uploads/5/", "/uploads/6/", "/submissions/1/files/1", "/assignments/1/runs/new", "/runs/4/progress",
    "/runs/5/progress", "/runs/2/what-if", "/runs/2/what-if/preview?max_matches=3", "/runs/2/compared-with/",
    "/runs/2/compared-with/1", "/runs/4/compared-with/1", "/cases/1/", "/notices", "/nowhere",
]  # fmt: skip
SLOTS = ["/runs/2/", "/runs/2/pairs/1"]  # of whose pages the app fills the slots
SIGNS = ".,:;()[]…‘’“”/·›–"
NO_WORDS = {"UTC", "utf-8", "s", "MB", *(word for name, _ in STAFF.values() for word in name.split())}


@pytest.fixture(scope="module")
def strange(tmp_path_factory):
    """A server with something on every page, in the made-up language from the beginning."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MOSS_CATALOGUES", str(write_catalogue(tmp_path_factory.mktemp("catalogues"))))
        patched.setenv("MOSS_LOCALE", LANGUAGE)
        of_environment.cache_clear()
        folder = tmp_path_factory.mktemp("strange")
        furnish(folder)
        with make_server(folder) as server:
            yield server
    of_environment.cache_clear()


@pytest.fixture(scope="module")
def names(strange):
    """The words of everything that people have named."""
    with strange.store.reading() as session:
        given = [course.title for course in session.query(CourseRow)]
        given += [assignment.name for assignment in session.query(AssignmentRow)]
        given += [name for row in session.query(SubmissionRow) for name in (row.owner, row.name)]
        given += [file.path for row in session.query(SubmissionRow).limit(3) for file in row.files]
    given += [language_title(frontend.name) for frontend in every_frontend()]
    return {word.strip(SIGNS) for name in given for word in name.split()} | NO_WORDS


def left(page, names):
    """The words of a page that no message brought."""
    words = (word.strip(SIGNS) for word in unmarked(page))
    return [word for word in words if word and word not in names and re.search("[^\\W\\d]", word)]


@pytest.mark.parametrize("path", PAGES)
def test_every_word_of_a_page_is_marked(strange, names, path):
    answer = strange.client().get(path)
    assert answer.status_code in (200, 404)
    assert "⟦" in answer.text
    assert left(answer.text, names) == []


@pytest.mark.parametrize("path", ["/login", "/nowhere"])
def test_every_word_for_those_who_are_not_logged_in_is_marked(strange, names, path):
    answer = strange.client("nobody").get(path, follow_redirects=True)
    assert left(answer.text, names) == []


@pytest.mark.parametrize("path", SLOTS)
def test_every_word_that_the_app_adds_to_a_report_is_marked(strange, names, path):
    page = strange.client().get(path).text
    for tag, start in (("nav", 'class="account"'), ("nav", 'class="buttons report-tools'), ("details", 'class="case"')):
        for found in re.findall(f"<{tag} {start}.*?</{tag}>", page, re.DOTALL):
            assert left(found, names) == [], start


def test_every_refusal_of_a_form_is_marked(strange, names):
    browser = strange.client()
    for path, form in (
        ("/courses/", {"name": ""}),
        ("/courses/1/assignments", {"name": "Lending library"}),
        ("/assignments/1/delete", {"confirmation": "something else"}),
        ("/assignments/1/runs", {"noise": "many"}),
        ("/uploads/5/submissions", {"do": "merge"}),
        ("/cases/1/", {"state": "guilty"}),
    ):
        answer = browser.post(path, form)
        assert answer.status_code == 422, path
        assert set(left(answer.text, names)) <= {"guilty"}, path
    answer = strange.client("nobody").post("/login", {"email": "nobody@example.org", "password": PASSWORD})
    assert left(answer.text, names) == []
