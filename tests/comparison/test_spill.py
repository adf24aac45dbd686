"""What does not fit into memory goes to a file, and nothing else changes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from moss.comparison import compare
from moss.comparison.plan import plan_all
from moss.comparison.scan import Scanner
from moss.comparison.spill import Spill
from moss.comparison.views import united
from moss.intake import collect
from moss.report.json_report import as_plain
from moss.settings import Settings

SAMPLES = Path(__file__).parents[2] / "sample_submissions"


@pytest.fixture(scope="module")
def batch():
    intake = collect([SAMPLES / "java-library" / "submissions"], (), ())
    return Scanner(None, {}, united([])).scan_batch(plan_all(intake.submissions, "auto"))


def arrays(batch):
    found = []
    batch.replaced(lambda array: found.append(array) or array)
    return found


def test_a_batch_in_the_file_is_the_same(batch):
    with closing(Spill(1)) as spill:
        twice = [spill.take(batch), spill.take(batch)]
    assert (spill.held, spill.spilled > 2 * batch.size) == (0, True)
    for spilled in twice:
        spill.forget()
        for ours, theirs in zip(arrays(spilled), arrays(batch), strict=True):
            assert ours.dtype == theirs.dtype
            assert np.array_equal(ours, theirs)
            assert not ours.flags.owndata  # it is a window
            assert not ours.flags.writeable


def test_what_fits_stays_in_memory(batch):
    with closing(Spill(20 * batch.size)) as spill:
        assert [spill.take(batch) is batch for _ in range(4)] == [True, True, False, False]
    assert spill.held == 2 * batch.size


@pytest.mark.parametrize("name", ["java-library", "essays"])
def test_the_report_is_the_same_with_hardly_any_memory(name):
    def run(memory):
        starter = SAMPLES / name / "starter"
        base = [starter] if starter.exists() else []
        report = compare([SAMPLES / name / "submissions"], base=base, settings=Settings(jobs=1, memory=memory))
        return {key: value for key, value in as_plain(report).items() if key != "created"}

    assert run(1) == run(None)
