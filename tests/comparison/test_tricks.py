"""A verbatim copy is found in spite of every trick that leaves the program the same to its reader or compiler."""

import io
import re
import zipfile
from itertools import combinations

import pytest
from support.programs import (
    DIARY_PY,
    HONEST_C,
    HONEST_JAVA,
    HONEST_PYTHON,
    LEDGER,
    MAZE,
    QUEUE_C,
    dead_code,
    notebook,
    write_class,
)
from support.thue_morse import twin_words

import moss

ENOUGH = 0.9
ALIKE = str.maketrans("aceiopsxyBCEHKMOPTX", "асеіорѕхуВСЕНКМОРТХ")
NAME = re.compile(r"(?<![\w\"\\%])[A-Za-z]\w{3,}")


def share(tmp_path, original, copy, honest):
    """The shares of the original and of its copy, which are the pair ranked first."""
    members = {"mallory": copy, "alice": original, **honest}
    folder = write_class(tmp_path / "hw1", members)
    report = moss.compare([folder], settings=moss.Settings(jobs=1))
    best = report.pairs[0]
    assert (best.a, best.b) == ("alice", "mallory")
    return best.share_a, best.share_b


def in_names(text, change):
    """The text with each name of four letters and more changed, keywords too, as a blind script would."""
    return NAME.sub(lambda match: change(match[0]), text)


def in_the_middle(inserted):
    return lambda name: name[:2] + inserted + name[2:]


def on_each_line(text, inserted):
    return "".join(line[: len(line) // 2] + inserted + line[len(line) // 2 :] for line in text.splitlines(True))


def after_line(text, number, inserted):
    lines = text.splitlines(True)
    return "".join([*lines[:number], inserted, *lines[number:]])


def on_one_line(text):
    bare = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
    return " ".join(bare.split())


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def halves(text):
    """The text cut in two at the blank line nearest to the middle."""
    lines = text.splitlines(True)
    cut = min((i for i, line in enumerate(lines) if line == "\n"), key=lambda i: abs(i - len(lines) // 2))
    return "".join(lines[:cut]), "".join(lines[cut:])


CHARACTERS = {
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16 LE": lambda text: text.encode("utf-16-le"),
    "UTF-16 BE": lambda text: text.encode("utf-16-be"),
    "UTF-16 LE with mark": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "UTF-16 BE with mark": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "CR": lambda text: text.replace("\n", "\r"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "a NUL on each line": lambda text: on_each_line(text, "\0"),
    "control characters": lambda text: on_each_line(text, "\x01\x07\x1b\x7f"),
    "zero-width space": lambda text: in_names(text, in_the_middle("\u200b")),
    "word joiner": lambda text: in_names(text, in_the_middle("\u2060")),
    "zero-width no-break space": lambda text: in_names(text, in_the_middle("\ufeff")),
    "soft hyphen": lambda text: in_names(text, in_the_middle("\xad")),
    "look-alike letters": lambda text: in_names(text, lambda name: name.translate(ALIKE)),
    "look-alike keywords": lambda text: text.translate(ALIKE),
    "no-break spaces": lambda text: text.replace("    ", "\xa0\u2003 \u3000"),
    "full-width letters": lambda text: in_names(text, lambda name: "".join(chr(ord(c) + 0xFEE0) for c in name)),
    "combining marks": lambda text: in_names(text, in_the_middle("\u0335")),
    "right-to-left marks": lambda text: in_names(text, in_the_middle("\u202e\u2066")),
    "variation selectors": lambda text: in_names(text, in_the_middle("\ufe0f\U000e0100")),
    "a Latin-1 byte": lambda text: after_line(text, 20, "// caf\xe9\n").encode("latin-1"),
    "undecodable bytes": lambda text: after_line(
        text.replace("\n", "\udcff\n", 6), 30, "// \udc81\udcfe\udc80\n"
    ).encode(errors="surrogateescape"),
}

JAVA_WRITING = {
    "Unicode escapes": lambda text: in_names(text, lambda name: f"\\u{ord(name[0]):04x}" + name[1:]),
    "Unicode escapes with many u": lambda text: in_names(
        text, lambda name: f"{name[0]}\\uuu{ord(name[1]):04X}{name[2:]}"
    ),
    "a stray quote": lambda text: after_line(text, 40, '"\n'),
    "a stray quote in a line": lambda text: after_line(text, 40, "        int odd = 'x;\n"),
    "a stray comment end": lambda text: after_line(text, 40, "*/\n"),
    "a stray text block": lambda text: after_line(text, 40, '"""\n'),
    "an unclosed comment at the end": lambda text: text + "/*",
    "an unclosed comment at the top": lambda text: "/*\n" + text,
    "an unclosed comment in the middle": lambda text: after_line(text, 40, "/*\n"),
    "a missing brace": lambda text: text[::-1].replace("}", "", 1)[::-1].replace("{", "", 1),
    "a syntax error": lambda text: after_line(text, 30, "this is not = Java ( at all\n"),
    "all on one line": on_one_line,
    "two megabytes of comment": lambda text: "/*" + " the quick brown fox jumps over it\n" * 60_000 + "*/\n" + text,
    "a comment on each line": lambda text: "".join(
        f"{line} // remark {i}\n" for i, line in enumerate(text.splitlines())
    ),
}


@pytest.mark.parametrize("program", [LEDGER, MAZE], ids=["ledger", "maze"])
@pytest.mark.parametrize("trick", [*CHARACTERS.items(), *JAVA_WRITING.items()], ids=lambda trick: trick[0])
def test_java_copy_with_other_characters(tmp_path, program, trick):
    original, copy = share(tmp_path, {"Main.java": program}, {"Main.java": trick[1](program)}, HONEST_JAVA)
    assert min(original, copy) >= ENOUGH


PLACES = {
    "as .txt": lambda text: {"notes.txt": text},
    "as .md": lambda text: {"README.md": text},
    "as .JAVA": lambda text: {"MAIN.JAVA": text},
    "with an unknown ending": lambda text: {"Main.jav_": text},
    "without an ending": lambda text: {"Main": text},
    "with the ending of a backup": lambda text: {"Main.java~": text},
    "in two files": lambda text: dict(zip(("A.java", "B.java"), halves(text), strict=True)),
    "five folders down": lambda text: {"a/b/c/d/e/Main.java": text},
    "in a zip in a zip": lambda text: {"hand-in.zip": zipped({"inner.zip": zipped({"Main.java": text})})},
    "in a folder called bin": lambda text: {"bin/Main.java": text},
}


@pytest.mark.parametrize("program", [LEDGER, MAZE], ids=["ledger", "maze"])
@pytest.mark.parametrize("place", PLACES)
def test_java_copy_in_another_place(tmp_path, program, place):
    original, copy = share(tmp_path, {"Main.java": program}, PLACES[place](program), HONEST_JAVA)
    assert min(original, copy) >= ENOUGH


def padded(text, times):
    """The text with so many times as much dead code before its last brace."""
    at = text.rindex("}")
    return text[:at] + dead_code(7, times * text.count("\n")) + text[at:]


PADDING = {
    "as much dead code": lambda text: {"Main.java": padded(text, 1)},
    "five times dead code": lambda text: {"Main.java": padded(text, 5)},
    "dead code in files of its own": lambda text: {
        "Main.java": text,
        **{f"U{i}.java": f"class U{i} {{\n{dead_code(i, 100)}}}\n" for i in range(5)},
    },
    "10,000 nested brackets": lambda text: {"Main.java": text + "(" * 10_000 + ")" * 10_000},
}


@pytest.mark.parametrize("program", [LEDGER, MAZE], ids=["ledger", "maze"])
@pytest.mark.parametrize("padding", PADDING)
def test_padding_does_not_hide_the_original(tmp_path, program, padding):
    original, _ = share(tmp_path, {"Main.java": program}, PADDING[padding](program), HONEST_JAVA)
    assert original >= ENOUGH


PYTHON = {
    "tabs": lambda text: {"diary.py": text.replace("    ", "\t")},
    "two blanks": lambda text: {"diary.py": text.replace("    ", "  ")},
    "byte order mark": lambda text: {"diary.py": b"\xef\xbb\xbf" + text.encode()},
    "CRLF": lambda text: {"diary.py": text.replace("\n", "\r\n")},
    "CR": lambda text: {"diary.py": text.replace("\n", "\r")},
    "zero-width space": lambda text: {"diary.py": in_names(text, in_the_middle("\u200b"))},
    "look-alike letters": lambda text: {"diary.py": in_names(text, lambda name: name.translate(ALIKE))},
    "a stray triple quote at the end": lambda text: {"diary.py": text + '"""\n'},
    "a stray triple quote in the middle": lambda text: {"diary.py": after_line(text, 30, '"""\n')},
    "a stray triple quote at the top": lambda text: {"diary.py": '"""\n' + text},
    "continued lines": lambda text: {"diary.py": text.replace(" = ", " = \\\n    ")},
    "a stray single quote": lambda text: {"diary.py": after_line(text, 30, "x = 'oops\n")},
    "as .txt": lambda text: {"diary.txt": text},
    "without an ending": lambda text: {"diary": text},
    "a notebook": lambda text: {"diary.ipynb": notebook("# My diary\n", *text.split("\n\n\n"))},
    "a notebook of one cell": lambda text: {"diary.ipynb": notebook(text)},
}


@pytest.mark.parametrize("trick", PYTHON)
def test_python_copy(tmp_path, trick):
    original, copy = share(tmp_path, {"diary.py": DIARY_PY}, PYTHON[trick](DIARY_PY), HONEST_PYTHON)
    assert min(original, copy) >= ENOUGH


C = {
    "byte order mark": lambda text: {"queue.c": b"\xef\xbb\xbf" + text.encode()},
    "CR": lambda text: {"queue.c": text.replace("\n", "\r")},
    "a stray quote": lambda text: {"queue.c": after_line(text, 30, '"\n')},
    "a stray comment end": lambda text: {"queue.c": after_line(text, 30, "*/\n")},
    "code disabled by the preprocessor": lambda text: {"queue.c": "#if 1\n" + text + "#endif\n"},
    "spliced lines": lambda text: {"queue.c": text.replace(";\n", "; \\\n")},
    "as .txt": lambda text: {"queue.txt": text},
    "as .h": lambda text: {"queue.h": text},
    "as .cpp": lambda text: {"queue.cpp": text},
}


@pytest.mark.parametrize("trick", C)
def test_c_copy(tmp_path, trick):
    original, copy = share(tmp_path, {"queue.c": QUEUE_C}, C[trick](QUEUE_C), HONEST_C)
    assert min(original, copy) >= ENOUGH


def test_the_honest_share_little(tmp_path):
    folder = write_class(tmp_path / "hw1", HONEST_JAVA | {"alice": {"A.java": LEDGER}, "bob": {"B.java": MAZE}})
    report = moss.compare([folder], settings=moss.Settings(jobs=1))
    assert max((max(pair.share_a, pair.share_b) for pair in report.pairs), default=0) < 0.3


def test_other_words_are_no_copy_however_they_were_made(tmp_path):
    """Each word of one text has a counterpart in the other with the same polynomial and no letter in common."""
    pairs = [twin_words(*letters) for letters in combinations("abcdefghij", 2)]
    a, b = (" ".join(words) for words in zip(*pairs, strict=True))
    folder = write_class(tmp_path / "hw1", {"alice": {"a.txt": a}, "bob": {"b.txt": b}})
    report = moss.compare([folder], settings=moss.Settings(jobs=1))
    assert not report.pairs or report.pairs[0].tokens == 0
