"""A copy of the program to which one of the patches in tests/changes was applied."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHANGES = ROOT / "tests" / "changes"


def changed_copy(change: str, folder: Path) -> Path:
    """Copy the program into a folder, and apply a patch."""
    copy = folder / "copy"
    for part in ("moss", "frontends", "templates", "docs"):
        shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__", "images"))
    shutil.copy(ROOT / "README.md", copy)
    patch = CHANGES / f"{change}.patch"
    command = ["git", "apply", "--unidiff-zero", str(patch)]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stderr}{patch.name} does not fit: make the change again, and git diff -U1 it"
    return copy


def run_python(copy: Path, *arguments: object) -> str:
    """The output of Python, run with the copy in place of the program."""
    path = os.pathsep.join([str(copy), str(ROOT / "tests")])
    command = [sys.executable, *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
