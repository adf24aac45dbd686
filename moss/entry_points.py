"""Entry points of installed packages: a way for others to add to moss without changing it."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # which takes longer to import than all front ends
    from importlib.metadata import EntryPoint

FRONTENDS = "moss.frontends"
"""The group of those that are front ends."""


@cache
def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, by package and name. Nothing of them is imported."""
    if not any(_has_package_with(group, folder) for folder in sys.path):
        return ()
    from importlib.metadata import entry_points as found

    return tuple(sorted(found(group=group), key=lambda point: (package_of(point), point.name)))


@cache
def packages(group: str) -> tuple[str, ...]:
    """Name and version of each installed package that has entry points of a group."""
    return tuple(sorted({package_of(point) for point in entry_points(group)}))


def package_of(point: EntryPoint) -> str:
    """Name and version of the package that an entry point belongs to."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown package"


def _has_package_with(group: str, folder: str) -> bool:
    """Whether a package in a folder may have entry points of a group. To look takes a millisecond, where to import what
    can tell for sure takes a fifth of the time of a command whose answer is kept."""
    try:
        with os.scandir(folder or ".") as entries:
            return any(_mentions(group, f"{entry.path}/entry_points.txt") for entry in entries if "-info" in entry.name)
    except OSError:
        return False


def _mentions(group: str, path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return group.encode() in file.read()
    except OSError:
        return False
