"""`moss explain`: the figures of `moss compare`, what they are made of, and a clear sentence for every mistake."""

from __future__ import annotations

import csv
import json
import re
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from support.classes import SAMPLES

import moss
from moss.cli import main

JAVA = SAMPLES / "java-library"
CLASS = ["--in", str(JAVA / "submissions"), "-b", str(JAVA / "starter")]


def run(*arguments):
    return CliRunner().invoke(main, ["explain", *map(str, arguments)])


def test_a_pair_is_explained_by_the_figures_of_a_comparison(tmp_path):
    written = tmp_path / "report.json"
    options = ["--no-cache", "--quiet", "-b", str(JAVA / "starter"), "--json", str(written), str(JAVA / "submissions")]
    assert CliRunner().invoke(main, ["compare", *options]).exit_code == 0
    (pair,) = [p for p in json.loads(written.read_text())["pairs"] if {p["a"], p["b"]} == {"kofi", "lena"}]
    result = run(*CLASS, "lena", "kofi")
    assert result.exit_code == 0, result.output
    assert f"= {pair['score']:.6f}, number 4 of" in result.output
    assert f"= {pair['reasons']['proportion']:.4f}" in result.output
    assert f"amount      {pair['reasons']['amount']:,.1f} tokens" in result.output
    for view, _, part in pair["reasons"]["views"]:
        row = next(line for line in result.output.splitlines() if line.startswith(f"{view} "))
        assert row.endswith(f" {part:.1%}")
    assert re.search(r"kofi/Catalog.java:42  .*\n +lena/src/library/Catalogue.java:49  ", result.output)
    assert "more (--all prints them)" in result.output


OLD = JAVA / "archive"


@pytest.mark.parametrize(
    ("options", "others"),
    [
        (["-a", OLD], ["ada", next(path.name for path in sorted(OLD.iterdir()))]),
        (["-m", "2"], ["kofi", "lena"]),
        (["--exclude", "Catalog*"], ["kofi", "lena"]),
    ],
    ids=["archive", "max-matches", "exclude"],
)
def test_options_that_change_the_score_are_those_of_a_comparison(options, others, tmp_path):
    scores = tmp_path / "scores.csv"
    told = ["--no-cache", "--quiet", "--scores", scores, *options, JAVA / "submissions"]
    assert CliRunner().invoke(main, ["compare", *map(str, told)]).exit_code == 0
    with scores.open() as file:
        rows = list(csv.DictReader(file))
    (score,) = [float(row["score"]) for row in rows if {row["a"], row["b"]} == set(others)]
    explained = run("--in", JAVA / "submissions", *options, *others)
    assert explained.exit_code == 0, explained.output
    assert f"= {score:.6f}," in explained.output
    without = run("--in", JAVA / "submissions", *others)
    assert f"= {score:.6f}," not in without.output


def odd_class(folder):
    """A class in which folders, versions and encodings matter: Autolab's names, and comments in Shift JIS."""
    body = [f"def step_{n}(value):\n    return value * {n} + {n}  # \u8868\u793a{n}\n" for n in range(20)]
    for place, name in enumerate(("ada", "bela", "cyd")):
        for version in (1, 2):
            text = "".join(body[place * version : 12 + place * version])
            with ZipFile(folder / f"{name}@school.edu_{version}_hw1.zip", "w") as archive:
                archive.writestr("src/main.py", text.encode("shift_jis"))
                archive.writestr("notes/other.py", "".join(body[place * 3 :]).encode("shift_jis"))
    return folder


@pytest.mark.parametrize("options", [["--subdirectory", "src"], ["--versions", "all"], ["--encoding", "shift_jis"]])
def test_options_that_change_what_is_read_are_those_of_a_comparison(options, tmp_path):
    folder, scores = odd_class(tmp_path), tmp_path.parent / "scores.csv"
    told = ["--no-cache", "--quiet", "--scores", scores, *options, folder]
    compared = CliRunner().invoke(main, ["compare", *map(str, told)])
    assert compared.exit_code == 0, compared.output
    with scores.open() as file:
        first = next(csv.DictReader(file))
    explained = run("--in", folder, *options, first["a"], first["b"])
    assert explained.exit_code == 0, explained.output
    assert f"= {float(first['score']):.6f}, number 1 of" in explained.output
    without = run("--in", folder, *(first[side].removesuffix(" version 2") for side in "ab"))
    assert f"= {float(first['score']):.6f}," not in without.output


def test_files_of_one_directory_are_one_submission(tmp_path):
    for name in ("ada", "bela"):
        (tmp_path / name).mkdir()
        for file in ("A.py", "B.py"):
            (tmp_path / name / file).write_text(f"def {file[0]}(x):\n    return [x * {name!r} for y in range(3)]\n" * 8)
    files = [option for path in sorted(tmp_path.glob("*/*.py")) for option in ("--in", path)]
    together = run(*files, "-d", "ada", "bela")
    assert "in a class of 2 submissions by" in together.output, together.output


def test_everything_is_printed_on_demand():
    short, long = run(*CLASS, "kofi", "lena"), run(*CLASS, "kofi", "lena", "--all")
    assert "more (--all prints them)" not in long.output
    assert len(long.output) > 5 * len(short.output)


def test_two_files_are_a_class_of_two():
    files = [sorted((JAVA / "submissions" / name).rglob("*.java"))[0] for name in ("ada", "rosa")]
    (score,) = moss.compare(files, settings=moss.Settings(jobs=1)).ranking.score.tolist()
    result = run(*files)
    assert result.exit_code == 0, result.output
    assert "in a class of 2 submissions by 2 different authors" in result.output
    assert f"= {score:.6f}, number 1" in result.output


def test_a_file_shows_its_tokens_its_outline_and_how_rare_its_fingerprints_are():
    result = run(*CLASS, "kofi/Catalog.java")
    assert result.exit_code == 0, result.output
    assert "Catalog.java: java, 398 tokens" in result.output
    assert "   12  Entry(String code) {\n       = name ( name name ) {\n       ~ _ _ _ {\n" in result.output
    assert re.search(
        r"structure +\d+  shared with nobody: \d+, with one other: \d+, with 2 to 7 others: \d+", result.output
    )
    assert "Journal.java:" not in result.output, "only the file that was named"


def test_prose_has_words_and_no_outline(tmp_path):
    (tmp_path / "essay.txt").write_text("All that glitters is not gold.\n")
    result = run(tmp_path / "essay.txt")
    assert result.exit_code == 0, result.output
    assert "= all that glitters is not gold" in result.output
    assert "~ " not in result.output.replace("; ~ its outline", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no/such/file.py"], "there is no file or folder: no/such/file.py"),
        ([*CLASS, "nobody"], "there is no submission 'nobody' in"),
        ([*CLASS, "kofi", "kofi"], "kofi is named twice"),
        ([*CLASS, ""], "a submission's name is empty"),
        ([*CLASS, JAVA / "submissions"], "is the class itself"),
        (["--in", "no/such/class", "kofi"], "no such file or folder: no/such/class"),
        ([*CLASS, "-l", "klingon", "kofi"], "unknown language 'klingon'"),
    ],
)
def test_mistakes_are_told_in_a_sentence(arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.output
    assert result.output.startswith("moss: ")
    assert result.output.count("\n") == 1


def test_handed_out_code_counts_for_nothing_even_if_it_is_explained_itself(tmp_path):
    program = (SAMPLES / "python-textstats" / "submissions").rglob("*.py")
    text = next(program).read_text()
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(text)
    files = [tmp_path / "a.py", tmp_path / "b.py"]
    assert "= 1.000000, number 1" in run(*files).output
    assert "they share nothing" in run("-b", files[0], *files).output


def test_what_could_not_be_read_is_told(tmp_path):
    (tmp_path / "hw" / "ana").mkdir(parents=True)
    (tmp_path / "hw" / "ana" / "a.py").write_text("print(1)\n")
    (tmp_path / "hw" / "ana" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    result = run("--in", tmp_path / "hw", "ana")
    assert result.exit_code == 0, result.output
    assert "moss: ana/a.png: a PNG image, not read as text" in result.stderr
