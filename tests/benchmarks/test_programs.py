"""Each program of benchmarks/ runs from beginning to end on tiny input, and prints what it promises."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_submissions" / "python-textstats"

# program, its arguments (CORPUS stands for a labelled corpus of one small class), and something that it prints
PROGRAMS = [
    ("quality.py", ["CORPUS"], r"\| plain winnowing, equal weights \| [01]\.\d{3} \|"),
    ("standing.py", ["CORPUS", "--levels"], r"\| tiny \| 8 \| renamed \| 1 \| [\d.]+% \| [\d.]+% \|"),
    ("attacks.py", ["--trials", "1"], r"\| verbatim \| 100% \| 100% \| 100% \| \+0 \| 100% \| 100% \| 100% \| \+0 \|"),
    ("second_look.py", ["CORPUS"], r"\| similarity alone \| finer \| [01]\.\d{3} \|"),
    ("passages.py", ["CORPUS"], r"\| tiny \| verbatim \| 1 \| 100% \| 100% \| 100% \|"),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The sample class as a labelled corpus of one case, with the kinds of copying as levels of disguise."""
    folder = tmp_path_factory.mktemp("corpora") / "tiny"
    for everyone in ("submissions", "archive"):
        shutil.copytree(SAMPLE / everyone, folder / "case" / "submissions", dirs_exist_ok=True)
    shutil.copytree(SAMPLE / "starter", folder / "case" / "boilerplate")
    labels = (SAMPLE / "truth.csv").read_text().replace("label,kind", "label,level")
    (folder / "case" / "truth.csv").write_text(labels)
    (folder / "case" / "case.json").write_text(json.dumps({"language": "python", "negatives": "implicit"}))
    return folder


@pytest.mark.parametrize(("program", "arguments", "printed"), PROGRAMS, ids=lambda value: str(value)[:30])
def test_a_program_runs_and_prints_its_figures(program, arguments, printed, corpus):
    arguments = [str(corpus) if argument == "CORPUS" else argument for argument in arguments]
    command = [sys.executable, ROOT / "benchmarks" / program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(printed, done.stdout), done.stdout
