"""Histories in words: who had a passage first only if all dates agree, and no name of a third party in evidence."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.repositories import Change, make_repository

import moss
from moss.model import Commit, GitHistory
from moss.report.evidence.document import render_evidence
from moss.report.page_templates import DiskLinks
from moss.report.pages.pair import render_pair
from moss.report.words.history_words import history_of_pair

PROGRAM = "".join(f"def step_{n}(value):\n    result = value * {n} + {n * n}\n    return result\n\n" for n in range(12))
OTHER = "import os\nfor name in sorted(os.listdir('.')):\n    print(name, os.path.getsize(name))\n"


class AloneLinks(DiskLinks):
    """Those of a reader who may see one pair only."""

    def alone(self):
        return True


def report(folder, ada, bob):
    """A report on ada and bob with these histories, and eve who has none."""
    for name, changes in (("ada", ada), ("bob", bob)):
        make_repository(folder / "class" / name, changes)
    (folder / "class" / "eve").mkdir()
    (folder / "class" / "eve" / "list.py").write_text(OTHER)
    return moss.compare([folder / "class"])


def history(found):
    return history_of_pair(found, found.pairs[0])


@pytest.mark.parametrize(("ada", "bob", "first"), [
    ({"day": 1}, {"day": 2}, "a"),
    ({"day": 2}, {"day": 1}, "b"),
    ({"day": 1}, {"day": 1}, ""),
    ({"day": 1, "committed": 9}, {"day": 2}, ""),  # written before, committed behind
    ({"day": 1, "committed": 2}, {"day": 3, "committed": 9}, "a"),
])  # fmt: skip
def test_a_side_is_first_only_if_both_dates_say_so(ada, bob, first, tmp_path):
    found = report(tmp_path, [Change({"a.py": PROGRAM}, **ada)], [Change({"a.py": PROGRAM}, **bob)])
    assert {passage.first for passage in history(found).passages} == {first}
    assert ("do not say" in history(found).summary) == (not first)


def test_a_commit_that_brings_more_than_half_is_pointed_out_and_starter_code_does_not_count(tmp_path):
    (tmp_path / "starter.py").write_text(PROGRAM)
    more = "\n".join(f"print(step_{n}({n}), 'is the answer to', {n})" for n in range(9))
    for name in ("ada", "bob"):
        changes = [Change({"a.py": PROGRAM}, "Teacher <t@x.org>"), Change({"a.py": PROGRAM + more}, day=1)]
        make_repository(tmp_path / "class" / name, changes)
    found = moss.compare([tmp_path / "class"], base=[tmp_path / "starter.py"])
    assert [commit.part for commit in found.submissions[0].history.commits] == [0.0, 1.0]
    [bulk] = history(found).sides[0].bulk
    assert "one commit brings 100% of the program at once" in bulk
    assert "by Ada Lovelace" in bulk


def test_one_history_is_shown_and_says_that_it_is_alone(tmp_path):
    make_repository(tmp_path / "class" / "ada", [Change({"a.py": PROGRAM})])
    (tmp_path / "class" / "bob").mkdir()
    (tmp_path / "class" / "bob" / "a.py").write_text(PROGRAM)
    found = moss.compare([tmp_path / "class"])
    assert "Not both sides have a history" in history(found).summary
    assert "no history" in render_pair(found, 1, DiskLinks())


def test_without_histories_nothing_is_said_of_them(tmp_path):
    for name in ("ada", "bob"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "a.py").write_text(PROGRAM)
    found = moss.compare([tmp_path / "class"])
    assert history(found) is None
    assert "git" not in render_pair(found, 1, DiskLinks())
    assert "git histories" not in render_evidence(found, 1)


def test_evidence_names_no_author_who_is_another_student(tmp_path):
    by_eve = Change({"a.py": PROGRAM}, author="Eve <eve@example.org>", message="for eve")
    found = report(tmp_path, [by_eve], [Change({"a.py": PROGRAM}, author="Bob <bob@example.org>", day=3)])
    hidden, named = render_evidence(found, 1), render_evidence(found, 1, name_others=True)
    assert "another student" in hidden
    assert "eve@example.org" not in hidden
    assert "eve@example.org" in named
    assert "bob@example.org" in hidden
    assert "eve@example.org" in render_pair(found, 1, DiskLinks())
    assert "eve@example.org" not in render_pair(found, 1, AloneLinks())


def test_what_a_commit_says_cannot_become_markup(tmp_path):
    sly = Change({"a.py": PROGRAM}, author="<script>alert(1)</script> <a@b>", message="<img src=x onerror=alert(2)>")
    found = report(tmp_path, [sly], [Change({"a.py": PROGRAM}, day=1)])
    records = [
        replace(each, history=replace(each.history, commits=tuple(_sly(c) for c in each.history.commits)))
        if each.history else each
        for each in found.submissions
    ]  # fmt: skip
    found = replace(found, submissions=tuple(records))
    for page in (render_pair(found, 1, DiskLinks()), render_evidence(found, 1)):
        assert "<img" not in page
        assert "<b>x" not in page


def _sly(commit: Commit) -> Commit:
    return replace(commit, author="<b>x</b>", mail="<b>x</b>", subject="<img src=x>", id="<b>x")


texts = st.text(max_size=30)
commits = st.builds(Commit, texts, texts, texts, texts, texts, texts)
PLAIN = moss.compare([Path(__file__).parents[2] / "sample_submissions" / "python-textstats" / "submissions"])


@given(commits, commits, st.integers(0, 9), st.integers(0, 9))
def test_any_history_that_a_stranger_writes_can_be_shown(ada, bob, commit, begun):
    """Reports are files: what they say of commits may be nonsense."""
    pair = PLAIN.pairs[0]
    match = pair.matches[0]
    odd = replace(match, a=replace(match.a, commit=commit, begun=begun), b=replace(match.b, commit=begun))
    histories = {pair.a: GitHistory((ada,)), pair.b: GitHistory((bob,), cut=True)}
    records = tuple(replace(each, history=histories.get(each.id)) for each in PLAIN.submissions)
    found = replace(PLAIN, submissions=records, pairs=(replace(pair, matches=(odd,)),))
    shown = history_of_pair(found, found.pairs[0])
    assert shown is not None
    assert [passage.first in ("", "a", "b") for passage in shown.passages] == [True]
