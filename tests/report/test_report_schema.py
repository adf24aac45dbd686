"""The JSON Schema of a report: printed, published, and true of what is written."""

from __future__ import annotations

import copy
import io
import json
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from support.programs import LEDGER, notebook, write_class

import moss
from moss.cli import main
from moss.report.folder_reader import report_schema
from moss.report.json_report import write_json

ROOT = Path(__file__).parents[2]


@cache
def written(name):
    """The JSON of a sample class."""
    folder = ROOT / "sample_submissions" / name
    archive = [folder / "archive"] if (folder / "archive").is_dir() else []
    settings = moss.Settings(jobs=1)
    return as_json(
        moss.compare([folder / "submissions"], base=[folder / "starter"], archive=archive, settings=settings)
    )


def as_json(report):
    file = io.StringIO()
    write_json(report, file)
    return json.loads(file.getvalue())


def complaints(plain, schema):
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(plain)]


def closed(schema):
    """The schema that also refuses fields which are not in it."""
    changed = copy.deepcopy(schema)
    for each in (changed, *changed["$defs"].values()):
        if "properties" in each:
            each["additionalProperties"] = False
    return changed


def test_the_published_schema_is_the_one_that_is_printed():
    printed = CliRunner().invoke(main, ["schema"]).stdout
    assert (ROOT / "docs" / "report-schema.json").read_text(encoding="utf-8") == printed
    Draft202012Validator.check_schema(json.loads(printed))


@pytest.mark.parametrize("name", ["java-library", "python-textstats", "essays"])
def test_reports_of_the_samples_are_as_described_and_have_nothing_more(name):
    assert complaints(written(name), closed(report_schema())) == []


def test_a_report_with_notebooks_and_unreadable_files_is_as_described(tmp_path):
    cells = notebook("# One\n", *(LEDGER[start : start + 900] for start in range(0, 2700, 900)))
    members = {name: {"n.ipynb": cells, "x.java": LEDGER, "y.java": b"\x89PNG\0\0"} for name in ("ann", "bob", "cleo")}
    plain = as_json(moss.compare([write_class(tmp_path / "hw1", members)], settings=moss.Settings(jobs=1)))
    assert any(match["a"].get("cell") for pair in plain["pairs"] for match in pair["matches"])
    assert complaints(plain, closed(report_schema())) == []


def test_fields_of_a_newer_version_and_missing_newer_fields_are_no_fault():
    plain = copy.deepcopy(written("essays"))
    plain["pairs"][0]["from_the_future"] = 1
    del plain["baseline"]
    assert complaints(plain, report_schema()) == []


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda plain: plain.update(version=2), "$.version"),
        (lambda plain: plain["pairs"][0].update(score=1.5), "$.pairs[0].score"),
        (lambda plain: plain["pairs"][0]["matches"][0]["runs"][0].append(1), "$.pairs[0].matches[0].runs[0]"),
        (lambda plain: plain["submissions"][0]["files"][0].pop("sha256"), "$.submissions[0].files[0]"),
        (lambda plain: plain["baseline"].update(spread=0), "$.baseline.spread"),
    ],
)
def test_what_is_no_report_does_not_fit(change, where):
    plain = copy.deepcopy(written("essays"))
    change(plain)
    assert [each.partition(": ")[0] for each in complaints(plain, report_schema())] == [where]
