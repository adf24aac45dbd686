"""What is highlighted in the browser is what the engine found, to the character, in every shown pair."""

import pytest

READ = """async ([html]) => {
    const page = html ? new DOMParser().parseFromString(html, 'text/html') : document;
    const walk = (node, passage, pieces) => {
        if (node.nodeType === Node.TEXT_NODE) {
            pieces.push([node.data, passage]);
        } else if (node.dataset?.char) {
            pieces.push([String.fromCodePoint(parseInt(node.dataset.char, 16)), passage]);
        } else if (!['tags', 'cell'].some((name) => node.classList?.contains(name))) {
            const own = node.nodeName === 'MARK' ? Number(node.dataset.m) : passage;
            node.childNodes.forEach((child) => walk(child, own, pieces));
        }
        return pieces;
    };
    const read = (file) => [...file.querySelectorAll('.code :is(pre, li)')].flatMap((line) => walk(line, 0, []));
    return Object.fromEntries([...page.querySelectorAll('.pane .file')].map((file) => [
        file.closest('.side').dataset.side + ' ' + file.querySelector('h3 bdi').textContent, read(file)]));
}"""


def read(pieces):
    """A file's text, and for each passage the places of its highlighted characters."""
    text, marked = "", {}
    for piece, passage in pieces:
        if passage:
            marked.setdefault(passage, set()).update(range(len(text), len(text) + len(piece)))
        text += piece
    return text, marked


def check_side(report, pair, side, shown):
    """The passages highlighted in this side's files are the runs of the matches but for margins."""
    [record] = [record for record in report.submissions if record.id == getattr(pair, side)]
    for file in record.files:
        text, marked = read(shown[f"{side} {file.path}"])
        assert text == file.text.replace("\r\n", "\n")
        wanted = {}
        for number, match in enumerate(pair.matches, 1):
            if getattr(match, side).file == file.path:
                spans = [(getattr(run, f"{side}_start"), getattr(run, f"{side}_end")) for run in match.runs]
                wanted[number] = {at for start, end in spans for at in range(start, end)}
        assert marked.keys() == wanted.keys()
        for number, places in wanted.items():
            assert marked[number] <= places
            assert not "".join(file.text[at] for at in places - marked[number]).strip(), "only margins are left out"


CLASSES = ["java-library", "python-textstats", "essays"]


@pytest.mark.parametrize("name", CLASSES)
def test_the_highlighted_characters_are_those_of_the_runs(open_page, sample, name):
    site = sample(name)
    page = open_page("about:blank")
    for number, pair in site.ranked():
        html = (site.folder / f"pairs/{number:04}.html").read_text(encoding="utf-8")
        shown = page.evaluate(READ, [html])
        for side in "ab":
            check_side(site.report, pair, side, shown)


@pytest.mark.parametrize("name", CLASSES)
def test_the_lines_that_the_script_makes_have_the_same_text_and_highlights(open_page, sample, name):
    site = sample(name)
    page = open_page("about:blank")
    for number, pair in [*site.ranked()][:3]:
        page.goto(site.pair(number))
        shown = page.evaluate(READ, [""])
        for side in "ab":
            check_side(site.report, pair, side, shown)
        assert page.locator(".code pre").count() == 0


def test_every_highlight_can_be_seen(open_page, library):
    page = open_page(library.pair(library.richest()))
    page.keyboard.press("f")
    seen = page.locator("#texts mark").evaluate_all(
        "all => all.map((one) => one.getClientRects().length > 0 && getComputedStyle(one).backgroundImage !== 'none')"
    )
    assert seen
    assert all(seen)
