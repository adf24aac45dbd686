"""References in a browser: whatever the list is filtered by, a student close to several of one kind is in it once."""

import csv

import pytest
from support.programs import HONEST_JAVA, LEDGER, write_class

import moss
from browser.tools import needed
from moss.model import ReferenceKind
from moss.report.site import write_site

expect = needed("playwright.sync_api", "playwright").expect


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A class in which a student has a chatbot's answer, of which there are four."""
    root = tmp_path_factory.mktemp("references")
    answers = {f"answer{n}": {"A.java": LEDGER.replace("balance", f"value{n}")} for n in range(1, 5)}
    write_class(root / "class", HONEST_JAVA | {"ada": {"Bank.java": LEDGER}})
    write_class(root / "answers", answers)
    references = [(ReferenceKind.CHATBOT, root / "answers")]
    report = moss.compare([root / "class"], references=references, settings=moss.Settings(jobs=1))
    return write_site(report, root / "report", jobs=1).as_uri()


def count_of(page):
    """How many pairs the list shows, and how many there are to show."""
    shown = page.inner_text("#filter-count").split()
    return int(shown[0]), int(shown[-2])


def test_the_tab_counts_what_the_list_has(open_page, url):
    page = open_page(url)
    page.locator("#pairs-table tbody tr").first.wait_for()
    assert page.inner_text(".tabs a[href='#pairs'] .count") == str(count_of(page)[1])


def test_a_name_does_not_unfold_what_is_listed_once(open_page, url):
    page = open_page(url)
    page.fill("#filter-name", "ada")
    answers = page.locator("#pairs-table a.open", has_text="answer")
    expect(answers).to_have_count(1)
    page.fill("#filter-name", "a")
    shown, listed = count_of(page)
    assert shown <= listed


def test_each_answer_is_found_by_its_name_and_by_its_score(open_page, url):
    page = open_page(url)
    page.fill("#filter-name", "answer3")
    first = page.locator("#pairs-table a.open").first
    expect(first).to_contain_text("answer3")
    expect(first).to_contain_text("ada")


def test_the_list_that_is_saved_has_the_kinds(open_page, url):
    page = open_page(url)
    page.locator("#pairs-table tbody tr").first.wait_for()
    with page.expect_download() as download:
        page.click("#download")
    with open(download.value.path(), encoding="utf-8-sig") as file:
        rows = [*csv.DictReader(file)]
    assert any("answer" in row["a"] + row["b"] for row in rows)
    assert {("answer" in row["a"] + row["b"], row["reference"]) for row in rows} == {(True, "chatbot"), (False, "")}
