"""The attacks on copies: what each rewriting does to a program, and when a copy counts as found."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

import attacks  # noqa: E402
import rewrites  # noqa: E402

from frontends import by_name, scan_all  # noqa: E402
from moss.engine.ranking.candidates import PairValues  # noqa: E402
from moss.model import Channel  # noqa: E402

JAVA = """
class Shop {
    // counts what is sold
    static int sold(int[] items, int limit) {
        int total = 0;
        for (int i = 0; i < limit; i++) {
            if (items[i] > 3) {
                total += items[i];
            }
        }
        return total;
    }
}
"""
PYTHON = '''
def sold(items, limit):
    """Counts what is sold."""
    total = {"all": 0}  # "none" yet
    for i in range(limit):
        if items[i] > 3:
            total["all"] += items[i]
    print("# sold",
          total)
    return total
'''
DOCSTRING = '    """Counts what is sold."""\n'
TEXTS = {True: JAVA, False: PYTHON}


def structure(text, braces):
    (tokens,) = scan_all(by_name("java" if braces else "python"), [text])
    return tokens[Channel.STRUCTURE].codes.tolist()


@pytest.mark.parametrize("braces", [True, False])
def test_renaming_leaves_the_structure_and_nothing_of_names_and_comments(braces):
    found = rewrites.renamed(TEXTS[braces], random.Random(1), braces)
    assert structure(found, braces) == structure(TEXTS[braces].replace(DOCSTRING, ""), braces)
    assert not re.search(r"sold(?!\")|items|total|counts", found, re.IGNORECASE)


def test_a_comment_sign_in_a_string_begins_no_comment():
    assert '"# sold",' in rewrites.renamed(PYTHON, random.Random(1), False)


@pytest.mark.parametrize("braces", [True, False])
def test_a_dead_statement_stands_behind_each_statement_and_in_none(braces):
    text = rewrites.renamed(TEXTS[braces], random.Random(1), braces)
    found = rewrites.padded(1)(text, random.Random(1), braces).splitlines()
    dead = [line for line in found if re.match(r"\s*[zf]\d+[ (]", line)]
    assert len(dead) == 7
    assert [line for line in found if line not in dead] == text.splitlines()
    if not braces:
        compile("\n".join(found), "padded", "exec")


@pytest.mark.parametrize("braces", [True, False])
def test_translating_changes_comments_alone(braces):
    found = rewrites.translated(TEXTS[braces], random.Random(1), braces)
    assert "ounts what is sold" not in found
    assert structure(found, braces) == structure(TEXTS[braces], braces)
    assert found.count("\n") == TEXTS[braces].count("\n")


@pytest.mark.parametrize("braces", [True, False])
def test_if_and_for_go(braces):
    found = rewrites.turned(rewrites.switched(TEXTS[braces], random.Random(1), braces), random.Random(1), braces)
    assert not re.search(r"\b(if|for)\b", found)
    assert re.search(r"\b(switch|match)\b", found)


def ranked(*values):
    """Scores of the pairs of the last of four with the three before it, and one of two others."""
    a, b = np.array([0, 0, 1, 2], np.int32), np.array([1, 3, 3, 3], np.int32)
    return PairValues(4, a, b, np.array(values))


@pytest.mark.parametrize(
    ("scores", "sources", "found"),
    [
        ((0.1, 0.9, 0.5, 0.5), (0,), (True, True)),
        ((1.0, 0.9, 0.5, 0.5), (0,), (True, True)),  # a better pair without the copy
        ((0.1, 0.5, 0.5, 0.4), (0,), (False, True)),  # of equal ones the wrong one comes first
        ((0.1, 0.9, 0.8, 0.5), (0, 1), (True, True)),
        ((0.1, 0.9, 0.5, 0.8), (0, 1), (False, True)),
    ],
    ids=str,
)
def test_a_copy_is_found_if_its_sources_are_its_best_matches(scores, sources, found):
    assert attacks.found(ranked(*scores), sources) == found


def test_a_pair_behind_five_others_is_not_among_the_first():
    a = np.zeros(7, np.int32)
    scores = PairValues(8, a, np.arange(1, 8, dtype=np.int32), np.array([6, 5, 4, 3, 2, 0.5, 1.0]))
    assert attacks.found(scores, (0,)) == (True, False)
    assert attacks.found(PairValues(8, a[:1], a[:1] + 1, np.ones(1)), (0,)) == (False, False)  # shares nothing


def test_the_same_seed_gives_the_same_copies_and_only_those_are_read(monkeypatch):
    programs = attacks.read_programs("python", attacks.SAMPLES / "python-textstats")
    twice = [list(attacks.trials(programs, 1, seed=3)) for _ in range(2)]
    copies = [[[*map(bytes, trial.case.members[-1].content)] for trial in trials] for trials in twice]
    assert copies[0] == copies[1]
    assert len(copies[0]) == 17
    case = twice[0][0].case
    kept = list(map(id, case.bags()[:-1]))
    again = twice[1][0].case
    assert [member.name for member in again.members] == [member.name for member in case.members]
    assert list(map(id, again.bags()[:-1])) == kept


def test_a_program_disguised_by_macros_has_the_structure_of_the_original_and_none_of_its_keywords():
    text = '#include <stdio.h>\nint main(void) {\n    // if\n    if (1 > 0) { puts("if (;)"); }\n    return 0;\n}\n'
    found = rewrites.disguised(text, random.Random(1), True)
    body = found[found.index("#include") :]
    assert not re.search(r"\b(int|void|if|return)\b|[{};]", body.replace("if (;)", ""))
    assert "if (;)" in body
    read = [scan_all(by_name("c"), [each])[0][Channel.STRUCTURE].codes.tolist() for each in (text, found)]
    assert read[0] == read[1]
