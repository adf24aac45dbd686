"""The page of a pair, read back: the texts to the character, the marks exactly where the engine found them."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from support.programs import HONEST_JAVA, LEDGER, MAZE, notebook, write_class

import moss
from moss.model import Reasons
from moss.report.code.visible_text import visible
from moss.report.page_templates import DiskLinks
from moss.report.pages.pair import pair_page, render_pair, render_pairs
from moss.report.words.passage_words import passages_of

SAMPLE = Path(__file__).parents[2] / "sample_submissions" / "java-library"
LINKS = DiskLinks("../")
PROSE = "The ledger keeps what everybody owes, and nobody may change what was written there before. " * 2
LUA = "".join(f"local total{n} = count(items[{n}], function(item) return item.price * {n} end)\n" for n in range(20))
VOID = {"col", "meta", "link", "br", "hr", "input", "img"}
HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}"
UNSEEN = "/* \u202e} \u2066if (admin)\u2069 \u200b\x00\x1b\ufeff </div></mark> */"


class Reader(HTMLParser):
    """What a page shows: the text of each file, and which of its characters are marked, from the markup alone."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.texts, self.marked, self.elements, self.words = {}, {}, [], []
        self.open, self.file = [], None
        self.at_start_of_text = False  # right behind <pre>, where a line end is none
        self.feed(page)
        self.close()
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        if tag in VOID:
            return
        self.open.append((tag, attributes))
        self.at_start_of_text = tag == "pre"
        classes = (attributes.get("class") or "").split()
        if "file" in classes and "id" in attributes:
            self.file = attributes["id"]
            self.texts[self.file] = ""
        if "data-char" in attributes and self.in_code():
            self.add(chr(int(attributes["data-char"], 16)))

    def in_code(self):
        inside = {name for _, a in self.open for name in (a.get("class") or "").split()}
        return any(tag == "pre" for tag, _ in self.open) and "cell" not in inside

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag
        if tag == "section" and not any("pane" in (a.get("class") or "") for _, a in self.open):
            self.file = None

    def handle_data(self, data):
        self.words.append(data)
        inside = {name for _, a in self.open for name in (a.get("class") or "").split()}
        if self.in_code() and "unseen" not in inside:
            self.add(data.removeprefix("\n") if self.at_start_of_text else data)
        self.at_start_of_text = False

    def add(self, data):
        if self.file is None:
            return
        match = next((int(a["data-m"]) for tag, a in self.open if tag == "mark"), None)
        start = len(self.texts[self.file])
        self.texts[self.file] += data
        if match:
            self.marked.setdefault((self.file, match), set()).update(range(start, start + len(data)))


@pytest.fixture(scope="module")
def report():
    settings = moss.Settings(jobs=1)
    return moss.compare(
        [SAMPLE / "submissions"], base=[SAMPLE / "starter"], archive=[SAMPLE / "archive"], settings=settings
    )


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Two copies of one program by people with bad names, in files with bad names and worse comments."""
    root = tmp_path_factory.mktemp("hostile")
    program = LEDGER.replace("{", "{ " + UNSEEN, 1).replace("no such customer", HOSTILE.replace('"', ""))
    name = HOSTILE.replace("/", "\u2215")
    members = {f"{name}\u202e": {f"{name}.java": program}, "twin": {"A\u200b.java": program}}
    folder = write_class(root / "hw", HONEST_JAVA | members)
    return moss.compare([folder], settings=moss.Settings(jobs=1))


def files_shown(report, number):
    """The page, the side, the name on the page and the record of each file of both sides."""
    reader = Reader(render_pair(report, number, LINKS))
    pair = report.pairs[number - 1]
    view = pair_page(report, number, passages_of(report, pair, careful=False))
    records = {record.id: {visible(file.path): file for file in record.files} for record in report.submissions}
    for name, side in ((pair.a, view.a), (pair.b, view.b)):
        for shown in side.files:
            yield reader, side.letter, shown.name, records[name][shown.path]


def plain(text):
    return text.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize("number", [1, 2, 4, 7, 11])
def test_both_texts_are_there_to_the_character(report, number):
    for reader, _, name, file in files_shown(report, number):
        assert reader.texts[name] == plain(file.text)


@pytest.mark.parametrize("number", [1, 2, 4, 7, 11])
def test_the_marked_characters_are_those_of_the_runs(report, number):
    pair = report.pairs[number - 1]
    seen = 0
    for reader, letter, name, file in files_shown(report, number):
        for i, match in enumerate(pair.matches, 1):
            if (match.a if letter == "a" else match.b).file != file.path:
                assert (name, i) not in reader.marked
                continue
            spans = [(r.a_start, r.a_end) if letter == "a" else (r.b_start, r.b_end) for r in match.runs]
            wanted = {at for start, end in spans for at in range(start, end)}
            marked = reader.marked[name, i]
            assert marked <= wanted
            assert not "".join(file.text[at] for at in wanted - marked).strip(), "only margins are left out"
            seen += 1
    assert seen == 2 * len(pair.matches)


def test_hostile_texts_come_back_to_the_character(hostile):
    assert hostile.pairs
    for reader, _, name, file in files_shown(hostile, 1):
        assert reader.texts[name] == plain(file.text)
        assert "\u202e" in file.text
        assert any(m for f, m in reader.marked if f == name)


def test_nothing_hostile_becomes_an_element_or_reaches_the_reader_unseen(hostile):
    page = render_pair(hostile, 1, LINKS)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ufeff\x00\x1b\ud800-\udfff]", page)
    reader = Reader(page)
    scripts = [a for tag, a in reader.elements if tag == "script"]
    assert scripts
    assert all(a.get("src", "").startswith("../assets/") for a in scripts)
    assert not [tag for tag, _ in reader.elements if tag in ("img", "iframe", "object", "form", "base", "style")]
    for _, attributes in reader.elements:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
    assert "{{7*7}}" in "".join(reader.words)


def test_the_page_says_what_a_reader_needs(report):
    text = " ".join("".join(Reader(render_pair(report, 4, LINKS)).words).split())
    assert "goran and hana" in text
    assert "Similarity is not proof" in text
    assert "Only these two of 22 submissions have it. It is not starter code." in text
    assert "pile → stack ×6" in text
    assert "starter code" in text


def test_links_lead_to_both_people_to_the_neighbours_and_to_whoever_else_has_it(report):
    numbers = {record.id: n for n, record in enumerate(report.submissions, 1)}
    page = render_pair(report, 2, LINKS)
    targets = {a.get("href") for tag, a in Reader(page).elements if tag == "a"}
    pair = report.pairs[1]
    others = {name for match in pair.matches for name in match.others}
    assert others
    assert {LINKS.submission(numbers[name]) for name in (pair.a, pair.b, *others)} <= targets
    assert {LINKS.pair(1), LINKS.pair(3), LINKS.overview()} <= targets


def test_the_first_and_the_last_pair_have_one_neighbour(report):
    first = render_pair(report, 1, LINKS)
    last = render_pair(report, len(report.pairs), LINKS)

    def offered(page):
        return [a["rel"] for tag, a in Reader(page).elements if tag == "a" and "rel" in a and "hidden" not in a]

    assert offered(first) == ["next"]
    assert offered(last) == ["prev"]


def test_every_link_within_the_page_has_a_target_and_no_id_comes_twice(report):
    elements = Reader(render_pair(report, 4, LINKS)).elements
    ids = [a["id"] for _, a in elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for _, a in elements if a.get("href", "").startswith("#")} <= set(ids)


def test_the_page_is_the_same_again(report):
    assert render_pair(report, 3, LINKS) == render_pair(report, 3, LINKS)


@pytest.mark.parametrize("highlight", [True, False])
def test_pages_made_together_are_those_made_alone(tmp_path, highlight):
    """Of programs and notebooks, in languages that our scanners read and one that Pygments reads, with wide letters in
    some, and with pairs that share no passage."""
    wide = LEDGER.replace("balance", "сальдо") + "// 語 😀\n"
    members = {"ann": {"A.java": LEDGER}, "bob": {"B.java": wide, "notes.txt": PROSE}, "cy": {"C.txt": LEDGER + PROSE}}
    members |= {"di": {"work.ipynb": notebook(LEDGER, language="java")}, "eve": {"a.lua": LUA}, "fay": {"a.lua": LUA}}
    members |= {name: {"Maze.java": MAZE.replace("maze", name)} for name in ("gus", "hal")}
    report = moss.compare([write_class(tmp_path / "hw", members)], settings=moss.Settings(jobs=1))
    without = replace(report.pairs[0], a="ann", b="gus", matches=(), tokens=0, longest=0)
    report = replace(report, pairs=(*report.pairs[:3], without, *report.pairs[3:]))
    assert len(report.pairs) > 8
    numbers = [*range(1, len(report.pairs) + 1), 2]
    alone = [render_pair(report, number, LINKS, highlight) for number in numbers]
    assert [*render_pairs(report, numbers, LINKS, highlight)] == alone


def test_without_highlighting_nothing_but_colours_is_lost(report):
    plainer = Reader(render_pair(report, 4, LINKS, highlight=False))
    full = Reader(render_pair(report, 4, LINKS))
    assert plainer.texts == full.texts
    assert plainer.marked == full.marked


def test_a_notebook_says_in_which_cell_a_passage_is(tmp_path):
    cells = ("# Task", LEDGER[: len(LEDGER) // 2], LEDGER[len(LEDGER) // 2 :])
    members = {n: {"work.ipynb": notebook(*cells, language="java")} for n in ("ann", "bob")}
    folder = write_class(tmp_path / "hw", members | {n: {"work.ipynb": notebook(MAZE)} for n in ("cy", "di")})
    found = moss.compare([folder], settings=moss.Settings(jobs=1))
    number = next(n for n, pair in enumerate(found.pairs, 1) if {pair.a, pair.b} == {"ann", "bob"})
    assert re.search(r"cell \d", render_pair(found, number, LINKS))


def test_the_page_says_why_the_score_is_what_it_is(report):
    page = render_pair(report, 1, LINKS)
    assert re.search(r'<details class="why">\s*<summary>Why \d+%\?', page)
    assert 'href="#m1"' in page
    points = re.findall(r'<td class="number">(\d+|under 1)%</td>\s*<td class="bar-cell">', page)
    assert sum(0 if found == "under 1" else int(found) for found in points) == round(100 * report.pairs[0].score)


def test_a_report_that_does_not_say_why_shows_nothing_of_it(report):
    older = replace(report, pairs=tuple(replace(pair, reasons=Reasons()) for pair in report.pairs))
    page = render_pair(older, 1, LINKS)
    assert 'class="causes"' not in page
    assert "Mainly" not in page
