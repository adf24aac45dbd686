"""What holds for every comparison, whatever is handed in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from moss.comparison import compare_submissions
from moss.intake import Intake
from moss.model import Channel, Role, SourceFile, Submission
from moss.report.json_report import as_plain
from moss.settings import Settings

ONE_PROCESS = Settings(jobs=1)

sentences = st.lists(st.sampled_from([f"word{i}" for i in range(30)]), max_size=120).map(" ".join)
"""Prose of a small vocabulary, so that phrases recur by chance."""

statements = st.lists(
    st.sampled_from(
        [
            "int a = b + 1;",
            "for (int i = 0; i < n; i++) { sum += i; }",
            "if (x > y) { return x; } else { return y; }",
            'System.out.println("hello " + name);',
            "while (!queue.isEmpty()) queue.poll();",
            "// a remark about what follows\n",
            "list.add(new Item(key, value));",
            "result = compute(result, 3) * 2;",
        ]
    ),
    max_size=25,
).map("\n".join)
"""Java of a few stock statements."""


def submission(name, text, role=Role.NEW, path="Main.java", owner=None):
    return Submission(name, owner or name, (SourceFile(path, text),), role)


def report_of(*submissions, chosen=ONE_PROCESS):
    return compare_submissions(Intake(submissions, ()), chosen, {})


def figures(report):
    """Everything but the time."""
    return {name: value for name, value in as_plain(report).items() if name != "created"}


@settings(deadline=None)
@given(statements, statements, statements)
def test_identical_submissions_are_wholly_alike(copied, other, base):
    copied = "class A { void run() { int start = 0; start(); } }\n" + copied
    report = report_of(
        submission("x", copied), submission("y", copied), submission("z", other), submission("base", base, Role.BASE)
    )
    for pair in report.pairs:
        if (pair.a, pair.b) == ("x", "y"):
            assert pair.score == pair.similarity == pair.share_a == pair.share_b == 1


def test_identical_submissions_are_a_pair_even_if_nearly_everyone_hands_in_the_same():
    text = "class A { int f(int x) { return x * 2 + 1; } int g(int y) { return f(y) - f(y + 1); } }"
    report = report_of(*(submission(f"s{i}", text) for i in range(8)), submission("t", "class B { }"))
    assert len(report.pairs) == 28
    assert {pair.share_a for pair in report.pairs} == {1}


@settings(deadline=None)
@given(statements, statements, statements)
def test_swapping_names_swaps_the_sides(x, y, z):
    there = report_of(submission("a", x), submission("b", y), submission("m", z))
    back = report_of(submission("b", x), submission("a", y), submission("m", z))
    one = {frozenset((p.a, p.b)): p for p in there.pairs}
    two = {frozenset((p.a, p.b)): p for p in back.pairs}
    swapped = {"a": "b", "b": "a", "m": "m"}
    assert {frozenset(swapped[n] for n in names) for names in one} == set(two)
    for names, pair in one.items():
        twin = two[frozenset(swapped[n] for n in names)]
        assert pair.score == twin.score


@settings(deadline=None, max_examples=30)
@given(st.lists(statements | sentences, min_size=2, max_size=5), st.randoms())
def test_the_order_of_input_changes_nothing(texts, random):
    class_ = [submission(f"s{i}", text) for i, text in enumerate(texts)]
    shuffled = class_.copy()
    random.shuffle(shuffled)
    assert figures(report_of(*class_)) == figures(report_of(*shuffled))


@settings(deadline=None)
@given(statements)
def test_nothing_but_base_code_shared_is_nothing(base):
    ours = [
        f"class {name} {{\n{base}\n}}\nenum {name} {{ {', '.join(name * n for n in range(1, 9))} }}" for name in "XY"
    ]
    report = report_of(
        submission("x", ours[0] + "/* one */"),
        submission("y", "interface P {} " + base),
        submission("base", base + "\n" + ours[0] + ours[1], Role.BASE),
    )
    assert len(report.ranking) == len(report.pairs) == 0


@settings(deadline=None)
@given(sentences, sentences, st.integers(1, 200), st.integers(2, 6))
def test_unrelated_text_never_raises_the_share_of_the_other_side(x, y, amount, threshold):
    """What is guaranteed to be found is found in any surroundings. Shorter runs, down to the noise threshold, are found
    or not as the windows around them fall, so here all that is no noise is guaranteed."""
    chosen = Settings(jobs=1, noise=threshold, guarantee=threshold)

    def share_of_y(text):
        both = submission("x", text, path="x.txt"), submission("y", y, path="y.txt")
        pairs = report_of(*both, chosen=chosen).pairs
        return pairs[0].share_b if pairs else 0.0

    padding = " ".join(f"unrelated{i}" for i in range(amount))
    try:
        assert share_of_y(f"{x} {padding}") <= share_of_y(x)
    except ValueError:
        assert not (x and y)


@settings(deadline=None)
@given(st.lists(statements | sentences, min_size=2, max_size=4), st.integers(2, 20), st.integers(0, 10))
def test_matches_are_disjoint_exact_and_no_noise(texts, noise, more):
    chosen = Settings(jobs=1, noise=noise, guarantee=noise + more)
    report = report_of(*(submission(f"s{i}", text) for i, text in enumerate(texts)), chosen=chosen)
    for pair in report.pairs:
        assert 0 < pair.score <= 1
        assert 0 <= min(pair.share_a, pair.share_b) <= pair.similarity <= max(pair.share_a, pair.share_b) <= 1
        assert pair.matches
        for match in pair.matches:
            assert match.tokens >= noise
        for side in ("a", "b"):
            regions = [getattr(match, side) for match in pair.matches]
            for one, two in combinations(regions, 2):
                assert one.end <= two.start or two.end <= one.start


def test_two_submissions_of_one_owner_are_no_pair():
    text = "class A { int f(int x) { return x * 2 + 1; } int g(int y) { return f(y) - f(y + 1); } }"
    report = report_of(submission("v1", text, owner="ada"), submission("v2", text, owner="ada"), submission("b", text))
    assert [(pair.a, pair.b) for pair in report.pairs] == [("b", "v1"), ("b", "v2")]


def test_archives_are_compared_with_the_new_only():
    text = "class A { int f(int x) { return x * 2 + 1; } int g(int y) { return f(y) - f(y + 1); } }"
    old = [submission(name, text, Role.ARCHIVE) for name in ("old1", "old2")]
    report = report_of(*old, submission("new", text))
    assert [(pair.a, pair.b) for pair in report.pairs] == [("new", "old1"), ("new", "old2")]
    assert len(report.ranking) == 2


def test_a_pair_scores_the_same_whether_or_not_it_is_shown():
    texts = ["class A { int f(int x) { return x * 2 + 1; } int g(int y) { return f(y) - f(y + 1); } }" + "f(1);" * n
             for n in range(6)]  # fmt: skip
    class_ = [submission(f"s{i}", text) for i, text in enumerate(texts)]
    few, all_ = report_of(*class_, chosen=Settings(jobs=1, show=2)), report_of(*class_)
    assert len(few.pairs) == 2
    assert few.ranking.score.tolist() == all_.ranking.score.tolist()


REPEAT = """
import json, sys
from moss import compare, Settings
from moss.report.json_report import as_plain
report = as_plain(compare([sys.argv[1]], settings=Settings(jobs=int(sys.argv[2]))))
del report["created"]
print(json.dumps(report, sort_keys=True))
"""


def test_every_process_finds_the_same(pytestconfig):
    """Whatever the seed of Python's hash, and on however many cores."""
    sample = str(pytestconfig.rootpath / "sample_submissions" / "python-textstats" / "submissions")
    outputs = [
        subprocess.run(
            [sys.executable, "-c", REPEAT, sample, jobs],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed, jobs in (("1", "1"), ("2", "3"))
    ]  # fmt: skip
    assert json.loads(outputs[0])["pairs"]
    assert outputs[0] == outputs[1]


def test_handed_out_code_is_in_no_share_even_if_both_renamed_it_alike():
    """Its structure is the handout's; that the words are alike is shown, but the code is still not theirs."""
    handout = (
        "class Shape {\n" + "".join(f"  int side{i}(int a, int b) {{ return a * {i} + b; }}\n" for i in range(9)) + "}"
    )
    renamed = handout.replace("side", "edge").replace("int a", "int first").replace("return a", "return first")
    own = ["while (run) { step(); }", 'if (done) { print("x"); } else { again(1, 2); }']
    report = report_of(
        *(submission(name, f"{renamed}\n{text}") for name, text in zip("xy", own, strict=True)),
        submission("base", handout, Role.BASE),
    )
    (pair,) = report.pairs
    assert {match.channel for match in pair.matches} == {Channel.TEXT}
    assert pair.share_a == pair.share_b == 0
