"""What a user includes or excludes: by glob, whatever is usually ignored, and the last that matches wins."""

from __future__ import annotations

import io
import zipfile

import pytest
from support.programs import write_class

from moss.intake import Choice, Rule, collect

FILES = {
    "a.js": "a",
    "node_modules/copied.js": "b",
    "node_modules/.bin/tool.js": "c",
    ".hidden/d.js": "d",
    "src/generated/e.js": "e",
    "src/.f.js": "f",
}


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def chosen(*globs):
    """Rules from globs with a sign before them."""
    return Choice(tuple(Rule(glob[1:], glob[0] == "+") for glob in globs))


def read(folder, choice):
    (submission,) = collect([folder], choice=choice).submissions
    return "".join(sorted(file.text for file in submission.files))


@pytest.mark.parametrize(
    ("globs", "texts"),
    [
        ((), "ae"),
        (("+node_modules",), "abce"),
        (("+node_modules", "-.bin"), "abe"),
        (("-.bin", "+node_modules"), "abce"),
        (("+.*",), "adef"),
        (("+.hidden",), "ade"),
        (("-src/generated",), "a"),
        (("-*.js",), ""),
        (("-*.js", "+a.js"), "a"),
        (("-src", "+src/.f.js"), "a"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_the_last_rule_that_matches_wins(tmp_path, globs, texts, packed):
    files = {"hand-in.zip": zipped(FILES)} if packed else FILES
    folder = write_class(tmp_path / "hw1", {"ada": files})
    assert read(folder, chosen(*globs)) == texts


def test_what_is_ignored_or_excluded_is_named_with_the_submission(tmp_path):
    folder = write_class(tmp_path / "hw1", {"ada": FILES})
    intake = collect([folder], choice=chosen("-src"))
    assert dict(intake.submissions[0].skipped) == {
        ".hidden": "hidden folder, ignored",
        "node_modules": "downloaded libraries, ignored",
        "src": "excluded by --exclude",
    }
    assert ("ada/src", "excluded by --exclude") in intake.problems
