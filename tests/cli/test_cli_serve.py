"""`moss serve` and `moss worker` as operators run them: processes that start, say what is wrong, and end."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from support.odd_jobs import is_alive, until
from support.refusals import refusal
from support.serving import serve_alone, serving_alone

from moss.cli import main
from moss.cli.server.settings import server_options
from moss.config import Config, variable
from moss.store import Store
from moss.store.tables import JobRow, JobState, RunRow

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("MOSS_")} | {"MOSS_WIRE_PORT": "0"}


@contextmanager
def serving(folder, *options, **environment):
    """`moss serve` on a free port, ready: its process and its address."""
    command = [sys.executable, "-m", "moss", "serve", "--data", str(folder), "--port", "0", *options]
    process = subprocess.Popen(command, env=CLEAN | environment, stdout=subprocess.PIPE, stderr=None, text=True)
    try:
        line = process.stdout.readline()
        yield process, re.match(r"Open (http://\S+) in a browser", line).group(1)
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def serving_pages(folder, *options, **environment):
    """The same without a worker; what it has not yet said can be read from its output."""
    environment = CLEAN | environment
    with serving_alone("--data", str(folder), "--port", "0", *options, environment=environment) as process:
        yield process, re.match(r"Open (http://\S+) in a browser", process.output.readline()).group(1)


def workers_of(process):
    """The workers that a server has started, beside the processes that make its pages."""
    tasks = Path(f"/proc/{process.pid}/task").iterdir()
    children = [word for task in tasks for word in (task / "children").read_text().split()]
    return [int(pid) for pid in children if b"\0worker\0" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_the_help_lists_every_setting_with_its_variable(command):
    text = CliRunner().invoke(main, [command, "--help"]).output
    for each in fields(Config):
        if command == "serve" or not each.metadata["pages"]:
            assert f"--{each.name.replace('_', '-')}" in text
            assert variable(each.name) in text.replace("\n" + " " * 34, "")


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_it_serves_and_stops_with_its_worker(tmp_path):
    """By Ctrl-C; the next test ends it by SIGTERM, and tests of the wire's crowd kill it, or its worker."""
    with serving(tmp_path) as (process, address):
        assert json.load(urllib.request.urlopen(f"{address}/health")) == {"status": "ok"}
        until(lambda: workers_of(process), "the worker")
        (worker,) = workers_of(process)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
        assert not is_alive(worker)


def test_the_sample_course_is_handed_in_and_compared(tmp_path):
    with serving(tmp_path, "--sample") as (process, _):
        store = Store(Config(data=tmp_path).database)

        def is_done():
            with store.reading() as session:
                states = [state for (state,) in session.query(JobRow.state)]
                assert JobState.FAILED not in states
                return bool(session.query(RunRow).filter(RunRow.finished.is_not(None)).count())

        until(is_done, "the sample's run")
        store.close()
        workers = workers_of(process) if sys.platform == "linux" else []
        process.terminate()
        assert process.wait() == 0
        assert not any(map(is_alive, workers))
    with serving_pages(tmp_path, "--sample"):
        pass  # a second time it is there already
    store = Store(Config(data=tmp_path).database)
    with store.reading() as session:
        assert session.query(RunRow).count() == 1
    store.close()


def test_headers_of_proxies_are_believed_only_if_there_are_some(tmp_path):
    def scheme_of(address):
        request = urllib.request.Request(f"{address}/setup", headers={"X-Forwarded-Prefix": "/below"})
        return "/below/assets" in urllib.request.urlopen(request).read().decode()

    with serving_pages(tmp_path) as (_, address):
        assert not scheme_of(address)
    with serving_pages(tmp_path, MOSS_PROXIES="1") as (_, address):
        assert scheme_of(address)


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        server = serve_alone("--data", str(tmp_path), "--port", port, environment=CLEAN)
        said = server.output.read()
    assert server.wait() == 1
    assert said == f"Error: cannot listen on 127.0.0.1, port {port}: Address already in use\n"


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_a_data_folder_that_cannot_be_written_is_said(tmp_path, command):
    (tmp_path / "file").write_text("")
    status, words = refusal(command, MOSS_DATA=str(tmp_path / "file" / "data"))
    assert status == 1
    assert words.startswith(f"Error: the data folder {tmp_path}/file/data cannot be written: ")


@pytest.mark.parametrize("command", ["serve", "worker"])
@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("MOSS_DATABASE_URL", "postgresql://u:hush@127.0.0.1:9/d", "Error: the database postgresql+psycopg://u:***@"),
        ("MOSS_DATABASE_URL", "postgresql://u:hush@h:x/d", "Error: the database's address cannot be read"),
        ("MOSS_DATABASE_URL", "mysql://u:hush@h/d", "Error: database-url must begin with postgresql://"),
        ("MOSS_WORKERS", "many", "Error: Invalid value for '--workers'"),
        ("MOSS_JOB_MINUTES", "0", "Error: job-minutes must be at least 1, not 0"),
    ],
)
def test_settings_that_cannot_be_are_said_without_the_password(tmp_path, command, setting, value, words):
    status, said = refusal(command, MOSS_DATA=str(tmp_path), **{setting: value})
    assert status in (1, 2)
    assert said.startswith(words)
    assert "hush" not in said


@pytest.mark.parametrize("given", ["variable", "option"])
def test_a_setting_of_earlier_versions_is_passed_over_and_said_once(given):
    url = "redis://:hush@127.0.0.1:9/0"
    options, environment = ([], {"MOSS_REDIS_URL": url}) if given == "variable" else (["--redis-url", url], {})
    seen = {}

    @click.command()
    @server_options(pages=False)
    def look(config):
        seen.update(os.environ)

    done = CliRunner().invoke(look, options, env={"MOSS_REDIS_URL": None, **environment})
    assert done.exit_code == 0
    assert "MOSS_REDIS_URL" not in seen  # so companions do not say it again
    why = "because workers find their jobs in the database; you can remove it."
    assert done.stderr == f"moss: MOSS_REDIS_URL does nothing any more, {why}\n"


def test_a_database_of_a_newer_version_is_said(tmp_path):
    config = Config(data=tmp_path)
    store = Store(config.database)
    store.migrate()
    with store.session() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    store.close()
    status, words = refusal("serve", "--data", str(tmp_path))
    assert status == 1
    assert words.startswith("Error: the database was made by a newer version of moss")


def test_the_code_is_printed_only_where_strangers_could_come(tmp_path):
    with serving_pages(tmp_path, MOSS_PUBLIC_URL="") as (process, _):
        process.terminate()
        assert "code" not in process.output.read()
    with serving_pages(tmp_path, "--host", "0.0.0.0") as (public, address):
        assert address.startswith("http://0.0.0.0:")
        assert re.match(r"The set-up page asks for this code: \S+-\S+-\S+$", public.output.readline())


def test_several_servers_start_at_once_on_one_database(tmp_path):
    servers = [serve_alone("--data", str(tmp_path), "--port", "0", environment=CLEAN) for _ in range(3)]
    said = [server.output.readline() for server in servers]
    for server in servers:
        server.terminate()
    assert [server.wait() for server in servers] == [0, 0, 0]
    assert all(line.startswith("Open http://127.0.0.1:") for line in said)
