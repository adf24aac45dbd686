"""The evidence of a pair: one file that opens anywhere, runs nothing, leads nowhere else, and prints."""

import re


def test_it_is_one_file_that_tells_both_names_and_every_passage(open_page, library, evidence):
    page = open_page(evidence(library, 4))
    pair = library.report.pairs[3]
    assert page.locator("h1 bdi").all_text_contents() == [pair.a, pair.b]
    assert page.locator("script, link, img, iframe, form").count() == 0
    text = page.inner_text("main")
    for number, match in enumerate(pair.matches, 1):
        assert re.search(rf"Passage {number}\b", text)
        assert str(match.tokens) in text
    assert "Similarity is not proof" in page.inner_text("footer")


def test_its_links_stay_in_it_and_lead_somewhere(open_page, library, evidence):
    page = open_page(evidence(library, 4))
    targets = page.locator("a").evaluate_all("all => all.map((one) => one.getAttribute('href'))")
    assert targets
    assert all(target.startswith("#") for target in targets)
    assert page.evaluate("targets => targets.filter((one) => !document.getElementById(one.slice(1)))", targets) == []


def test_both_texts_are_in_it_in_full(open_page, library, evidence):
    page = open_page(evidence(library, 4))
    pair = library.report.pairs[3]
    shown = "".join(page.locator("main").text_content().split())
    for record in library.report.submissions:
        if record.id in (pair.a, pair.b):
            for file in record.files:
                for line in file.text.splitlines():
                    assert "".join(line.split()) in shown
