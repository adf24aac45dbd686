"""Reports as files: a page that runs nothing, tables that run nothing, and never half of either."""

import csv
import io
import json
import os
import re
import stat
import subprocess
import sys
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.programs import HONEST_JAVA, LEDGER, MAZE, write_class

import moss
from moss.model import Ranking
from moss.report.atomic_files import OutputError, whole_file, write_bytes
from moss.report.csv_tables import cell, write_csv, write_scores
from moss.report.site import write_site

HOSTILE = "<script>alert('x')<\u2215script><img src=x onerror=alert(1)>\"'&amp;{{7*7}}{% raw %}"
COMMENT = "</title></style><script>alert(document.cookie)</script>"
VOID = {"meta", "link", "img", "input", "br", "hr", "base", "col", "area", "embed", "source", "track", "wbr"}


class Page(HTMLParser):
    """The elements of a page, their attributes, its text, and what stands inside scripts and styles."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.words, self.inline = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == [], "every element is closed"

    @property
    def text(self):
        return " ".join("".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag == "li" and self.open[-1] == "li":  # the next item ends the one before it
            self.open.pop()
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag == "ol" and self.open[-1] == "li":
            self.open.pop()
        assert tag in VOID or self.open.pop() == tag

    def handle_data(self, data):
        where = self.inline if self.open and self.open[-1] in ("script", "style") else self.words
        where.append(data)


@pytest.fixture
def report(tmp_path):
    base = tmp_path / "Base.java"
    base.write_text(MAZE)
    hostile_program = LEDGER.replace("no such customer", COMMENT)
    members = {
        HOSTILE: {f"{HOSTILE}.java": hostile_program, "broken.zip": b"PK\x03\x04 <b>not</b>", "Base.java": MAZE},
        "=HYPERLINK(0)": {"A.java": hostile_program},
        "-1+1": {"A.java": hostile_program},
        "@sum": {"<b>.class": b"\xca\xfe\xba\xbe\0\0\0\0", "A.java": LEDGER},
    }
    folder = write_class(tmp_path / "hw1", HONEST_JAVA | members)
    return moss.compare([folder], base=[base], settings=moss.Settings(comment=COMMENT, jobs=1))


@pytest.fixture
def pages(report, tmp_path):
    """Every page of the report, the first one first."""
    first = write_site(report, tmp_path / "out")
    others = sorted(set(first.parent.rglob("*.html")) - {first})
    return [Page(path.read_text(encoding="utf-8")) for path in (first, *others)]


# The pages.


def test_nothing_hostile_becomes_an_element(pages):
    for page in pages:
        tags = {tag for tag, _ in page.elements}
        assert not tags & {"iframe", "object", "embed", "base", "b>"}
        assert not [attributes for tag, attributes in page.elements if tag == "img" and attributes.get("src") == "x"]
        assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
        assert "alert" not in "".join(page.inline)
    assert "".join(HOSTILE.split()) in "".join(pages[0].text.split())
    assert COMMENT in pages[0].text


def test_scripts_are_files_of_the_report(pages):
    for page in pages:
        for tag, attributes in page.elements:
            if tag == "script" and attributes.get("type") != "application/json":
                assert re.fullmatch(r"(?:\.\./)*(assets/[\w.-]+|pairs\.js)", attributes["src"])


def test_nothing_is_referred_to_that_is_not_on_disk(pages):
    for page in pages:
        for tag, attributes in page.elements:
            for name in ("src", "href", "action", "srcset", "data", "poster", "xlink:href"):
                assert not re.match(r"\s*(?:[a-z][a-z0-9+.-]*:|//|/)", attributes.get(name) or "", re.IGNORECASE), tag


def test_a_policy_lets_the_page_load_only_itself(pages):
    for page in pages:
        [policy] = [a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
        rules = dict(rule.strip().split(" ", 1) for rule in policy.rstrip("; ").split(";"))
        assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
        assert set(rules.get("script-src", "'none'").split()) <= {"'none'", "'self'", "file:"}
        assert not re.search(r"https?:|\*|unsafe-eval", policy)


def test_the_policy_comes_before_anything_that_it_governs(pages):
    for page in pages:
        tags = [(tag, attributes.get("http-equiv")) for tag, attributes in page.elements]
        policy = tags.index(("meta", "Content-Security-Policy"))
        assert all(tag in ("html", "head", "meta") for tag, _ in tags[:policy])


def test_style_sheets_and_scripts_need_no_network(report, tmp_path):
    write_site(report, tmp_path / "out")
    for file in (tmp_path / "out").rglob("*"):
        if file.suffix in (".css", ".js"):
            text = file.read_text(encoding="utf-8")
            assert not re.search(r"(?:url\(|@import|fetch\(|import)\s*[\"']?(?:https?:)?//", text), file.name


def test_every_link_between_pages_leads_somewhere(report, tmp_path):
    first = write_site(report, tmp_path / "out")
    for path in first.parent.rglob("*.html"):
        for _, attributes in Page(path.read_text(encoding="utf-8")).elements:
            for target in filter(None, (attributes.get("href"), attributes.get("src"))):
                file = target.partition("#")[0].partition("?")[0]
                assert (path.parent / file).resolve().exists(), (path.name, target)


def test_the_page_says_what_a_reader_needs(pages, report):
    assert "Similarity is not proof" in pages[0].text
    for problem in report.problems:
        assert problem.reason in pages[0].text


def test_handed_out_code_is_listed_beside_the_pages(report, tmp_path):
    write_site(report, tmp_path / "out")
    plain = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    [base] = [f["base"] for s in plain["submissions"] for f in s["files"] if f["path"] == "Base.java"]
    assert [(region["start_line"], region["end_line"]) for region in base] == [(1, 99)]


# Tables.


@pytest.mark.parametrize("start", list("=+-@\t\r"))
def test_a_formula_is_neutralised(start):
    assert cell(f"{start}cmd|calc!A1") == f"'{start}cmd|calc!A1"


@pytest.mark.parametrize("text", ["\n=1+1", "＝1+1", "＋1+1", "－1+1", "＠sum"], ids=ascii)
def test_a_formula_in_the_eyes_of_some_spreadsheets_is_neutralised(text):
    assert cell(text).startswith("'")


@pytest.mark.parametrize("text", ["alice", "a=b", "100%", "", "Ünal", "'quoted"])
def test_what_is_no_formula_stays(text):
    assert cell(text) == text


@pytest.mark.parametrize("write", [write_csv, write_scores])
def test_no_cell_of_a_table_is_a_formula(report, write):
    file = io.StringIO()
    write(report, file)
    rows = list(csv.DictReader(io.StringIO(file.getvalue())))
    names = {row[side] for row in rows for side in "ab"}
    assert {"'=HYPERLINK(0)", "'-1+1", "'@sum", HOSTILE} <= names
    assert not any(name.startswith(("=", "+", "-", "@")) for name in names)


names = st.text(st.characters(codec="utf-8"), max_size=12)
scores = st.floats(0, 1) | st.integers(0, 2 * 10**6).map(lambda half: half / (2 * 10**6))  # halfway between two


@given(st.lists(names, min_size=2, max_size=5), st.lists(scores, max_size=9), st.data())
def test_the_rows_of_scores_are_those_of_any_csv(ids, found, data):
    number = st.integers(0, len(ids) - 1)
    a, b = (np.array([data.draw(number) for _ in found], np.int32) for _ in "ab")
    report = SimpleNamespace(submissions=[SimpleNamespace(id=id) for id in ids], ranking=Ranking(a, b, np.array(found)))
    expected, written = io.StringIO(), io.StringIO()
    rows = csv.writer(expected)
    rows.writerow(["a", "b", "score"])
    rows.writerows((cell(ids[i]), cell(ids[j]), f"{score:.6f}") for i, j, score in zip(a, b, found, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("moss.report.csv_tables._AT_ONCE", 64)  # bytes: a few rows at a time
        write_scores(report, written)
    assert written.getvalue() == expected.getvalue()


# Whole files.


def test_what_fails_in_the_middle_leaves_the_old_file(tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as file:
        file.writelines(str(6 // n) for n in (3, 2, 1, 0))
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.json"]


def test_what_succeeds_takes_its_place(tmp_path):
    path = tmp_path / "report.json"
    path.write_text("a much longer old text")
    with whole_file(path) as file:
        file.write("new")
        assert path.read_text() == "a much longer old text"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["report.json"]


def test_permissions_are_those_of_any_new_file(tmp_path):
    ordinary = tmp_path / "ordinary"
    ordinary.write_text("")
    with whole_file(tmp_path / "ours") as file:
        file.write("")
    assert stat.S_IMODE((tmp_path / "ours").stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)


def test_what_cannot_be_put_in_place_leaves_nothing_behind(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError), whole_file(tmp_path / "folder") as file:
        file.write("text")
    assert os.listdir(tmp_path) == ["folder"]


def test_a_name_of_the_greatest_length_can_be_written(tmp_path):
    path = tmp_path / ("n" * 250 + ".json")
    with whole_file(path) as file:
        file.write("text")
    assert path.read_text() == "text"


def test_a_half_surrogate_can_be_written(tmp_path):
    with whole_file(tmp_path / "page.html") as file:
        file.write("half \ud800 a character")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "half ? a character"


def test_bytes_are_written_to_a_new_file_and_take_the_place_of_an_old_one(tmp_path):
    path, ordinary = tmp_path / "page.html", tmp_path / "ordinary"
    ordinary.write_text("")
    for content in (b"a much longer old page", b"new", b""):
        write_bytes(path, content)
        assert path.read_bytes() == content
    assert sorted(os.listdir(tmp_path)) == ["ordinary", "page.html"]
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)


@pytest.mark.parametrize("old", [None, b"the old page"])
def test_a_full_disk_leaves_no_half_of_a_page(tmp_path, old):
    path = tmp_path / "page.html"
    if old:
        path.write_bytes(old)
    full = """
import resource, signal, sys
from pathlib import Path
from moss.report.atomic_files import OutputError, write_bytes
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # the second write fails, as on a full disk
try:
    write_bytes(Path(sys.argv[1]), b"x" * 10_000)
except OutputError as error:
    sys.exit(str(error))
"""
    ended = subprocess.run([sys.executable, "-c", full, path], capture_output=True, text=True)
    assert ended.stderr == f"cannot write {path}: file too large\n"
    assert (path.read_bytes() if path.exists() else None) == old
    assert os.listdir(tmp_path) == ([path.name] if old else [])


def test_bytes_for_a_folder_that_is_not_there_are_refused_in_words(tmp_path):
    with pytest.raises(OutputError, match=r"cannot write .*page\.html: no such file or directory"):
        write_bytes(tmp_path / "absent" / "page.html", b"")


def test_a_page_that_fails_leaves_no_half_of_it(report, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("moss.report.site.write_sources", fail)
    with pytest.raises(ZeroDivisionError):
        write_site(report, tmp_path / "out")
    assert not [name for name in os.listdir(tmp_path / "out") if name.startswith(".") or name == "report.json"]
    Page((tmp_path / "out" / "index.html").read_text(encoding="utf-8"))


def test_nothing_takes_the_place_of_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    with whole_file(pipe) as file:
        file.write("through")
    assert reader.communicate()[0] == "through"
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_link_stays_a_link(tmp_path):
    link, target = tmp_path / "link", tmp_path / "target"
    target.write_text("old")
    link.symlink_to(target)
    with whole_file(link) as file:
        file.write("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
