"""Every page of the app: accessible in light and dark, no wider than a phone, with a way on, and silent."""

import re

import pytest

from browser.app import open_account_menu
from browser.furnishing import STAFF
from browser.test_accessibility import AXE, CONTRAST, leave_two_of_each, violations
from browser.tools import DESK, needed

expect = needed("playwright.sync_api", "playwright").expect

PHONE = {"width": 320, "height": 740}
ZOOMED = {"width": 640, "height": 400}  # the desk at 200 %
WITH_SIZES = {"rules": {"target-size": {"enabled": True}}}

PAGES = {
    "home": "/",
    "courses": "/courses/",
    "course": "/courses/1/",
    "people": "/courses/1/people",
    "roster": "/courses/1/roster",
    "cases": "/courses/1/cases",
    "confirmed cases": "/courses/1/cases?state=confirmed",
    "person": "/people/1/",
    "erase": "/people/1/erase",
    "members": "/courses/1/members",
    "settings": "/courses/1/settings",
    "export": "/courses/1/export",
    "course audit": "/courses/1/audit",
    "import": "/courses/import",
    "assignment": "/assignments/1/",
    "new assignment": "/assignments/4/",
    "check": "/assignments/2/check",
    "upload to correct": "/uploads/5/",
    "upload to complete": "/uploads/6/",
    "file": "/submissions/1/files/1",
    "new run": "/assignments/1/runs/new",
    "run": "/runs/4/progress",
    "failed run": "/runs/5/progress",
    "overview": "/runs/3/",
    "pair": "/runs/3/pairs/1",
    "submission": "/runs/3/submissions/1",
    "cluster": "/runs/3/clusters/1",
    "passage elsewhere": "/runs/3/pairs/1/passages/1/elsewhere",
    "submission elsewhere": "/runs/3/submissions/1/elsewhere",
    "what if": "/runs/2/what-if",
    "what if, answered": "/runs/2/what-if/preview?max_matches=3",
    "compare": "/runs/2/compared-with/",
    "compared": "/runs/2/compared-with/1",
    "case": "/cases/1/",
    "shares": "/runs/2/shares",
    "notices": "/notices",
    "account": "/account",
}
OF_ADMINISTRATOR = {
    "users": "/users",
    "user": "/users/2/",
    "corpora": "/corpora",
    "audit": "/audit",
    "erase people": "/erase?name=ada",
}
OF_ANYONE = {"log in": "/login"}
EVERY = [
    *((name, "instructor", path) for name, path in PAGES.items()),
    *((name, "administrator", path) for name, path in OF_ADMINISTRATOR.items()),
    *((name, "", path) for name, path in OF_ANYONE.items()),
]


# Of a report, what the app adds to its pages; the pages themselves are looked at elsewhere.
PARTS = {"overview": [".topbar", ".report-tools"], "pair": [".topbar", "#case"], "submission": [".topbar"]}


@pytest.mark.parametrize(("name", "who", "path"), EVERY, ids=[each[0] for each in EVERY])
def test_every_page(look_at, name, who, path):
    page = look_at(path, who)
    page.locator("main details").evaluate_all("all => all.forEach((each) => { each.open = true; })")
    assert_there_is_a_way_on(page, who)
    for size in (PHONE, ZOOMED):
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert page.locator(".topbar").bounding_box()["height"] <= 56
    page.set_viewport_size(DESK)
    leave_two_of_each(page)
    part = {"include": [[each] for each in PARTS[name]]} if name in PARTS else None
    assert violations(page, WITH_SIZES, part) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, CONTRAST, part) == []


def assert_there_is_a_way_on(page, who):
    assert page.locator(".topbar .crumbs").inner_text().strip()
    assert page.locator("h1").count() == 1
    if who:
        assert page.get_by_role("link", name="Courses", exact=True).count() >= 1
        assert page.get_by_role("link", name=re.compile("^Notices")).count() == 1
        open_account_menu(page)
        assert page.locator(".topbar").get_by_role("button", name="Log out", exact=True).is_visible()
        assert page.get_by_role("link", name=STAFF[who][0]).first.is_visible()
        open_account_menu(page)


COURSE = ["Assignments", "Cases", "Students", "Members", "Settings", "Audit"]


def test_a_course_leads_to_all_that_is_about_it(visit):
    page = visit("/courses/1/")
    for name in COURSE:
        page.get_by_role("navigation", name="This course").get_by_role("link", name=name).click()
        tabs = page.get_by_role("navigation", name="This course")
        tabs.locator("[aria-current=page]").get_by_text(name).wait_for()
        assert tabs.locator("a").all_inner_texts() == COURSE
        assert tabs.locator("[aria-current=page]").inner_text() == name


def test_an_assignment_leads_to_its_uploads_runs_and_cases(visit):
    page = visit("/assignments/3/")
    assert page.get_by_role("link", name="Upload 5").is_visible()
    assert page.get_by_role("link", name="Run 1").is_visible()
    page.goto("/assignments/1/")
    page.get_by_role("link", name="suspicious").click()
    expect(page.locator("#pairs-table tbody tr:visible")).to_have_count(1)


def test_an_assistant_sees_no_form_that_changes_anything_but_proposals(visit):
    page = visit("/", "assistant")
    own = ("/account", "/courses/", "/courses/import", "/notices")  # an assistant's own things
    for path in PAGES.values():
        answer = page.request.get(path)
        if path not in own and answer.ok:
            forms = re.findall(r'<form\b[^>]*method="post"[^>]*>', answer.text())
            others = [form for form in forms if not re.search('class="decision"|action="/anonymous"', form)]
            assert len(others) == 1, path  # which logs out; names are hidden in the assistant's own session alone


def test_a_case_can_be_printed(visit):
    page = visit("/cases/1/")
    page.emulate_media(media="print")
    assert page.get_by_text("I will ask both of them.").is_visible()
    assert not page.get_by_role("button", name="Save").is_visible()
    assert not page.get_by_role("button", name="Log out").is_visible()


def test_two_names_fit_into_a_row_beside_the_state_of_a_pair(visit):
    page = visit("/runs/2/")
    page.locator("#pairs-table tbody tr").first.wait_for()
    heights = page.locator("#pairs-table .open").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert max(heights) < 30


@pytest.mark.parametrize("path", ["/runs/2/", "/runs/2/clusters/1"])
def test_each_part_of_a_report_has_a_name_of_its_own(visit, path):
    page = visit(path)
    page.evaluate(AXE.axe_script)
    found = page.evaluate("axe.run({runOnly: ['landmark-unique']}).then((all) => all.violations)")
    assert [node["html"] for each in found for node in each["nodes"]] == []
