"""Whoever watches the reading is told of each file before it is opened, may refuse it, and is given each text."""

from __future__ import annotations

from dataclasses import replace

from moss.intake import Watch, collect


def watched(**hooks):
    told: list[str] = []

    def before(shown: str) -> str:
        told.append(shown)
        return hooks.get("refused", {}).get(shown, "")

    return told, Watch(before, hooks.get("after", lambda file: file))


def test_each_file_is_announced_with_the_name_that_problems_have(tree, zipped):
    inner = zipped([("c.py", "c = 1")])
    root = tree({"ann/a.py": "a = 1", "bo.zip": zipped([("b.py", "b = 1"), ("inner.zip", inner)])})
    told, watch = watched()
    collect([root], watch=watch)
    assert told == ["ann/a.py", "bo.zip", "bo.zip/b.py", "bo.zip/inner.zip", "bo.zip/inner.zip/c.py"]


def test_a_refused_file_is_a_problem_and_the_rest_is_there(tree, zipped, layout, reasons):
    root = tree({"ann/a.py": "a = 1", "ann/bad.py": "x = 1", "bo.zip": zipped([("b.py", "b = 1"), ("bad.py", "")])})
    refused = {"ann/bad.py": "too bad", "bo.zip/bad.py": "as bad"}
    _, watch = watched(refused=refused)
    intake = collect([root], watch=watch)
    assert layout(intake) == {"ann": ["a.py"], "bo": ["b.py"]}
    assert reasons(intake) == refused


def test_an_archive_is_announced_before_anybody_looks_into_it(tmp_path, zipped, reasons):
    path = tmp_path / "class.zip"
    path.write_bytes(zipped([("ann/a.py", "a = 1"), ("bo/a.py", "b = 1")]))
    told, watch = watched(refused={"class.zip": "it kills"})
    intake = collect([path], watch=watch)
    assert told == ["class.zip"]
    assert reasons(intake) == {"class.zip": "it kills"}


def test_metadata_of_a_platform_is_announced_too(tree):
    root = tree({"submission_1/a.py": "a = 1", "submission_metadata.yml": "x", "submission_2/a.py": "b = 1"})
    told, watch = watched()
    collect([root], watch=watch)
    assert told[0] == "submission_metadata.yml"


def test_what_stands_for_a_file_can_be_without_its_text(tree):
    root = tree({"ann/a.py": "a = 1", "ann/n.ipynb": '{"cells": [{"cell_type": "code", "source": "b = 1"}]}'})
    taken: list[str] = []

    def take(file):
        taken.append(file.text)
        return replace(file, text="")

    _, watch = watched(after=take)
    (submission,) = collect([root], watch=watch).submissions
    assert taken == ["a = 1", "b = 1\n"]
    assert [(file.path, file.text, len(file.cells)) for file in submission.files] == [
        ("a.py", "", 0),
        ("n.ipynb", "", 1),
    ]
