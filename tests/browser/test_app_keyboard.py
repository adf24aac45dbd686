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
