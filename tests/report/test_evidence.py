"""Evidence, read back: one file that loads nothing, texts to the character, marks where the engine found them."""

import re
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from support.programs import HONEST_JAVA, LEDGER, write_class

import moss
from moss.model import Problem
from moss.report.evidence.document import EvidenceError, EvidenceRequest, make_evidence, render_evidence
from moss.report.evidence.redaction import flipped, names_table

SAMPLE = Path(__file__).parents[2] / "sample_submissions" / "java-library"
VOID = {"meta"}
HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)></style>{{7*7}}"
UNSEEN = "/* \u202e} \u2066if (admin)\u2069 \u200b\x00\x1b\ufeff </div></mark> */"
PEOPLE = ("Annemarie Quilty", "Bogdan_Ferenczy")
THIRD = "zsofia"
SECRET = ("annemarie", "quilty", "bogdan", "ferenczy", "zsofia")


class Reader(HTMLParser):
    """What a page shows: the text of each file in full, its marked characters, the excerpts' lines, all words."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.texts, self.marked, self.elements, self.words, self.styles = {}, {}, [], [], []
        self.excerpts, self.open, self.file = [], [], None
        self.feed(page)
        self.close()
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        if tag in VOID:
            return
        self.open.append((tag, attributes))
        classes = (attributes.get("class") or "").split()
        if "file" in classes:
            self.file = attributes["id"]
            self.texts[self.file] = ""
        if tag == "td" and "l" in classes:
            self.excerpts.append("")
        if "data-char" in attributes and self.in_line():
            self.add(chr(int(attributes["data-char"], 16)))

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        closed, attributes = self.open.pop()
        assert closed == tag
        if "file" in (attributes.get("class") or "").split():
            self.file = None

    def in_line(self):
        return any("l" in (a.get("class") or "").split() for _, a in self.open)

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "style":
            self.styles.append(data)
            return
        self.words.append(data)
        inside = {name for _, a in self.open for name in (a.get("class") or "").split()}
        if "l" in inside and not inside & {"tags", "unseen"}:
            self.add(data)

    def add(self, data):
        if self.file is None:
            if self.open and any(tag == "td" for tag, _ in self.open):
                self.excerpts[-1] += data
            return
        match = next((int(a["data-m"]) for tag, a in self.open if tag == "mark"), None)
        start = len(self.texts[self.file])
        self.texts[self.file] += data
        if match:
            self.marked.setdefault((self.file, match), set()).update(range(start, start + len(data)))

    @property
    def text(self):
        return " ".join("".join(self.words).split())


@pytest.fixture(scope="module")
def sample():
    settings = moss.Settings(jobs=1, comment="A lending library")
    folders = {"base": [SAMPLE / "starter"], "archive": [SAMPLE / "archive"]}
    return moss.compare([SAMPLE / "submissions"], **folders, settings=settings)


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Two copies with their writers' names in the code, a third with a part of it, and paths that name everybody."""
    first, second = PEOPLE
    part = LEDGER[: 4 * len(LEDGER) // 5]

    def signed(name, variable):
        program = re.sub(r"\bcustomer\b", variable, LEDGER)
        return f"// {name} wrote this; thanks to {THIRD}\n{program}"

    members = {
        first: {f"{first}.java": signed(first, "annemarie"), "Old.class": b"\xca\xfe\xba\xbe\0\0\0\0"},
        second: {"Bank.java": signed(second, "bogdanFerenczyName")},
        THIRD: {"Part.java": part},
    }
    folder = write_class(tmp_path_factory.mktemp("named") / "hw1", HONEST_JAVA | members)
    files = sorted(folder.glob("*/*"))
    return moss.compare(files, settings=moss.Settings(jobs=1, directory=True, comment=f"Marked by {THIRD}"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Two copies of one program by people with bad names, in files with bad names and worse comments."""
    program = LEDGER.replace("{", "{ " + UNSEEN, 1).replace("no such customer", HOSTILE.replace('"', ""))
    name = HOSTILE.replace("/", "\u2215")
    members = {f"{name}\u202e": {f"{name}.java": program}, "twin": {"A\u200b.java": program}}
    folder = write_class(tmp_path_factory.mktemp("hostile") / "hw", HONEST_JAVA | members)
    report = moss.compare([folder], settings=moss.Settings(jobs=1, comment=HOSTILE))
    return replace(report, problems=(Problem(report.pairs[0].a, HOSTILE),))


def plain(text):
    return text.replace("\r\n", "\n").replace("\r", "\n")


def number_of(report, *ids):
    return next(n for n, pair in enumerate(report.pairs, 1) if {pair.a, pair.b} == set(ids))


def files_of(report, pair):
    """Each file of both sides: its letter and record, in the page's order, which is that of its names."""
    for letter, id in (("a", pair.a), ("b", pair.b)):
        [record] = [record for record in report.submissions if record.id == id]
        matched = {(match.a if letter == "a" else match.b).file for match in pair.matches}
        ordered = sorted(record.files, key=lambda file: (file.path not in matched, file.status == "skipped"))
        for n, file in enumerate(ordered, 1):
            yield letter, f"{letter}{n}", file


@pytest.mark.parametrize("number", [1, 2, 4, 7, 11])
def test_both_texts_are_there_to_the_character(sample, number):
    reader = Reader(render_evidence(sample, number))
    files = list(files_of(sample, sample.pairs[number - 1]))
    assert {name for _, name, _ in files} == reader.texts.keys()
    for _, name, file in files:
        assert reader.texts[name] == plain(file.text)


@pytest.mark.parametrize("number", [1, 2, 4, 7, 11])
def test_the_marked_characters_are_those_of_the_runs(sample, number):
    pair, seen = sample.pairs[number - 1], 0
    reader = Reader(render_evidence(sample, number))
    for letter, name, file in files_of(sample, pair):
        for i, match in enumerate(pair.matches, 1):
            if (match.a if letter == "a" else match.b).file != file.path:
                assert (name, i) not in reader.marked
                continue
            spans = [(r.a_start, r.a_end) if letter == "a" else (r.b_start, r.b_end) for r in match.runs]
            wanted = {at for start, end in spans for at in range(start, end)}
            assert reader.marked[name, i] <= wanted
            assert not "".join(file.text[at] for at in wanted - reader.marked[name, i]).strip()
            seen += 1
    assert seen == 2 * len(pair.matches)


def test_excerpts_have_the_lines_of_the_passages(sample):
    pair = sample.pairs[3]
    shown = "".join(Reader(render_evidence(sample, 4)).excerpts)
    files = {(letter, file.path): file.text.splitlines(keepends=True) for letter, _, file in files_of(sample, pair)}
    for match in pair.matches:
        for letter, region in (("a", match.a), ("b", match.b)):
            for line in files[letter, region.file][region.start_line - 1 : region.end_line]:
                assert line in shown


def test_an_excerpt_marks_its_own_passage_and_nothing_else(sample):
    page, pair = render_evidence(sample, 4), sample.pairs[3]
    texts = {(letter, file.path): file.text for letter, _, file in files_of(sample, pair)}
    tables = re.findall(r'<table class="excerpt".*?</table>', page, re.DOTALL)
    assert len(tables) == len(pair.matches)
    for number, (table, match) in enumerate(zip(tables, pair.matches, strict=True), 1):
        assert set(re.findall(r'data-m="(\d+)"', table)) == {str(number)}
        for column, letter, region in ((0, "a", match.a), (1, "b", match.b)):
            cells = re.findall(r"<td class.*?</td>", table, re.DOTALL)[column::2]
            marked = re.findall(r"<mark.*?</mark>", "".join(cells), re.DOTALL)
            shown = "".join(unescape(re.sub("<[^>]*>", "", mark)) for mark in marked)
            spans = [(r.a_start, r.a_end) if letter == "a" else (r.b_start, r.b_end) for r in match.runs]
            wanted = "".join(texts[letter, region.file][start:end] for start, end in spans)
            assert "".join(shown.split()) == "".join(wanted.split())


@pytest.mark.parametrize("anonymous", [False, True])
def test_the_file_loads_and_runs_nothing(sample, anonymous):
    page = render_evidence(sample, 4, anonymous=anonymous)
    reader = Reader(page)
    assert {tag for tag, _ in reader.elements}.isdisjoint({"script", "link", "img", "iframe", "object", "form", "base"})
    ids = [a["id"] for _, a in reader.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes in reader.elements:
        assert not {"src", "style", "srcset", "data", "action"} & attributes.keys()
        assert attributes.get("href", "#found")[1:] in ids, "every link stays on the page and leads somewhere"
    [style] = reader.styles
    assert not re.search(r"url\(|@import|https?:", style)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    [policy] = [a["content"] for tag, a in reader.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_it_says_what_a_committee_needs(sample):
    made = datetime(2030, 5, 6, 7, 8, tzinfo=UTC)
    text = Reader(render_evidence(sample, 4, note="They deny it.", made=made)).text
    for words in (
        "goran and hana", "A lending library", "22 submissions, of which 4 earlier work", "6 May 2030, 07:08 UTC",
        "Why this score", "Mainly how they are built.",
        "They deny it.", "85% of what goran handed in is also in what hana handed in",
        "The longest has 157 tokens: lines",
        "None of the other 20 submissions has it. It is not starter code.", "which is very unusual here",
        "Similarity is not proof", "Who had it from whom. The texts cannot tell", "Schleimer", "2003", "--base",
        "All files of both submissions were read and compared.", "noise 12, guarantee 16",
    ):  # fmt: skip
        assert words in text, words
    for _, _, file in files_of(sample, sample.pairs[3]):
        assert f"{file.digest} {file.path}" in text


def test_starter_code_is_grey_and_labelled(sample):
    elements = Reader(render_evidence(sample, 4)).elements
    assert ("span", {"class": "base"}) in elements
    assert ("span", {"class": "tags label"}) in elements


def test_renamed_names_are_listed_and_underlined(sample):
    page = render_evidence(sample, 4)
    assert "<code>pile</code> ↔ <code>stack</code> <small>6 times</small>" in page
    assert '<span class="d">pile' in page
    assert '<span class="d">stack' in page


def test_headings_come_in_order(sample):
    levels = [
        int(tag[1])
        for tag, _ in Reader(render_evidence(sample, 4, note="x")).elements
        if tag in ("h1", "h2", "h3", "h4")
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_others_are_counted_and_named_only_on_demand(named):
    number = number_of(named, *PEOPLE)
    without_code = re.compile(r'<(?:td|div) class="l.*?</(?:td|div)>', re.DOTALL)
    closed, opened = (without_code.sub("", render_evidence(named, number, name_others=n)) for n in (False, True))
    assert "1 of the other 5 submissions has it too" in Reader(opened.replace("Marked by zsofia", "")).text
    assert f"<bdi>{THIRD}</bdi>" in opened
    assert f"hw1/{THIRD}" in opened
    assert THIRD not in closed.replace("Marked by zsofia", ""), "neither as a sharer nor in the paths of the run"
    assert "-- PATH" in closed


def test_no_name_is_in_anonymous_evidence(named):
    page = render_evidence(named, number_of(named, *PEOPLE), anonymous=True, note=f"{PEOPLE[0]} says: {THIRD} helped")
    assert {name for name in SECRET if name in page.lower()} == set()
    assert "student1 and student2" in Reader(page).text
    assert "hw1" not in page


@pytest.mark.parametrize(("own", "hidden"), [(0, SECRET[2:]), (1, (*SECRET[:2], SECRET[4]))])
def test_a_students_copy_names_nobody_else_and_has_their_text_alone(named, own, hidden):
    number = number_of(named, *PEOPLE)
    page = render_evidence(named, number, student=PEOPLE[own], note=f"{PEOPLE[1 - own]} says: {THIRD} helped")
    assert {name for name in hidden if name in page.lower()} == set()
    assert "hw1" not in page
    reader = Reader(page)
    assert PEOPLE[own] in reader.text
    assert "another student" in reader.text
    assert "What this copy leaves out" in reader.text
    [mine] = [record for record in named.submissions if record.id == PEOPLE[own]]
    [other] = [record for record in named.submissions if record.id == PEOPLE[1 - own]]
    [text] = [file.text for file in mine.files if file.text]
    assert [file.digest in page for record in (mine, other) for file in record.files if file.text] == [True, False]
    assert reader.texts["a1"] == plain(text).replace(THIRD, "student")
    assert not any(name.startswith("b") for name in reader.texts)


def test_of_the_other_text_a_copy_has_only_what_is_equal(tmp_path):
    secret = "    // my dog is called Rex\n    private int quietHours = 22, louderHours = 7;\n"
    program = LEDGER.replace("    public void deposit", f"{secret}    public void deposit", 1)
    assert secret in program
    folder = write_class(tmp_path / "hw", {"ada": {"A.java": LEDGER}, "emeka": {"B.java": program}} | HONEST_JAVA)
    report = moss.compare([folder], settings=moss.Settings(jobs=1))
    number = number_of(report, "ada", "emeka")
    copies = {who: render_evidence(report, number, student=who) for who in ("ada", "emeka")}
    for word in ("quietHours", "louderHours", "Rex", "B.java"):
        assert word in copies["emeka"]
        assert word not in copies["ada"]
    assert "balances" in Reader(copies["ada"]).text


def test_the_same_without_anonymity_tells_them(named):
    page = render_evidence(named, number_of(named, *PEOPLE), note="")
    assert {name for name in SECRET if name in page.lower()} == set(SECRET)


def test_marks_are_exact_where_names_were_replaced(named):
    number = number_of(named, *PEOPLE)
    reader = Reader(render_evidence(named, number, anonymous=True))
    pair = named.pairs[number - 1]
    pseudonyms = {id: pseudonym for pseudonym, id, _ in names_table(named, number)}
    if pseudonyms[pair.a] == "student2":
        pair = flipped(pair)

    def hidden(text):
        text = re.sub(r"bogdanFerenczy(?=Name)|Bogdan_Ferenczy", pseudonyms[PEOPLE[1]], text)
        return re.sub("Annemarie Quilty|annemarie", pseudonyms[PEOPLE[0]], text).replace(THIRD, "student")

    seen = 0
    for letter, name, file in files_of(named, pair):
        assert reader.texts[name] == hidden(file.text)
        for i, match in enumerate(pair.matches, 1):
            if (match.a if letter == "a" else match.b).file == file.path:
                runs = [(r.a_start, r.a_end) if letter == "a" else (r.b_start, r.b_end) for r in match.runs]
                wanted = "".join("".join(hidden(file.text[start:end]).split()) for start, end in runs)
                marked = "".join(reader.texts[name][at] for at in sorted(reader.marked[name, i]))
                assert "".join(marked.split()) == wanted
                seen += 1
    assert seen == 2 * len(pair.matches) > 0
    assert "student1" in reader.text


def test_pseudonyms_do_not_follow_the_alphabet_and_come_first_to_second(named, sample):
    orders = {tuple(row[1] for row in names_table(sample, number)) for number in range(1, 12)}
    assert {first < second for first, second in orders} == {True, False}
    for number in range(1, 4):
        assert "student1 and student2" in Reader(render_evidence(sample, number, anonymous=True)).text


def test_problems_of_these_two_are_told(named):
    text = Reader(render_evidence(named, number_of(named, *PEOPLE))).text
    assert "Annemarie Quilty, Old.class:" in text


def test_nothing_hostile_becomes_an_element_or_reaches_the_reader_unseen(hostile):
    page = render_evidence(hostile, 1, note=HOSTILE)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ufeff\x00\x1b\ud800-\udfff]", page)
    reader = Reader(page)
    assert {tag for tag, _ in reader.elements}.isdisjoint({"script", "img"})
    assert len(reader.styles) == 1
    assert not [name for _, attributes in reader.elements for name in attributes if name.startswith("on")]
    assert reader.text.count("{{7*7}}") >= 5
    for _, name, file in files_of(hostile, hostile.pairs[0]):
        assert reader.texts[name] == plain(file.text)
        assert "\u202e" in file.text


def test_a_name_cannot_leave_the_style_sheet(sample):
    bad = '</style><script>alert(1)</script>"; } * { color: red'
    pair = sample.pairs[0]
    records = tuple(replace(record, id=bad) if record.id == pair.a else record for record in sample.submissions)
    reader = Reader(render_evidence(replace(sample, submissions=records, pairs=(replace(pair, a=bad),)), 1))
    assert "script" not in {tag for tag, _ in reader.elements}
    [style] = reader.styles
    heads = style.splitlines()[-2]
    assert re.match(r'@page \{ @top-left \{ content: "[\w\\ ]*"; font: [^"]*$', heads.partition(" @top-right")[0])


def test_evidence_of_a_report_that_misleads_is_an_error_and_nothing_worse(sample):
    bad = replace(sample, parameters=dict(sample.parameters) | {"limits": 5})
    with pytest.raises(EvidenceError, match="cannot be made"):
        make_evidence(EvidenceRequest(bad, 1))
    assert make_evidence(EvidenceRequest(sample, 1)) == render_evidence(sample, 1)
