"""The page of a submission: from a pair to a person and back again."""


def test_a_pair_leads_to_both_people_and_each_leads_back(open_page, library):
    page = open_page(library.pair(1))
    pair = library.report.pairs[0]
    for name in (pair.a, pair.b):
        page.goto(library.pair(1))
        page.get_by_role("heading", level=1).get_by_role("link", name=name, exact=True).click()
        page.wait_for_url(library.submission(name))
        other = pair.b if name == pair.a else pair.a
        page.locator(".partners").get_by_role("link", name=other, exact=True).click()
        page.wait_for_url(library.pair(1))


def test_the_partners_are_those_of_the_shown_pairs(open_page, library):
    name = library.report.pairs[0].a
    page = open_page(library.submission(name))
    wanted = {
        pair.b if pair.a == name else pair.a: library.pair(number)
        for number, pair in library.ranked()
        if name in (pair.a, pair.b)
    }
    found = page.locator(".partners tbody th a").evaluate_all("all => all.map((one) => [one.innerText, one.href])")
    assert dict(found) == wanted
