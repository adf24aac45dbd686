"""A class that attacks its reader: everything is shown as text, and nothing of it runs."""

from browser.sites import HOSTILE_NAMES, OVERRIDE

PWNED = "window.__pwned"


def as_shown(name):
    return name.replace(OVERRIDE, "U+202E")


def test_no_page_runs_anything(open_page, hostile):
    page = open_page("about:blank")
    people = [hostile.submission(pair.b) for pair in hostile.report.pairs[::4]]
    for url in (hostile.page(), *map(hostile.pair, (1, 5, 9)), *people):
        page.goto(url)
        assert page.evaluate(PWNED) is None, url
        scripts = page.evaluate("[...document.scripts].map((one) => one.src)")
        assert all("/assets/" in source or source.endswith("/pairs.js") for source in scripts), url
        assert page.locator("img, iframe, object, embed, form, base, [onerror], [onload], [onmouseover]").count() == 0
        assert page.locator("a[href^='javascript' i]").count() == 0


def test_names_are_text_on_every_kind_of_page(open_page, hostile):
    page = open_page(hostile.page())
    shown = page.locator("#pairs-table .name bdi").all_text_contents()
    for pair in hostile.report.pairs:
        assert as_shown(pair.a) in shown
        assert as_shown(pair.b) in shown
    pair = hostile.report.pairs[0]
    page.goto(hostile.pair(1))
    assert page.locator("h1 bdi").all_text_contents() == [as_shown(pair.a), as_shown(pair.b)]
    page.goto(hostile.submission(pair.a))
    assert page.locator("h1").text_content() == as_shown(pair.a)


def test_names_of_every_sort_were_tried(hostile):
    names = {name for pair in hostile.report.pairs for name in (pair.a, pair.b)}
    assert names == set(HOSTILE_NAMES)


def test_no_character_that_turns_text_around_reaches_a_page(open_page, hostile):
    page = open_page("about:blank")
    for url in (hostile.page(), hostile.pair(1), hostile.submission(hostile.report.pairs[0].a)):
        page.goto(url)
        assert OVERRIDE not in page.evaluate("document.documentElement.textContent")
        assert OVERRIDE not in page.title()


def test_a_filter_takes_hostile_words_and_addresses_as_text(open_page, hostile):
    page = open_page(hostile.page("index.html", '#name=<img src=x onerror=window.__pwned=1>&sort="]&from=<b>'))
    assert page.evaluate(PWNED) is None
    wanted = [pair for pair in hostile.report.pairs if HOSTILE_NAMES[0] in (pair.a, pair.b)]
    assert page.locator("#pairs-table tbody tr:visible").count() == len(wanted)


def test_using_a_hostile_pair_runs_nothing(open_page, hostile):
    page = open_page(hostile.pair(1))
    for key in "nf234s1?":
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    page.locator("#pane-a mark").first.hover()
    assert page.evaluate(PWNED) is None


def test_evidence_of_hostile_people_is_text_too(open_page, hostile, evidence):
    page = open_page(evidence(hostile, 1))
    pair = hostile.report.pairs[0]
    assert page.evaluate(PWNED) is None
    assert page.locator("script, img, iframe, form").count() == 0
    assert as_shown(pair.a) in page.locator("h1").text_content()
