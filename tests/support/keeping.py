"""A course in which there is something of everything to forget, and a search for what should be forgotten."""

from __future__ import annotations

import contextlib
import random
import tempfile
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import LargeBinary, insert, select, text

from moss.jobs.ledger import add_job
from moss.model import SourceFile, Submission
from moss.report.packed_page import PackedPage
from moss.report.served import templates_digest
from moss.store import Store
from moss.store.results.cases import Decision, decide, in_order, open_case
from moss.store.results.reports import load_report, save_pages
from moss.store.tables import (
    AssignmentRow,
    Base,
    LogLineRow,
    PersonRow,
    RunRow,
    ShareLinkRow,
    UploadRow,
    UploadState,
    UserRow,
    now,
)
from support.classes import add_run, add_submission
from support.served import served_pages
from support.server import Server, make_server

WORDS = ["total", "value", "count", "item", "price", "shop", "list", "order", "queue", "stack", "graph", "node", "edge"]


def program(seed: int, own: str = "") -> str:
    """A program that nobody else has, with a distinctive line."""
    source = random.Random(seed)
    lines = [f"def work_{seed}(data):", f"    marker = {own!r}"]
    for n in range(40):
        a, b = source.sample(WORDS, 2)
        sign = source.choice("+-*/%")
        lines += [f"    {a}_{n} = data[{source.randrange(99)}] {sign} {b!r} if data else {source.randrange(999)}"]
    return "\n".join([*lines, "    return data", ""])


def hand_in(session, assignment: AssignmentRow, name: str, code: str):
    """One confirmed submission."""
    return add_submission(session, assignment, Submission(f"{name}_17_file_", name, (SourceFile("main.py", code),)))


CLASS = {
    "Ann Quill": program(1, "annslineofcode"),
    "Bob Rust": program(1, "bobslineofcode"),
    "Cleo Sand": program(1, "cleoslineofcode"),
    "Dan Tusk": program(1, "danslineofcode"),
    **{f"Person {n}": program(10 + n, f"line{n}") for n in range(4)},
}
"""The first four have nearly the same program, so each of them is named in the matches of the others."""


@cache
def full_course() -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables of a server with a full course, which is made once."""
    with tempfile.TemporaryDirectory() as folder, make_server(Path(folder)) as server:
        _make_full_course(server)
        with server.store.reading() as session:
            return {
                table.name: [dict(row) for row in session.execute(select(table)).mappings()]
                for table in Base.metadata.sorted_tables
                if table.name not in ("users", "secrets")
            }


def add_full_course(server: Server) -> tuple[int, int]:
    """A course with a finished run, cases, notes and share links, in an empty server: the ids of course and run."""
    with server.store.session() as session:
        for table in Base.metadata.sorted_tables:
            rows = full_course().get(table.name)
            if rows:
                session.execute(insert(table), rows)
                if session.get_bind().dialect.name == "postgresql" and "id" in table.c:
                    last = max(row["id"] for row in rows)
                    session.execute(text(f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), {last})"))
    return 1, 1


def _make_full_course(server: Server) -> None:
    course = server.add_course()
    with server.store.session() as session:
        assignment = AssignmentRow(course_id=course, name="Homework 1")
        session.add(assignment)
        session.flush()
        upload = UploadRow(assignment_id=assignment.id, state=UploadState.CONFIRMED, user_id=2)
        upload.problems = [["Ann Quill_17_file_/x.bin", "not a text"], ["Bob Rust_17_file_/y.bin", "not a text"]]
        session.add(upload)
        for name, code in CLASS.items():
            row = hand_in(session, assignment, name, code)
            row.upload, row.skipped = upload, [[f"{name}.bin", "not a text"]]
        number = assignment.id
    run = add_run(server.store, number, show=10)
    server.work()
    _open_all_pages(server.store, run)
    _add_reviews(server.store, number, run)


def _open_all_pages(store: Store, run_id: int) -> None:
    """Let all pages be stored, as when readers have looked at each."""
    with store.session() as session:
        report = load_report(session, session.get_one(RunRow, run_id))
        pages = {name: PackedPage.of(text) for name, text in served_pages(report)}
        save_pages(session, run_id, templates_digest(), pages)


def _add_reviews(store: Store, assignment_id: int, run_id: int) -> None:
    with store.session() as session:
        people = {person.name: person.id for person in session.scalars(select(PersonRow))}
        user = session.get_one(UserRow, 2)
        for other, note in (("Ann Quill", "Ann says Bob asked"), ("Cleo Sand", "Just like Ann Quill, I think")):
            case = open_case(session, assignment_id, in_order(people["Bob Rust"], people[other]))
            decide(session, case, user, Decision("suspicious", 2, note=note))
        run = session.get_one(RunRow, run_id)
        session.add(LogLineRow(job_id=run.job_id, text="Left out Ann Quill_17_file_/x.bin: it failed"))
        for rank in (None, 1, 2, 3, 4, 5, 6):
            session.add(ShareLinkRow(run_id=run_id, rank=rank, label=f"for Ann Quill {rank}", expires=now()))


def forget_now(server: Server) -> None:
    """Do what a worker does once a day."""
    with server.store.session() as session:
        add_job(session, "forget", {})
    server.work()


def places_of(store: Store, words: list[str]) -> list[str]:
    """Where any of these words stands in the database, packed or not."""
    found = []
    with store.reading() as session:
        for table in Base.metadata.sorted_tables:
            for row in session.execute(select(table)):
                found += [f"{table.name}.{column.name}" for column, value in zip(table.columns, row, strict=True)
                          if any(word in _shown(column, value) for word in words)]  # fmt: skip
    return found


def _shown(column, value) -> str:
    if isinstance(column.type, LargeBinary) and value is not None:
        with contextlib.suppress(zlib.error):
            page = PackedPage.from_bytes(value)
            value = page.text.encode() if page else zlib.decompress(value)
        return value.decode("utf-8", "replace")
    return str(value)


def bytes_of(store: Store) -> bytes:
    """Everything that SQLite has on the disk."""
    file = Path(store.engine.url.database)
    return b"".join(path.read_bytes() for path in sorted(file.parent.glob(f"{file.name}*")))
