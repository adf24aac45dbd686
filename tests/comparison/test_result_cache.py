"""What was found is found again under the same key, and under no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.programs import HONEST_JAVA, LEDGER, notebook, write_class
from support.pseudo_language import LANGUAGE, write_catalogue

from moss.comparison import compare_submissions
from moss.comparison.result_cache import _program, result_key, source_digest, unpack_result
from moss.intake import Intake, collect
from moss.messages import load, using
from moss.model import Problem, Role
from moss.report.json_report import as_plain
from moss.settings import Settings

ONE = Settings(jobs=1)


class Kept(dict):
    """A cache in memory."""

    everything = False

    def get(self, keys):
        return {key: self[key] for key in keys if key in self}

    def put(self, packed, digests=None):
        self.update(packed)


@pytest.fixture
def intake(tmp_path):
    members = {
        **HONEST_JAVA,
        "alice": {"Ledger.java": LEDGER, "empty.txt": ""},
        "bob": {"Ledger.java": LEDGER.replace("total", "sum"), "n.ipynb": notebook("# One\n", "x = 1\n")},
        "carol": {"words.pl": "my %seen;\nprint $_ for keys %seen;\n" * 4, "picture.java": b"\x89PNG\0\0"},
    }
    handout = write_class(tmp_path / "base", {"given": {"Given.java": LEDGER[:300]}})
    return collect([write_class(tmp_path / "hw1", members)], (), [handout])


def plain(report):
    shown = as_plain(report)
    del shown["created"]
    return shown


def run(intake, settings=ONE, results=None, stages=None):
    def progress(stage, done, total):
        if stages is not None:
            stages.append(stage)

    return compare_submissions(intake, settings, {"paths": ["hw1"]}, progress, None, results)


def test_the_second_run_finds_the_same_and_compares_nothing(intake):
    expected, kept = run(intake), Kept()
    first = run(intake, results=kept)
    assert len(kept) == 1
    stages = []
    second = run(intake, results=kept, stages=stages)
    assert not stages
    for report in (first, second):
        assert plain(report) == plain(expected)
        assert report.submissions == expected.submissions  # texts and cells too
        assert report.pairs == expected.pairs
        for name in ("a", "b", "score"):
            assert getattr(report.ranking, name).tolist() == getattr(expected.ranking, name).tolist()


def changed_text(submission):
    file = submission.files[0]
    return replace(submission, files=(replace(file, text=f"{file.text} "), *submission.files[1:]))


CHANGES = [
    changed_text,
    lambda s: replace(s, owner=f"{s.owner}2"),
    lambda s: replace(s, id=f"{s.id}2"),
    lambda s: replace(s, role=Role.ARCHIVE),
    lambda s: replace(s, language="java"),
    lambda s: replace(s, files=s.files[1:]),
    lambda s: replace(s, files=(replace(s.files[0], path="x.java"), *s.files[1:])),
    lambda s: replace(s, skipped=(Problem("x", "y"),)),
]


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_another_class_has_another_key(intake, number):
    first, *rest = intake.submissions
    assert result_key(Intake((CHANGES[number](first), *rest), ()), ONE) != result_key(intake, ONE)


@pytest.mark.parametrize(
    ("option", "value", "same"),
    [("noise", 9, False), ("guarantee", 30, False), ("max_matches", 3, False), ("show", 2, False),
     ("cluster", 0.1, False), ("language", "java", False), ("anonymize", True, False), ("jobs", 2, True),
     ("comment", "hello", True)],
)  # fmt: skip
def test_what_changes_the_result_changes_the_key(intake, option, value, same):
    assert (result_key(intake, replace(ONE, **{option: value})) == result_key(intake, ONE)) is same


def test_the_comment_and_the_paths_are_those_of_this_run(intake):
    kept = Kept()
    run(intake, results=kept)
    again = compare_submissions(intake, replace(ONE, comment="again"), {"paths": ["other"]}, results=kept)
    assert len(kept) == 1
    assert (again.parameters["comment"], again.parameters["paths"]) == ("again", ["other"])


@pytest.mark.parametrize("number", ["SCAN_VERSION", "HASH_VERSION", "SCORE_VERSION"])
def test_other_rules_have_another_key(intake, number, monkeypatch):
    before = result_key(intake, ONE)
    monkeypatch.setattr(f"moss.version.{number}", 99)
    assert result_key(intake, ONE) != before


def test_notes_are_in_the_language_of_the_run(tmp_path):
    essay = f"“{'He who has a why to live can bear almost any how. ' * 6}” {'So it is said, and so it was here. ' * 3}"
    members = {name: {"essay.txt": f"{essay} {name}"} for name in ("ada", "emeka")}
    read, kept = collect([write_class(tmp_path / "essays", members)], (), ()), Kept()
    settings = replace(ONE, quotations=False)
    english = run(read, settings, kept)
    with using(load(LANGUAGE, write_catalogue(tmp_path / "catalogues"))):
        strange = run(read, settings, kept)
        assert run(read, settings, kept).problems == strange.problems
    assert len(kept) == 2
    assert english.problems
    assert all("⟦" in problem.reason for problem in strange.problems)
    assert run(read, settings, kept).problems == english.problems


def test_the_order_of_submissions_is_no_part_of_the_key(intake):
    turned = Intake(tuple(reversed(intake.submissions)), intake.problems)
    assert result_key(turned, ONE) == result_key(intake, ONE)


def test_what_was_read_in_a_lesser_way_is_not_kept(tmp_path):
    members = {"a": {"x.ml": "1" * 20_000}, "b": {"y.ml": "let x = 1"}}  # no lexer gets through the first in time
    kept = Kept()
    report = run(collect([write_class(tmp_path / "hw1", members)], (), ()), replace(ONE, deadline=0.3), kept)
    assert report.problems
    assert not kept


@pytest.mark.parametrize("cut", [0, 3, 20, -1])
def test_what_is_damaged_is_found_anew(intake, cut):
    kept = Kept()
    expected = run(intake, results=kept)
    ((key, packed),) = kept.items()
    submissions = sorted((s for s in intake.submissions if s.role is not Role.BASE), key=lambda s: s.id)
    assert unpack_result(packed, submissions) is not None
    assert unpack_result(packed, submissions[1:]) is None
    assert unpack_result(packed[:cut], submissions) is None
    kept[key] = packed[:cut]
    assert plain(run(intake, results=kept)) == plain(expected)
    assert kept[key] == packed


SOURCES = [
    "moss/hashing.py",
    "moss/engine/a.py",
    "moss/engine/deep/er/a.py",
    "moss/comparison/b/a.py",
    "frontends/c/a.py",
]


@pytest.mark.parametrize("name", SOURCES)
def test_a_changed_moved_or_added_source_is_another_program(tmp_path, name):
    for source in SOURCES:
        write(tmp_path / source, "x = 1\n")
    digests = [source_digest(tmp_path)]
    write(tmp_path / name, "x = 2\n")
    digests.append(source_digest(tmp_path))
    (tmp_path / name).rename((tmp_path / name).with_name("moved.py"))
    digests.append(source_digest(tmp_path))
    write(tmp_path / name, "x = 2\n")
    digests.append(source_digest(tmp_path))
    assert len(set(digests)) == 4


def test_a_page_or_a_command_is_no_part_of_what_compares(tmp_path):
    write(tmp_path / "moss" / "model.py", "x = 1\n")
    before = source_digest(tmp_path)
    write(tmp_path / "moss" / "web" / "app.py", "x = 1\n")
    write(tmp_path / "moss" / "engine" / "notes.txt", "x = 1\n")
    assert source_digest(tmp_path) == before


def test_the_key_is_made_of_the_source_that_runs():
    import moss

    root = Path(moss.__file__).parents[1]
    assert _program().startswith(source_digest(root))
    assert source_digest(root) != source_digest(root / "tests")


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
