"""Where tests run: what shares something costly is together, all else is free."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.placing import _GROUPS, group_of, turn_of

from moss.processes.pool import available_cores

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("path", _GROUPS)
def test_what_is_named_is_there(path):
    assert (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).is_file()


def test_tests_of_a_group_are_together_whatever_file_they_are_in():
    pages = group_of("tests/browser/test_app_pages.py::test_every_page[home]")
    assert group_of("tests/browser/test_app_keyboard.py::test_correcting_what_was_recognised") == pages
    reports = group_of("tests/browser/test_pair.py::test_one")
    assert group_of("tests/browser/test_disk.py::test_another[a::b]") == reports != pages


def test_other_tests_are_with_those_of_their_file_and_go_last():
    one, another = "tests/engine/test_index.py::test_one", "tests/engine/test_index.py::test_another[a/b::c]"
    assert group_of(one) == group_of(another) == "tests/engine/test_index.py"
    assert group_of("tests/engine/test_score.py::test_one") != group_of(one)
    assert turn_of(one) == turn_of("tests/web/test_web_cases.py::test_one") > max(map(turn_of, _GROUPS))


TESTS = """
import os
import pytest

@pytest.mark.parametrize("number", range(3))
def test_of_a_group(number):
    with open({told!r}, "a") as file:
        print(os.environ["PYTEST_XDIST_WORKER"], __file__, file=file)
"""


def test_one_process_has_all_of_a_group_and_groups_go_first(tmp_path):
    crowd = [file for file, group in _GROUPS.items() if group == "workers that are killed"]
    for file in ("tests/a/test_a.py", "tests/b/test_b.py", "tests/c/test_c.py", *crowd):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(TESTS.format(told=str(tmp_path / "told")))
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p support.placing -p xdist -p no:cacheprovider\n")
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = ours | {"PYTHONPATH": f"{ROOT / 'tests'}{os.pathsep}{ROOT}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-n", "auto", "--import-mode=importlib"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"created: {available_cores() + 1}/{available_cores() + 1} workers" in ran.stdout, ran.stdout
    told = [line.split() for line in (tmp_path / "told").read_text().splitlines()]
    assert len(told) == 15
    killed = [worker for worker, file in told if file.removeprefix(f"{tmp_path}/") in crowd]
    assert (len(killed), len(set(killed))) == (6, 1)
    assert [file for worker, file in told if worker == killed[0]][:6] == [
        str(tmp_path / file) for file in crowd for _ in range(3)
    ]
