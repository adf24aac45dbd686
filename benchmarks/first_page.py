"""What a reader waits for the first page of a report after the passages of a class are found.

    python benchmarks/first_page.py [--students 60] [--lines 1100] [--keep FILE]

A class of real programs, of which some are copied with changes, is recognised, compared and read through the app, all
in this process and those that it starts. Counted is processor time, so that the figures are those of a quiet machine:
until passages are found, until the report is stored, for its overview, and for pages of pairs. Pages are made when they
are first opened, so each is asked for twice: the second time it has been kept.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import resource
import tempfile
import time
import zipfile
from contextlib import closing
from pathlib import Path

from findings import Table
from flask.testing import FlaskClient
from kept import add_option, show
from served_class import make_token

from moss.config import Config
from moss.jobs.handlers import run as run_handler
from moss.jobs.job_process import do
from moss.jobs.ledger import claim, waiting
from moss.server_jobs import register_jobs
from moss.store import Store
from moss.web.app import create_app

CHUNK = 1024 * 1024
BEFORE = ("2.2", "13.6")
"""Seconds until passages were found and until the overview could be read, for 60 students with 1,100 lines each, on a
server that made all pages first."""

Spent = tuple[float, float]  # seconds of processor time, and by the clock


def a_class(students: int, lines: int) -> bytes:
    """A zip of programs of so many lines, each of other modules of Python's library; each tenth is a copy of the one
    before it, with every seventh line left out."""
    modules = sorted(Path(os.__file__).parent.glob("*.py"))
    random.Random(1).shuffle(modules)
    library = [line for path in modules for line in path.read_text(errors="replace").splitlines(keepends=True)]
    texts = [library[lines * number : lines * (number + 1)] for number in range(students)]
    for number in range(9, students, 10):
        texts[number] = [line for place, line in enumerate(texts[number - 1]) if place % 7]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, text in enumerate(texts):
            archive.writestr(f"student{number:03}/main.py", "".join(text))
    return packed.getvalue()


def spent() -> Spent:
    """What this process and those that it waited for have used, and the clock."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used), time.perf_counter()


def since(before: Spent) -> Spent:
    """What was used since then."""
    now = spent()
    return now[0] - before[0], now[1] - before[1]


class Reader:
    """Somebody who sends a class and reads its report, on a server that is this process."""

    def __init__(self, folder: Path) -> None:
        self.config = Config(data=folder)
        self.store = Store(self.config.database)
        self.store.migrate()
        self.headers = {"Authorization": f"Bearer {make_token(folder)}"}
        self.client: FlaskClient = create_app(self.config, self.store).test_client()

    def api(self, method: str, path: str, body: object = None) -> dict:
        """An answer of the API."""
        answer = self.client.open(f"/api/v1{path}", method=method, json=body or {}, headers=self.headers)
        assert answer.status_code < 400, answer.text
        return answer.json or {}

    def work(self) -> None:
        """Do the first job that waits."""
        with self.store.session() as session:
            number = waiting(session)[0]
            lease = claim(session, number)
        do(self.store, self.config, number, lease or "")

    def send(self, content: bytes) -> int:
        """Upload a class and have it recognised; the assignment's id."""
        course = self.api("POST", "/courses", {"name": "Benchmark"})["id"]
        assignment = self.api("POST", f"/courses/{course}/assignments", {"name": "First page"})["id"]
        upload = self.api("POST", f"/assignments/{assignment}/uploads")["id"]
        for at in range(0, len(content), CHUNK):
            place = f"path=class.zip&start={at}&total={len(content)}"
            url = f"/api/v1/uploads/{upload}/parts?{place}"
            assert self.client.put(url, data=content[at : at + CHUNK], headers=self.headers).status_code == 200
        self.api("POST", f"/uploads/{upload}/recognise")
        self.work()
        self.api("POST", f"/uploads/{upload}/confirm")
        return assignment

    def page(self, path: str) -> Spent:
        """What a page takes."""
        before = spent()
        answer = self.client.get(path, headers=self.headers | {"Accept-Encoding": "gzip"})
        assert answer.status_code == 200, path
        return since(before)


def compare(reader: Reader, assignment: int) -> tuple[int, Spent, Spent]:
    """A run's id, and what it took until its passages were found, and from then until its report was stored."""
    number = reader.api("POST", f"/assignments/{assignment}/runs")["id"]
    save, found = run_handler.save_report, []

    def saved(*arguments: object) -> None:
        found.append(spent())
        save(*arguments)

    run_handler.save_report = saved
    before = spent()
    reader.work()
    run_handler.save_report = save
    aligned = found[0][0] - before[0], found[0][1] - before[1]
    return number, aligned, since(found[0])


def measure(folder: Path, students: int, lines: int) -> Table:
    """The table of all times."""
    reader = Reader(folder)
    with closing(reader.store):
        number, aligned, stored = compare(reader, reader.send(a_class(students, lines)))
        places = [f"/runs/{number}/", f"/runs/{number}/pairs/1", f"/runs/{number}/pairs/2"]
        first, again = ([reader.page(place) for place in places] for _ in range(2))
    waited = stored[0] + first[0][0], stored[1] + first[0][1]
    rows = [
        ("until passages are found", aligned, BEFORE[0]),
        ("from then until the overview can be read", waited, f"{float(BEFORE[1]) - float(BEFORE[0]):.1f}"),
        ("of this, storing the report", stored, ""),
        ("of this, making the overview", first[0], ""),
        ("page of the first pair, made", first[1], ""),
        ("page of the second pair, made", first[2], ""),
        ("overview, kept", again[0], ""),
        ("page of a pair, kept", again[1], ""),
    ]
    return Table(
        ("", "CPU s", "s", "s before"), [(word, f"{cpu:.2f}", f"{clock:.2f}", old) for word, (cpu, clock), old in rows]
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--lines", type=int, default=1100)
    add_option(parser)
    options = parser.parse_args()
    register_jobs()
    with tempfile.TemporaryDirectory() as folder:
        show(options.keep, "first-page", measure(Path(folder), options.students, options.lines))


if __name__ == "__main__":
    main()
