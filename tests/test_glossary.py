"""The glossary: every noun once, nothing left out, and every name in it is one that the program has."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

import moss.model
from moss.cli import main
from moss.store.tables import Base

ROOT = Path(__file__).parents[1]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text()
INTERFACE, NOUNS = GLOSSARY.split("## What people see")
ENTRIES = [
    [cell.strip() for cell in row] for row in re.findall(r"^\| (.+?) \| (.+?) \| (.*?) ?\| (.*?) ?\|$", NOUNS, re.M)
]
ENTRIES = [entry for entry in ENTRIES if entry[0] not in ("word", "---")]
TABLES = {table.name: table for table in Base.metadata.sorted_tables}


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@cache
def public_types() -> dict[str, list[str]]:
    """Each public class of the program by its name, with the modules that define one so named."""
    homes = defaultdict(list)
    for package in ("moss", "frontends"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes[node.name].append(str(path.relative_to(ROOT)))
    return homes


def test_a_public_type_has_a_name_of_its_own():
    assert not {name: homes for name, homes in public_types().items() if len(homes) > 1}


def test_a_word_stands_in_the_glossary_once():
    assert len(ENTRIES) > 100
    assert not [word for word, times in Counter(entry[0] for entry in ENTRIES).items() if times > 1]
    assert not [
        name for name, times in Counter(name for entry in ENTRIES for name in quoted(entry[2])).items() if times > 1
    ]


def test_a_meaning_is_one_sentence():
    for word, meaning, *_ in ENTRIES:
        assert re.fullmatch(r"[A-Z*][^.]*(\.[^ .][^.]*)*\.", meaning), word


def test_the_glossary_has_every_type_of_the_model_and_every_table():
    types = {name for entry in ENTRIES for name in quoted(entry[2])}
    model = {
        name for name, value in inspect.getmembers(moss.model, inspect.isclass) if value.__module__ == "moss.model"
    }
    assert model <= types
    assert {mapper.class_.__name__ for mapper in Base.registry.mappers} <= types
    assert set(TABLES) <= {name for entry in ENTRIES for name in quoted(entry[3])}


def test_every_type_in_the_glossary_exists():
    assert {name for entry in ENTRIES for name in quoted(entry[2])} <= set(public_types())


def commands(group: click.Group, path: str = "moss") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")


def json_names(node: object) -> Iterator[str]:
    """Names of fields, and values that are words, in a JSON schema."""
    if isinstance(node, dict):
        yield from node.get("properties", {})
        yield from node.get("enum", [])
        node = [*node.values()]
    if isinstance(node, list):
        for child in node:
            yield from json_names(child)


@pytest.fixture(scope="module")
def known() -> dict[str, set[str]]:
    """The names of each kind that the column *elsewhere* may give."""
    all_commands = dict(commands(main))
    schema = json.loads((ROOT / "docs" / "report-schema.json").read_text())
    return {
        "JSON": {*json_names(schema)},
        "option": {name for command in all_commands.values() for option in command.params for name in option.opts},
        "command": set(all_commands),
        "table": set(TABLES),
        "column": {column.name for table in TABLES.values() for column in table.columns},
    }


def test_a_name_elsewhere_exists(known):
    for alias in (alias for entry in ENTRIES for alias in entry[3].split("; ") if alias):
        kind = next((kind for kind in known if alias.startswith(kind)), None)
        assert kind or not quoted(alias), alias
        for name in quoted(alias):
            assert name.partition(" ")[0] in known[kind] or name in known[kind], alias


def test_words_of_the_interface_stand_once_and_apart_from_those_to_avoid():
    rows = re.findall(r"^\| (\*\*.+?) \| .+? \| (.+?) \|$", INTERFACE, re.M)
    said = [word for row in rows for word in re.findall(r"\*\*(.+?)\*\*", row[0])]
    avoided = {word.strip() for row in rows for word in re.split("[,;]", row[1])}
    assert len(said) == len(set(said)) > 20
    assert not avoided & set(said)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/architecture.md"])
def test_the_glossary_is_linked(page):
    assert "glossary.md)" in (ROOT / page).read_text()
