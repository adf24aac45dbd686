"""Where tests run: what shares something costly is together, all else is free."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.placing import _ALONE, _GROUPS, group_of

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("file", [*_GROUPS, _ALONE])
def test_what_is_named_is_there(file):
    assert (ROOT / file).is_file()


def test_tests_of_a_group_are_together_whatever_file_they_are_in():
    pages = group_of("tests/browser/test_app_pages.py::test_every_page[home]")
    assert group_of("tests/browser/test_app_keyboard.py::test_correcting_what_was_recognised") == pages
    reports = group_of("tests/browser/test_pair.py::test_one")
    assert group_of("tests/browser/test_disk.py::test_another[a::b]") == reports != pages


def test_other_tests_are_alone():
    for nodeid in ("tests/engine/test_index.py::test_one", f"{_ALONE}::test_one"):
        assert group_of(nodeid) == nodeid


TESTS = """
import os
from pathlib import Path
import pytest

@pytest.mark.parametrize("number", range(6))
def test_of_a_group(number):
    with Path(__file__).with_suffix(".txt").open("a") as file:
        file.write(os.environ["PYTEST_XDIST_WORKER"] + " ")
"""


def test_one_process_has_all_of_a_group(tmp_path):
    file = tmp_path / next(iter(_GROUPS))
    file.parent.mkdir(parents=True)
    file.write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p support.placing -p xdist -p no:cacheprovider\n")
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = ours | {"PYTHONPATH": str(ROOT / "tests"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-n", "2"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    workers = file.with_suffix(".txt").read_text().split()
    assert len(workers) == 6
    assert len(set(workers)) == 1
