"""The kinds of jobs: all that anybody adds are registered, and nobody ends a job without knowing what follows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support.server import make_server

import moss
from moss.jobs import ledger
from moss.jobs.ledger import add_job, cancel
from moss.server_jobs import register_jobs
from moss.store.tables import JobRow, JobState

_ADDING = ("add_job", "start_job")


def kinds_added() -> set[str]:
    """The kinds that the program itself adds jobs of."""
    found = set()
    for path in Path(moss.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ADDING:
                found |= {each.value for each in node.args[:2] if isinstance(each, ast.Constant)}
    return found


def test_every_kind_that_is_added_is_registered(monkeypatch):
    monkeypatch.setattr(ledger, "_KINDS", {})
    register_jobs()
    assert {"run", "recognise", "forget"} < kinds_added() <= ledger._KINDS.keys()


def test_a_job_is_not_ended_by_a_process_that_does_not_know_the_kinds(tmp_path, monkeypatch):
    with make_server(tmp_path) as server:
        with server.store.session() as session:
            job_id = add_job(session, "export", {}).id
        with monkeypatch.context() as patched, server.store.session() as session:
            patched.setattr(ledger, "_KINDS", {})
            with pytest.raises(RuntimeError, match="no kinds of jobs are registered"):
                cancel(session, job_id)
            session.rollback()
        with server.store.session() as session:
            assert session.get_one(JobRow, job_id).state is JobState.QUEUED
            assert cancel(session, job_id)
