"""Who may import whom: the table of folders from docs/architecture.md, kept by a test."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

EVERYWHERE = {"moss.messages"}
"""What every part may import."""

MAY_IMPORT = {
    "moss.messages": set(),
    "moss.version": set(),
    "moss.shipped": set(),
    "moss.model": set(),
    "moss.codec": {"moss.model"},
    "moss.shapes": {"moss.codec", "moss.model"},
    "moss.hashing": set(),
    "moss.lines": set(),
    "moss.processes": set(),
    "moss.intake": {"frontends", "moss.lines", "moss.model", "moss.processes", "moss.shipped"},
    "moss.entry_points": set(),
    "frontends": {"moss.entry_points", "moss.model", "moss.hashing", "moss.version"},
    "moss.engine": {"moss.model", "moss.hashing"},
    "moss.imported": {"frontends", "moss.intake", "moss.lines", "moss.model", "moss.version"},
    "moss.settings": {"moss.intake"},
    "moss.anonymity": {"frontends", "moss.model"},
    "moss.comparison": {
        "frontends",
        "moss.anonymity",
        "moss.codec",
        "moss.engine",
        "moss.entry_points",
        "moss.hashing",
        "moss.intake",
        "moss.lines",
        "moss.model",
        "moss.settings",
        "moss.version",
        "moss.processes",
    },
    "moss.corpus": {
        "frontends",
        "moss.engine",
        "moss.hashing",
        "moss.intake",
        "moss.lines",
        "moss.model",
        "moss.shipped",
        "moss.version",
        "moss.processes",
    },
    "moss.report": {
        "frontends",
        "moss.anonymity",
        "moss.codec",
        "moss.engine",
        "moss.hashing",
        "moss.lines",
        "moss.model",
        "moss.shapes",
        "moss.shipped",
        "moss.version",
        "moss.processes",
    },
    "moss.config": set(),
    "moss.submit": set(),
    "moss.store": {
        "frontends",
        "moss.codec",
        "moss.intake",
        "moss.model",
        "moss.report",
        "moss.settings",
        "moss.shapes",
        "moss.version",
    },
    "moss.services": {
        "frontends",
        "moss.comparison",
        "moss.corpus",
        "moss.intake",
        "moss.lines",
        "moss.model",
        "moss.processes",
        "moss.settings",
        "moss.store",
    },
    "moss.jobs": {
        "frontends",
        "moss.comparison",
        "moss.config",
        "moss.corpus",
        "moss.intake",
        "moss.model",
        "moss.report",
        "moss.services",
        "moss.settings",
        "moss.shipped",
        "moss.store",
        "moss.version",
        "moss.processes",
    },
    "moss.cache": set(),
    "moss.wire": {
        "frontends",
        "moss.config",
        "moss.intake",
        "moss.jobs",
        "moss.model",
        "moss.settings",
        "moss.store",
    },
    "moss.server_jobs": {"moss.jobs", "moss.wire"},
    "moss.web.request": {
        "frontends",
        "moss.config",
        "moss.intake",
        "moss.jobs",
        "moss.report",
        "moss.store",
    },
    "moss.web.actions": {
        "moss.config",
        "moss.corpus",
        "moss.model",
        "moss.report",
        "moss.store",
        "moss.web.request",
    },
    "moss.web.pages": {
        "moss.config",
        "moss.intake",
        "moss.jobs",
        "moss.model",
        "moss.report",
        "moss.services",
        "moss.settings",
        "moss.store",
        "moss.submit",
        "moss.version",
        "moss.web.actions",
        "moss.web.request",
    },
    "moss.web.api": {
        "moss.codec",
        "moss.config",
        "moss.jobs",
        "moss.model",
        "moss.report",
        "moss.shapes",
        "moss.store",
        "moss.version",
        "moss.web.actions",
        "moss.web.request",
    },
    "moss.web": {
        "moss.config",
        "moss.processes",
        "moss.report",
        "moss.store",
        "moss.version",
        "moss.web.api",
        "moss.web.pages",
        "moss.web.request",
    },
    "moss.cli": {
        "frontends",
        "moss.cache",
        "moss.comparison",
        "moss.config",
        "moss.corpus",
        "moss.imported",
        "moss.intake",
        "moss.jobs",
        "moss.model",
        "moss.report",
        "moss.server_jobs",
        "moss.settings",
        "moss.shipped",
        "moss.store",
        "moss.submit",
        "moss.version",
        "moss.web",
        "moss.web.pages",
        "moss.web.request",
        "moss.wire",
        "moss.processes",
    },
    "moss": {"moss.cli", "moss.comparison", "moss.intake", "moss.settings", "moss.version"},
}
"""What each part may import of ours besides itself."""

MODULES = sorted([*(ROOT / "moss").rglob("*.py"), *(ROOT / "frontends").rglob("*.py")])


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


NAMES = {module_name(path) for path in MODULES}


def part_of(module: str) -> str:
    return max((part for part in MAY_IMPORT if module == part or module.startswith(f"{part}.")), key=len)


def imports(path: Path) -> set[str]:
    """Every module of ours that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names} & NAMES
            found |= inside if len(inside) == len(node.names) else inside | {node.module}
    return {name for name in found if name.partition(".")[0] in ("moss", "frontends")}


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_follow_the_table(path):
    part = part_of(module_name(path))
    for imported in imports(path):
        assert part_of(imported) in MAY_IMPORT[part] | EVERYWHERE | {part}, (
            f"{module_name(path)} must not import {imported}"
        )


def test_the_engine_needs_nothing_but_numpy():
    for path in (ROOT / "moss" / "engine").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= {"numpy"}, path


def test_the_documentation_shows_the_same_table():
    text = (ROOT / "docs" / "architecture.md").read_text()
    for part, allowed in MAY_IMPORT.items():
        row = next((line for line in text.splitlines() if line.startswith(f"| `{part}` |")), None)
        assert row is not None, f"{part} is not in docs/architecture.md"
        named = {name.strip(" `") for name in row.split("|")[3].split(",")} - {"nothing", ""}
        assert named == allowed, part


def test_the_map_shows_every_folder():
    text = (ROOT / "docs" / "architecture.md").read_text()
    drawn = text[text.index("## The map") : text.index("## Who may import whom")]
    path: list[str] = []
    shown = set()
    for indent, name in re.findall(r"^( *)(\w+)/ ", drawn, re.MULTILINE):
        path[len(indent) // 2 :] = [name]
        shown.add("/".join(path))
    folders = {
        folder.relative_to(ROOT).as_posix()
        for package in ("moss", "frontends")
        for folder in [ROOT / package, *(ROOT / package).rglob("*/")]
        if any(folder.glob("*.py")) and folder.name != "versions"
    }
    assert folders <= shown
    assert [folder for folder in shown if not (ROOT / folder).is_dir()] == []


def test_every_path_in_the_documentation_exists():
    text = (ROOT / "docs" / "architecture.md").read_text()
    named = re.findall(r"`((?:moss|frontends|templates|tests|docs)/[\w/.]+)`", text)
    assert len(named) > 40
    assert [path for path in named if not (ROOT / path).exists()] == []
