"""Nobody else on the machine reads what a server keeps: modes of all that the commands write into a data folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.serving import serving_alone

from moss.cli import main
from moss.cli.output import warn_of_open_files

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("MOSS_")} | {"MOSS_WIRE_PORT": "0"}


@pytest.fixture(autouse=True)
def generous():
    """Whoever runs the commands lets everybody read and write by default."""
    before = os.umask(0)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    """The files and folders, this one too, on which group or others have any right."""
    return [str(path) for path in (folder, *folder.rglob("*")) if path.stat().st_mode & 0o077]


def test_all_that_a_server_writes_is_for_its_user_alone(tmp_path):
    data = tmp_path / "new" / "data"
    with serving_alone("--data", str(data), "--port", "0", environment=CLEAN) as process:
        first = process.output.readline()
        assert re.match("Open http", first), first + process.output.read()
        names = {path.name for path in data.iterdir()}
        assert {"moss.sqlite3", "moss.sqlite3-wal", "moss.sqlite3-shm"} <= names
        assert open_to_others(data) == []
    made = CliRunner().invoke(
        main, ["admin", "--data", str(data), "create-user", "a@b.org", "--name", "A", "--administrator"]
    )
    assert made.exit_code == 0
    assert open_to_others(data) == []
    assert os.umask(0) == 0  # a command gives back what it changed


def test_a_corpus_in_a_data_folder_is_for_its_user_alone(tmp_path):
    (tmp_path / "essay.txt").write_text("The quick brown fox jumps over the lazy dog, and then it sleeps. " * 9)
    data = tmp_path / "data"
    for words in (["add", "essays", str(tmp_path / "essay.txt")], ["query", "essays", str(tmp_path / "essay.txt")],
                  ["clusters", "essays"], ["compact", "essays"]):  # fmt: skip
        done = CliRunner().invoke(main, ["corpus", words[0], "--data", str(data), *words[1:]])
        assert done.exit_code == 0, done.output
    assert open_to_others(data) == []
    elsewhere = tmp_path / "shared" / "essays"
    CliRunner().invoke(main, ["corpus", "add", str(elsewhere), str(tmp_path / "essay.txt")])
    assert elsewhere.stat().st_mode & 0o077 == 0o077  # one at a path is for whom the user says
    assert (elsewhere / "corpus.json").stat().st_mode & 0o077 == 0o066


def test_older_files_that_others_can_read_are_named(tmp_path, capsys):
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    (data / "moss.sqlite3").touch(0o644)
    (data / "queue.sqlite3").touch(0o600)
    warn_of_open_files(data)
    said = capsys.readouterr().err
    assert "the folder itself, moss.sqlite3. " in said
    assert f"chmod -R go= {data}" in said
    data.chmod(0o700)
    (data / "moss.sqlite3").chmod(0o600)
    warn_of_open_files(data)
    warn_of_open_files(tmp_path / "nothing")
    assert capsys.readouterr().err == ""
