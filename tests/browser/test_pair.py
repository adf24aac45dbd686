"""The page of a pair under a reader's hands: keys, views, folds, maps, scrolling, and the address."""

import pytest

from browser.tools import address, needed, wait_until

expect = needed("playwright.sync_api", "playwright").expect


@pytest.fixture
def number(library):
    """The pair with most passages."""
    return library.richest()


@pytest.fixture
def count(library, number):
    """How many passages it has."""
    count = len(library.report.pairs[number - 1].matches)
    assert count >= 3
    return count


@pytest.fixture
def page(open_page, library, number):
    return open_page(library.pair(number))


def numbers(page, selector):
    return page.locator(selector).evaluate_all("all => [...new Set(all.map((one) => Number(one.dataset.m)))]")


def top(page, side):
    return page.evaluate(f"document.getElementById('pane-{side}').scrollTop")


def is_in_view(page, side, passage):
    return page.evaluate(
        """([side, passage]) => {
            const pane = document.getElementById(`pane-${side}`).getBoundingClientRect();
            const mark = document.querySelector(`#pane-${side} mark[data-m="${passage}"]`).getBoundingClientRect();
            return mark.top >= pane.top - 1 && mark.top < pane.bottom && mark.top >= 0 && mark.top < innerHeight;
        }""",
        [side, passage],
    )


def check_current(page, passage, count):
    """Cards, marks, connectors, the counter and the address all tell of the same passage."""
    expect(page.locator("#current")).to_have_text(f"{passage} of {count}")
    assert numbers(page, ".card[aria-current=true]") == [passage]
    assert numbers(page, "mark.current") == [passage]
    expect(page.locator(f"#connectors path.current[data-m='{passage}']")).to_have_count(1)
    assert numbers(page, "#connectors path.current") == [passage]
    assert address(page).endswith(f"#m{passage}")
    assert is_in_view(page, "a", passage)
    assert is_in_view(page, "b", passage)


def test_keys_walk_through_all_passages_and_around(page, count):
    for passage in [*range(1, count + 1), 1]:
        page.keyboard.press("n")
        check_current(page, passage, count)
    page.keyboard.press("p")
    check_current(page, count, count)
    page.keyboard.press("Escape")
    assert numbers(page, "mark.current") == []
    assert "#" not in address(page)


def test_buttons_walk_as_keys_do(page, count):
    page.click("#next")
    page.click("#next")
    check_current(page, 2, count)
    page.click("#previous")
    check_current(page, 1, count)


def test_a_card_and_a_block_of_the_map_choose_their_passage(page, count):
    page.keyboard.press("l")
    page.click(".card[data-m='2'] .choose")
    check_current(page, 2, count)
    page.click("#map-b a[data-m='3']", force=True)
    check_current(page, 3, count)


def test_a_mark_brings_up_its_other_end(page, count):
    page.keyboard.press("n")
    page.locator("#pane-a mark[data-m='1']").first.click()
    assert is_in_view(page, "b", 1)
    assert numbers(page, "mark.current") == [1]


def test_a_number_in_the_text_leads_to_the_other_side_and_back_by_keys_alone(page):
    page.focus("#a-m2")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "b-m2"
    assert is_in_view(page, "b", 2)
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "a-m2"


@pytest.mark.parametrize(("key", "view"), [("1", "structure"), ("2", "text"), ("3", "exact"), ("4", "diff")])
def test_views_have_keys_and_explain_themselves(page, key, view):
    page.keyboard.press("2" if view == "structure" else "1")
    page.keyboard.press(key)
    assert page.get_attribute("#workspace", "data-view") == view
    pressed = page.locator(".views [aria-pressed=true]")
    assert pressed.evaluate_all("all => all.map((one) => one.dataset.view)") == [view]
    assert page.locator("#meaning span:visible").get_attribute("data-of") == view
    assert page.locator("#diff").is_visible() == (view == "diff")
    assert page.locator("#side-a").is_visible() == (view != "diff")


@pytest.mark.parametrize(("view", "kind"), [("text", "t"), ("exact", "x")])
def test_a_view_marks_what_is_alike_in_its_sense_and_nothing_else(page, view, kind):
    page.click(f".views [data-view={view}]")
    painted = page.locator("#texts mark").evaluate_all(
        """all => all.map((one) => [one.classList.contains(KIND), getComputedStyle(one).backgroundImage !== 'none'
            || getComputedStyle(one).backgroundColor !== 'rgba(0, 0, 0, 0)'])""".replace("KIND", f"'{kind}'")
    )
    assert {wanted for wanted, _ in painted} == {True, False}
    assert all(wanted == found for wanted, found in painted)


def test_a_passage_is_kept_when_the_view_changes(page, count):
    for key in "nn3":
        page.keyboard.press(key)
    assert address(page).endswith("#m2/exact")
    assert is_in_view(page, "a", 2)
    for key in "41":
        page.keyboard.press(key)
    check_current(page, 2, count)


def test_folds_open_and_close_by_one_key(page):
    folds, lines = page.locator("#texts details.fold"), page.locator("#texts .fold li")
    assert folds.count() > 0
    assert lines.first.is_hidden()
    page.keyboard.press("f")
    assert page.locator("#texts details.fold[open]").count() == folds.count()
    assert lines.first.is_visible()
    assert page.get_attribute("#fold", "aria-pressed") == "true"
    page.keyboard.press("f")
    assert page.locator("#texts details.fold[open]").count() == 0


def test_swapping_puts_each_side_in_the_other_s_place(page, count):
    def places():
        return [page.locator(f"#side-{side}").bounding_box()["x"] for side in "ab"]

    before = places()
    page.keyboard.press("n")
    page.keyboard.press("s")
    after = places()
    assert before[0] < before[1]
    assert after[0] > after[1]
    assert address(page).endswith("#m1/structure/swapped")
    expect(page.locator("#connectors path.current")).to_have_count(1)
    page.keyboard.press("s")
    assert places() == before
    check_current(page, 1, count)


def test_the_list_of_passages_is_there_where_there_is_room_and_otherwise_at_a_key(page, open_page, library, number):
    assert page.locator("#cards").is_hidden()
    assert page.get_attribute("#rail", "aria-pressed") == "false"
    page.keyboard.press("l")
    assert page.locator("#cards").is_visible()
    page.click("#rail")
    assert page.locator("#cards").is_hidden()
    wide = open_page(library.pair(number), viewport={"width": 1600, "height": 900})
    assert wide.locator("#cards").is_visible()
    assert wide.get_attribute("#rail", "aria-pressed") == "true"
    plain = open_page(library.pair(number), java_script_enabled=False)
    assert plain.locator("#cards").is_visible()


def test_help_closes_by_escape_keeps_the_passage_and_gives_the_focus_back(page, count):
    page.keyboard.press("n")
    page.focus("#help-button")
    page.keyboard.press("Enter")
    assert page.locator("#help").is_visible()
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    assert page.locator("#help").is_hidden()
    assert page.evaluate("document.activeElement.id") == "help-button"
    check_current(page, 1, count)
    page.keyboard.press("?")
    page.click("#help-close")
    assert page.locator("#help").is_hidden()


def test_keys_lead_to_the_neighbours_and_to_all_pairs(open_page, library):
    page = open_page(library.pair(2))
    page.keyboard.press("]")
    page.wait_for_url(library.pair(3))
    page.keyboard.press("[")
    page.wait_for_url(library.pair(2))
    page.keyboard.press("u")
    page.wait_for_url(library.page(fragment="#pair-2"))


def test_the_first_pair_has_none_before_it(open_page, library):
    page = open_page(library.pair(1))
    page.keyboard.press("[")
    page.keyboard.press("n")
    assert address(page) == library.pair(1, "#m1")


def test_an_address_restores_passage_view_and_sides(open_page, library, number):
    page = open_page(library.pair(number, "#m3/exact/swapped"))
    assert page.get_attribute("#workspace", "data-view") == "exact"
    assert numbers(page, ".card[aria-current=true]") == [3]
    assert page.get_attribute("#texts", "data-swapped") is not None
    assert is_in_view(page, "a", 3)
    assert is_in_view(page, "b", 3)


def test_the_address_of_a_diff_keeps_its_passage(open_page, library, number):
    page = open_page(library.pair(number, "#m2/diff"))
    expect(page.locator("#diff")).to_be_visible()
    assert address(page).endswith("#m2/diff")
    page.keyboard.press("1")
    assert numbers(page, "mark.current") == [2]
    assert address(page).endswith("#m2")


def test_an_address_that_is_pasted_over_another_counts(open_page, library, number):
    page = open_page(library.pair(number, "#m3/exact/swapped"))
    page.goto(library.pair(number, "#m2/text"))
    expect(page.locator(".card[aria-current=true]")).to_have_attribute("data-m", "2")
    assert page.get_attribute("#workspace", "data-view") == "text"
    assert page.get_attribute("#texts", "data-swapped") is None
    assert address(page).endswith("#m2/text")


@pytest.mark.parametrize("fragment", ["#m999", "#m0/exact", "#m3/nonsense/what", "#%3Cscript%3E"])
def test_an_odd_address_does_no_harm(open_page, library, number, fragment):
    page = open_page(library.pair(number, fragment))
    page.keyboard.press("n")
    assert len(numbers(page, "mark.current")) == 1


def test_both_sides_scroll_together_until_told_not_to(open_page, library):
    page = open_page(library.pair(1))
    box = page.locator("#pane-a").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    before = top(page, "b")
    page.mouse.wheel(0, 300)
    wait_until(page, lambda: top(page, "b") > before + 100)
    page.keyboard.press("a")
    assert page.get_attribute("#sync", "aria-pressed") == "false"
    still, moving = top(page, "b"), top(page, "a")
    page.mouse.wheel(0, 200)
    wait_until(page, lambda: top(page, "a") > moving + 100)
    assert top(page, "b") == still


def test_a_side_can_be_scrolled_by_keys(page):
    page.focus("#pane-a")
    before = top(page, "a")
    page.keyboard.press("End")
    wait_until(page, lambda: top(page, "a") > before)


def test_keys_with_control_are_the_browser_s(page):
    page.keyboard.press("Control+a")
    assert page.get_attribute("#sync", "aria-pressed") == "true"


def test_why_a_pair_scores_as_it_does_opens_by_a_key_and_leads_to_the_passages(page, count):
    why = page.locator("details.why")
    expect(why.locator(".causes")).not_to_be_visible()
    why.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(why.locator(".causes")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    passage = int(page.evaluate("location.hash").removeprefix("#m").split("/")[0])
    check_current(page, passage, count)


ROOM = """(side) => {
    const line = document.querySelector(`#pane-${side} .in > li:not(:has(.label))`);
    const style = getComputedStyle(line);
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = `${style.fontSize} ${style.fontFamily}`;
    const width = line.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return Math.floor(100 * width / pen.measureText('m'.repeat(100)).width);
}"""


def test_the_texts_have_most_of_the_window(page):
    """Code begins by y = 200, and seventy characters fit on a line of both sides."""
    for side in "ab":
        pane = page.locator(f"#pane-{side}").bounding_box()["y"]
        assert pane + page.locator(f"#pane-{side} .file h3").first.bounding_box()["height"] <= 200
        assert page.evaluate(ROOM, side) >= 70


@pytest.mark.parametrize(("width", "least"), [(768, 35), (390, 40)])
def test_both_texts_can_be_read_and_move_in_step_on_narrow_screens(open_page, library, number, count, width, least):
    page = open_page(library.pair(number), viewport={"width": width, "height": 844})
    page.click("#next")
    page.click("#next")
    expect(page.locator("#current")).to_have_text(f"2 of {count}")
    for side in "ab":
        assert is_in_view(page, side, 2)
        assert page.evaluate(ROOM, side) >= least


def test_the_difference_has_every_line_of_both_sides_once_and_in_order(page):
    """Hunks are parts of it; without context in between, the rows of all lines add up to both texts."""
    page.keyboard.press("4")
    assert page.locator("#diff tr:is(.gone, .new)").count() > 0
    wrong = page.evaluate(
        """() => {
            const letter = (seed, n) => 'abcd'[(seed * 7919 + n * n * 31 + n) % 4];
            const some = (seed, length) => Array.from({ length }, (_, n) => letter(seed, n));
            const all = (lines) => String(lines.map((_, n) => n + 1));
            const cases = Array.from({ length: 200 }, (_, n) => [some(n, n % 9), some(n * 3 + 1, (n * 5) % 11)]);
            return cases.filter(([a, b]) => {
                const rows = mossDiff.compare(a, b);
                const left = rows.filter(([sign]) => sign !== '+').map(([, i]) => i);
                const right = rows.filter(([sign]) => sign !== '−').map(([, , j]) => j);
                const same = rows.every(([sign, i, j]) => sign !== ' ' || a[i - 1] === b[j - 1]);
                return !(same && String(left) === all(a) && String(right) === all(b));
            });
        }"""
    )
    assert wrong == []
