"""In a made-up language that brackets every message, the command line says nothing without brackets but commands,
options, names, paths and examples."""

import json
import os
import re
import subprocess
import sys

import click
import pytest
from support.programs import HONEST_JAVA, LEDGER, write_class
from support.pseudo_language import CLOSE, LANGUAGE, OPEN, outside, write_catalogue

from moss.cli import main

RUN_ALL = """
import json, sys
from click.testing import CliRunner
from moss.cli import main
print(json.dumps([CliRunner().invoke(main, line).output for line in json.load(sys.stdin)]))
"""


def all_commands(command=main, path=()):
    """The path of every command that is shown."""
    if not command.hidden:
        yield list(path)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from all_commands(command.get_command(context, name), (*path, name))


MEMBERS = {**HONEST_JAVA, "alice": {"Ledger.java": LEDGER}, "zoe": {"Ledger.java": LEDGER, "x.bin": b"\0\1"}}
HELP = [[*path, "--help"] for path in all_commands() if path != ["submit"]]  # the script of servers speaks for itself
MISTAKES = [
    ["compare"],
    ["compare", "nowhere"],
    ["compare", "--nope", "."],
    ["compare", "--show=-1", "class"],
    ["compare", "--threshold", "3", "class"],
    ["compare", "--noise", "9", "--guarantee", "5", "class"],
    ["compare", "--encoding", "nope", "class"],
    ["compare", "--language", "nope", "class"],
    ["compare", "--layout", "nope", "class"],
    ["compare", "--memory", "much", "class"],
    ["compare", "--config", "nowhere.toml"],
    ["compare", "--open", "class"],
    ["compare", "-bc", "class"],
    ["evidence", "nowhere", "ada", "emeka"],
    ["evidence", "nowhere", "ada", "emeka", "--names", "names.csv"],
    ["explain", "nowhere"],
    ["explain", "--in", "class", "nobody"],
    ["import", "nowhere"],
    ["repeat", "nowhere"],
    ["intake", "show", "nowhere"],
    ["corpus", "query", "nothing", "nowhere"],
    ["corpus", "near", "nothing", "--file", "a", "--list", "b"],
    ["admin", "--data", "nowhere", "list-users"],
    ["serve", "--workers", "0"],
]
TOLD = [["compare", "--fail-above", "0.01", "class"], ["intake", "show", "class"], ["cache", "show"]]


@pytest.fixture(scope="module")
def spoken(tmp_path_factory):
    """What the command line prints in the made-up language, by what is typed. All of it comes from one process that
    ends, because help is translated in place."""
    folder = tmp_path_factory.mktemp("spoken")
    write_class(folder / "class", MEMBERS)
    catalogues = write_catalogue(folder / "catalogues")
    environment = os.environ | {"MOSS_LOCALE": LANGUAGE, "MOSS_CATALOGUES": str(catalogues), "COLUMNS": "200"}
    lines = [*HELP, *MISTAKES, *TOLD]
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL],
        input=json.dumps(lines), env=environment, cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(zip(map(" ".join, lines), json.loads(done.stdout), strict=True))


def test_all_help_is_marked(spoken):
    assert len(HELP) > 35
    for text in (spoken[" ".join(line)] for line in HELP):
        found = [word for word in outside(_without_what_is_typed(text)) if not _is_typed(word)]
        assert found == [], text
        assert f"{OPEN}Show this message and exit.{CLOSE}" in text


def _without_what_is_typed(help):
    """A page of help without usage, examples, and the commands of a group, whose summaries may be cut off."""
    return re.sub(rf"^({OPEN}Usage:{CLOSE}.*| {{6}}\S.*|  [a-z][a-z-]* +{OPEN}.*)$", "", help, flags=re.MULTILINE)


def _is_typed(word):
    return (
        word.startswith(("-", "[-"))
        or word.upper() == word
        or "|" in word
        or re.fullmatch(r"\[?[\d.<=>]*x[\d.<=>]*\]", word)
    )


def test_every_mistake_is_answered_in_the_reader_s_language(spoken):
    for text in (spoken[" ".join(line)] for line in MISTAKES):
        said = re.sub(rf"^{OPEN}Usage:{CLOSE}.*$", "", text, flags=re.MULTILINE).strip()
        assert said.startswith((OPEN, "moss: ")), text
        assert outside(said.removeprefix("moss: ")) == [], text


def test_what_is_found_is_told_in_the_reader_s_language(spoken):
    for text in (spoken[" ".join(line)] for line in TOLD):
        found = [word.rstrip(",:") for word in outside(text) if "/" not in word]
        assert set(found) <= {*MEMBERS, *(name for files in MEMBERS.values() for name in files), "moss", "class"}, text
        assert OPEN in text
