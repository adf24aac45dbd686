"""The historical pages: their bytes, their figures, and what the programs that read them depend on."""

import html
import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.programs import HONEST_JAVA, LEDGER, MAZE

from moss.comparison import compare_submissions
from moss.model import (
    Channel,
    FileRecord,
    Match,
    Pair,
    Problem,
    Ranking,
    Region,
    Report,
    Role,
    Status,
    SubmissionRecord,
)
from moss.report.classic.bitmaps import HEIGHT, WIDTH, bitmap
from moss.report.classic.figures import classic_order, only_row, rows
from moss.report.classic.pages import HELP, ClassicAddress, classic_help, classic_page, classic_pages, match_page
from moss.wire import Request, inputs_of, settings_of, submissions_of
from moss.wire.request import file_of_bytes

BASE = "http://moss.example.org/results/3/123456789012"
HOST = "http://moss.example.org"
PLACE = ClassicAddress(BASE, HOST, f"{HOST}/reports/abc")


def record(id, *texts, tokens=100):
    files = [
        FileRecord(path, text.count("\n") + (not text.endswith("\n")), tokens, "java", Status.OK, text=text)
        for path, text in texts
    ]
    return SubmissionRecord(id, id, Role.NEW, "java", tokens, 10, tuple(files))


def match(a, b, tokens):
    """Of (file, first line, last line) on each side; offsets are of no interest to these pages."""
    regions = [Region(file, first, last, 0, 1) for file, first, last in (a, b)]
    return Match(*regions, tokens, 0, Channel.STRUCTURE, (), ())


def pair(a, b, *matches, sizes=(100, 100)):
    tokens = sum(each.tokens for each in matches)
    shares = [round(tokens / size, 6) for size in sizes]
    return Pair(a, b, 0.5, 0.5, *shares, tokens, tokens, 0.0, tuple(matches))


def report(records, pairs, problems=(), **parameters):
    given = {"language": "java", "directory": False, "max_matches": 10, "comment": "", "paths": []} | parameters
    none = np.zeros(0, np.int64)
    created = datetime(2026, 8, 1, 4, 3, 31, tzinfo=UTC)
    ranking = Ranking(none, none, np.zeros(0))
    return Report(created, "0", given, tuple(records), tuple(pairs), ranking, (), tuple(problems))


def lines(count, start=1):
    return "".join(f"line {number}\n" for number in range(start, start + count))


SMALL = report(
    [record("a.java", ("a.java", lines(9))), record("b.java", ("b.java", lines(12)), tokens=200)],
    [pair("a.java", "b.java", match(("a.java", 2, 4), ("b.java", 1, 5), 40),
          match(("a.java", 4, 6), ("b.java", 9, 9), 33), sizes=(100, 200))],
    paths=["b.java", "a.java"],
)  # fmt: skip


def page(name, of=SMALL):
    return classic_page(of, name, PLACE).decode("ascii")


# Bytes.

MENU = " | ".join(
    [
        f'[ <A HREF="{HOST}/general/format.html" TARGET="_top"> How to Read the Results</A>',
        f'<A HREF="{HOST}/general/tips.html" TARGET="_top"> Tips</A>',
        f'<A HREF="{HOST}/general/faq.html"> FAQ</A>',
        f'<A HREF="{HOST}/general/contact.html">Contact</A>',
        f'<A HREF="{HOST}/general/scripts.html">Submission Scripts</A>',
        f'<A HREF="{HOST}/general/credits.html" TARGET="_top"> Credits</A>',
        f'<A HREF="{HOST}/reports/abc" TARGET="_top"> Full Report</A> ]',
    ]
)
HEAD = f"""\
<HTML>
<HEAD>
<TITLE>Moss Results</TITLE>
</HEAD>
<BODY>
Moss Results<p>
Sat Aug  1 04:03:31 UTC 2026
<p>
Options -l java -m 10
<HR>
{MENU}
<HR>
<TABLE>
<TR><TH>File 1<TH>File 2<TH>Lines Matched
"""


def test_the_index():
    assert (
        page("")
        == HEAD
        + f"""\
<TR><TD><A HREF="{BASE}/match0.html">b.java (36%)</A>
    <TD><A HREF="{BASE}/match0.html">a.java (73%)</A>
<TD ALIGN=right>6
</TABLE>
<HR>
Any errors encountered during this query are listed below.<p></BODY>
</HTML>
"""
    )


def test_the_index_without_matches():
    assert (
        page("", replace(SMALL, pairs=()))
        == HEAD
        + """\
</TABLE>
No matches were found in your submission.<p></BODY>
</HTML>
"""
    )


def test_directories_the_comment_and_problems_are_shown():
    problems = [Problem("a.java", 'is <binary> & "bad"')]
    changed = replace(
        SMALL, problems=tuple(problems), parameters=SMALL.parameters | {"directory": True, "comment": "é <x>"}
    )
    text = page("", changed)
    assert "\nOptions -l java -d -m 10\n<p>&#233; &lt;x&gt;\n<HR>\n" in text
    assert text.endswith("listed below.<p>\na.java: is &lt;binary&gt; &amp; &quot;bad&quot;<BR></BODY>\n</HTML>\n")


def test_the_frames():
    assert page("match0.html") == (
        "<HTML>\n<TITLE>Matches for b.java and a.java</TITLE>\n</HEAD>"
        '<FRAMESET ROWS="150,*"><FRAMESET COLS="1000,*"><FRAME SRC="match0-top.html" NAME="top" FRAMEBORDER=0>'
        '</FRAMESET><FRAMESET COLS="50%,50%"><FRAME SRC="match0-0.html" NAME="0"><FRAME SRC="match0-1.html" NAME="1">'
        "</FRAMESET></FRAMESET></HTML>"
    )


def test_the_top():
    def cells(passage, side, shown, percent):
        link = f'<TD><A HREF="{BASE}/match0-{side}.html#{passage}" NAME="{passage}" TARGET="{side}">'
        image = f'<IMG SRC="{HOST}/bitmaps/tm_{passage}_{percent}.gif" ALT="link" BORDER="0" ALIGN=left>'
        return f"{link}{shown}</A>\n{link}{image}</A>\n"

    assert page("match0-top.html") == (
        '<HTML>\n<HEAD>\n<TITLE>Top</TITLE>\n</HEAD><BODY BGCOLOR=white><CENTER><TABLE BORDER="1" CELLSPACING="0" '
        f'BGCOLOR="#d0d0d0"><TR><TH>b.java (36%)<TH><IMG SRC="{HOST}/bitmaps/tm_0_36.gif" BORDER="0" ALIGN=left>'
        f'<TH>a.java (73%)<TH><IMG SRC="{HOST}/bitmaps/tm_0_73.gif" BORDER="0" ALIGN=left><TH>\n'
        f"<TR>{cells(0, 0, '1-5', 20)}{cells(0, 1, '2-4', 40)}<TR>{cells(1, 0, '9-9', 16)}{cells(1, 1, '4-6', 33)}"
        "</TABLE></CENTER></BODY></BODY></HTML>"
    )


def opening(passage, colour, other, percent):
    return (
        f'<A NAME="{passage}"></A><FONT color = #{colour}><A HREF="match0-{other}.html#{passage}" TARGET="{other}">'
        f'<IMG SRC="{HOST}/bitmaps/tm_{passage}_{percent}.gif" ALT="other" BORDER="0" ALIGN=left></A>\n\n'
    )


def side_page(title, name, text):
    return (
        f"<HTML>\n<HEAD>\n<TITLE>{title}</TITLE>\n</HEAD>\n<BODY BGCOLOR=white>\n<HR>\n{name}<p><PRE>\n"
        f"{text}</PRE>\n</PRE>\n</BODY>\n</HTML>\n"
    )


def test_a_side():
    text = (
        opening(0, "FF0000", 1, 20) + lines(5) + "</FONT>" + lines(3, 6)
        + opening(1, "00FF00", 1, 16) + "line 9\n</FONT>" + lines(3, 10)
    )  # fmt: skip
    assert page("match0-0.html") == side_page("b.java", "b.java", text)


def test_a_line_that_two_passages_share_is_the_earlier_ones():
    text = (
        "line 1\n" + opening(0, "FF0000", 0, 40) + lines(3, 2) + "</FONT>"
        + opening(1, "00FF00", 0, 33) + lines(2, 5) + "</FONT>" + lines(3, 7)
    )  # fmt: skip
    assert page("match0-1.html") == side_page("b.java", "a.java", text)


def test_directories_are_one_text_with_a_line_before_each_file():
    files = [("B.java", "class B {\n}"), ("A.java", "a < b && c > d;\r\n")]
    both = [record("x/ann", *files), record("x/bob", *files[:1])]
    skipped = FileRecord("pic.gif", 0, 0, "", Status.SKIPPED, "a GIF image")
    both[0] = replace(both[0], files=(*both[0].files, skipped))
    made = report(both, [pair("x/ann", "x/bob", match(("A.java", 1, 1), ("B.java", 1, 2), 10))], directory=True)
    assert "x/ann/ (10%)</A>" in page("", made)
    assert ">5-5</A>" in page("match0-top.html", made)
    assert ">2-3</A>" in page("match0-top.html", made)
    assert page("match0-0.html", made) == side_page(
        "x/ann/", "x/ann/",
        "&gt;&gt;&gt;&gt; file: B.java\nclass B {\n}\n&gt;&gt;&gt;&gt; file: A.java\n"
        + opening(0, "FF0000", 1, 10) + "a &lt; b &amp;&amp; c &gt; d;\r\n</FONT>",
    )  # fmt: skip


# Numbers and order.


def test_equal_amounts_are_listed_from_the_last_name_to_the_first_and_larger_ones_before():
    names = ["a", "b", "c", "Z"]
    records = [record(name, (name, lines(3))) for name in names]
    one = match(("a", 1, 1), ("a", 1, 1), 10)
    pairs = [
        pair(x, y, *[replace(one, a=replace(one.a, file=x), b=replace(one.b, file=y))] * count)
        for x, y, count in [("a", "b", 1), ("a", "c", 1), ("Z", "c", 2), ("b", "c", 1), ("Z", "a", 1)]
    ]
    made = report(records, pairs, paths=["Z", "a", "b", "c"])
    listed = [tuple(side.name for side in each.sides) for each in rows(made)]
    assert listed == [("Z", "c"), ("b", "c"), ("a", "c"), ("a", "b"), ("Z", "a")]
    ordered = [pairs[at] for at in classic_order(made)]
    assert [{each.a, each.b} for each in ordered] == [set(names) for names in listed]


def test_percentages_are_rounded_down_and_have_two_digits():
    for shares, expected in [((1.0, 0.995), [99, 99]), ((0.019999, 0.0), [0, 1]), ((0.29, 0.58), [58, 29])]:
        one = replace(SMALL.pairs[0], share_a=shares[0], share_b=shares[1])
        assert [side.percent for side in rows(replace(SMALL, pairs=(one,)))[0].sides] == expected


def test_starter_code_does_not_hide_an_exact_copy():
    """By default mossum lists pairs of 90 percent or more; a copy beside as much starter code is one of them."""
    sent = {"base.java": MAZE, "ann.java": MAZE + LEDGER, "bob.java": MAZE + LEDGER}
    files = [file_of_bytes(name, number, "java", text.encode()) for number, (name, text) in enumerate(sent.items())]
    request = Request("1", "java", tuple(files[1:]), base=(files[0],))
    made = compare_submissions(submissions_of(request), replace(settings_of(request), jobs=1), inputs_of(request))
    [row] = rows(made)
    [own] = {record.tokens for record in made.submissions if record.role is Role.NEW}
    assert made.pairs[0].tokens < 0.7 * own, "there is much starter code"
    assert [side.percent for side in row.sides] == [99, 99]
    for side in row.sides:  # each passage is rounded down
        assert 99 - len(side.passages) < sum(passage.percent for passage in side.passages) <= 100


def test_lines_are_those_of_the_longer_side():
    one = pair(
        "a.java", "b.java", match(("a.java", 2, 4), ("b.java", 1, 9), 9), match(("a.java", 6, 9), ("b.java", 10, 10), 5)
    )
    assert [each.lines for each in rows(replace(SMALL, pairs=(one,)))] == [10]
    other = pair("b.java", "a.java", *(replace(each, a=each.b, b=each.a) for each in one.matches))
    assert [each.lines for each in rows(replace(SMALL, pairs=(other,)))] == [10]


def test_a_name_is_the_one_it_was_sent_with():
    records = [record("a b.java", ("a", lines(1))), record("a.c (2)", ("a", lines(1))), record("a.c", ("a", lines(1)))]
    one = match(("a", 1, 1), ("a", 1, 1), 10)
    made = report(records, [pair("a.c", "a.c (2)", one), pair("a b.java", "a.c", one)], paths=["a.c", "a.c (2)"])
    assert [[side.name for side in each.sides] for each in rows(made)] == [["a.c", "a_b.java"], ["a.c", "a.c"]]


# A whole comparison, and its readers.


@cache
def compared(directory):
    members = {
        "ann": {"Ledger.java": LEDGER, "Maze.java": MAZE},
        "bob": {"Ledger.java": LEDGER.replace("balance", "sum")},
        "cem": {"Maze.java": "// <b>&amp;</b> naïve\n" + MAZE.rstrip()},
        "dan": next(iter(HONEST_JAVA.values())),
    }
    sent = [(f"submission_files/{who}/{name}", text) for who, files in members.items() for name, text in files.items()]
    files = [file_of_bytes(name, i, "java", text.encode()) for i, (name, text) in enumerate(reversed(sent), 1)]
    request = Request("1", "java", tuple(files), directory=directory, comment="first try")
    return compare_submissions(submissions_of(request), replace(settings_of(request), jobs=1), inputs_of(request))


@cache
def pages(directory):
    return {name: content.decode("ascii") for name, content in classic_pages(compared(directory), PLACE)}


BOTH = pytest.mark.parametrize("directory", [False, True])


@BOTH
def test_every_page_is_the_same_on_demand_and_with_two_texts_only(directory):
    whole = compared(directory)
    for name, content in pages(directory).items():
        found = re.match(r"match(\d+)", name)
        kept = {side.record.id for side in rows(whole)[int(found[1])].sides} if found else set()
        bare = replace(
            whole,
            submissions=tuple(
                s if s.id in kept else replace(s, files=tuple(replace(f, text="") for f in s.files))
                for s in whole.submissions
            ),
        )
        assert classic_page(bare, name, PLACE).decode() == content
        if found:
            listed = rows(whole)[int(found[1])]
            alone = replace(
                whole,
                submissions=tuple(s for s in whole.submissions if s.id in kept),
                pairs=tuple(p for p in whole.pairs if {p.a, p.b} == kept),
                parameters={**whole.parameters, "paths": [side.record.id for side in listed.sides]},
            )
            assert match_page(name, only_row(alone, listed.number), PLACE).decode() == content


@BOTH
def test_what_is_not_there_is_not_there(directory):
    count = len(compared(directory).pairs)
    assert count > 0
    for name in (f"match{count}.html", f"match{count}-top.html", "match0-2.html", "match00.html", "match-1.html",
                 "index.html", "match0-top.html/", "../match0.html", "match0.htm", "x", "match٣.html"):  # fmt: skip
        assert classic_page(compared(directory), name, PLACE) is None


@BOTH
def test_links_stay_below_the_base_or_leave_it_for_good(directory):
    names = set(pages(directory))
    for name, content in pages(directory).items():
        for target in re.findall(r'(?:HREF|SRC)="([^"]+)"', content):
            path = target.partition("#")[0]
            if "match" in path:
                assert path.removeprefix(f"{BASE}/") in names, (name, target)
            else:
                assert not path.startswith(BASE)
                assert path.startswith(HOST)


ROW = re.compile(r'<TR><TD><A HREF="(\S+?match(\d+)\.html)">(\S+) \((\d{1,2})%\)</A>\n    <TD><A HREF="\1">(\S+) \((\d{1,2})%\)</A>\n<TD ALIGN=right>(\d+)\n')  # fmt: skip  # noqa: E501


@BOTH
def test_index_readers(directory):
    index = pages(directory)[""]
    found = ROW.findall(index)
    assert len(found) == len(compared(directory).pairs) == index.count("<TR>") - 1  # automoss
    assert [int(number) for _, number, *_ in found] == list(range(len(found)))
    assert index.count("<TABLE>") == 1  # the C# reader
    assert re.findall(r"<TR>(?!<T)", index) == []  # no text between a row and its first cell
    assert len(re.findall("<p>", index)) >= 3  # mossum
    assert re.findall(r"<p>([^<\n]+)\n", index) == ["first try"]
    without = index.replace(f"{BASE}/", "")  # plagiarism_programming strips the address first
    assert len(re.findall(r'<A HREF="match\d+\.html">(\S+) \((\d+)%\)</A>', without)) == 2 * len(found)
    assert len(re.findall(r"right>(\d+)\n", index)) == len(found)  # moodle-plagiarism_moss
    for _, _, first, _, second, _, _ in found:
        assert all("/" in name[:-1] for name in (first, second))  # MossNet takes the person from the path
        assert all(re.match(r"submission_files/(\w+)/", name) for name in (first, second))  # markus-moss
        assert directory == first.endswith("/") == second.endswith("/")  # okpy, moodle
    rows_of_lines = [line for line in index.splitlines() if "<TD" in line]
    starts = ["<TR><TD>", "    <TD>", "<TD ALIGN=right>"]
    assert all(line.startswith(starts[number % 3]) for number, line in enumerate(rows_of_lines))


@BOTH
def test_top_readers(directory):
    for number, pair_row in enumerate(rows(compared(directory))):
        frames, top = (pages(directory)[f"match{number}{part}.html"] for part in ("", "-top"))
        sources = re.findall(r'<FRAME SRC="([^"]+)"', frames)  # MossNet: literally so, three times, relative
        assert sources == [f"match{number}{part}.html" for part in ("-top", "-0", "-1")]
        header, *passages = top.split("<TR>")[1:]
        assert header.count("<TH>") == 5
        assert [name for name, _ in re.findall(r"<TH>(\S+)\s+\((\d+)%\)", header)] == [s.name for s in pair_row.sides]
        assert [cells.count("<TD>") for cells in passages] == [4] * len(pair_row.sides[0].passages)
        texts = re.findall(r">(\d+-\d+)</A>", top)  # okpy: left and right alternate
        sides = [pair_row.sides[0].passages, pair_row.sides[1].passages]
        assert texts == [f"{p.start_line}-{p.end_line}" for both in zip(*sides, strict=True) for p in both]
        links = re.findall(r'<TD><A HREF="([^"]+)"', top)
        assert all(link.startswith(f"{BASE}/match{number}-") for link in links)  # HOJ opens them as they are
        assert "<CENTER>" in top
        for line in [line for line in top.splitlines() if "%" in line]:
            assert all(len(percent) <= 2 for percent in re.findall(r"\((\d+)%\)", line))


SIDE = re.compile(r"<HR>\n(\S+)<p><PRE>\n(.*)</PRE>\n</PRE>\n</BODY>\n</HTML>", re.DOTALL)  # moss-ruby
MARK = re.compile(r'<A NAME="(\d+)"></A><FONT color = #([0-9A-F]{6})><A HREF="(match\d+-[01]\.html)#\1" TARGET="[01]"><IMG SRC="[^"]+" ALT="other" BORDER="0" ALIGN=left></A>\n\n')  # fmt: skip  # noqa: E501


def texts_of(record, headers):
    parts = []
    for file in record.files:
        parts += [f">>>> file: {file.path}\n"] * headers
        parts.append(file.text if file.text.endswith("\n") else file.text + "\n")
    return "".join(parts)


@BOTH
def test_side_readers(directory):
    for number, pair_row in enumerate(rows(compared(directory))):
        for here, side in enumerate(pair_row.sides):
            content = pages(directory)[f"match{number}-{here}.html"]
            name, body = SIDE.search(content).groups()
            assert name == side.name
            assert content.splitlines()[2] == f"<TITLE>{pair_row.sides[0].name}</TITLE>"
            plain = html.unescape(MARK.sub("", body).replace("</FONT>", ""))
            assert plain == texts_of(side.record, directory)
            check_passages(body, side, f"match{number}-{1 - here}.html")


def check_passages(body, side, other):
    """As the Moodle plugin reads a page: line by line; a mark is followed by an empty line, its end is in column 0."""
    found, current, line_number = {}, None, 0
    lines_left = iter(body.splitlines())
    for line in lines_left:
        if line.startswith("</FONT>"):
            found[current][1], current, line = line_number, None, line.removeprefix("</FONT>")
            if not line:
                line_number += 1
                continue
        opened = re.fullmatch(r'<A NAME="(\d+)"></A><FONT color = #([0-9A-F]{6})>.*', line)
        assert "</FONT>" not in line
        if opened:
            assert next(lines_left) == ""
            assert f'HREF="{other}#' in line
            current = int(opened[1])
            found[current] = [line_number + 1, 0]
        else:
            line_number += 1
    assert sorted(found) == [passage.number for passage in side.passages]
    for passage in side.passages:
        assert found[passage.number][0] in (passage.start_line, passage.start_line + 1)
        assert found[passage.number][1] == passage.end_line


class Tree(HTMLParser):
    """The elements of a page, to see that names and texts open none of their own."""

    def __init__(self, content):
        super().__init__()
        self.tags = []
        self.feed(content)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, *(name for name, _ in attributes)))


HOSTILE = '"><script>alert(1)</script><TR><img/src=x onerror=alert(1)>&lt;{{7*7}}\x00\x1b\x85\u2028é'


def test_hostile_names_comments_and_texts_are_only_text():
    def hostile(text):
        named = HOSTILE + text
        files = [(HOSTILE, HOSTILE + "\n" + lines(9))]
        made = report(
            [record(named, *files), record("z", ("z", lines(9)))],
            [pair(named, "z", match((HOSTILE, 2, 3), ("z", 2, 3), 9))],
            [Problem(named, named)], comment=named, language="java", directory=True,
        )  # fmt: skip
        return dict(classic_pages(made, PLACE))

    plain = report(
        [record("a", ("a", "\n" + lines(9))), record("z", ("z", lines(9)))],
        [pair("a", "z", match(("a", 2, 3), ("z", 2, 3), 9))],
        [Problem("a", "b")], comment="c", directory=True,
    )  # fmt: skip
    wanted = dict(classic_pages(plain, PLACE))
    for name, content in hostile("").items():
        assert Tree(content.decode("ascii")).tags == Tree(wanted[name].decode("ascii")).tags, name
        assert not re.search(rb"[^\t\n\x20-\x7e]", content)
        assert b"&#65533;" in content or name == "match0-1.html"
    assert ROW.search(hostile("")[""].decode())


texts = st.text(st.sampled_from("ab<>&\"'é\n\r\t\x00\x0b\x0c\x1c\x85\u2028\ud800 "), max_size=40)


@given(texts, st.data())
def test_any_text_and_any_passages_give_a_page_that_reads_back(text, data):
    count = len(re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text))
    spans = st.tuples(st.integers(1, max(1, count)), st.integers(1, max(1, count))).map(sorted)
    chosen = data.draw(st.lists(spans, min_size=1, max_size=4))
    ends = [(("f", *span), ("f", 1, 1)) for span in chosen]
    files = FileRecord("f", count, 9, "java", Status.OK, text=text)
    both = [replace(record(name, ("f", "x\n")), files=(files,)) for name in "ab"]
    made = report(both, [pair("a", "b", *(match(a, b, 5) for a, b in ends))])
    content = page("match0-0.html", made)
    body = SIDE.search(content)[2]
    assert len(re.findall("<FONT", body)) == body.count("</FONT>") == len(chosen)
    depth = 0
    for tag in re.findall("</?FONT", body):
        depth += 1 if tag == "<FONT" else -1
        assert depth in (0, 1)
    shown = html.unescape(MARK.sub("", body).replace("</FONT>", ""))
    cleaned = re.sub("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff]", "\ufffd", text)
    assert shown in (cleaned, cleaned + "\n")


# The rest of the site.


def test_places_that_readers_would_misread_are_refused():
    for base, host, full in [
        (f"{BASE}/", HOST, HOST),
        (BASE, f"{HOST}/", HOST),
        (f"{BASE}.html", HOST, HOST),
        (BASE, HOST, f"{BASE}/full"),
        (BASE, HOST, f"{HOST}/matches/1"),
    ]:
        with pytest.raises(ValueError, match="http"):
            ClassicAddress(base, host, full)
    assert ClassicAddress(BASE, HOST, "https://match.example.org/reports/1")


def test_help_pages_are_those_that_the_index_links():
    linked = re.findall(r'/general/([^"]+)"', page(""))
    assert linked == list(HELP)
    found = {name: classic_help(name, HOST).decode("ascii") for name in linked}
    assert len(set(found.values())) == 6
    for content in found.values():
        assert "match" not in "".join(re.findall(r'href="([^"]+)"', content))
        assert "<script" not in content
    assert f'{HOST}/moss-submit"' in found["scripts.html"]
    assert classic_help("other.html", HOST) is None


def pixels(content):
    """A reader of GIF pictures, with its decompression as the standard has it."""
    assert content[:6] == b"GIF89a"
    width, height = (int.from_bytes(content[at : at + 2], "little") for at in (6, 8))
    colours = 2 << (content[10] & 7)
    palette = [content[13 + 3 * i : 16 + 3 * i].hex().upper() for i in range(colours)]
    at = 13 + 3 * colours
    assert content[at : at + 1] == b","
    least, at, packed = content[at + 10], at + 11, b""
    while content[at]:
        packed, at = packed + content[at + 1 : at + 1 + content[at]], at + 1 + content[at]
    assert content[at:] == b"\0;"
    clear, bits, place, result = 1 << least, int.from_bytes(packed, "little"), 0, []
    table, size, before = {}, least + 1, None
    while True:
        code = bits >> place & (1 << size) - 1
        place += size
        if code == clear:
            table, size, before = {i: [i] for i in range(clear)} | {clear: [], clear + 1: []}, least + 1, None
            continue
        if code == clear + 1:
            assert place <= 8 * len(packed)
            assert len(result) == width * height
            return width, height, [palette[i] for i in result]
        entry = table[code] if code in table else [*before, before[0]]
        if before is not None:
            table[len(table)] = [*before, entry[0]]
            size += len(table) == 1 << size and size < 12
        result += entry
        before = entry


@pytest.mark.parametrize("percent", [0, 1, 42, 99, 100])
@pytest.mark.parametrize(("number", "colour"), list(enumerate(["FF0000", "00FF00", "0000FF", "00FFFF", "FF00FF"])))
def test_thermometers_are_as_full_as_they_say(number, colour, percent):
    width, height, found = pixels(bitmap(f"tm_{number}_{percent}.gif"))
    assert (width, height) == (WIDTH, HEIGHT)
    middle = found[WIDTH * (HEIGHT // 2) : WIDTH * (HEIGHT // 2 + 1)]
    assert middle.count(colour) == round(48 * percent / 100)
    assert middle[1:-1] == sorted(middle[1:-1], key=lambda each: each != colour)


def test_there_are_no_other_bitmaps():
    for name in ("tm_5_10.gif", "tm_0_101.gif", "tm_0_010.gif", "tm_0_-1.gif", "x.gif", "tm_0_1.gif/", "tm_٣_1.gif"):
        assert bitmap(name) is None
