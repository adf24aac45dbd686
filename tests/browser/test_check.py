"""From the download of a class to the texts of the worst pair, on a server that has been set up."""

import os
import re

import pytest
from support.odd_jobs import worker
from support.server import make_server
from support.uploads import program

from browser.app import SLOW, drop_file, log_in, serving_pages, wait_for_upload
from browser.classes import LIBRARY, SAMPLES, files_of, zipped
from browser.furnishing import STAFF, hire
from browser.tools import needed

expect = needed("playwright.sync_api", "playwright").expect

NAME = "CS101-Lending library-4711.zip"
SUBMISSIONS = SAMPLES / "java-library/submissions"


def as_platforms_make_it():
    """A download of Blackboard of nineteen students that somebody unpacked and packed again on a Mac: folders that only
    that Mac knows, a file that is no archive though its name says so, and a student who handed in twice."""
    moment = {True: "2026-11-02-20-00-00", False: "2026-11-03-21-30-00"}
    members = {}
    for account in LIBRARY:
        for first in (True, False) if account == "hana" else (True,):
            files = files_of(SUBMISSIONS / account)
            content = zipped(files | {"Notes.java": b"class Notes { }\n"}) if first else zipped(files)
            members[f"Lending library_{account}_attempt_{moment[first]}_{account}.zip"] = content
    members["Lending library_broken_attempt_2026-11-02-20-00-00_work.zip"] = b"PK\x03\x04 and then nothing of use"
    macintosh = {f"__MACOSX/._{name}": b"\0\5\x16\7" + bytes(60) for name in members}
    return zipped(members | macintosh | {".DS_Store": bytes(40)})


@pytest.fixture
def set_up(tmp_path):
    """A server on which an instructor has a course, with its worker."""
    with make_server(tmp_path / "data") as server:
        hire(server)
        server.add_course()
    with worker(server.config), serving_pages(tmp_path / "data") as origin:
        yield origin


def test_from_the_drop_of_a_download_to_the_worst_pair_in_two_clicks(set_up, open_page):
    page = open_page(set_up)
    log_in(page, STAFF["instructor"][1])
    went = []
    page.on("framenavigated", lambda frame: went.append(frame.url))
    drop_file(page, "new", NAME, as_platforms_make_it())
    page.get_by_role("button", name="Check the class").click()
    expect(page.locator("#check-now")).to_have_text("The report is ready", timeout=SLOW)
    found = page.locator("[data-part=found]")
    expect(found.locator(".stats")).to_contain_text("19students")
    expect(found.locator(".stats")).to_contain_text("1 older version")
    expect(found.locator(".problems")).to_contain_text("work.zip")
    expect(page.get_by_role("heading", level=1)).to_have_text("CS101-Lending library")
    page.locator(".first-pairs a").first.click()
    expect(page.locator("h1")).to_contain_text("ada")
    expect(page.locator("h1")).to_contain_text("emeka")
    expect(page.locator(".code").first).to_be_visible()
    assert [re.sub(r".*?//[^/]+|\?.*", "", url) for url in went] == ["/assignments/1/check", "/runs/1/pairs/1"]


def test_a_check_that_waits_for_files_from_another_window_goes_on_when_they_come(set_up, open_page):
    sending = open_page(set_up)
    log_in(sending, STAFF["instructor"][1])
    held = []
    sending.route("**/recognise", lambda route: held.append(route))
    drop_file(sending, "new", NAME, as_platforms_make_it())
    sending.get_by_role("button", name="Check the class").click()
    expect(sending.locator(".sending")).to_contain_text("Upload complete", timeout=SLOW)
    other = sending.context.new_page()
    other.goto(f"{set_up}/assignments/1/check")
    expect(other.locator("#check-now")).to_have_text("Some files haven’t arrived", timeout=SLOW)
    while not held:
        sending.wait_for_timeout(50)
    held[0].continue_()
    expect(sending.locator("#check-now")).to_have_text("The report is ready", timeout=SLOW)
    expect(other.locator("#check-now")).to_have_text("The report is ready", timeout=SLOW)


def test_downloads_of_one_name_from_different_folders_are_all_sent(set_up, open_page, tmp_path):
    """Canvas calls each section's download submissions.zip."""
    for section, numbers in (("monday", range(3)), ("friday", range(3, 6))):
        (tmp_path / section).mkdir()
        works = {f"student{n}_{1000 + n}_{5000 + n}_hw.py": program(n).encode() for n in numbers}
        (tmp_path / section / "submissions.zip").write_bytes(zipped(works))
        os.utime(tmp_path / section / "submissions.zip", (0, 0))  # both are as large as the other, and as old
    page = open_page(set_up)
    log_in(page, STAFF["instructor"][1])
    wait_for_upload(page)
    for section in ("monday", "friday", "monday"):  # what is chosen twice is there once
        page.set_input_files("input[name=new]", tmp_path / section / "submissions.zip")
    expect(page.locator(".chosen li bdi")).to_have_text(["submissions.zip", "submissions (2).zip"])
    page.get_by_role("button", name="Check the class").click()
    expect(page.locator("#check-now")).to_have_text("The report is ready", timeout=SLOW)
    expect(page.locator(".stats")).to_contain_text("6students")


def test_files_that_are_chosen_before_the_script_has_come_are_sent(set_up, open_page):
    page = open_page(set_up)
    held = []
    page.route(re.compile(r"/upload\.js"), lambda route: held.append(route))
    log_in(page, STAFF["instructor"][1])
    page.set_input_files("input[name=new]", [{"name": NAME, "mimeType": "application/zip", "buffer": b"PK"}])
    [script] = held
    script.continue_()
    expect(page.locator(".chosen li bdi")).to_have_text([NAME])


def is_cut(field, text):
    """Whether a text would not fit into a field."""
    field.evaluate("(e, text) => { e.dataset.had = e.value; e.value = text; }", text)
    cut = field.evaluate("e => e.scrollWidth > e.clientWidth")
    field.evaluate("e => { e.value = e.dataset.had; }")
    return cut


def one_line(element):
    return element.evaluate("e => e.getClientRects()[0].height < 2 * parseFloat(getComputedStyle(e).lineHeight)")


def test_a_class_is_corrected_where_it_is_shown_and_compared_again(set_up, open_page):
    page = open_page(set_up)
    log_in(page, STAFF["instructor"][1])
    drop_file(page, "new", NAME, as_platforms_make_it())
    page.get_by_label("Assignment").fill("Library")
    page.get_by_role("button", name="Check the class").click()
    emeka = page.locator("tr", has=page.get_by_label("Role of emeka"))
    emeka.get_by_label("Role of").select_option("excluded", timeout=SLOW)
    assert not is_cut(emeka.get_by_label("Student of"), "Wolfgang Amadeus Mozart")
    assert one_line(emeka.locator(".files summary"))
    expect(emeka.locator(".saved")).to_have_text("saved, comparing again")
    expect(page.locator(".stats")).to_have_text(re.compile(r"18\s*students"))  # while the field keeps the focus
    expect(page.locator(".first-pairs li").first).to_contain_text("chiara and fatima", timeout=SLOW)
    expect(page.locator("#check-now")).to_have_text("The report is ready", timeout=SLOW)
    page.get_by_role("link", name="Open report").click()
    expect(page.locator(".page-header")).to_contain_text("18 students")
