"""The parts of a pair's page: layers, levels, renamings, folds, counterparts, and what is made visible."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontends import FRONTENDS, by_name
from frontends.lexing.scanner import LexiconScanner, TokenKind, lexemes
from moss.model import Cell, Channel, EqualRun, FileRecord, Match, Region, Role, Status, SubmissionRecord, TokenStream
from moss.report.code import syntax_classes
from moss.report.code.character_layers import Marking, spans_by_line
from moss.report.code.code_view import CONTEXT, LONGEST_FOLD, SHORTEST_FOLD, MarkedFile, code, lines_to_fold, look
from moss.report.code.file_sheet import sheet_of
from moss.report.code.likeness import ComparedPassages, PassageTexts, likeness_of, paired_tokens, token_pairs
from moss.report.code.substitutions import Renaming, renaming_in, substitutions_in
from moss.report.code.syntax_classes import (
    PYGMENTS_LIMIT,
    OnceForText,
    kind_spans,
    kinds_at,
    kinds_of,
    read_ahead,
    tokens_of,
)
from moss.report.code.visible_text import visible, visible_plain
from moss.report.pages.pair import counterparts
from moss.report.pages.pair_side import side_of
from moss.report.words.passage_words import rarity_in_words

ANY_TEXT = st.text(st.characters() | st.sampled_from("\r\n\t {};ab\u202e\ud800"), max_size=80)


def test_texts_that_are_read_ahead_have_their_own_tokens():
    written = [(language, f"int ahead_{n} = '{'x' * n}';") for n in range(5) for language in ("c", "java", "text")]
    read_ahead(written)
    for language, text in written:
        found, scan = kind_spans(language, text), by_name(language).scan
        if isinstance(scan, LexiconScanner):
            expected = lexemes(scan.lexicon, text)
            assert [column.tolist() for column in found] == [column.tolist() for column in expected]


def test_threads_share_what_is_known_about_texts(monkeypatch):
    monkeypatch.setattr(syntax_classes, "_MANY", 3)
    length = OnceForText(lambda language, text, careful: len(text))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            found = threads.map(lambda n: length("c", "x" * (n % 7)), range(40_000))
            assert list(found) == [n % 7 for n in range(40_000)]
    finally:
        sys.setswitchinterval(interval)
    assert len([n for n in range(7) if length.remembered("c", "x" * n) is not None]) == 3


def record(path, text, language="java"):
    return FileRecord(path, text.count("\n") + 1, 0, language, Status.OK, text=text)


def compared(a, b, language="java"):
    """The paired tokens of two texts that are one run of equal tokens."""
    tokens = [tokens_of(language, text, Channel.STRUCTURE) for text in (a, b)]
    return paired_tokens([ComparedPassages(PassageTexts(a, b, *tokens), [[EqualRun(0, len(a), 0, len(b))]])])


# Layers.


@given(ANY_TEXT, st.data())
def test_pieces_add_up_to_the_text_and_marks_to_the_runs(text, data):
    edges = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4)))
    marking = Marking(3, [(edges[0], edges[1]), (edges[2], edges[3])])
    lines = spans_by_line(text, kinds_of("java", text), [marking], [(edges[1], edges[2])])
    pieces = [piece for line in lines for piece in line]
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    marked = {at for piece in pieces if piece.look.match == 3 for at in range(piece.start, piece.end)}
    runs = {at for start, end in marking.runs for at in range(start, end)}
    assert marked <= runs
    assert all(text[at].isspace() or not text[at].isprintable() for at in runs - marked)


def test_a_passage_has_the_words_in_it_and_not_the_margin():
    text = "a\n    b\n"
    lines = spans_by_line(text, kinds_of("java", text), [Marking(1, [(0, 7)])], [])
    assert [[(text[p.start : p.end], p.look.match) for p in line] for line in lines] == [
        [("a\n", 1)],
        [("    ", 0), ("b", 1), ("\n", 0)],
    ]


@pytest.mark.parametrize("run", [(0, 2), (2, 5)])
def test_no_mark_ends_between_the_two_characters_of_a_line_end(run):
    text = "a\r\nb\r\n"
    lines = spans_by_line(text, kinds_of("java", text), [Marking(1, [run])], [(2, 3)])
    assert not [p for line in lines for p in line if text[p.start - 1 : p.start + 1] == "\r\n"]
    assert [text[p.start : p.end] for line in lines for p in line if p.look.match] == ["ab"[run[0] // 2]]


# Overlays.


def as_browsers_count(text, offset):
    """Where a browser counts a character to be, which takes two characters at the end of a line for one."""
    before = text[: offset - (text[offset - 1 : offset + 1] == "\r\n")].replace("\r\n", "\n")
    return len(before.encode("utf-16-le", "surrogatepass")) // 2


@given(ANY_TEXT, st.data())
def test_an_overlay_has_every_span_where_browsers_count_it(text, data):
    edges = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4)))
    overlay = sheet_of("text", text).overlay(edges[::2], edges[1::2], "kk")
    found, at = [], 0
    for gap, length in re.findall(r"(\d+)k(\d+)", overlay.within(0, [(0, as_browsers_count(text, len(text)) + 1)])):
        found.append((at + int(gap), at := at + int(gap) + int(length)))
    wanted = [as_browsers_count(text, edge) for edge in edges]
    assert [span for span in found if span[0] < span[1]] == [
        span for span in zip(wanted[::2], wanted[1::2], strict=True) if span[0] < span[1]
    ]


# Levels.


def test_words_are_alike_in_any_case_and_exact_is_to_the_character():
    a, b = "int total = Sum(x, 1, 2);", "int TOTAL = sum(y,  1, 2);"
    [found] = likeness_of(compared(a, b))
    assert [a[start:end] for start, end in found.words.a] == ["int total = Sum", "1, 2"]
    assert [b[start:end] for start, end in found.words.b] == ["int TOTAL = sum", "1, 2"]
    assert [a[start:end] for start, end in found.exact.a] == ["1, 2);"]


def test_a_copy_is_exact_from_end_to_end():
    text = "int f(int x) { // same\n  return x + 1; }"
    [found] = likeness_of(compared(text, text))
    assert found.exact == ([(0, len(text))], [(0, len(text))])


def test_a_changed_comment_parts_what_is_alike():
    a, b = "int x; /* one */ int y;", "int x; /* two */ int y;"
    [found] = likeness_of(compared(a, b))
    assert [len(side) for side in found.words] == [2, 2]


def spelled_out(texts, run):
    """The likeness of one run by its definition, token pair by token pair."""
    pairs = token_pairs(texts, run)
    words, exact = ([], []), ([], [])
    for spans, same, trim in ((words, str.casefold, True), (exact, str, False)):
        found = []
        for place, pair in enumerate(pairs):
            gaps = [
                (texts.a[o.a_end : pair.a_start], texts.b[o.b_end : pair.b_start]) for o in pairs[place - 1 : place]
            ]
            joined = place and all(
                re.findall(r"\w+", x.casefold()) == re.findall(r"\w+", y.casefold()) if trim else x == y
                for x, y in gaps
            )
            if same(pair.a) == same(pair.b):
                found = [*found[:-1], [*found[-1], pair]] if found and found[-1] and joined else [*found, [pair]]
            else:
                found.append([])
        for span in filter(None, found):
            while trim and span and not re.search(r"\w", span[0].a):
                span = span[1:]
            while trim and span and not re.search(r"\w", span[-1].a):
                span = span[:-1]
            if span and (trim or len(span) >= min(4, len(pairs))):
                spans[0].append((span[0].a_start, span[-1].a_end))
                spans[1].append((span[0].b_start, span[-1].b_end))
    return words, exact


WRITTEN = ["a", "A", "total", "sum", "(", ")", ";", "7", '"x y"', '"…"', "é", "ß", "SS", "число", "語", "→"]
TOKENS = st.lists(st.sampled_from(WRITTEN), min_size=1, max_size=12)
GAPS = st.lists(st.sampled_from(["", " ", "\n  ", " /* one */ ", " /* ONE */ ", " // two\n"]), min_size=13, max_size=13)


@given(st.lists(st.tuples(TOKENS, TOKENS, GAPS, GAPS), min_size=1, max_size=4))
def test_the_likeness_of_several_passages_at_once_is_that_of_each(passages):
    texts, streams, runs = ["", ""], [[], []], []
    for *sides, gaps_a, gaps_b in passages:
        size = min(map(len, sides))
        starts = [len(text) for text in texts]
        for side, (tokens, gaps) in enumerate(zip(sides, (gaps_a, gaps_b), strict=True)):
            for token, gap in zip(tokens[:size], gaps, strict=False):
                streams[side].append((len(texts[side]), len(texts[side]) + len(token)))
                texts[side] += token + gap
        runs.append(EqualRun(starts[0], streams[0][-1][1], starts[1], streams[1][-1][1]))
    columns = [np.array(stream, np.int64).T for stream in streams]
    made = PassageTexts(*texts, *(TokenStream(np.zeros(len(c[0]), np.uint64), c[0], c[1]) for c in columns))
    found = likeness_of(paired_tokens([ComparedPassages(made, [[run] for run in runs])]))
    assert [(each.words, each.exact) for each in found] == [spelled_out(made, run) for run in runs]


def test_tokens_that_cannot_be_told_are_one_pair():
    [pair] = token_pairs(PassageTexts("some text", "some test"), EqualRun(0, 4, 0, 4))
    assert (pair.a, pair.b) == ("some", "some")


# Renamings.


def found_changes(a, b, language="java"):
    tokens = compared(a, b, language)
    [found] = substitutions_in(tokens, kinds_at(language, a, tokens.a_start))
    return found


def test_renamed_names_are_counted_most_frequent_first():
    found = found_changes("count += n; count--; print(n, 7);", "total += k; total--; print(k, 8);")
    assert [(c.a, c.b, c.times) for c in found.names] == [("count", "total", 2), ("n", "k", 2)]
    assert [(c.a, c.b) for c in found.literals] == [("7", "8")]
    assert found.kept == {"print"}
    assert renaming_in([found]) == Renaming(2, True)


@pytest.mark.parametrize("b", ["x = x;", "y = x;", "x = y;"])
def test_a_name_with_two_counterparts_is_not_one_to_one(b):
    a = "a = b;" if b == "x = x;" else "x = x;"
    assert not renaming_in([found_changes(a, b)]).one_to_one


def test_several_passages_are_renamed_together():
    part, other = found_changes("a + b", "x + b"), found_changes("c + 1", "y + 2")
    assert renaming_in([part, part]) == Renaming(1, True)
    assert renaming_in([part, other]) == Renaming(2, True)
    assert renaming_in([]) == Renaming(0, True)
    for spoilt in ("c + a", "y + a"), ("a + b", "z + b"), ("d + b", "x + b"):  # kept there, or with other counterparts
        assert not renaming_in([part, found_changes(*spoilt)]).one_to_one


def test_languages_that_pygments_reads_have_renamings_too():
    found = found_changes("local count = count + 1", "local total = total + 1", "lua")
    assert [(c.a, c.b, c.times) for c in found.names] == [("count", "total", 2)]


# Highlighting.


def test_kinds_are_where_they_stand_in_the_original():
    text = "in\u200bt x = 'c'; // é"
    kinds = kinds_of("java", text)
    assert set(kinds[:4]) == {TokenKind.KEYWORD}
    assert kinds[text.index("'")] == TokenKind.STRING
    assert set(kinds[text.index("//") :]) == {TokenKind.COMMENT}


@pytest.mark.parametrize("language", ["java", "python", "lua", "text"])
@pytest.mark.parametrize("text", ["", "x", " 'a''b' # c\n", "/* c */int x1 = 1.5;// é\n", "in\u200bt if else\n\n"])
def test_kinds_are_the_same_as_characters_as_spans_and_in_places(language, text):
    kinds = kinds_of(language, text).tolist()
    assert kinds_at(language, text, np.arange(len(text))).tolist() == kinds
    spans = kind_spans(language, text)
    painted = [int(TokenKind.SIGN)] * len(text)
    for kind, start, end in zip(*map(np.ndarray.tolist, spans), strict=True):
        painted[start:end] = [kind] * (end - start)
    assert painted == kinds


def test_a_careful_page_runs_no_lexer_of_others():
    text = "local x = 'a' -- b\n"
    assert len(set(kinds_of("lua", text).tolist())) > 1
    assert set(kinds_of("lua", text, careful=True).tolist()) == {TokenKind.SIGN}
    long = text * (PYGMENTS_LIMIT // len(text) + 1)
    assert set(kinds_of("lua", long).tolist()) == {TokenKind.SIGN}


PIECES = [
    "x = r'a'", ";", " ", "f();", "}", "\n", "\r\n", "\\\n", "// b\n", "# c\n", "/* d */", '"""g"""', "'e'",
    "while (y != 1.5e3) {", "#define ganz int\n", "#define ende ; }\n", "#define wenn(x) if (x)\n", "ganz a", " ende ",
    "wenn (a)", "é", "\uff1b", "\u037e",
]  # fmt: skip


@pytest.mark.parametrize("language", [each.name for each in FRONTENDS if isinstance(each.scan, LexiconScanner)])
@settings(max_examples=40)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_the_tokens_of_pages_are_those_that_were_compared(language, text):
    ours, compared_ones = tokens_of(language, text, Channel.STRUCTURE), by_name(language).scan(text)[Channel.STRUCTURE]
    assert ours.start.tolist() == compared_ones.start.tolist()
    assert ours.end.tolist() == compared_ones.end.tolist()


# Folds.


@given(st.integers(0, 200), st.lists(st.tuples(st.integers(1, 200), st.integers(0, 30)), max_size=6))
def test_folds_are_long_apart_and_away_from_every_passage(lines, found):
    regions = [(first, min(first + more, lines)) for first, more in found if first <= lines]
    folds = lines_to_fold(lines, regions)
    near = {n for first, last in regions for n in range(first - CONTEXT, last + CONTEXT + 1)}
    folded = {n for first, last in folds for n in range(first, last + 1)}
    assert not folded & near
    assert all(first >= 1 and last <= lines and last - first + 1 >= SHORTEST_FOLD for first, last in folds)
    free = np.array([n not in near and n not in folded for n in range(1, lines + 1)], bool)
    longest = max((len(run) for run in "".join("x" if f else " " for f in free).split()), default=0)
    assert longest < SHORTEST_FOLD


def test_a_stretch_that_no_browser_could_open_is_told_and_not_shown():
    text = "x\n" * (LONGEST_FOLD + 1)
    shown = code(MarkedFile("a1", sheet_of("text", text), (), ()))
    assert "5,001 lines with nothing shared; too many to show here" in shown
    assert len(shown) < 1000


def test_thirty_passages_look_different():
    assert len({look(number) for number in range(1, 31)}) == 30


def test_cells_are_labelled_where_they_begin():
    text = "one\ntwo\nthree\n"
    cells = (Cell("cell 1", "python", 0, 8), Cell("cell <2>", "text", 8, 14))
    markup = code(MarkedFile("a1", sheet_of("text", text), (), (), (), cells))
    assert markup.index("cell 1") < markup.index("one") < markup.index("cell &lt;2&gt;") < markup.index("three")


# What is unseen.


def test_unseen_characters_are_shown_by_their_names():
    shown = visible("a\u202eb\x00\ud800<")
    assert "RIGHT-TO-LEFT OVERRIDE" in shown
    assert 'data-char="202e"' in shown
    assert ">U+0000<" in shown
    assert 'data-char="d800"' in shown
    assert shown.endswith("&lt;")
    assert shown.encode("utf-8")
    assert visible_plain("a\u202eb") == "a[U+202E]b"


def test_what_can_be_seen_is_left_alone():
    assert visible("naïve 変数 שלום \t\n") == "naïve 変数 שלום \t\n"


# Counterparts.


def test_files_are_compared_with_those_that_they_share_most_with():
    a = [record("Main.java", "1"), record("Stock.java", "2"), record("Only.java", "3")]
    b = [record("Shelves.java", "4"), record("Main.java", "5")]
    match = Match(Region("Stock.java", 1, 1, 0, 1), Region("Shelves.java", 1, 1, 0, 1), 9, 0, Channel.STRUCTURE, (), ())
    sides = [
        side_of(letter, 1, SubmissionRecord(letter, letter, Role.NEW, "java", 0, 0, tuple(files)), 0.5, (), False)
        for letter, files in (("a", a), ("b", b))
    ]
    found = [(one and one.file.path, other and other.file.path) for one, other in counterparts(*sides, [match])]
    assert found == [("Main.java", "Main.java"), ("Stock.java", "Shelves.java"), ("Only.java", None)]


# Words.


def test_rarity_in_words():
    region = Region("A", 1, 1, 0, 1)
    alone = Match(region, region, 9, 0, Channel.TEXT, (), ())
    shared = Match(region, region, 9, 2, Channel.TEXT, ("x", "y"), ())
    assert rarity_in_words(alone, 180, True) == "Only these two of 180 submissions have it. It is not starter code."
    assert rarity_in_words(shared, 180, False) == "4 of 180 submissions have it."
