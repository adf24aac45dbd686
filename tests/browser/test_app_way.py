"""The whole way of an instructor: from an empty server and a zip to a decision, and to forgetting it again."""

import csv
import json
import re
import urllib.request

import pytest
from support.accounts import PASSWORD

from browser.app import (
    choose_files,
    confirm,
    drop_file,
    join,
    log_in,
    log_out,
    open_account_menu,
    send_files,
    serving_app,
    start_run,
)
from browser.classes import LIBRARY, SAMPLES, files_of, moodle_export, zipped
from browser.tools import needed

expect = needed("playwright.sync_api", "playwright").expect

LATE = "rosa"
STARTER = "Course Team"
NOTE = "Both have the same misspelling.\nI will ask them."
NAMES = {**LIBRARY, "ada": "Ada Lindquist"}  # whom the platform misspells


@pytest.fixture
def new_server(tmp_path):
    """A server that nobody has set up, with its worker."""
    with serving_app(tmp_path / "data") as origin:
        yield origin


def test_from_a_zip_to_a_decision_and_to_forgetting(new_server, open_page):
    nora = open_page(new_server)
    set_up(nora)
    make_assignment(nora)
    upload_the_class(nora)
    correct_what_was_recognised(nora)
    compare(nora)
    read_the_overview(nora)
    decide(nora)
    keep_evidence(nora)
    add_who_was_late(nora)
    look_at_it_in_other_ways(nora)
    share_and_revoke(nora, open_page)
    use_a_token(nora, new_server)
    tom = let_an_assistant_in(nora, open_page)
    let_somebody_else_in(nora, open_page)
    keep_for_a_while(nora)
    erase_who_was_late(nora, tom)
    leave(nora, new_server)


def set_up(page):
    expect(page.get_by_role("heading", name="Welcome to moss")).to_be_visible()
    page.get_by_label("Your name").fill("Nora Adler")
    page.get_by_label("Email address").fill("nora@example.org")
    for label in ("Password", "Password again"):
        page.get_by_label(label, exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create the administrator").click()
    page.get_by_label("Name of the course").fill("Programming 1")
    page.get_by_label("Term").fill("Autumn 2026")
    page.get_by_role("button", name="Create the course").click()
    expect(page.get_by_text("Programming 1, Autumn 2026 is ready.")).to_be_visible()
    page.wait_for_url(re.compile(r"/courses/\d+/$"))


def make_assignment(page):
    page.get_by_text("Create an assignment without uploading anything").click()
    page.get_by_label("Name of the assignment").fill("Lending library")
    page.get_by_role("button", name="Create the assignment").click()
    expect(page.get_by_role("heading", name="Lending library")).to_be_visible()


def upload_the_class(page):
    starter = {
        f"{STARTER}_40999_assignsubmission_file_/starter.zip": zipped(files_of(SAMPLES / "java-library/starter"))
    }
    in_time = [each for each in LIBRARY if each != LATE]
    everyone = moodle_export("java-library", NAMES, in_time, starter)
    choose_files(page, {"Lending library-41.zip": everyone})
    drop_file(page, "archive", "last-year.zip", zipped(files_of(SAMPLES / "java-library/archive")))
    expect(page.locator(".chosen li")).to_have_count(2)
    send_files(page)
    expect(page.get_by_role("heading", name="Here’s what we found")).to_be_visible()
    for count in ("18students", "4earlier work"):
        expect(page.locator(".stats")).to_contain_text(count)


def correct_what_was_recognised(page):
    row = page.locator("tr", has=page.locator("input[value='Ada Lindquist']"))
    row.get_by_label("Student of").fill("Ada Lindqvist")
    row.get_by_label("Student of").press("Enter")
    expect(row.locator(".saved")).to_have_text("saved")
    for owner, role in ((STARTER, "starter code"), ("Wanda Zielińska", "excluded")):
        page.get_by_label(f"Role of {owner}").select_option(role)
        changed = page.locator("tr", has=page.get_by_label(f"Role of {owner}"))
        expect(changed.locator(".saved")).to_have_text("saved")
    for owner in ("Samir Patel", "Tove Berg"):
        page.get_by_label(f"Select {owner}").check()
    page.get_by_role("button", name="Merge selected into one").click()
    expect(page.get_by_label("Student of").nth(0)).to_be_visible()
    expect(page.get_by_label("Select Tove Berg")).to_have_count(0)
    expect(page.get_by_label("Role of Wanda Zielińska")).to_have_value("out")
    confirm(page)
    expect(page.locator("table.submissions tr.out")).to_have_count(1)
    expect(page.locator("table.submissions")).to_contain_text("Ada Lindqvist")
    expect(page.locator("table.submissions")).not_to_contain_text("Ada Lindquist")


def compare(page):
    page.locator(".run-form summary").first.click()
    page.get_by_text("Thresholds").click()
    page.get_by_label("Pairs shown").fill("30")
    start_run(page)
    expect(page.locator("#pairs-table")).to_have_attribute("aria-rowcount", "31")


def read_the_overview(page):
    first = page.locator("#pairs-table tbody tr").first
    expect(first).to_contain_text("Ada Lindqvist")
    expect(first).to_contain_text("Emeka Obi")
    page.locator("#pairs-table [data-sort=a]").click()
    names = page.locator("#pairs-table .name:first-child bdi").all_inner_texts()
    assert names == sorted(names, key=str.lower)
    assert not {"Wanda Zielińska", STARTER, "Tove Berg"} & set(names)
    page.locator("#filter-state").select_option("suspicious")
    expect(page.get_by_text("No pair matches the filter.")).to_be_visible()
    page.get_by_role("button", name="Clear").click()
    page.locator("#pairs-table [data-sort=rank]").click()


def decide(page):
    page.locator("#pairs-table tbody tr").first.locator("a.open").click()
    page.locator("#case summary").click()
    page.get_by_label("suspicious").check()
    page.get_by_label("Assigned to").select_option("Nora Adler")
    page.get_by_label("Note").fill(NOTE)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect_decided(page)
    page.get_by_role("link", name="All pairs").click()
    page.locator("#filter-state").select_option("suspicious")
    expect(page.locator("#pairs-table tbody tr:visible")).to_have_count(1)
    page.get_by_role("link", name="moss", exact=True).click()
    open_cases = page.locator("section[aria-labelledby=suspicious] tbody tr")
    expect(open_cases).to_have_count(1)
    expect(open_cases).to_contain_text("Nora Adler")
    open_cases.get_by_role("link", name="Ada Lindqvist and Emeka Obi").click()


def expect_decided(page):
    """On the page of the first pair."""
    expect(page.locator("#case > summary .badge")).to_have_text("suspicious")
    if page.locator("#case[open]").count() == 0:
        page.locator("#case summary").click()
    expect(page.locator(".history")).to_contain_text("I will ask them.")
    expect(page.locator(".history")).to_contain_text("assigned it to Nora Adler")


def keep_evidence(page):
    named, anonymous = (downloaded(page, f"Download {name}") for name in ("with names", "without names"))
    for name in ("Ada Lindqvist", "Emeka Obi"):
        assert name in named
        for word in name.split():
            assert not re.search(rf"\b{word}\b", anonymous, re.IGNORECASE), word
    table = list(csv.DictReader(downloaded(page, "Download the table of names").splitlines()))
    assert {row["owner"] for row in table} >= {"Ada Lindqvist", "Emeka Obi"}
    assert all(row["pseudonym"] in anonymous for row in table if row["owner"] in ("Ada Lindqvist", "Emeka Obi"))


def downloaded(page, link):
    with page.expect_download() as download:
        page.get_by_role("link", name=link, exact=True).click()
    with open(download.value.path(), encoding="utf-8") as file:
        return file.read()


def add_who_was_late(page):
    page.get_by_role("link", name="Lending library").click()
    choose_files(page, {"late.zip": moodle_export("java-library", NAMES, [LATE])})
    send_files(page)
    expect(page.locator(".stats")).to_contain_text("1student")
    confirm(page)
    expect(page.locator("table.submissions tr", has_text="Rosa Castillo")).to_contain_text("added later")
    start_run(page)
    expect(page.locator("#pairs-table")).to_contain_text("Rosa Castillo")
    expect(page.locator("#pairs-table tbody tr").first.locator(".badge[data-state]")).to_have_text("suspicious")
    page.locator("#pairs-table tbody tr").first.locator("a.open").click()
    expect_decided(page)
    page.get_by_role("link", name="Open the case on its own page").click()
    expect(page.get_by_role("row", name=re.compile(r"^Run \d"))).to_have_count(2)
    page.get_by_role("link", name="Run 2").click()
    page.get_by_role("link", name="All pairs").click()
    page.wait_for_url(re.compile(r"/runs/2/#pair-\d+$"))


def look_at_it_in_other_ways(page):
    """What if, compared with the earlier run, over the course."""
    report = page.url
    page.get_by_role("link", name="What if…").click()
    page.get_by_label("Ignore passages shared by more than").fill("2")
    expect(page.locator(".slopes")).to_be_visible(timeout=60_000)
    expect(page.locator("#answer .verdict")).to_contain_text("unusual")
    page.goto(report)
    page.get_by_role("link", name="Compare with another run").click()
    page.get_by_role("link", name="Run 1", exact=True).click()
    expect(page.get_by_role("heading", name="Run 2 compared with Run 1")).to_be_visible()
    page.get_by_text("1 new submission").click()
    expect(page.locator(".members")).to_contain_text("Rosa Castillo")
    page.get_by_role("link", name="Programming 1, Autumn 2026").click()
    page.get_by_role("link", name="Students", exact=True).click()
    expect(page.locator(".strips")).to_contain_text("Emeka Obi")
    page.locator(".everyone").get_by_role("link", name="Ada Lindqvist").click()
    expect(page.locator("main")).to_contain_text("suspicious")
    page.goto(report)


def share_and_revoke(page, open_page):
    page.get_by_role("link", name="Share", exact=True).click()
    page.get_by_label("For whom").fill("Examination board")
    page.get_by_role("button", name="Create link").click()
    address = page.get_by_label("Address for Examination board").input_value()
    guest = open_page(address)
    expect(guest.get_by_text("This report was shared with you")).to_be_visible()
    guest.locator("#pairs-table tbody tr").first.locator("a.open").click()
    expect(guest.get_by_role("heading", name="Ada Lindqvist and Emeka Obi")).to_be_visible()
    assert guest.locator("form, #case, .badge[data-state]").count() == 0
    assert not guest.request.post(f"{guest.url}/case", form={"state": "dismissed"}).ok
    page.reload()
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("The link has been revoked.")).to_be_visible()
    assert guest.request.get(address).status == 410


def use_a_token(page, origin):
    open_account_menu(page)
    page.get_by_role("link", name="Nora Adler").click()
    page.get_by_label("Name of the token").fill("grading script")
    page.get_by_role("button", name="Create token").click()
    token = page.locator("#once").input_value()
    request = urllib.request.Request(f"{origin}/api/v1/courses", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request) as answer:
        assert "Programming 1" in json.dumps(json.load(answer))
    page.reload()
    assert token not in page.content()


def let_an_assistant_in(page, open_page):
    """Somebody who may read everything in the course and propose decisions, and change nothing."""
    page.get_by_role("link", name="Courses", exact=True).click()
    page.get_by_role("link", name="Programming 1").click()
    page.get_by_role("link", name="Members", exact=True).click()
    page.get_by_label("Email address").fill("tom@example.org")
    page.get_by_role("button", name="Create invitation").click()
    tom = open_page(page.locator("#once").input_value())
    join(tom, "Tom Becker")
    tom.get_by_role("link", name="Ada Lindqvist and Emeka Obi").first.click()
    tom.locator("#case summary").click()
    expect(tom.locator(".history")).to_contain_text("I will ask them.")
    for path in ("/runs/2/pairs/1", "/runs/2/", "/cases/1/", "/assignments/1/", "/courses/1/", "/courses/1/members"):
        tom.goto(path)
        forms = tom.locator("form[method=post]:not(.decision, [action='/anonymous'])")  # which is about his session
        assert forms.count() == 1, path  # which logs out
    for path in ("/courses/1/settings", "/runs/2/shares", "/courses/1/audit", "/people/1/erase", "/users"):
        assert tom.request.get(path).status == 403, path
    return tom


def let_somebody_else_in(page, open_page):
    """Somebody of another course, for whom there is nothing."""
    open_account_menu(page)
    page.get_by_role("link", name="Administration").click()
    page.get_by_label("Email address", exact=True).fill("sven@example.org")
    page.get_by_role("button", name="Create invitation").click()
    sven = open_page(page.locator("#once").input_value())
    join(sven, "Sven Holm")
    expect(sven.get_by_text("You’re not in a course yet")).to_be_visible()
    hidden = ("/courses/1/", "/courses/1/people", "/courses/1/members", "/assignments/1/", "/uploads/1/", "/runs/2/",
              "/runs/2/progress", "/runs/2/pairs/1", "/runs/2/submissions/1", "/runs/2/pairs/1/evidence",
              "/runs/2/what-if", "/runs/2/compared-with/1", "/cases/1/", "/people/1/")  # fmt: skip
    for path in hidden:
        assert sven.request.get(path).status == 404, path
    assert sven.request.get("/users").status == 403


def keep_for_a_while(page):
    page.goto("/courses/1/settings")
    page.get_by_label("For a number of days").check()
    page.locator("#days").fill("400")
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_role("listitem").filter(has_text="Lending library")).to_contain_text(
        re.compile(r"on \d+ \w+ \d+")
    )
    page.goto("/assignments/1/")
    expect(page.get_by_text("Will be deleted on")).to_be_visible()


def erase_who_was_late(page, other):
    page.goto("/courses/1/people")
    page.locator(".everyone").get_by_role("link", name="Rosa Castillo").click()
    page.wait_for_url(re.compile(r"/people/\d+/"))
    number = re.search(r"/people/(\d+)/", page.url)[1]
    page.get_by_role("link", name="Erase this student…").click()
    page.get_by_label("type the student’s name").fill("Rosa Castillo")
    page.get_by_role("button", name="Erase this student").click()
    expect(page.get_by_text("Everything about this student has been erased.")).to_be_visible()
    for path in ("/", "/assignments/1/", "/courses/1/people", "/runs/1/", "/runs/2/", "/runs/2/compared-with/1"):
        page.goto(path)
        page.locator(".topbar .account").wait_for()
        assert "Rosa" not in page.content(), path
    assert other.request.get(f"/people/{number}/").status == 404
    page.goto("/runs/2/pairs/1")
    expect_decided(page)


def leave(page, origin):
    report = page.url
    log_out(page)
    page.go_back()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    page.goto(report)
    log_in(page, "nora@example.org")
    expect(page.locator("#case")).to_be_visible()  # where she wanted to go
    log_out(page)


def test_a_setting_that_is_changed_before_the_script_has_come_is_asked(visit):
    page = visit("/")
    held = []
    page.route(re.compile(r"/what_if\.js"), lambda route: held.append(route))
    page.goto("/runs/2/what-if", wait_until="commit")
    page.get_by_label("Ignore passages shared by more than").fill("3")
    [script] = held
    script.continue_()
    expect(page.locator(".slopes")).to_be_visible(timeout=60_000)
    expect(page).to_have_url(re.compile("max_matches=3"))


def test_settings_that_nobody_changed_are_not_asked(visit):
    page = visit("/")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/preview" in request.url else None)
    page.goto("/runs/2/what-if")
    expect(page.locator("#wishes input[type=range]").first).to_be_attached()
    page.reload()
    assert asked == []
