"""The codec: what is written is read back, in every form; and a new figure of a pair is a field of the model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, make_dataclass, replace
from typing import Annotated

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.changed_copy import ROOT, changed_copy, run_python

from moss.codec import Form, from_plain, plain
from moss.model import (
    Baseline,
    Cell,
    Channel,
    EqualRun,
    FileRecord,
    Match,
    Pair,
    Problem,
    Ranking,
    Ratio,
    Region,
    Report,
    Role,
    Rounded,
    Status,
    SubmissionRecord,
    Within,
)
from moss.shapes import Checked, with_fields_of

TEXT, COUNT = st.text(max_size=5), st.integers(0, 2**31 - 1)
RATIO = st.floats(0, 1)
CELLS = st.builds(Cell, TEXT, TEXT, COUNT, COUNT)
REGIONS = st.builds(Region, TEXT, COUNT, COUNT, COUNT, COUNT, st.none() | st.text(min_size=1, max_size=5))
MATCHES = st.builds(
    Match, REGIONS, REGIONS, COUNT, COUNT, st.sampled_from(Channel), st.lists(TEXT, max_size=2).map(tuple),
    st.lists(st.builds(EqualRun, COUNT, COUNT, COUNT, COUNT), max_size=2).map(tuple),
)  # fmt: skip
PAIRS = st.builds(
    Pair, TEXT, TEXT, RATIO, RATIO, RATIO, RATIO, COUNT, COUNT, st.floats(0, 1e9),
    st.lists(MATCHES, max_size=2).map(tuple),
)  # fmt: skip
FILES = st.builds(
    FileRecord, TEXT, COUNT, COUNT, TEXT, st.sampled_from(Status), TEXT, TEXT, TEXT,
    st.lists(REGIONS, max_size=2).map(tuple), st.lists(CELLS, max_size=2).map(tuple),
)  # fmt: skip
RECORDS = st.builds(
    SubmissionRecord, TEXT, TEXT, st.sampled_from(Role), TEXT, COUNT, COUNT, st.lists(FILES, max_size=2).map(tuple)
)
BASELINES = st.builds(Baseline, COUNT, RATIO, st.floats(1e-6, 10), RATIO, RATIO, st.booleans())
NO_RANKING = Ranking(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
REPORTS = st.builds(
    Report, st.datetimes(), TEXT, st.dictionaries(TEXT, COUNT | TEXT, max_size=2),
    st.lists(RECORDS, max_size=2).map(tuple), st.lists(PAIRS, max_size=2).map(tuple), st.just(NO_RANKING),
    st.lists(st.lists(TEXT, max_size=2).map(tuple), max_size=2).map(tuple),
    st.lists(st.builds(Problem, TEXT, TEXT), max_size=2).map(tuple), BASELINES,
)  # fmt: skip


def through_json(value):
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("form", [Form.ROW, Form.PACKED])
@given(report=REPORTS)
def test_what_is_kept_comes_back_to_the_last_digit(form, report):
    assert from_plain(Report, form, through_json(plain(report, form)), ranking=NO_RANKING) == report


@given(report=REPORTS)
def test_a_file_comes_back_as_it_was_written(report):
    written = plain(report, Form.FILE)
    again = from_plain(Report, Form.FILE, through_json(written), ranking=NO_RANKING)
    assert plain(again, Form.FILE) == written
    assert replace(again, pairs=(), baseline=Baseline()) == replace(report, pairs=(), baseline=Baseline())


@pytest.mark.parametrize("form", [Form.FILE, Form.ROW])
@given(region=REGIONS)
def test_what_is_not_known_is_ignored_and_what_is_missing_has_its_default(form, region):
    written = plain(region, form) | {"from_the_future": 1}
    written.pop("cell", None)
    assert from_plain(Region, form, written) == replace(region, cell=None)


def test_a_packed_value_of_another_program_is_refused():
    packed = plain(Cell("cell 1", "python", 0, 9), Form.PACKED)
    for other in (packed[:-1], [*packed, 1]):
        with pytest.raises(ValueError, match="values to unpack"):
            from_plain(Cell, Form.PACKED, other)


@pytest.mark.parametrize("form", Form)
def test_what_is_written_apart_is_in_no_form(form):
    record = FileRecord("a", 1, 1, "c", Status.OK, text="secret")
    assert "secret" not in json.dumps(plain(record, form))
    assert from_plain(FileRecord, form, plain(record, form), text="secret") == record


Odd = make_dataclass(
    "Odd",
    [
        ("kind", str),
        ("v", Annotated[float | None, Rounded(2), Within(0, 1)], None),
        ("views", Mapping[str, Ratio], field(default_factory=dict)),
        ("cells", Mapping[str, Cell], field(default_factory=dict)),
        ("status", Status | None, None),
    ],
    frozen=True,
)


@pytest.mark.parametrize("form", Form)
def test_figures_of_any_kind_come_back(form):
    for odd in (Odd("a"), Odd("a", 0.5, {"x": 0.25}, {"y": Cell("c", "d", 1, 2)}, Status.OK)):
        assert from_plain(Odd, form, through_json(plain(odd, form))) == odd


def test_marks_hold_inside_of_what_may_be_missing_and_of_tables():
    odd = Odd("a", 0.123456, {"x": 0.123456789})
    written = plain(odd, Form.FILE)
    assert (written["v"], written["views"]) == (0.12, {"x": 0.123457})
    shape = with_fields_of(Odd, Form.FILE)(type("OddShape", (Checked,), {"__module__": __name__}))
    shape.model_validate_json(json.dumps(written))
    for wrong in ({"v": 2}, {"views": {"x": 2}}, {"cells": {"y": {}}}, {"status": "eaten"}):
        with pytest.raises(ValidationError):
            shape.model_validate_json(json.dumps(written | wrong))


def test_a_type_without_a_plain_form_is_refused():
    with pytest.raises(TypeError, match="no plain form"):
        plain(make_dataclass("Wrong", [("both", tuple[int, int])])((1, 2)), Form.ROW)


def test_a_new_figure_of_a_pair_is_one_line_besides_the_one_that_computes_it(tmp_path):
    copy = changed_copy("figure", tmp_path)
    probe = ROOT / "tests" / "support" / "figure_probe.py"
    found = json.loads(run_python(copy, probe, "novelty", tmp_path / "scratch").splitlines()[-1])
    assert found.pop("program") == str(copy)
    assert (found.pop("schema"), found.pop("openapi")) == ("how much of it is new",) * 2
    exact = {place: found.pop(place) for place in ("store", "export", "import", "api", "api's list")}
    [figure] = {*exact.values()}
    assert figure not in (0, 0.5)
    assert set(found) == {"json", "json from the cache", "folder"}
    assert {*found.values()} == {round(figure, 6)}
