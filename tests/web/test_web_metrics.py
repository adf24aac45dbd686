"""Metrics: in Prometheus' format, true, and not for everybody."""

from __future__ import annotations

import re

import pytest
from support.server import make_server

from moss.jobs.ledger import add_job, claim

LINE = re.compile(r'# (HELP|TYPE) moss_\w+ .+|moss_\w+(\{\w+="[^"\\\n]*"(,\w+="[^"\\\n]*")*\})? [0-9.e+]+')


@pytest.fixture
def server(tmp_path):
    with make_server(tmp_path, metrics_token="a secret of the operator") as made:
        yield made


def figures(browser, **headers):
    answer = browser.get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"
    lines = answer.text.splitlines()
    assert all(LINE.fullmatch(line) for line in lines), [line for line in lines if not LINE.fullmatch(line)]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def test_they_say_what_is_so(server):
    with server.store.session() as session:
        for kind in ("recognise", "export", "export"):
            add_job(session, kind, {})
        claim(session, 2)
    browser = server.client("administrator")
    browser.get("/nowhere")
    found = figures(browser)
    assert found['moss_jobs{kind="export",state="running"}'] == 1
    assert found['moss_jobs{kind="export",state="queued"}'] == 1
    assert found['moss_jobs{kind="recognise",state="queued"}'] == 1
    assert found['moss_http_responses_total{status="404"}'] == 1
    assert found["moss_database_bytes"] >= (server.config.data / "moss.sqlite3").stat().st_size
    assert found["moss_disk_free_bytes"] > 0
    assert found["moss_disk_reserve_bytes"] == 200 * 1024 * 1024
    assert found["moss_heavy_work"] == 0
    again = figures(browser)
    assert (
        again['moss_http_responses_total{status="200"}'] == found.get('moss_http_responses_total{status="200"}', 0) + 1
    )
    assert again['moss_job_waiting_seconds{line="short"}'] > found['moss_job_waiting_seconds{line="short"}'] > 0


def test_a_program_with_the_token_may_read_them(server):
    nobody = server.client("nobody")
    assert figures(nobody, Authorization="Bearer a secret of the operator")


@pytest.mark.parametrize("person", ["nobody", "instructor", "assistant"])
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer guessed"}, {"Authorization": "Bearer "}])
def test_others_may_not(server, person, headers):
    assert server.client(person).get("/metrics", headers=headers).status_code == 401


def test_without_a_token_an_empty_one_is_no_key(tmp_path):
    with make_server(tmp_path) as server:
        assert server.client("nobody").get("/metrics", headers={"Authorization": "Bearer "}).status_code == 401
