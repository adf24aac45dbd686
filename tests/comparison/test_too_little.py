"""Submissions that have too little in them to tell copies from chance: said once, and briefly."""

from __future__ import annotations

from support.programs import dead_code, write_class

import moss


def tiny(number):
    """Classes of a few lines."""
    text = "class A {{ int a = {0}; int b = a + {0}; void f() {{ while (a < b) {{ a += b; }} }} }}"
    return {f"tiny{n:02}": {"A.java": text.format(n)} for n in range(number)}


def notes(folder, short):
    programs = {f"long{n:02}": {"A.java": dead_code(n, 60)} for n in range(14)} | tiny(short)
    report = moss.compare([write_class(folder, programs)], settings=moss.Settings(jobs=1))
    return [(problem.path, problem.reason) for problem in report.problems if "too little" in problem.reason]


def test_one_is_named_by_itself(tmp_path):
    assert [path for path, _ in notes(tmp_path / "class", 1)] == ["tiny00"]


def test_several_are_named_in_one_note(tmp_path):
    ((path, reason),) = notes(tmp_path / "class", 3)
    assert path == "3 submissions"
    assert reason.endswith(": tiny00, tiny01, tiny02")


def test_of_many_only_some_are_named(tmp_path):
    ((path, reason),) = notes(tmp_path / "class", 12)
    assert path == "12 submissions"
    assert reason.endswith("tiny08, tiny09 and 2 more")


def test_where_all_are_short_there_is_no_note_but_a_verdict(tmp_path):
    report = moss.compare([write_class(tmp_path / "class", tiny(12))], settings=moss.Settings(jobs=1))
    assert not report.baseline.enough
    assert not [problem for problem in report.problems if "too little" in problem.reason]
