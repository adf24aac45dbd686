"""The example of docs/history.md, run as it is printed: two students, and who had the passage first."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "history.md").read_text()
BLOCK = re.search(
    r"<!-- run by tests/report/test_history_example.py -->\n```\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE
)


def in_words(page: Path) -> str:
    return " ".join(re.sub("<[^>]+>", "", page.read_text()).split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("example")
    assert BLOCK
    searched = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": searched, "MOSS_CACHE": str(path / "cache"), "HOME": str(path)}
    subprocess.run(["bash", "-euc", BLOCK[1]], cwd=path, env=environment, check=True, capture_output=True)
    return path


def test_json_says_which_commit_had_the_passage(folder):
    report = json.loads((folder / "report.json").read_text())
    commits = {each["id"]: each["history"]["commits"] for each in report["submissions"]}
    assert [commit["author"] for commit in commits["ada"]] == ["ada"] * 3
    match = report["pairs"][0]["matches"][0]
    ada, bob = (commits[id][match[side]["commit"] - 1] for id, side in (("ada", "a"), ("bob", "b")))
    assert (ada["time"], ada["subject"]) == ("2026-03-03T18:40:00+01:00", "Median of a window")
    assert (bob["time"], bob["mail"], bob["part"] > 0.9) == ("2026-03-06T23:50:00+01:00", "bob@example.edu", True)
    assert commits["ada"][match["a"]["begun"] - 1]["subject"] == "Read the numbers"


@pytest.mark.parametrize("page", ["report/pairs/0001.html", "case.html"])
def test_pages_say_what_the_document_says(folder, page):
    shown = in_words(folder / page)
    _, quoted = PAGE.split("and the evidence say:")
    sentences = " ".join(line.removeprefix(">").strip() for line in quoted.split("Below is a row")[0].splitlines())
    for sentence in re.split(r"\[…\]|commit … by", " ".join(sentences.split())):
        assert sentence.strip() in shown
    assert "can be forged" in shown


def test_anonymous_evidence_names_nobody_and_keeps_the_order(folder):
    command = [sys.executable, "-m", "moss", "evidence", "report", "ada", "bob", "-o", "hidden.html", "--anonymize"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    shown = in_words(folder / "hidden.html")
    assert "had the passage first" in shown
    assert "2026-03-06 23:50" in shown
    for word in ("example.edu", "Finished", "ada", "bob"):
        assert not re.search(rf"\b{word}\b", shown)
