"""How easily one finds one's way in the program: its modules, its names, its docstrings, the way of data through it.

    python benchmarks/house.py [--before REVISION]

prints a table of figures, with a column for an earlier revision if one is named. Two ways are traced on a sample class:
that of a report by the command line, and that of an upload to the web app, from files to confirmed submissions.
Files that a change touches are counted from the patches in tests/changes.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("moss", "frontends")
FIELD = {"winnowing", "hashing", "ranking", "lexing", "folding", "grouping", "hamming", "batching", "archiving"}
"""Words in -ing that are nouns of the field, or of everybody."""
FORBIDDEN = ("The same", "What", "Of", "Whose", "Whom", "Those", "That", "Something", "Whatever")
"""Words with which no docstring begins: it could not be understood without the one above it."""
EXCEPTED = ("frontends/languages/", "moss/store/migrations/", "moss/jobs/handlers/")
"""Folders whose modules may be small although one module alone imports them: they are tables of their kind."""
CHANGES = {"a figure of a pair": "figure", "a compare option": "option", "a job kind": "job"}

COMPARE = """
import sys, sitecustomize
from pathlib import Path
from moss.cli import main
root, scratch = map(Path, sys.argv[1:])
sitecustomize.trace(str(scratch / "calls"), str(root))
sample = root / "sample_submissions" / "python-textstats"
base, archive = ["-b", str(sample / "starter")], ["-a", str(sample / "archive")]
main(["compare", "-j2", "--quiet", "--cache", str(scratch / "cache"), "-o", str(scratch / "report"), *base, *archive,
      str(sample / "submissions")])
"""
UPLOAD = """
import sys, sitecustomize
from contextlib import nullcontext
from pathlib import Path
from support import server as under_test
from support.server import make_server
from support.uploads import open_desk
root, scratch = map(Path, sys.argv[1:])
under_test.readers_at_hand = nullcontext  # readers are programs of their own, so their calls are traced
sample = root / "sample_submissions" / "python-textstats" / "submissions"
with make_server(scratch / "data") as server:
    desk = open_desk(server)
    sitecustomize.trace(str(scratch / "calls"), str(root))
    files = {str(path.relative_to(sample)): path.read_bytes() for path in sample.rglob("*") if path.is_file()}
    desk.confirm(desk.send(files))
    assert len(desk.rows()) == len([*sample.iterdir()])
"""


@cache
def sources(root: Path) -> dict[str, ast.Module]:
    """Every module of the program, by its path."""
    paths = sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))
    return {path.relative_to(root).as_posix(): ast.parse(path.read_text()) for path in paths}


def lines(root: Path) -> dict[str, int]:
    """How many lines each module has."""
    return {path: len((root / path).read_text().splitlines()) for path in sources(root)}


def gerunds(root: Path) -> list[str]:
    """Modules named by what somebody does, instead of by what they hold."""
    words = {path: set(Path(path).stem.split("_")) for path in sources(root)}
    return [path for path, named in words.items() if any(word.endswith("ing") for word in named - FIELD)]


def repeated_types(root: Path) -> dict[str, list[str]]:
    """Public classes that have a namesake, with their modules."""
    homes = defaultdict(list)
    for path, module in sources(root).items():
        for node in module.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path)
    return {name: found for name, found in homes.items() if len(found) > 1}


def module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imported_by(module: ast.Module) -> set[str]:
    """Names of modules that a module may import: of `from a import b`, both a and a.b."""
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def lonely(root: Path) -> list[str]:
    """Modules under 40 lines that one other module alone imports: they belong there."""
    importers = Counter(name for module in sources(root).values() for name in imported_by(module))
    return [
        path
        for path, count in lines(root).items()
        if count < 40 and importers[module_name(path)] == 1 and not path.endswith("__init__.py")
        and not path.startswith(EXCEPTED)
    ]  # fmt: skip


def docstrings(root: Path) -> Iterator[tuple[str, str]]:
    """Every docstring of the program, with its module."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path, module in sources(root).items():
        for node in ast.walk(module):
            if isinstance(node, documented) and (text := ast.get_docstring(node)):
                yield path, text


def forbidden(root: Path) -> dict[str, list[str]]:
    """The docstrings that begin with each of the words that they should not begin with."""
    found = defaultdict(list)
    for path, text in docstrings(root):
        for words in FORBIDDEN:
            if re.match(rf"{words}\b", text):
                found[words].append(f"{path}: {text.splitlines()[0]}")
    return found


def first_words(root: Path) -> str:
    """The ten words with which most docstrings begin."""
    counts = Counter(text.split()[0] for _, text in docstrings(root)).most_common(10)
    return ", ".join(f"{word} {count}" for word, count in counts)


def called(root: Path, program: str) -> set[tuple[str, str]]:
    """The functions of the program that are called on a way through it: module and name."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(Path(__file__).with_name("call_trace.py"), Path(folder, "sitecustomize.py"))
        path = os.pathsep.join(str(place) for place in (folder, root, root / "tests"))
        command = [sys.executable, "-c", program, str(root), folder]
        done = subprocess.run(
            command, env=os.environ | {"PYTHONPATH": path}, cwd=folder, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(done.stderr)
        found = {tuple(line.split("\t")) for line in Path(folder, "calls").read_text().splitlines()}
    return {(module, name) for module, name in found if Path(module).relative_to(root).parts[0] in PACKAGES}


def way(root: Path, program: str) -> str:
    """How many functions of how many modules are on a way."""
    functions = called(root, program)
    return f"{len(functions)} in {len({module for module, _ in functions})}"


def touched(root: Path, change: str) -> str:
    """How many files of the program a change touches; nothing is known before there were patches."""
    patch = root / "tests" / "changes" / f"{change}.patch"
    return str(len(re.findall(r"^\+\+\+ ", patch.read_text(), re.M))) if patch.exists() else "–"


def figures(root: Path) -> Iterator[tuple[str, object]]:
    """The table's rows: what, and how much."""
    sizes = [*lines(root).values()]
    yield "modules", len(sizes)
    yield "lines per module, on average", round(statistics.mean(sizes))
    yield "median lines", f"{statistics.median(sizes):g}"
    yield "modules under 60 lines", sum(size < 60 for size in sizes)
    yield "modules under 40 lines with one importer", len(lonely(root))
    yield "modules named by a gerund", len(gerunds(root))
    yield "repeated public type names", len(repeated_types(root))
    begun = forbidden(root)
    for words in FORBIDDEN:
        yield f'docstrings that begin with "{words}"', len(begun[words])
    yield "functions and modules on the way of moss compare -o", way(root, COMPARE)
    yield "functions and modules on the way of an upload", way(root, UPLOAD)
    for name, change in CHANGES.items():
        yield f"files touched by {name}", touched(root, change)
    yield "docstrings by their first words", first_words(root)


def checkout(revision: str, folder: Path) -> Path:
    """The files of a revision, in a folder."""
    packed = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="REVISION", help="the revision to compare with")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        columns = {"now": dict(figures(ROOT))}
        if options.before:
            columns = {options.before: dict(figures(checkout(options.before, Path(folder))))} | columns
    print(f"| | {' | '.join(columns)} |\n|{' --- |' * (len(columns) + 1)}")
    for row in columns["now"]:
        print(f"| {row} | {' | '.join(str(column[row]) for column in columns.values())} |")


if __name__ == "__main__":
    main()
