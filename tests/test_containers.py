"""The container files name only what there is: files, settings, commands and extras. Nothing here can build them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from moss.cli import main
from moss.config import Config, variable

ROOT = Path(__file__).parents[1]
FILES = ("Containerfile", "compose.yaml")
SETTINGS = {variable(each.name) for each in fields(Config)}


@pytest.mark.parametrize("name", FILES)
def test_every_variable_is_a_setting(name):
    named = set(re.findall(r"\bMOSS_\w+", (ROOT / name).read_text()))
    assert named
    assert named <= SETTINGS


def test_what_is_copied_and_installed_is_there():
    text = (ROOT / "Containerfile").read_text()
    for line in re.findall(r"^COPY (?!--)(.*) \S+$", text, re.MULTILINE):
        assert all((ROOT / source).exists() for source in line.split())
    wanted = re.search(r'"\.\[(.*)\]"', text)[1].split(",")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(wanted) <= project["optional-dependencies"].keys()


def test_every_command_is_one_and_knows_its_options():
    text = (ROOT / "compose.yaml").read_text() + (ROOT / "Containerfile").read_text().replace('"', "")
    found = re.findall(r"\[moss, (\w+)(?:, ([^\]]*))?\]", text)
    assert {command for command, _ in found} == {"serve", "worker"}
    for command, options in found:
        known = {name for each in main.get_command(None, command).params for name in each.opts + each.secondary_opts}
        assert set(filter(None, options.split(", "))) <= known


def test_the_ports_are_the_servers_own():
    exposed = re.search(r"^EXPOSE (.*)$", (ROOT / "Containerfile").read_text(), re.MULTILINE)[1].split()
    assert exposed == [str(Config().port), str(Config().wire_port)]
