"""Files that nobody hands in on purpose: hidden ones, caches, downloaded libraries, the output of build tools.

A folder of build output is only taken for one when the tool's project file stands beside it *and* the tool's traces
are inside, because a folder that merely has the right name is where a copy could be hidden. Everything that is
ignored is listed, so that nothing disappears.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

from moss.intake.archives.git import LARGEST_WITH_HISTORY, gather_files
from moss.intake.entries import GIT_FOLDER, Entry, Repository
from moss.intake.limits import Choice
from moss.messages import gettext as _

_FOLDERS = {
    "__MACOSX": "archive leftovers of macOS, ignored",
    "__pycache__": "compiled Python, ignored",
    "node_modules": "downloaded libraries, ignored",
}
_LOCK_FILES = frozenset((
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock", "poetry.lock", "uv.lock",
    "Pipfile.lock", "composer.lock", "Gemfile.lock", "go.sum", "packages.lock.json", "gradle.lockfile", "mix.lock",
))  # fmt: skip
_SYSTEM_FILES = frozenset(("Thumbs.db", "desktop.ini"))


class BuildOutput(NamedTuple):
    """A folder that a build tool fills: its name, a file beside it, and something that only the tool puts inside."""

    folders: tuple[str, ...]
    project: tuple[str, ...]  # endings of the file beside it; empty if none is needed
    traces: frozenset[str]

    def project_in(self, names: Collection[str]) -> bool:
        """Whether one of the names is the tool's project file."""
        return not self.project or any(name.endswith(self.project) for name in names)


_BUILD_OUTPUT = (
    BuildOutput(("target",), ("Cargo.toml",), frozenset(("CACHEDIR.TAG", ".rustc_info.json"))),
    BuildOutput(("target",), ("pom.xml",), frozenset(("classes", "maven-status", "maven-archiver"))),
    BuildOutput(("build",), ("build.gradle", "build.gradle.kts"), frozenset(("classes", "libs", "tmp", "reports"))),
    BuildOutput(("obj",), (".csproj", ".fsproj", ".vbproj"), frozenset(("project.assets.json", "Debug", "Release"))),
    BuildOutput(("bin",), (".csproj", ".fsproj", ".vbproj"), frozenset(("Debug", "Release"))),
    BuildOutput(
        ("build", "cmake-build-debug", "cmake-build-release"), ("CMakeLists.txt",), frozenset(("CMakeCache.txt",))
    ),
    BuildOutput(("venv", "env", "virtualenv"), (), frozenset(("pyvenv.cfg",))),
)
_TRACES = frozenset().union(*(output.traces for output in _BUILD_OUTPUT))


def ignored_file(name: str) -> str:
    """Why a file of this name is ignored, or nothing."""
    if name.startswith("."):
        return _("hidden file, ignored")
    if name in _LOCK_FILES:
        return _("lock file written by a package manager, ignored")
    return _("written by the operating system, ignored") if name in _SYSTEM_FILES else ""


def ignored_folder(name: str, beside: Callable[[], Collection[str]], inside: Collection[str]) -> str:
    """Why a folder is ignored, given its name, what stands beside it and what it holds, or nothing."""
    if name.startswith("."):
        return _("hidden folder, ignored")
    if name in _FOLDERS:
        return _FOLDERS[name]
    for output in _BUILD_OUTPUT if not _TRACES.isdisjoint(inside) else ():
        if name in output.folders and not output.traces.isdisjoint(inside) and output.project_in(beside()):
            return _("output of a build tool, ignored")
    return ""


def prune(entries: Iterable[Entry], choice: Choice) -> list[Entry]:
    """The entries of an archive, ignored files marked so, and each ignored folder reduced to one entry."""
    entries = list(entries)
    held: dict[str, dict[str, None]] = {}
    for entry in entries:
        for parent, name in () if entry.nameless else _steps(entry.path):
            held.setdefault(parent, {})[name] = None
    verdicts: dict[str, str] = {}
    kept = []
    repositories: dict[str, list[Entry]] = {}
    for entry in entries:
        folder = None if entry.nameless else _ignored_ancestor(entry, held, verdicts, choice)
        if folder is None:
            kept.append(_judged(entry, choice))
            continue
        if verdicts[folder]:
            repository = _repository(folder, repositories)
            kept.append(
                Entry(folder, refusal=verdicts[folder], ignored=True, folder=True, position=entry.position,
                      repository=repository)
            )  # fmt: skip
            verdicts[folder] = ""  # said once
        if folder in repositories:
            repositories[folder].append(entry)
    return kept


def _repository(folder: str, repositories: dict[str, list[Entry]]) -> Repository | None:
    """How to read the git repository in an ignored folder, if that is one, from the entries that will be listed."""
    if folder.rpartition("/")[2] != GIT_FOLDER:
        return None
    inside = repositories.setdefault(folder, [])
    return lambda: gather_files(inside, len(folder) + 1, LARGEST_WITH_HISTORY)


def _judged(entry: Entry, choice: Choice) -> Entry:
    is_file = entry.chunks is not None or (entry.refusal and not entry.nameless)
    reason = choice.refusal(entry.path, ignored_file(entry.path.rpartition("/")[2])) if is_file else ""
    return replace(entry, chunks=None, refusal=reason, ignored=True) if reason else entry


def _steps(path: str) -> list[tuple[str, str]]:
    steps = []
    while path:
        parent, _slash, name = path.rpartition("/")
        steps.append((parent, name))
        path = parent
    return steps[::-1]


def _ignored_ancestor(
    entry: Entry, held: dict[str, dict[str, None]], verdicts: dict[str, str], choice: Choice
) -> str | None:
    is_folder = entry.chunks is None and not entry.refusal
    steps = _steps(entry.path)
    for parent, name in steps if is_folder else steps[:-1]:
        folder = f"{parent}/{name}" if parent else name
        if folder not in verdicts:
            usual = ignored_folder(name, lambda p=parent: held[p], held.get(folder, {}))  # type: ignore[misc]
            reason = choice.refusal(folder, usual)
            if not reason:
                continue
            verdicts[folder] = reason
        return folder
    return None
