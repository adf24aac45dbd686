"""Every code block of the README and of docs/ is run, or says why not.

A comment above the block says which: `run` (here), `run by tests/…`, or `not run:` and the reason. Blocks run in a
folder with a class in it, those of one page in their order.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import pytest
from support.foreign_results import jplag_6, zipped

from moss.comparison import compare_submissions
from moss.intake import collect
from moss.intake.bundles import Bundle, write_bundle
from moss.report.json_report import as_plain
from moss.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
WHOLE_PAGES = {"walkthrough.md": "tests/test_walkthrough.py"}
MARK = r"(?:^<!-- (?P<mark>[^\n]*) -->\n)?"
BLOCK = re.compile(MARK + r"^```(?P<language>\w*)\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)
SAMPLES = ROOT / "sample_submissions"


class CodeBlock(NamedTuple):
    page: Path
    mark: str
    language: str
    code: str


def blocks(page: Path) -> list[CodeBlock]:
    return [CodeBlock(page, m["mark"] or "", m["language"], m["code"]) for m in BLOCK.finditer(page.read_text())]


EVERY = [block for page in PAGES if page.name not in WHOLE_PAGES for block in blocks(page)]
RUN_HERE = sorted({block.page.name for block in EVERY if block.mark == "run"})


def test_every_block_is_run_or_says_why_not():
    assert len(EVERY) > 40
    for block in EVERY:
        where = f"{block.page.name}: {block.code[:60]!r}"
        assert re.fullmatch(r"run|run by tests/\S+|not run: .{8,}|transcript", block.mark), f"{where} has no mark"
        for test in re.findall(r"tests/[\w/]+\.py", block.mark):
            assert (ROOT / test).exists(), where
    assert all((ROOT / test).exists() for test in WHOLE_PAGES.values())


@pytest.fixture(scope="module")
def furnished(tmp_path_factory):
    """A folder with all that the pages name."""
    folder = tmp_path_factory.mktemp("furnished") / "course"
    java, essays = SAMPLES / "java-library", SAMPLES / "essays" / "submissions"
    for name in ("submissions", "starter", "archive"):
        shutil.copytree(java / name, folder / name)
    shutil.copytree(java / "submissions", folder / "hw1")
    for name, content in (("hw1", "hw1"), ("last-year", "archive"), ("2024", "archive")):
        shutil.make_archive(str(folder / name), "zip", folder / content)
    shutil.copy(next((folder / "starter").rglob("*.java")), folder / "Base.java")
    for name in ("2023", "2024", "essays-2025"):
        shutil.copytree(essays, folder / name)
    shutil.copy(next(path for path in essays.rglob("*") if path.is_file()), folder / "suspicious.txt")
    write_run(folder / "run-7.zip", java / "submissions")
    zipped(jplag_6(), folder / "result.jplag")
    command = [sys.executable, "-m", "moss", "corpus", "add", "essays", "2023", "--data", "moss-data"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def course(furnished, tmp_path, monkeypatch):
    """Such a folder for one page, where its blocks are run."""
    folder = shutil.copytree(furnished, tmp_path / "course")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MOSS_DATA", str(folder / "moss-data"))
    monkeypatch.setenv("MOSS_CACHE", str(folder / "cache"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return folder


def write_run(path: Path, submissions: Path) -> None:
    """A run of a server, as its bundle."""
    intake, settings = collect([submissions]), Settings(show=3)
    inputs: dict[str, list[str]] = {"paths": ["Homework 1"], "base": [], "archive": []}
    report = compare_submissions(intake, settings, inputs)
    chosen = {name: value for name, value in asdict(settings).items() if name not in ("limits", "jobs", "memory")}
    with open(path, "wb") as file:
        write_bundle(Bundle(intake.submissions, chosen, inputs, {}, as_plain(report)), file)


@pytest.mark.parametrize("page", RUN_HERE)
def test_the_blocks_of_a_page_work_as_printed(page, course):
    for block in EVERY:
        if block.page.name == page and block.mark == "run":
            program = [sys.executable, "-c"] if block.language == "python" else ["bash", "-euc"]
            done = subprocess.run([*program, block.code], capture_output=True, text=True)
            assert done.returncode == 0, f"{block.code}\n{done.stderr}"
