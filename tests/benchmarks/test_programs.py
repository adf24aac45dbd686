"""Each program of benchmarks/ runs from beginning to end on tiny input, and prints what it promises."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_submissions" / "python-textstats"
sys.path.append(str(ROOT / "benchmarks"))

import shapes  # noqa: E402

# program, its arguments (one in capitals is the path that the fixture of that name makes), and something that it prints
PROGRAMS = [
    ("quality.py", ["CORPUS"],
     r"(?s)\| left-out choice \| [01]\.\d{3} .*\*\*24-grams or 24 words\*\* \| \*\*200\*\* \| [01]\.\d{3} .*"
     r"\| without rarity \| [01]\.\d{3} .*of all copied ≥ 0\.7 .*\| tiny \| python \| renamed \| "),
    ("standing.py", ["CORPUS", "--levels"], r"\| tiny \| 8 \| renamed \| 1 \| [\d.]+% \| [\d.]+% \|"),
    ("standing_rules.py", ["CORPUS"],
     r"(?s)\| \*\*score\*\* \| \*\*0\.1\*\* .*\| tiny \| 8 \| 0\.0% \| [\d.]+% \| .*"),
    ("attacks.py", ["--trials", "1"], r"\| verbatim \| 100% \| 100% \| 100% \| \+0 \| 100% \| 100% \| 100% \| \+0 \|"),
    ("attacks.py", ["--trials", "1", "--rivals"], r"\| best match: 12-grams, difference \|"),
    ("second_look.py", ["CORPUS"], r"\| similarity alone \| finer \| [01]\.\d{3} \|"),
    ("passages.py", ["CORPUS"], r"\| tiny \| verbatim \| 1 \| 100% \| 100% \| 100% \|"),
    ("cores.py", [str(SAMPLE / "submissions")], r"(?s)aligning .* all .*: 2 cores of our own are at most \d"),
    ("compare.py", ["4", "--corpora", "SCALE"],
     r"(?s)moss compare -j 1 .*\n4: \d+ kB of memory.* files alone .*\n4 +aligning "),
    ("corpus.py", ["--documents", "40", "--queries", "2"], r"\| queries: moved, recall \| 1\.0000 \|"),
    ("first_page.py", ["--students", "10", "--lines", "60"],
     r"(?s)until the overview can be read +[\d.]+ +[\d.]+ +11.4\n.*page of a pair, kept"),
    ("generated_pages.py", ["--documents", "20", "NEW"], r"^$"),
    ("overview.py", ["--pairs", "300", "--submissions", "60"],
     r"(?s)list and its data, kB .*\nwhole overview, kB .*\nnodes +[\d,]+\n"
     r"CPU to the first rows, s +[\d.]+\nCPU to sort, s +[\d.]+\n"),
    ("jobs.py", ["--jobs", "2", "--idle", "0.2"], r"sqlite +2 +\d+ +\d+ +[\d.]+ % by worker"),
    ("load.py", ["--each", "3", "--answers", "40", "--readers", "2", "--seconds", "1", "--pause", "0.1", "--class", "6",
                 "--corpora", "CORPORA"],
     r"(?s)\nno such submission .*\nhome, 4 assignments .*\n40 +\d+ .*\nall pages .*the run took [\d.]+ s"),
    ("kept.py", ["--check"], "performance.md agrees with performance.json"),
    ("hostile.py", ["--connections", "3", "--seconds", "1", "--megabytes", "1"],
     r"(?s)3 half-sent headers: /health after .*413 Request Entity Too Large"),
    ("hostile.py", ["--files", "3", "--evidence", "1", "--class", "6", "--corpora", "CORPORA"],
     r"(?s)3 files, 100 in each folder: .*3 files, each by itself: .* CPU s; 3 submissions"
     r".*1 evidence files at once: 1 times 200; /health after "),
    ("promise.py", ["--trials", "1"],
     r"(?s)\| Java, structure \| 4, 6 \| 0 of 1 \| .*\| 20 different \| 12, 16 \| 0 of 1 "),
    ("documents.py", ["--pages", "2", "--rounds", "1"],
     r"(?s)\| docx \| moss \| [\d.]+ MB/s \| 100% \| 100% \|.*\| pdf \| moss \| [\d.]+ MB/s \| 100% \| 100% \|.*"
     r"\| tex \| moss \| [\d.]+ MB/s \| 100% \| 100% \|"),
    ("near_duplicates.py", ["--documents", "40", "--many", "40"], r"moss add, clusters 0\.5 "),
    ("histories.py", ["--commits", "3", "--files", "2"], r"\| 3 \| -?[\d.]+ \| [\d.]+ \| [\d,]+ \| [\d,]+ \|"),
    ("main_text.py", ["--pages", "4", "--folders", "DOCUMENTATION"],
     r"(?s)\| moss \(resiliparse, and what is not marked\) \| .*\| py3langid \| 100\.0% \|"),
    ("service.py", ["--documents", "40", "--clients", "2", "--questions", "2", "--pause", "0"],
     r"(?s)\| look-up, compressed tables .*\| group, 0 ms between questions \| "),
    ("debian_crawl.py", ["--pages", "40", "--folders", "DOCUMENTATION", "--asked", "1"],
     r"(?s)\| add again, with June \| .*\| best address right, of those asked for \| 1\.000 \|"),
    ("recurring_phrases.py", ["--pages", "40", "--megabytes", "1"], r"(?s)\| 40 \| real \| .*\| 40 \| generated \| "),
    ("scale.py", ["TABLE"], r"\| \*\*all\*\* \|"),
    ("scale.py", ["--measure", "PAGES"], r"\d+ documents: \d+ µs each in the process that writes"),
    ("scanners.py", ["python", "--files", "STARTER", "--rounds", "1"], r"python +\d+ +0\.00 "),
    ("shapes.py", ["template", "--shrink", "1000"], r"\n5,000 with a template  .* \d+\.\d\d +\d+\.\d\d\n"),
    ("spark.py", ["--documents", "20", "--without-spark"], r"clusters, another threshold, DuckDB alone: [\d.]+ s"),
    ("wire.py", ["--clients", "1", "--jobs", "1", "--submissions", "3", "--workers", "1"],
     r"\d+ historical pages of a result were fetched"),
]  # fmt: skip

ELSEWHERE = {"house.py": "tests/benchmarks/test_house.py", "papers.py": "tests/test_papers.py"}
"""Programs whose `main` another test calls."""
TOGETHER = {"bench.py", "starting.py"}
"""Programs of which one runs the other, in a test of their own."""


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


@pytest.fixture(scope="module")
def documentation(tmp_path_factory):
    """Pages as Debian's documentation has them, in English by their names."""
    folder = tmp_path_factory.mktemp("documentation")
    words = [
        f"{first}{last}" for first in ("sort", "line", "file", "call", "print") for last in ("ing", "ed", "s", "er")
    ]
    for number in range(40):
        chance = random.Random(number)
        paragraphs = (" ".join(chance.choices(words, k=40)) for _ in range(6))
        body = "".join(f"<p>In chapter {number}: {paragraph}.</p>" for paragraph in paragraphs)
        (folder / f"{number}.en.html").write_text(f"<html><body>{body}</body></html>")
    return folder


@pytest.fixture
def new(tmp_path):
    """A folder that is not there yet."""
    return tmp_path / "new"


@pytest.fixture
def starter():
    """A folder with a little code."""
    return SAMPLE / "starter"


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """A folder with a class of six for measuring, packed as the large ones are."""
    folder = tmp_path_factory.mktemp("corpora")
    (folder / "scale").mkdir()
    with tarfile.open(folder / "scale" / "mix-6.tar.xz", "w:xz") as packed:
        for submission in sorted((SAMPLE / "submissions").iterdir())[:6]:
            packed.add(submission, f"mix-6/submissions/{submission.name}")
        packed.add(SAMPLE / "truth.csv", "mix-6/truth.csv")
    return folder


@pytest.fixture
def scale(corpora):
    """The part of it where classes of several sizes are."""
    return corpora / "scale"


@pytest.fixture
def table():
    """A page with the figures that corpus.py printed."""
    return ROOT / "docs" / "corpus.md"


@pytest.fixture
def pages(new):
    """A few generated pages."""
    run("generated_pages.py", [str(new), "--documents", "20"])
    return new


def run(program, arguments):
    command = [sys.executable, ROOT / "benchmarks" / program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("program", "arguments", "printed"), PROGRAMS, ids=lambda value: str(value)[:30])
def test_a_program_runs_and_prints_its_figures(program, arguments, printed, request):
    found = [request.getfixturevalue(word.lower()) if word.isupper() else word for word in arguments]
    assert re.search(printed, printed_by := run(program, [str(word) for word in found])), printed_by


def test_every_program_is_run():
    """None can stop working unnoticed: whoever adds one adds a row."""
    programs = {path.name for path in (ROOT / "benchmarks").glob("*.py") if "__main__" in path.read_text()}
    assert programs == {program for program, _, _ in PROGRAMS} | set(ELSEWHERE) | TOGETHER
    for program, test in ELSEWHERE.items():
        assert f"{program.removesuffix('.py')}.main()" in (ROOT / test).read_text()


def test_a_program_keeps_its_own_tables_and_leaves_the_others(tmp_path):
    file = tmp_path / "figures.json"
    file.write_text(json.dumps({"shapes": {"rows": []}}))
    printed = run("bench.py", ["--only", "starting.py", "--keep", str(file), "--", "--rounds", "1"])
    assert re.search(r"(?s)moss compare, a second time +\d\.\d{3}.*-- all of it: [\d.]+ minutes", printed)
    kept = json.loads(file.read_text())
    assert kept["shapes"] == {"rows": []}
    assert kept["starting"]["command"] == "python benchmarks/starting.py --rounds 1"
    assert str(tmp_path) not in file.read_text()
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- measured: starting -->\nold\n<!-- end of starting -->\nafter\n")
    run("kept.py", ["--figures", str(file), "--page", str(page)])
    lines = page.read_text().splitlines()
    assert lines[:2] == ["before", "<!-- measured: starting -->"]
    assert lines[-2:] == ["<!-- end of starting -->", "after"]
    for row in kept["starting"]["rows"]:
        assert f"| {' | '.join(row)} |" in lines
    assert "old" not in lines


@pytest.mark.parametrize("shape", shapes.SHAPES)
def test_every_shape_can_be_shrunk(shape):
    assert len(dict(shapes.SHAPES[shape](500))) > 1


def test_every_table_of_the_page_was_measured():
    page = (ROOT / "docs" / "performance.md").read_text()
    names = re.findall(r"<!-- measured: ([a-z-]+) -->", page)
    assert set(names) == set(json.loads((ROOT / "docs" / "performance.json").read_text()))
    assert len(names) == len(set(names))
