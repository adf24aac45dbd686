"""What the README says is true: options, transcript, languages."""

from __future__ import annotations

import re
import shlex

import pytest
from click.testing import CliRunner

from frontends import FRONTENDS
from moss.cli import main
from moss.cli.compare import compare
from moss.shipped import DISTRIBUTION, EXTRAS


@pytest.fixture(scope="module")
def readme(request) -> str:
    return (request.config.rootpath / "README.md").read_text()


def test_the_option_table_names_every_option(readme):
    table = readme[readme.index("### Options of `moss compare`") : readme.index("Exit status:")]
    named = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", table))
    existing = {name for option in compare.params for name in option.opts if name.startswith("-")}
    assert named == existing


def test_the_transcript_is_what_moss_prints(readme, request, monkeypatch):
    monkeypatch.chdir(request.config.rootpath)
    block = re.search(r"<!-- transcript -->\n```\n\$ moss (.*?)\n(.*?)```\n", readme, re.DOTALL)
    assert block
    result = CliRunner().invoke(main, shlex.split(block[1]))
    assert [line.rstrip() for line in result.stdout.splitlines()] == block[2].splitlines()


def test_the_language_table_names_every_front_end(readme):
    table = readme[readme.index("## Languages") : readme.index("## Limits")]
    named = re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)
    assert named == sorted(frontend.name for frontend in FRONTENDS)


def test_every_document_that_is_linked_exists(readme, request):
    for target in re.findall(r"\]\((docs/[^)#]+)", readme):
        assert (request.config.rootpath / target).exists(), target


def test_the_table_of_extras_names_every_extra(readme):
    table = readme[readme.index("| extra | for |") : readme.index("A command that needs an extra")]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(EXTRAS)
    assert DISTRIBUTION in readme
