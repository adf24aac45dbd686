"""`moss submit` and the script that servers hand out: one code, on the real server, by connections that break."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner
from support.cutting import cutting
from support.programs import LEDGER, MAZE, dead_code
from wire.real import CLEAN, free_port, page, serving

from moss import submit
from moss.cli import main
from moss.store.accounts.credentials import digest
from moss.store.tables import ApiTokenRow, DropRow, JobRow, UploadPartRow, UserRow

SECRET = "moss_secret"
DONE, FAILED, MISUSED, LATER = 0, 1, 2, 75


def whole(number):
    """Cut nothing."""
    return None, None


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A real server with a user who has a token."""
    with serving(tmp_path_factory.mktemp("server"), jobs_per_day=1000) as running:
        with running.store() as store, store.session() as session:
            session.add(UserRow(email="ada@example.org", name="Ada", administrator=True))
            session.flush()
            session.add(ApiTokenRow(user_id=1, name="script", digest=digest(SECRET)))
        yield running


@pytest.fixture(scope="module")
def script(server, tmp_path_factory):
    """The script as the server hands it out."""
    path = tmp_path_factory.mktemp("script") / "moss-submit"
    path.write_bytes(urlopen(f"{server.address}/moss-submit").read())
    return path


@pytest.fixture(scope="module")
def hasty_script(script):
    """The same, but that it waits less before it tries again."""
    text, hasty = script.read_text(), script.with_name("moss-submit-in-a-hurry")
    hasty.write_text(text.replace("_FIRST_PAUSE, _LONGEST_PAUSE = 1.0,", "_FIRST_PAUSE, _LONGEST_PAUSE = 0.1,"))
    assert hasty.read_text() != text
    return hasty


@pytest.fixture
def work(tmp_path):
    """A class: two who share something, and one who does not; and what was handed out."""
    for name, text in {"ann/A.java": LEDGER + MAZE, "bob/A.java": LEDGER, "cem/A.java": dead_code(7, 60)}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    (tmp_path / "Maze.java").write_text(MAZE)
    return tmp_path


def oldest_python() -> str:
    """The oldest Python for which the script is meant, if it is here."""
    roots = [Path(sys.base_prefix).parent, Path("/usr")]
    for version in ("3.8", "3.9", "3.10"):
        for root in roots:
            found = sorted(root.glob(f"{version}.*/bin/python3")) + sorted(root.glob(f"bin/python{version}"))
            if found:
                return str(found[0])
    return sys.executable


def run(command, work, *arguments, token=SECRET, **environment):
    """What the script says, and how it ends."""
    secret = {"MOSS_TOKEN": token} if token else {}
    given = CLEAN | {"HOME": str(work)} | secret | environment
    done = subprocess.run([*command, *arguments], cwd=work, env=given, capture_output=True, text=True)
    assert "Traceback" not in done.stderr, done.stderr
    return done


FILES = ("-l", "java", "-d", "-b", "Maze.java", "ann/A.java", "bob/A.java", "cem/A.java")


@pytest.mark.parametrize("python", [sys.executable, oldest_python()])
def test_the_handed_out_script_needs_nothing_but_python(server, script, work, python):
    done = run([python, "-I", str(script)], work, *FILES, "-c", "homework 1", "--json")
    assert done.returncode == DONE, done.stderr
    said = json.loads(done.stdout)
    assert (said["state"], said["error"]) == ("done", None)
    assert said["report"].startswith(f"{server.address}/shared/")
    index = page(said["classic"])
    assert "Options -l java -d -m 10\n<p>homework 1\n" in index
    assert index.count("<TR>") == 2
    assert "ann/ (" in index
    assert "homework 1" in page(said["report"])


def test_the_command_is_the_same_script(server, work):
    done = run([sys.executable, "-m", "moss", "submit"], work, *FILES, "-s", server.address)
    assert done.returncode == DONE, done.stderr
    assert done.stdout.startswith(f"{server.address}/shared/")
    assert done.stderr == ""  # cron sends everything by mail
    assert page(done.stdout.strip())
    text = CliRunner().invoke(main, ["submit", "--help"]).output
    assert "usage: moss submit" in text


def test_the_command_needs_nothing_of_unix(server, work):
    bare = Path(__file__).parents[1] / "support" / "without_unix"
    done = run([sys.executable, "-m", "moss", "submit"], work, *FILES, "-s", server.address, PYTHONPATH=str(bare))
    assert done.returncode == DONE, done.stderr
    assert "A.java" in page(done.stdout.split()[-1])


def test_without_waiting_the_address_is_known_at_once(server, script, work):
    done = run([sys.executable, str(script)], work, *FILES, "--no-wait", "--json", "--key", "no-wait")
    said = json.loads(done.stdout)
    assert (done.returncode, said["state"]) == (DONE, "queued")
    again = json.loads(run([sys.executable, str(script)], work, *FILES, "--json", "--key", "no-wait").stdout)
    assert (again["id"], again["state"], again["report"]) == (said["id"], "done", said["report"])


def test_a_job_that_fails_is_told(script, work):
    (work / "a.o").write_bytes(b"\x7fELF\x02\x01\x01\0" + b"\0\1\2" * 400)
    done = run([sys.executable, str(script)], work, "-l", "java", "a.o")
    assert done.returncode == FAILED
    assert done.stderr.startswith("moss-submit: the job failed: there is nothing to compare")
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-l", "klingon", "ann/A.java"], "the server says: Unknown language"),
        (["nothing.java"], "cannot read nothing.java: no such file or directory"),
        (["ann"], "cannot read ann: is a directory"),
        (["empty.java"], "there is nothing to compare: all files are empty"),
        (["ann/A.java", "--server", "moss.example.org"], "name the server with --server or MOSS_SERVER"),
        (["ann/A.java", "--token-file", "missing"], "there is no token: set MOSS_TOKEN, or put it into missing"),
        (["-m", "many", "ann/A.java"], "argument -m: invalid int value: 'many'"),
        ([], "the following arguments are required: FILE"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(script, work, arguments, words):
    (work / "empty.java").write_text("")
    done = run([sys.executable, str(script)], work, *arguments)
    assert done.returncode in (FAILED, MISUSED)
    assert words in done.stderr.splitlines()[-1]


def test_a_token_is_found_in_its_file_and_a_wrong_one_is_said(script, work):
    done = run([sys.executable, str(script)], work, *FILES, token="moss_wrong")
    assert done.returncode == MISUSED
    assert "does not accept this token" in done.stderr
    done = run([sys.executable, str(script)], work, *FILES, token="")
    assert "there is no token" in done.stderr
    (work / ".config/moss").mkdir(parents=True)
    (work / ".config/moss/token").write_text(f"{SECRET}\n")
    assert run([sys.executable, str(script)], work, *FILES, "--no-wait", token="").returncode == DONE


def test_a_server_that_is_away_is_tried_again_and_then_later_is_said(script, work):
    done = run([sys.executable, str(script)], work, *FILES, "-s", f"http://127.0.0.1:{free_port()}", "--retry", "4")
    assert done.returncode == LATER
    *tries, last = done.stderr.splitlines()
    assert all("trying again in" in line for line in tries)
    assert len(tries) >= 1
    assert "cannot be reached" in last


def test_a_server_of_something_else_is_noticed(script, work):
    with cutting(whole, None, b"HTTP/1.0 200 OK\r\n\r\n<html>hello</html>") as (address, _):
        done = run([sys.executable, str(script)], work, *FILES, "-s", address)
    assert (done.returncode, done.stderr) == (MISUSED, f"moss-submit: {address} is not a moss server\n")


def test_a_token_is_never_sent_to_where_a_server_points(script, work):
    moved = b"HTTP/1.0 301 Moved\r\nLocation: https://elsewhere.example.org/api/v1/drops\r\n\r\n"
    with cutting(whole, None, moved) as (address, _):
        done = run([sys.executable, str(script)], work, *FILES, "-s", address)
    assert done.returncode == MISUSED
    assert "has moved to https://elsewhere.example.org/" in done.stderr


def enlarge(work):
    """Let one file be of several chunks, and tell its size: a long remark, by one of whom no page is made."""
    remark = "".join(f"{number} and so on, " for number in range(140_000))
    return (work / "cem/A.java").write_text(f"{dead_code(7, 60)}/* {remark} */\n")


CUTS = {
    "before the request is through": (300, None),
    "in the middle of the files": (200_000, None),
    "before the answer": (None, 1),
    "in the middle of the answer": (None, 250),
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of the proxy, which is cut off too
@pytest.mark.parametrize("place", CUTS)
def test_however_a_connection_breaks_there_is_one_job_and_its_report(server, hasty_script, work, place):
    assert enlarge(work) > 2 * 1024**2
    target = int(server.address.rpartition(":")[2])
    with cutting(lambda number: (None, None) if number % 2 else CUTS[place], target) as (address, proxy):
        options = ["-s", address, "--json", "--key", place]
        done = run([sys.executable, str(hasty_script)], work, *FILES, *options)
    assert done.returncode == DONE, done.stdout
    said = json.loads(done.stdout)
    assert said["state"] == "done"
    assert proxy.seen >= 5
    with server.store() as store, store.reading() as session:
        (drop,) = session.query(DropRow).filter_by(key=place)
        assert drop.id == said["id"]
        jobs = [job for job in session.query(JobRow).filter_by(kind="drop") if job.payload["drop"] == drop.id]
        assert len(jobs) == 1
        assert session.query(UploadPartRow).filter_by(upload_id=drop.upload_id).count() == 0
    index = page(f"{server.address}/results/{drop.place}")
    assert "ann/ (" in index
    assert "bob/ (" in index


def test_a_script_that_was_killed_goes_on_where_it_was(server, script, work):
    enlarge(work)
    target = int(server.address.rpartition(":")[2])
    options = ["--json", "--key", "killed"]
    with cutting(lambda number: (200_000 if number >= 2 else None, None), target) as (address, _):  # one chunk comes
        done = run([sys.executable, str(script)], work, *FILES, *options, "-s", address, "--retry", "2")
        assert done.returncode == LATER
    with cutting(whole, target) as (address, proxy):
        done = run([sys.executable, str(script)], work, *FILES, *options, "-s", address, "--no-wait")
    assert done.returncode == DONE, done.stdout
    with server.store() as store, store.reading() as session:
        drop = session.query(DropRow).filter_by(key="killed").one()
        chunks = -(-sum(size for *_, size in drop.files) // 1024**2) if drop.files else 3
    assert proxy.seen == 1 + (chunks - 1) + 1  # the list, what was missing, and the end


def test_the_script_is_one_file_without_dependencies():
    text = submit.source()
    assert "\nimport moss" not in text
    assert "from moss" not in text
    named = submit.for_server(text, 'https://x"\n')
    assert 'SERVER = "https://x\\"\\n"' in named


def test_the_script_reads_its_files_once_and_names_them_as_they_were_typed(work, monkeypatch):
    monkeypatch.chdir(work)
    brought = submit.bring(["Maze.java"], ["ann/A.java"], submit.Screen(True))
    assert [(file["name"], file["program"]) for file in brought.files] == [("Maze.java", 0), ("ann/A.java", 1)]
    shutil.rmtree(work / "ann")
    brought.content.seek(0)
    assert brought.content.read().decode() == MAZE + LEDGER + MAZE
    brought.content.close()
