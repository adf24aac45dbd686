"""Prints, as JSON, in which places a figure of the best pair is found: `python figure_probe.py NAME FOLDER`.

A program of its own, because the test that runs it changes a copy of the program first.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path

from click.testing import CliRunner

import moss
from moss.cli import main as cli
from moss.report.folder_reader import load_report as load_folder
from moss.store.results.reports import load_report
from moss.store.tables import CourseRow, RunRow
from moss.store.transfer.export_course import write_archive
from moss.store.transfer.import_course import import_course
from moss.web.api import describe
from support.keeping import CLASS, add_full_course
from support.programs import write_class
from support.server import make_server
from support.tokens import programs


def on_disk(name: str, folder: Path) -> dict[str, object]:
    """In the JSON of a first run, of one from the cache, in a report's folder, and in the schema."""
    hw1 = write_class(folder / "hw1", {person: {"main.py": code} for person, code in CLASS.items()})
    found: dict[str, object] = {}
    for place in ("json", "json from the cache"):
        options = ["--cache", folder / "cache", "--json", folder / "report.json", "-o", folder / place, hw1]
        done = CliRunner().invoke(cli, ["compare", *map(str, options)])
        assert done.exit_code == 0, (done.output, done.exception)
        found[place] = json.loads((folder / "report.json").read_text())["pairs"][0][name]
    found["folder"] = getattr(load_folder(folder / "json").pairs[0], name)
    schema = json.loads(CliRunner().invoke(cli, ["schema"]).stdout)
    found["schema"] = schema["$defs"]["FiledPair"]["properties"][name]["description"]
    return found


def on_servers(name: str, folder: Path) -> dict[str, object]:
    """In the store, in the archive of a course, in the store that imports it, and in the API."""
    with make_server(folder / "one") as one, make_server(folder / "two") as two:
        add_full_course(one)
        ask = programs(one)
        archive = io.BytesIO()
        with one.store.reading() as session:
            stored = load_report(session, session.get_one(RunRow, 1))
            write_archive(session, session.get_one(CourseRow, 1), archive, lambda *_: None)
        with zipfile.ZipFile(archive) as opened:
            exported = json.loads(opened.read("runs/1-1.json"))
        with two.store.session() as session:
            course = import_course(session, archive, 2)
            [run] = course.assignments[0].runs
            imported = load_report(session, run)
        return {
            "store": getattr(stored.pairs[0], name),
            "export": exported["pairs"][0][name],
            "import": getattr(imported.pairs[0], name),
            "api": ask("GET", "/runs/1/pairs/1", 200).data[name],
            "api's list": ask("GET", "/runs/1/pairs", 200).data["items"][0][name],
            "openapi": describe()["components"]["schemas"]["Pair"]["properties"][name]["description"],
        }


if __name__ == "__main__":
    figure, scratch = sys.argv[1], Path(sys.argv[2])
    where = Path(moss.__file__).parents[1]
    print(json.dumps({"program": str(where), **on_disk(figure, scratch), **on_servers(figure, scratch)}))
