"""The sample classes are what their READMEs say: complete, valid, and truthful about what was planted."""

import ast
import csv
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_submissions"
CODE_CLASSES = ["java-library", "python-textstats"]
CLASSES = [*CODE_CLASSES, "essays"]
DOES_NOT_COMPILE = {"wanda"}  # on purpose, see the README of java-library
QUICK_JAVA = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]  # one that compiles its own code once: half the work here


def folders(parent: Path) -> set[str]:
    return {child.name for child in parent.iterdir() if child.is_dir()} if parent.is_dir() else set()


def truth(name: str) -> list[dict[str, str]]:
    with (SAMPLES / name / "truth.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def code_cells(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("name", CLASSES)
def test_truth_names_existing_folders(name: str) -> None:
    new, archive = folders(SAMPLES / name / "submissions"), folders(SAMPLES / name / "archive")
    assert not new & archive, "a name must mean one submission"
    rows = truth(name)
    assert list(rows[0]) == ["a", "b", "label", "kind"]
    for row in rows:
        assert {row["a"], row["b"]} <= new | archive, row
        assert {row["a"], row["b"]} & new, f"archives are not compared with each other: {row}"
        assert row["a"] != row["b"]
        assert row["label"] == ("0" if row["kind"] == "lookalike" else "1"), row
    pairs = [frozenset((row["a"], row["b"])) for row in rows]
    assert len(pairs) == len(set(pairs)), "a pair is listed twice"


@pytest.mark.parametrize("name", CLASSES)
def test_two_copies_of_one_source_are_a_pair_too(name: str) -> None:
    """A copied submission's copies are copies of each other, unless they took different parts (merged)."""
    copied = {frozenset((r["a"], r["b"])) for r in truth(name) if r["label"] == "1" and r["kind"] != "merged"}
    for one in copied:
        for other in copied:
            if one != other and one & other:
                assert one ^ other in copied, f"{sorted(one)} and {sorted(other)} imply {sorted(one ^ other)}"


def test_every_kind_is_planted() -> None:
    kinds = {row["kind"] for name in CODE_CLASSES for row in truth(name)}
    assert kinds == {
        "verbatim", "renamed", "reordered", "partial", "merged", "archive", "restructured", "comments", "transitive",
        "lookalike",
    }  # fmt: skip
    for name in CODE_CLASSES:
        assert sum(row["kind"] == "lookalike" for row in truth(name)) >= 2


@pytest.mark.parametrize("name", CODE_CLASSES)
def test_code_class_is_complete(name: str) -> None:
    assert len(folders(SAMPLES / name / "submissions")) >= 14
    assert len(folders(SAMPLES / name / "archive")) >= 4
    assert any((SAMPLES / name / "starter").iterdir())


@pytest.mark.parametrize("name", CLASSES)
def test_readme_tells_every_planted_pair(name: str) -> None:
    readme = (SAMPLES / name / "README.md").read_text(encoding="utf-8")
    for row in truth(name):
        assert f"| {row['a']} – {row['b']} | {row['label']} | `{row['kind']}` |" in readme


def test_archive_kind_reaches_into_the_archive() -> None:
    for name in CODE_CLASSES:
        archive = folders(SAMPLES / name / "archive")
        for row in truth(name):
            assert (row["kind"] == "archive") == bool({row["a"], row["b"]} & archive), row


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.py")), ids=lambda p: str(p.relative_to(SAMPLES)))
def test_python_compiles(path: Path) -> None:
    compile(path.read_text(encoding="utf-8"), str(path), "exec")


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.ipynb")), ids=lambda p: str(p.relative_to(SAMPLES)))
def test_notebook_is_valid(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    assert {cell["cell_type"] for cell in notebook["cells"]} == {"markdown", "code"}
    assert any(cell.get("outputs") for cell in notebook["cells"])
    for source in code_cells(path):
        ast.parse(source)


def test_there_are_two_notebooks() -> None:
    assert len(list((SAMPLES / "python-textstats" / "submissions").rglob("*.ipynb"))) == 2


def test_java_compiles(tmp_path: Path) -> None:
    java = shutil.which("java")
    if java is None or shutil.which("javac") is None:
        reason = "javac is not on PATH: install a JDK 17 or newer (Debian: apt install default-jdk-headless)"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    library = SAMPLES / "java-library"
    parents = [library / "submissions", library / "archive"]
    submissions = [library / "starter", *(child for parent in parents for child in sorted(parent.iterdir()))]
    assert all(any(folder.rglob("*.java")) for folder in submissions)
    compiler = Path(__file__).with_name("CompileAll.java")
    command = [java, *QUICK_JAVA, str(compiler), str(tmp_path), *map(str, submissions)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert {Path(line).name for line in result.stdout.splitlines()} == DOES_NOT_COMPILE, result.stderr
