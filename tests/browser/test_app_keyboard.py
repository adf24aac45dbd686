"""The main steps without a mouse."""

import re

from support.accounts import PASSWORD

from browser.app import tab_to
from browser.classes import zipped
from browser.furnishing import STAFF
from browser.tools import needed

expect = needed("playwright.sync_api", "playwright").expect


def test_logging_in_opening_a_case_and_deciding(visit):
    page = visit("/login", "")
    expect(page.get_by_label("Email address")).to_be_focused()
    page.keyboard.type(STAFF["administrator"][1])
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Home", exact=True)).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("link", name="Goran Petrović and Hana Novák"))
    page.keyboard.press("Enter")
    tab_to(page, page.locator("#case summary"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("needs review"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    tab_to(page, page.get_by_label("Note"))
    page.keyboard.type("A common design; nothing of it is copied.")
    tab_to(page, page.get_by_role("button", name="Save", exact=True))
    page.keyboard.press("Enter")
    expect(page.locator("#case > summary .badge")).to_have_text("dismissed")


def test_choosing_files_and_beginning_to_send_them(visit):
    page = visit("/assignments/4/")
    page.on("filechooser", lambda chooser: None)  # from now on choosers come to us, also before one is expected
    tab_to(page, page.locator("input[name=new]"))
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    work = {"name": "work.zip", "mimeType": "application/zip", "buffer": zipped({"a.py": b"print(1)\n"})}
    chooser.value.set_files([work])
    tab_to(page, page.get_by_role("button", name="Upload and compare"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/assignments/4/check$"))
    tab_to(page, page.get_by_role("button", name="Cancel"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Reading it was cancelled.")).to_be_visible()


def test_of_two_quick_corrections_the_second_counts_and_is_saved_before_anything_is_confirmed(visit):
    page = visit("/uploads/5/")
    role = page.locator("table.review tbody tr").last.get_by_label("Role of")
    under_way = []
    page.route("**/submissions/*", lambda route: under_way.append(route))
    page.route("**/confirm", lambda route: under_way.append(route))
    tab_to(page, role)
    page.keyboard.type("ex")  # by way of earlier work
    expect(role).to_have_value("out")
    tab_to(page, page.get_by_role("button", name=re.compile("^Confirm")))
    page.keyboard.press("Enter")
    asked = []
    while len(asked) < 3:
        while not under_way:
            page.wait_for_timeout(10)
        newest = under_way.pop()
        asked.append(newest.request.post_data.split("&")[0])
        newest.fulfill(status=204) if newest.request.url.endswith("confirm") else newest.continue_()
    assert asked[:2] == ["role=archive", "role=out"]


def test_correcting_what_was_recognised(visit):
    page = visit("/uploads/5/")
    owner = page.get_by_label("Student of").first
    tab_to(page, owner)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Ada Lindqvist")
    page.keyboard.press("Enter")
    row = page.locator("table.review tbody tr").first
    expect(row.locator(".saved")).to_have_text("saved")
    tab_to(page, row.get_by_label("Role of"))
    page.keyboard.type("ex")  # excluded
    expect(row).to_have_class("out")
    tab_to(page, page.get_by_role("button", name=re.compile("^Confirm")))
