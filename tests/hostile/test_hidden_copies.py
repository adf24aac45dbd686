"""Nothing hides a copy: tricks that javac, gcc or an interpreter accepts, and that make a file look like another one.

docs/security.md says what is promised. Each trick is tried in a small class; the pair must be shown with nearly all of
both programs in passages, and what was read in a lesser way must be listed.
"""

from __future__ import annotations

import json
import random
import re

import pytest
from click.testing import CliRunner
from support.programs import DIARY_PY, HONEST_C, HONEST_JAVA, HONEST_PYTHON, LEDGER, QUEUE_C, write_class

import moss
from moss.cli import main

ENOUGH = 0.9


def noise(size):
    """Odd bytes that end no comment, and no line of one."""
    return random.Random(5).randbytes(size).translate(None, b"\\\n\r\f*/#?<")


WORD = re.compile(r"[A-Za-z_]\w+")
LISTED = "binary content in a file named like source code: only its printable text was compared"


def compared(tmp_path, original, copy, honest=None, **options):
    """The pair of an original and its copy in a class, which must rank first, and the report."""
    folder = write_class(tmp_path / "hw1", {"mallory": copy, "alice": original, **(honest or {})})
    report = moss.compare([folder], settings=moss.Settings(jobs=1, **options))
    best = report.pairs[0]
    assert (best.a, best.b) == ("alice", "mallory")
    return best, report


def assert_found(tmp_path, original, copy, honest=None):
    pair, report = compared(tmp_path, original, copy, honest)
    assert min(pair.share_a, pair.share_b) >= ENOUGH
    return [problem.reason for problem in report.problems if problem.path.startswith("mallory/")]


# Spellings that the compiler undoes before it looks for tokens


def escaped(text, u="u", kept=""):
    return "".join(char if char in kept else f"\\{u}{ord(char):04x}" for char in text)


def spliced(text, every, joint="\\\n"):
    """Every so many words cut in two by a line end that the compiler takes away."""
    words = iter(range(len(text)))
    return WORD.sub(lambda m: m[0] if next(words) % every else m[0][0] + joint + m[0][1:], text)


SPELLINGS = {
    "java, all escaped": ("Main.java", LEDGER, escaped(LEDGER), HONEST_JAVA),
    "java, all but line ends": ("Main.java", LEDGER, escaped(LEDGER, kept="\n"), HONEST_JAVA),
    "java, many u": ("Main.java", LEDGER, escaped(LEDGER, "uuu", kept="\n"), HONEST_JAVA),
    "java, blanks and signs": (
        "Main.java",
        LEDGER,
        re.sub(r"[^\w\n\"'\\]", lambda m: escaped(m[0]), LEDGER),
        HONEST_JAVA,
    ),
    "c, each word spliced": ("queue.c", QUEUE_C, spliced(QUEUE_C, 1), HONEST_C),
    "c, every sixth word spliced": ("queue.c", QUEUE_C, spliced(QUEUE_C, 6), HONEST_C),
    "c, spliced with blanks": ("queue.c", QUEUE_C, spliced(QUEUE_C, 1, "\\ \t\r\n"), HONEST_C),
    "c, digraphs": (
        "queue.c",
        QUEUE_C,
        QUEUE_C.replace("{", "<%").replace("}", "%>").replace("[", "<:").replace("]", ":>").replace("#", "%:"),
        HONEST_C,
    ),
}


@pytest.mark.parametrize("trick", SPELLINGS)
def test_spellings_that_a_compiler_undoes(tmp_path, trick):
    name, program, copy, honest = SPELLINGS[trick]
    assert assert_found(tmp_path, {name: program}, {name: copy}, honest) == []


# Comments that make a program look like something else


def wide_comment(encoding, size=11_000):
    remark = ("a remark that says nothing at all\n" * size)[: size // 2]
    return b"/*" + remark.encode(encoding) + b"*/\n"


COMMENTS = {
    "like UTF-16 LE": lambda text: wide_comment("utf-16-le") + text.encode(),
    "like UTF-16 BE": lambda text: wide_comment("utf-16-be") + text.encode(),
    "like UTF-16, very long": lambda text: wide_comment("utf-16-le", 300_000) + text.encode(),
    "like UTF-16, behind": lambda text: text.encode() + wide_comment("utf-16-le"),
    "like UTF-32": lambda text: wide_comment("utf-32-le", 8_000) + text.encode(),
}
ODD_COMMENTS = {
    "odd bytes": lambda text: b"/*" + noise(8192) + b"*/\n" + text.encode(),
    "odd bytes behind": lambda text: text.encode() + b"/*" + noise(30_000) + b"*/\n",
    "NULs": lambda text: b"/*" + b"\0" * 30_000 + b"*/\n" + text.encode(),
    "many NULs first": lambda text: b"/*" + b"\0" * 100_000 + b"*/\n" + text.encode(),
}
PROGRAMS = {"java": ("Main.java", LEDGER, HONEST_JAVA), "c": ("queue.c", QUEUE_C, HONEST_C)}


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("trick", COMMENTS)
def test_comments_that_look_like_another_encoding(tmp_path, language, trick):
    name, program, honest = PROGRAMS[language]
    assert_found(tmp_path, {name: program}, {name: COMMENTS[trick](program)}, honest)


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("trick", ODD_COMMENTS)
def test_comments_that_look_like_no_text_are_read_and_listed(tmp_path, language, trick):
    name, program, honest = PROGRAMS[language]
    assert assert_found(tmp_path, {name: program}, {name: ODD_COMMENTS[trick](program)}, honest) == [LISTED]


def test_odd_bytes_in_a_python_comment_are_read_and_listed(tmp_path):
    odd = b"# coding: latin-1\n#" + noise(8192) + b"\n"
    found = assert_found(tmp_path, {"diary.py": DIARY_PY}, {"diary.py": odd + DIARY_PY.encode()}, HONEST_PYTHON)
    assert found == [LISTED]


MATLAB = "".join(
    f"x{i} = solve(a{i}, b{i} * {i}) + norm(c{i}(:, {i}));\nif x{i} > {i}, disp(x{i}); end\n" for i in range(40)
)
PHP = "<?php\n" + "".join(
    f"$a{i} = f{i}($b{i}, {i}) . 'x';\nif ($a{i} > {i}) {{ echo $c{i}[{i}]; }}\n" for i in range(40)
)
SIGNATURES = {
    "a PDF to MATLAB": ("solve.m", MATLAB, b"%PDF-1.4\n" + MATLAB.encode()),
    "a PDF to TeX": ("essay.tex", DIARY_PY, b"%PDF-1.4\n" + DIARY_PY.encode()),
    "data behind PHP": ("index.php", PHP, PHP.encode() + b"__halt_compiler();" + noise(20_000)),
    "a picture before PHP": ("index.php", PHP, b"GIF89a" + noise(2_000) + PHP.encode()),
}


@pytest.mark.parametrize("trick", SIGNATURES)
def test_signatures_of_other_files_are_listed_and_the_program_is_read(tmp_path, trick):
    name, program, copy = SIGNATURES[trick]
    pair, report = compared(tmp_path, {name: program}, {name: copy})
    assert pair.share_a >= ENOUGH
    assert [problem.path for problem in report.problems] == [f"mallory/{name}"]


# Places that are usually ignored


@pytest.mark.parametrize("place", ["node_modules", ".hidden", "__pycache__"])
def test_a_copy_in_an_ignored_folder_is_named_and_can_be_included(tmp_path, place):
    copy = {"readme.txt": "see there", f"{place}/Main.java": LEDGER}
    folder = write_class(tmp_path / "hw1", {"mallory": copy, "alice": {"Main.java": LEDGER}, **HONEST_JAVA})
    usual = tmp_path / "usual.json"
    arguments = ["compare", "--quiet", "--no-cache", "-j", "1", "--json", str(usual), str(folder)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    record = next(s for s in json.loads(usual.read_text())["submissions"] if s["id"] == "mallory")
    assert [file["path"] for file in record["files"] if file["status"] == "skipped"] == [place]
    taken = tmp_path / "taken.json"
    arguments = ["compare", "--quiet", "--no-cache", "--exclude", place, "--include", place, "--exclude", "*.txt"]
    assert CliRunner().invoke(main, [*arguments, "-j", "1", "--json", str(taken), str(folder)]).exit_code == 0
    best = json.loads(taken.read_text())["pairs"][0]
    assert (best["a"], best["b"], best["share_a"], best["share_b"]) == ("alice", "mallory", 1, 1)


# Letters


def test_letters_of_every_script_that_look_like_ours(tmp_path):
    from frontends.normalise.lookalikes import LOOKALIKES

    alike = {plain: letter for letter, plain in LOOKALIKES.items()}
    program = WORD.sub(lambda match: "".join(alike.get(letter, letter) for letter in match[0]), DIARY_PY)
    assert assert_found(tmp_path, {"diary.py": DIARY_PY}, {"diary.py": program}, HONEST_PYTHON) == []
