"""From two platforms to a hearing: a roster joins them, an assistant proposes, an instructor decides and prints."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from sqlalchemy import select
from support.accounts import hashed
from support.classes import SAMPLES, add_class, add_run, add_submission
from support.server import PEOPLE, make_server

from browser.app import log_in, serving_pages
from browser.tools import lacking, needed
from moss.intake import collect
from moss.store.tables import AssignmentRow, UserRow

expect = needed("playwright.sync_api", "playwright").expect

ROSTER = b"""Name,Section,Other names,Partners
Alma Ruiz,Tuesday,alma;alma-git,
Celine Petit,Friday,celine;celine-git,
Diego Sosa,Friday,diego;diego-git,Farid Aziz
Farid Aziz,Friday,farid;farid-git,
"""


@pytest.fixture
def two_platforms(tmp_path):
    """A server with one class in two assignments, which platforms name differently."""
    folder = tmp_path / "data"
    with make_server(folder) as server:
        course = server.add_course()
        first = add_class(server.store, course, SAMPLES / "essays", "Essay 1")
        with server.store.session() as session:
            second = AssignmentRow(course_id=course, name="Essay 2")
            session.add(second)
            session.flush()
            for each in collect([SAMPLES / "essays" / "submissions"]).submissions:
                add_submission(session, second, replace(each, owner=f"{each.owner}-git"))
            for user in session.scalars(select(UserRow)):
                user.password = hashed()
            number = second.id
        for assignment in (first, number):
            add_run(server.store, assignment)
        server.work()
    with serving_pages(folder) as origin:
        yield origin


def test_from_two_platforms_to_a_hearing(two_platforms, open_page):
    instructor, assistant = (open_page(two_platforms, timezone_id="Asia/Tokyo", base_url=two_platforms) for _ in "ab")
    log_in(instructor, PEOPLE["instructor"])
    log_in(assistant, PEOPLE["assistant"])
    join_the_platforms(instructor)
    look_at_partners(instructor)
    propose(assistant)
    decide_and_undo(instructor)
    dismiss_the_rest(instructor)
    treat_as_starter_code(instructor)
    print_the_case(instructor)
    part_them(instructor)


def join_the_platforms(page):
    page.goto("/courses/1/people")
    expect(page.locator(".everyone", has_text="alma-git")).to_be_visible()
    page.get_by_role("link", name="Roster…").click()
    page.get_by_label("CSV file").set_input_files({"name": "r.csv", "mimeType": "text/csv", "buffer": ROSTER})
    page.get_by_role("button", name="Save the roster").click()
    expect(page.get_by_text("The roster has 4 students.")).to_be_visible()
    expect(page.get_by_text("alma-git belongs to Alma Ruiz")).to_be_visible()
    page.goto("/courses/1/people")
    row = page.locator(".strips tbody tr", has_text="Alma Ruiz")
    expect(row.locator("td.number")).to_have_text("2")
    page.get_by_label("Section").select_option("Tuesday")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".strips tbody tr")).to_have_count(1)


def look_at_partners(page):
    page.goto("/courses/1/cases?state=partners")
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody tr").first).to_contain_text("Diego Sosa and Farid Aziz")
    page.goto("/courses/1/cases")
    expect(page.locator("tbody")).not_to_contain_text("Diego Sosa")


def propose(page):
    page.goto("/runs/1/pairs/1")
    page.keyboard.press("x")
    page.get_by_label("Note").fill("The same error in both.")
    page.get_by_role("button", name="Propose", exact=True).click()
    expect(page.get_by_text("An instructor decides.")).to_be_visible()
    expect(page.locator("#case > summary")).to_contain_text("needs review")


def decide_and_undo(page):
    page.goto("/runs/1/pairs/1")
    page.keyboard.press("c")
    expect(page.get_by_text("proposes: suspicious")).to_be_visible()
    expect(page.get_by_text("Before you confirm")).to_be_visible()
    page.evaluate("location.hash = '#m1'")
    page.keyboard.press("x")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#case > summary")).to_contain_text("suspicious")
    expect(page).to_have_url(re.compile("#m1$"))
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator("#case > summary")).to_contain_text("needs review")


def dismiss_the_rest(page):
    page.goto("/courses/1/cases")
    shown = page.locator("tbody tr").count()
    page.get_by_role("button", name=f"Dismiss the {shown} shown").click()
    expect(page.get_by_role("heading", name=f"Dismiss {shown} pairs?")).to_be_visible()
    page.get_by_role("button", name=f"Dismiss {shown} pairs").click()
    expect(page.get_by_text("All caught up")).to_be_visible()
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator("tbody tr")).to_have_count(shown)


def treat_as_starter_code(page):
    page.goto("/runs/1/pairs/1/passages/1/elsewhere")
    page.get_by_role("button", name="starter code").click()
    expect(page.get_by_text("Ignored as starter code from the next run on.")).to_be_visible()


def print_the_case(page):
    page.goto("/runs/1/pairs/1#case")
    page.get_by_role("link", name="Open the case on its own page").click()
    moment = page.locator(".facts time").first
    expect(moment).to_have_text(re.compile(r"^\d+ \w+, \d\d:\d\d$"))
    assert "GMT+9" in moment.get_attribute("title")
    for place in range(60):
        page.evaluate(
            "place => document.querySelector('.history').append(`Line ${place}`, document.createElement('br'))", place
        )
    pdf = page.pdf()
    if shutil.which("pdftotext") is None:
        lacking("pdftotext is missing: apt install poppler-utils")
    told = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True)
    sheets = told.stdout.decode().rstrip("\f").split("\f")
    assert len(sheets) == len(re.findall(rb"/Type\s*/Page\b", pdf)) > 1
    assert all("Alma Ruiz" in sheet and "Celine Petit" in sheet for sheet in sheets)
    assert re.search(r"\d{4}, \d\d:\d\d GMT\+9", sheets[0])
    assert " ago" not in told.stdout.decode()


def part_them(page):
    page.goto("/courses/1/roster")
    page.get_by_role("button", name=re.compile("Part.*alma-git")).click()
    expect(page.get_by_text("alma-git and Alma Ruiz are two students again.")).to_be_visible()
