"""Explanations: the same fingerprints, terms and scores as the comparison, with the text that they are made of."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.classes import SAMPLES
from support.programs import HONEST_JAVA, LEDGER, notebook, write_class

import moss
from frontends import by_name
from frontends.normalise.outline import outline, outlined, stand_ins
from frontends.normalise.verbatim import spelled, spelled_in_place
from moss.comparison.explain import ExplainedClass
from moss.comparison.fingerprint_traces import trace
from moss.comparison.plan import plan_all
from moss.comparison.scan import Scanner, read_files
from moss.comparison.submission_choice import ClassInput, SubmissionChoiceError, choose_submissions
from moss.comparison.views import make_view_bags, united
from moss.intake import collect
from moss.model import Channel, Role
from moss.settings import Settings

JAVA = SAMPLES / "java-library"
SETTINGS = Settings(jobs=1)
texts = st.text(alphabet="ab_1 \t\n(){};,.=+é\u0130\u200bß文", max_size=60)


def mixed_class(root):
    """Programs with text beside them, notebooks, prose."""
    cells = notebook("total = 0\nfor x in range(10):\n    total += x * x\nprint(total)", "print('a', total, 'b')")
    members = {
        "ana": {"Ledger.java": LEDGER, "README.md": "We count what is owed to the shop, and by whom, day by day."},
        "ben": {"Ledger.java": LEDGER.replace("total", "sum"), "notes.txt": "What is owed to the shop, and by whom?"},
        "cy": {"work.ipynb": cells},
        "dee": {"work.ipynb": cells.replace("total", "s"), "essay.txt": "All that glitters is not gold, said he."},
    }
    return write_class(root / "mixed", members | HONEST_JAVA)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    return mixed_class(tmp_path_factory.mktemp("explain"))


@given(texts)
def test_words_with_places_are_the_words_of_the_view(text):
    words = by_name("java").scan(text)[Channel.TEXT]
    located = spelled_in_place(text, words)
    assert located.codes.tolist() == spelled([(text, words)])[0].tolist()
    assert (np.diff(located.start) >= 0).all()


@given(texts)
def test_an_outline_is_what_stays_of_a_structure(text):
    codes = by_name("java").scan(text)[Channel.STRUCTURE].codes
    kept = outlined(codes)
    assert len(kept) == len(outline(codes))
    words = stand_ins(codes)
    assert all(outline(codes[place : place + 1]).tolist() for place in kept.tolist())
    assert all(place in kept for place, word in enumerate(words) if word)


@pytest.mark.parametrize("name", ["java-library", "python-textstats", "essays", "mixed"])
def test_traces_are_the_fingerprints_of_the_bags(name, mixed):
    folder = mixed if name == "mixed" else SAMPLES / name / "submissions"
    base = [path for path in (SAMPLES / name / "starter",) if path.exists()]
    intake = collect([folder], base=base)
    handed_out = [one for one in intake.submissions if one.role is Role.BASE]
    handout = united([Scanner(None, {}, None).scan_batch(plan_all(handed_out, "auto")).bags])
    scanner = Scanner(None, {}, handout)
    submissions = [one for one in intake.submissions if one.role is Role.NEW and one.files]
    compared = 0
    for plans in plan_all(submissions, "auto"):
        (files,) = read_files([plans])
        found = scanner.texts(plans, files)
        bags = make_view_bags([found], handout)
        traces = trace(found, [plan.text for plan in plans], handout)
        for view, bag in bags.items():
            assert sorted(one.hash for one in traces[view]) == sorted(bag.hashes.tolist()), view
            compared += len(bag.hashes)
    assert compared


@pytest.mark.parametrize("name", ["java-library", "mixed"])
def test_pairs_are_explained_by_the_numbers_of_the_comparison(name, mixed):
    folder, base = (mixed, []) if name == "mixed" else (JAVA / "submissions", [JAVA / "starter"])
    report = moss.compare([folder], base=base, settings=SETTINGS)
    ids = [record.id for record in report.submissions]
    chosen = choose_submissions(ids[:1], ClassInput([folder]), base, SETTINGS)
    class_ = ExplainedClass(chosen, SETTINGS)
    assert [one.id for one in class_.submissions] == ids
    shown = {(pair.a, pair.b): pair for pair in report.pairs}
    scores = {
        (ids[a], ids[b]): score
        for a, b, score in zip(*(column.tolist() for column in _columns(report.ranking)), strict=True)
    }
    for a, b in list(combinations(range(len(ids)), 2))[:: 1 if name == "mixed" else 7]:
        pair = class_.pair(b, a)
        assert pair.score == scores.get((ids[a], ids[b]), 0.0)
        if (ids[a], ids[b]) in shown:
            assert pair.reasons == shown[ids[a], ids[b]].reasons
        assert sum(one.weight for one in pair.rare) == pytest.approx(pair.reasons.amount, rel=1e-6, abs=1e-6)
        for view in pair.views:
            assert sum(one.weight for one in view.traces) == pytest.approx(view.shared, rel=1e-9, abs=1e-6), view.view


def _columns(ranking):
    return ranking.a, ranking.b, ranking.score


def test_the_text_of_a_shared_fingerprint_is_on_both_sides():
    chosen = choose_submissions(["kofi", "lena"], ClassInput([JAVA / "submissions"]), [JAVA / "starter"], SETTINGS)
    pair = ExplainedClass(chosen, SETTINGS).pair(*chosen.numbers)
    outline_, structure, words, letters = pair.views
    for view in (outline_, structure, words):
        for one in view.traces:
            for side, found in ((pair.a, one.a), (pair.b, one.b)):
                line = side.files[found.file].text.splitlines()[found.line - 1]
                assert found.text.split()[0] in " ".join(line.split())
    equal = [one for one in letters.traces if one.a.text == one.b.text]
    assert len(equal) > 0.9 * len(letters.traces), "a triple is a number of few bits, which some share"
    for one in words.traces:
        assert one.a.text.lower().replace(" ", "") == one.b.text.lower().replace(" ", "")


def test_lines_show_what_is_compared():
    chosen = choose_submissions(
        [str(JAVA / "submissions" / "kofi" / "Catalog.java")], ClassInput([JAVA / "submissions"]), [], SETTINGS
    )
    assert chosen.files == ("Catalog.java",)
    (file,) = ExplainedClass(chosen, SETTINGS).files(chosen.numbers[0], chosen.files[0])
    lines = {line.number: line for line in file.lines}
    assert (file.language, lines[12].written) == ("java", "Entry(String code) {")
    assert (lines[12].compared, lines[12].outline) == ("name ( name name ) {", "_ _ _ {")


def test_a_path_beside_the_class_is_one_submission_more(tmp_path):
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "Ledger.java").write_text(LEDGER)
    folder = write_class(tmp_path / "hw", {"ana": {"Ledger.java": LEDGER}} | HONEST_JAVA)
    chosen = choose_submissions(["ana", str(tmp_path / "found")], ClassInput([folder]), [], SETTINGS)
    assert [chosen.submissions[number].id for number in chosen.numbers] == ["ana", "found"]
    assert len(chosen.submissions) == len(HONEST_JAVA) + 2
    assert ExplainedClass(chosen, SETTINGS).pair(*chosen.numbers).score == 1


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["nobody"], "there is no submission 'nobody' in"),
        (["an"], "'an' could be any of ana, anton"),
        (["ana", "ana"], "ana is named twice"),
        (["ana", "empty"], "empty has no file that can be read"),
    ],
)
def test_names_that_mean_nothing_are_explained(tmp_path, names, words):
    members = {"ana": {"a.py": "print(1)"}, "anton": {"a.py": "print(2)"}}
    folder = write_class(tmp_path / "hw", members)
    (folder / "empty").mkdir()
    (folder / "empty" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    with pytest.raises(SubmissionChoiceError, match=words):
        choose_submissions(names, ClassInput([folder]), [], SETTINGS)
