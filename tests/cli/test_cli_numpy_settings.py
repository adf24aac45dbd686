"""What numpy is told before it is imported, and that the user has the last word."""

import os
import subprocess
import sys

import pytest

from moss.cli.numpy_settings import prepare_numpy

ZEN_4 = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nflags\t\t: fpu avx2 avx512f\n"
OTHERS = {
    "Zen 3": ZEN_4.replace(" avx512f", ""),
    "Zen 5": ZEN_4.replace(": 25", ": 26"),
    "Intel": ZEN_4.replace("AuthenticAMD", "GenuineIntel"),
    "nothing that we know": "Features : fp asimd\n",
}


def prepared(tmp_path, text, **given):
    file = tmp_path / "cpuinfo"
    file.write_text(text)
    environment = dict(given)
    prepare_numpy(environment, file)
    return environment


@pytest.mark.parametrize("name", OTHERS)
def test_other_processors_keep_their_vectors(tmp_path, name):
    assert prepared(tmp_path, OTHERS[name]) == {"OPENBLAS_NUM_THREADS": "1"}


def test_what_the_user_has_set_stays(tmp_path):
    given = {"OPENBLAS_NUM_THREADS": "4", "NPY_DISABLE_CPU_FEATURES": ""}
    assert prepared(tmp_path, ZEN_4, **given) == given


def test_no_file_about_the_processor_is_no_problem(tmp_path):
    environment = {}
    prepare_numpy(environment, tmp_path / "none")
    assert environment == {"OPENBLAS_NUM_THREADS": "1"}


def test_numpy_knows_the_name_it_is_told(tmp_path):
    """A name that it does not know is a warning, and one that it cannot do without an error."""
    environment = os.environ | prepared(tmp_path, ZEN_4)
    command = [sys.executable, "-W", "error", "-c", "import numpy; numpy.sort([3, 1, 2])"]
    subprocess.run(command, env=environment, check=True)


def test_a_numpy_that_was_built_for_this_machine_is_left_alone(tmp_path, monkeypatch):
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy-2.4.1.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert prepared(tmp_path, ZEN_4) == {"OPENBLAS_NUM_THREADS": "1"}
    (tmp_path / "numpy.libs").mkdir()
    assert prepared(tmp_path, ZEN_4)["NPY_DISABLE_CPU_FEATURES"] == "X86_V4"
