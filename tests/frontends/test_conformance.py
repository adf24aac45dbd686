"""What every front end promises, checked for each entry of the registry."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from time import thread_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import HOSTILE, OPENERS

from frontends import FRONTENDS, Frontend, by_name, for_path
from moss.model import Channel, Tokens

JUNK = st.lists(st.sampled_from(OPENERS), max_size=60).map("".join)
TEXT = st.text(st.characters(), max_size=200)  # with control characters and lone surrogates
LONG = st.builds(lambda part, n: part * n, st.text(min_size=1, max_size=8), st.integers(1, 500))

EVERY = pytest.mark.parametrize("frontend", FRONTENDS, ids=lambda frontend: frontend.name)
OWN = [frontend for frontend in FRONTENDS if not frontend.isolated]
SAMPLES = Path(__file__).parent / "normalisation"
ISOLATED = [frontend for frontend in FRONTENDS if frontend.isolated]


def same_codes(a: Tokens, b: Tokens) -> bool:
    """Whether two files have the same codes in all channels."""
    return a.keys() == b.keys() and all(np.array_equal(a[channel].codes, b[channel].codes) for channel in a)


@given(text=TEXT | JUNK | LONG)
@settings(max_examples=100, deadline=None)
def test_reads_any_text(text: str) -> None:
    for frontend in OWN:
        check(frontend, text)


@pytest.mark.parametrize("frontend", ISOLATED, ids=lambda frontend: frontend.name)
@given(text=st.text(st.characters(), max_size=50))
@settings(max_examples=5, deadline=None)
def test_reads_any_text_in_isolation(frontend: Frontend, text: str) -> None:
    check(frontend, text)


def check(frontend: Frontend, text: str) -> None:
    """Assert that a front end gives the channels it declares, in order, and always the same."""
    tokens = frontend.scan(text)
    expected = {Channel.TEXT} if frontend.channel is Channel.TEXT else {Channel.STRUCTURE, Channel.TEXT}
    assert set(tokens) == expected, frontend.name
    for stream in tokens.values():
        assert stream.codes.dtype == np.uint64
        assert (stream.start < stream.end).all(), frontend.name
        assert (stream.end[:-1] <= stream.start[1:]).all(), frontend.name
        assert not len(stream) or (stream.start[0] >= 0 and stream.end[-1] <= len(text)), frontend.name
    assert same_codes(tokens, frontend.scan(text)), frontend.name


@given(lines=st.lists(JUNK, max_size=8))
def test_any_line_ending_will_do(lines: list[str]) -> None:
    lines = ["".join(line.splitlines()) for line in lines]
    for frontend in OWN:
        unix, windows, mac = (frontend.scan(ending.join(lines)) for ending in ("\n", "\r\n", "\r"))
        assert same_codes(unix, windows), frontend.name
        assert same_codes(unix, mac), frontend.name


@pytest.mark.parametrize("frontend", ISOLATED, ids=lambda frontend: frontend.name)
def test_any_line_ending_will_do_in_isolation(frontend: Frontend) -> None:
    for path in sorted((SAMPLES / frontend.name).iterdir()):
        text = path.read_text(encoding="utf-8")
        for other in (text.replace("\n", "\r\n"), text.replace("\n", "\r"), text.rstrip()):
            found, expected = (frontend.scan(each)[Channel.STRUCTURE] for each in (other, text))
            assert np.array_equal(found.codes, expected.codes)
            words = [
                [each[i:j] for i, j in zip(s.start, s.end, strict=True)]
                for each, s in ((other, found), (text, expected))
            ]
            assert [" ".join(word.split()) for word in words[0]] == [" ".join(word.split()) for word in words[1]]


@pytest.mark.parametrize(
    ("name", "comment"), [("bash", "#"), ("tcl", "#"), ("verilog", "//"), ("sql", "--"), ("r", "#")]
)
def test_a_comment_may_end_a_file(name: str, comment: str) -> None:
    plain, with_comment = (by_name(name).scan(text) for text in ("a = 1;\n", f"a = 1;\n{comment} some (words)"))
    assert np.array_equal(plain[Channel.STRUCTURE].codes, with_comment[Channel.STRUCTURE].codes)


_OF_TWO = re.compile(r"<%|%>|<:|:>|%:|\\+(?=[ \t]*[\r\n])")


@given(text=JUNK, invisible=st.sampled_from("\u200b\u200d\u2060\ufeff\u00ad\x00"), every=st.integers(1, 5))
def test_invisible_characters_change_nothing(text: str, invisible: str, every: int) -> None:
    # An escape with something in it is none; nor is a sign that is written with two, or a backslash that joins lines.
    plain = _OF_TWO.sub(" ", text.replace("\\u0041", "A"))
    hidden = "".join(c + invisible * (i % every == 0) for i, c in enumerate(plain))
    for frontend in OWN:
        assert same_codes(frontend.scan(plain), frontend.scan(hidden)), frontend.name


@EVERY
def test_reads_nothing_in_nothing(frontend: Frontend) -> None:
    for text in ("", " ", "\n", "\ufeff", "\x00", "\r\n\t"):
        assert all(len(stream) == 0 for stream in frontend.scan(text).values())


@EVERY
def test_is_found_by_its_names_and_endings(frontend: Frontend) -> None:
    assert all(by_name(name) is frontend for name in (frontend.name, frontend.name.upper(), *frontend.aliases))
    assert all(for_path(f"a/b{ending}") is frontend for ending in frontend.endings)
    assert all(ending.startswith(".") and ending == ending.lower() for ending in frontend.endings)


def test_names_and_endings_are_nobody_elses() -> None:
    names = Counter(name for frontend in FRONTENDS for name in (frontend.name, *frontend.aliases))
    endings = Counter(ending for frontend in FRONTENDS for ending in frontend.endings)
    assert [name for name, count in (names + endings).items() if count > 1] == []


@pytest.mark.parametrize("frontend", OWN, ids=lambda frontend: frontend.name)
def test_hostile_text_takes_linear_time(frontend: Frontend) -> None:
    """Sixteen times the text takes about sixteen times as long; 256 times, were it quadratic."""
    slow = []
    for unit in HOSTILE:
        small, large = unit * (1_000 // len(unit)), unit * (16_000 // len(unit))
        if not _linear(frontend, small, large):
            slow.append(unit)
    assert slow == []


def _linear(frontend: Frontend, small: str, large: str) -> bool:
    """Whether some of a few tries looks linear: other work on the machine can only make one look worse."""
    return any(_seconds(frontend, large) < 64 * _seconds(frontend, small) + 0.005 for _ in range(5))


def _seconds(frontend: Frontend, text: str) -> float:
    started = thread_time()
    frontend.scan(text)
    return thread_time() - started


SAMPLE = "int main() { /* no */ return f(\"a\", 0x1F, 1.5e-3, 'c') + naïve_Name; } // \u0430\u200bb 你好\n"
PROGRAM = """
import json, sys
from frontends import FRONTENDS
text = json.loads(sys.stdin.read())
print(json.dumps({f.name: {c: s.codes.tolist() for c, s in f.scan(text).items()} for f in FRONTENDS}))
"""


def test_codes_are_the_same_in_every_process() -> None:
    environment = os.environ | {"PYTHONHASHSEED": "12345", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PROGRAM]
    run = subprocess.run(command, input=json.dumps(SAMPLE), capture_output=True, text=True, check=True, env=environment)
    there = json.loads(run.stdout)
    here = {f.name: {str(c): s.codes.tolist() for c, s in f.scan(SAMPLE).items()} for f in FRONTENDS}
    assert there == here
