"""What is said of a billion documents follows from what was measured."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TABLE = """
| seconds (processor seconds; memory) | 100,000 | 1,000,000 | growth |
| --- | ---: | ---: | ---: |
| add originals | 20.0 (40.0; 0.30 GB) | 200.0 (400.0; 0.90 GB) | 10.0× |
| clusters, R ≥ 0.5 | 5.0 (8.0; 0.50 GB) | 80.0 (160.0; 2.10 GB) | 20.0× |
| queries | 5.0 (8.0; 0.50 GB) | 5.0 (8.0; 2.10 GB) | 1.0× |
| on disk, MB | 300 | 3,000 | 10.0× |
"""


@pytest.fixture(scope="module")
def scale():
    spec = importlib.util.spec_from_file_location("scale", ROOT / "benchmarks" / "scale.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["scale"] = module
    spec.loader.exec_module(module)
    return module


def test_growth_goes_on_as_measured(scale):
    measured = scale.Measured.read(TABLE)
    assert measured.documents == (100_000, 1_000_000)
    assert set(measured.steps) == {"add originals", "clusters, R ≥ 0.5"}
    assert measured.projected("add originals") == pytest.approx(400_000)
    assert measured.projected("clusters, R ≥ 0.5") == pytest.approx(160 * 20**3)
    assert measured.disk == pytest.approx(3000)


def test_the_page_shows_what_the_program_prints(scale, capsys):
    scale.show(scale.Measured.read((ROOT / "docs" / "corpus.md").read_text()))
    page = (ROOT / "docs" / "scale.md").read_text()
    for line in capsys.readouterr().out.splitlines():
        assert line in page


def test_a_page_without_figures_is_told(scale):
    with pytest.raises(SystemExit, match="no table"):
        scale.Measured.read("nothing here")
