"""Copying across related languages is found, across unrelated ones nothing is; mixtures and notebooks."""

import json
import re

import pytest
from support.programs import CART_JS, DIARY_PY, HONEST_JAVA, HONEST_PYTHON, LEDGER, MAZE, QUEUE_C, notebook, write_class

import moss
from frontends import FRONTENDS, GENERIC, by_name
from frontends.selection import choose, looks_like_program, main_language
from moss.model import Channel

STATEMENT_RB = """\
# Prints what a customer owes at the end of a month, and what is left of the credit that was granted in spring.
class MonthlyStatement
  attr_reader :ledger, :printer, :remaining_credit

  # The ledger says what was bought on which day; the printer writes lines, and never more than sixty on a page.
  def initialize ledger, printer
    @ledger = ledger
    @printer = printer
  end

  # Whatever was paid before the first of the month counts for the month before, as the customers were told.
  def print_balance_of month
    printer.write_heading month.long_name
    ledger.purchases_in month do |purchase|
      printer.write_line purchase.description_of_goods, purchase.amount_due
      @remaining_credit -= purchase.amount_due
    end
    printer.write_line month.long_name, remaining_credit
  end
end
"""

KEYWORDS = re.compile(
    "break|case|char|class|const|constructor|default|do|else|exports|for|if|int|let|module|new|of|return|sizeof|static|"
    "struct|this|throw|void|while|include|define"
)


def renamed(text):
    """The text with every name changed, those of the language kept."""
    return re.sub(
        r"(?<![\"\\%#<])\b[A-Za-z_]\w*", lambda m: m[0] if KEYWORDS.fullmatch(m[0]) else f"{m[0][::-1]}_q", text
    )


def compare(tmp_path, members, **settings):
    return moss.compare([write_class(tmp_path / "hw1", members)], settings=moss.Settings(jobs=1, **settings))


def pair(report, a, b):
    return next((p for p in report.pairs if {p.a, p.b} == {a, b}), None)


def languages(report):
    return {f"{s.id}/{file.path}": file.language for s in report.submissions for file in s.files}


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        (QUEUE_C, "q.c", "q.cpp"), (QUEUE_C, "q.h", "q.cc"), (CART_JS, "c.js", "c.ts"), (CART_JS, "c.jsx", "c.tsx"),
        (CART_JS, "c.mjs", "c.ts"),
    ],
)  # fmt: skip
def test_a_renamed_copy_in_the_related_language_is_found_in_the_structure(tmp_path, text, one, other):
    copy = renamed(text)
    members = {"alice": {one: text}, "mallory": {other: copy}, **HONEST_JAVA, **HONEST_PYTHON}
    report = compare(tmp_path, members)
    best = report.pairs[0]
    assert (best.a, best.b) == ("alice", "mallory")
    assert min(best.share_a, best.share_b) >= 0.9
    assert best.matches[0].channel is Channel.STRUCTURE


def test_unrelated_languages_never_match_in_structure(tmp_path):
    programs = {"a.java": LEDGER, "b.py": DIARY_PY, "c.js": CART_JS, "d.c": QUEUE_C, "e.rb": LEDGER, "f.go": LEDGER,
                "g.cs": LEDGER, "h.kt": LEDGER, "i.php": "<?php\n" + LEDGER}  # fmt: skip
    report = compare(tmp_path, {name: {name: text} for name, text in programs.items()}, noise=4, guarantee=4)
    for found in report.pairs:
        assert all(match.channel is Channel.TEXT for match in found.matches), (found.a, found.b)


def test_java_and_python_share_no_structure_code():
    java, python = (set(by_name(name).scan(LEDGER)[Channel.STRUCTURE].codes.tolist()) for name in ("java", "python"))
    assert java
    assert python
    assert not java & python


def test_each_file_of_a_mixture_goes_through_its_own_front_end(tmp_path):
    mixture = {
        "Main.java": LEDGER,
        "tool.py": DIARY_PY,
        "web/cart.js": CART_JS,
        "notes.txt": "Thank you for reading this.",
    }
    report = compare(
        tmp_path, {"alice": mixture, "bob": {"cart.js": CART_JS}, "carol": {"M.java": LEDGER}, **HONEST_JAVA}
    )
    assert {path: name for path, name in languages(report).items() if path.startswith("alice")} == {
        "alice/Main.java": "java",
        "alice/notes.txt": "text",
        "alice/tool.py": "python",
        "alice/web/cart.js": "javascript",
    }
    assert {match.a.file for match in pair(report, "alice", "bob").matches} == {"web/cart.js"}
    assert pair(report, "alice", "bob").share_b == 1
    assert pair(report, "alice", "carol").share_b == 1


# Which front end reads a file.

PROSE = "It was a bright cold day in April, and the clocks were striking thirteen; nobody (but me) noticed. " * 5


def test_a_wished_programming_language_reads_all_programs():
    java = by_name("java")
    assert choose("a.py", DIARY_PY, java, None) is java
    assert choose("a.txt", LEDGER, java, None) is java
    assert choose("a", LEDGER, java, None) is java
    assert choose("notes.txt", PROSE, java, None).name == "text"
    assert choose("page.html", "<html></html>", java, None).name == "html"
    assert choose("style.css", "a { b: c }", java, None).name == "css"


def test_wished_prose_reads_everything():
    text = by_name("text")
    assert choose("a.java", LEDGER, text, by_name("java")) is text


def test_without_a_wish_the_ending_says_it_and_the_class_helps():
    java = by_name("java")
    assert choose("a.py", LEDGER, None, java).name == "python"
    assert choose("a.txt", LEDGER, None, java) is java
    assert choose("a.odd", LEDGER, None, java) is java
    assert choose("a.odd", LEDGER, None, None) is GENERIC
    assert choose("a.odd", PROSE, None, java).name == "text"
    assert choose("a.md", PROSE, None, java).name == "text"
    assert choose("a", "", None, java).name == "text"


@pytest.mark.parametrize("text", [LEDGER, MAZE, DIARY_PY, QUEUE_C, CART_JS, STATEMENT_RB])
def test_programs_look_like_programs(text):
    assert looks_like_program(text)
    assert looks_like_program(text.replace("    ", "\t"))
    assert looks_like_program("\ufeff" + text.replace("\n", "\r\n"))


def test_a_program_of_few_signs_and_many_comments_is_read_whatever_its_ending():
    ruby = by_name("ruby")
    assert choose("a.txt", STATEMENT_RB, None, ruby) is ruby
    assert choose("a", STATEMENT_RB, None, ruby) is ruby
    assert choose("a.md", STATEMENT_RB, None, ruby).name == "text"  # Markdown is full of such words


FAMILY_PL = """\
% Who is whose child.
parent(ann, bob).
parent(bob, cid).

ancestor(Old, Young) :- parent(Old, Young).  % at once
ancestor(Old, Young) :-
    parent(Old, Between),
    ancestor(Between, Young).

count([], 0).
count([_|Rest], Number) :- count(Rest, Fewer), Number is Fewer + 1.
"""


def test_prolog_and_perl_have_one_ending():
    assert choose("family.pl", FAMILY_PL, None, None).name == "prolog"
    assert choose("family.PL", "parent(ann, bob).\nparent(bob, cid).\n", None, None).name == "prolog"
    assert choose("a.pl", "use strict;\nmy @found = grep(defined, @ARGV);\nprint(@found);\n", None, None).name == "perl"
    assert choose("a.pl", "", None, None).name == "perl"
    assert choose("a.pm", FAMILY_PL, None, None).name == "perl"


def test_a_renamed_copy_in_prolog_is_found_in_the_structure(tmp_path):
    copy = re.sub(r"%.*", "% nothing to be said", re.sub(r"\b(ancestor|parent|Old|Young|count)\b", r"\1_q", FAMILY_PL))
    members = {"alice": {"a.pl": FAMILY_PL}, "mallory": {"b.pl": copy}, "bob": {"c.pl": "run :- write(hello), nl.\n"}}
    found = pair(compare(tmp_path, members), "alice", "mallory")
    assert min(found.share_a, found.share_b) == 1


def test_formulas_and_addresses_make_no_program():
    formulas = "By the theorem of Bayes, P(A|B) follows from P(B|A), as was shown in many books before; how often it"
    assert not looks_like_program(
        f"{formulas} has been used in courts since then, nobody who writes about law can say. " * 9
    )
    assert not looks_like_program(
        "Ask ann@uni.example.edu or bob@uni.example.edu, see https://uni.example.edu/a_b. " * 9
    )


def test_prose_does_not_look_like_a_program():
    assert not looks_like_program(PROSE)
    assert not looks_like_program("")
    assert not looks_like_program(";;;")


def test_the_main_language_is_that_of_most_programs():
    assert main_language(["a.java", "b.java", "c.py", "d.txt", "e.txt", "f.txt"]).name == "java"
    assert main_language(["b.py", "a.java"]) is main_language(["a.java", "b.py"])
    assert main_language(["a.txt", "b"]) is None


def test_a_program_of_another_language_is_read_by_the_wished_one(tmp_path):
    report = compare(tmp_path, {"a": {"x.java": LEDGER}, "b": {"x.weird": LEDGER}, **HONEST_JAVA}, language="java")
    assert set(languages(report).values()) == {"java"}
    assert report.pairs[0].share_b == 1


@pytest.mark.parametrize("name", sorted(frontend.name for frontend in FRONTENDS if not frontend.isolated))
def test_a_copy_is_a_copy_in_any_language(tmp_path, name):
    report = compare(tmp_path, {"a": {"x.txt": LEDGER}, "b": {"x.txt": LEDGER}, **HONEST_JAVA}, language=name)
    best = report.pairs[0]
    assert (best.a, best.b, best.share_a, best.share_b, best.score) == ("a", "b", 1, 1, 1)


# Notebooks.


def cells_of(text):
    return [f"{part}\n" for part in text.split("\n\n\n")]


def test_a_match_in_a_notebook_tells_the_cells(tmp_path):
    parts = cells_of(DIARY_PY)
    mine = notebook("# Homework\n\nBy me, in a hurry.\n", "x = 1\n", parts[4], "print(x)\n", parts[5])
    report = compare(tmp_path, {"alice": {"d.py": DIARY_PY}, "nb": {"d.ipynb": mine}, **HONEST_PYTHON})
    best = report.pairs[0]
    assert (best.a, best.b) == ("alice", "nb")
    [record] = [s for s in report.submissions if s.id == "nb"]
    text = record.files[0].text
    assert {match.b.cell for match in best.matches} <= {"cell 3", "cell 5", "cell 3 to cell 5"}
    assert {match.a.cell for match in best.matches} == {None}
    for match in best.matches:
        assert text[match.b.start : match.b.end].strip() in text
        for run in match.runs:
            assert text[run.b_start : run.b_end].split() == DIARY_PY[run.a_start : run.a_end].split()


def test_outputs_are_not_compared(tmp_path):
    loud = json.loads(notebook("print('hello, world')\n"))
    loud["cells"][0]["outputs"] = [{"output_type": "stream", "text": DIARY_PY.splitlines(True)}]
    report = compare(tmp_path, {"alice": {"d.py": DIARY_PY}, "nb": {"d.ipynb": json.dumps(loud)}, **HONEST_PYTHON})
    assert pair(report, "alice", "nb") is None


def test_cells_of_a_notebook_have_the_kernels_language(tmp_path):
    report = compare(
        tmp_path,
        {"a": {"x.ipynb": notebook(CART_JS, language="javascript")}, "b": {"x.js": renamed(CART_JS)}, **HONEST_JAVA},
    )
    assert languages(report)["a/x.ipynb"] == "javascript"
    assert report.pairs[0].share_a >= 0.9


def test_essays_are_compared_as_words(tmp_path):
    one = "The tram was late again, so the whole town walked to work under a sky the colour of slate and wet wool."
    other = one.replace("whole town", "entire town").upper()
    filler = {name: {"e.md": f"{name} wrote something about {i} other things entirely, and quite briefly at that."}
              for i, name in enumerate(("x", "y"))}  # fmt: skip
    best = compare(tmp_path, {"a": {"e.txt": one}, "b": {"e.md": other}, **filler}).pairs[0]
    assert (best.a, best.b) == ("a", "b")
    assert min(best.share_a, best.share_b) > 0.8


DOCUMENTED = (
    "/**\n" + " * What this does is told here, at length, for whoever reads it first.\n" * 60 + " */\n" + LEDGER
)


@pytest.mark.parametrize(
    ("path", "handout"),
    [
        ("Ledger.txt", LEDGER),
        ("Ledger", LEDGER),
        ("Ledger.txt", DOCUMENTED),
        ("task.md", f"# Task\n\nBegin with this:\n\n```\n{DOCUMENTED}\n```\n"),
        ("task.html", f"<html><body><h1>Task</h1><pre>\n{LEDGER}\n</pre></body></html>"),
    ],
)
def test_starter_code_is_found_in_a_file_of_any_kind(tmp_path, path, handout):
    """Even if two students renamed what they were given, it is nobody's copying."""
    own = [next(iter(files.values())) for files in HONEST_JAVA.values()]
    copies = {f"s{n}": {"Main.java": f"{renamed(LEDGER)}\n{text}"} for n, text in enumerate(own)}
    students = write_class(tmp_path / "hw1", copies)

    def shares(name, content):
        given = write_class(tmp_path / f"base-{name}", {"starter": {name: content}})
        report = moss.compare([students], base=[given], settings=moss.Settings(jobs=1))
        return {(p.a, p.b): sum(m.tokens for m in p.matches if m.channel is Channel.STRUCTURE) for p in report.pairs}

    assert shares(path, handout) == shares("Ledger.java", LEDGER)
