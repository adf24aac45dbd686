"""Parameters: everything that influenced a result, as a report states it.

They follow the settings by themselves: a new option of `moss compare` is a field in `moss.settings`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from moss.model import Role, Submission
from moss.settings import Settings

if TYPE_CHECKING:  # a cached result needs no front ends
    from frontends import Thresholds
    from moss.comparison.scanned_files import LayerKey


def describe_parameters(
    settings: Settings, inputs: Mapping[str, Sequence[str]], chosen: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything that influenced the result: the settings, and the values chosen for those left open."""
    given = asdict(settings)
    for name in ("jobs", "memory"):  # the same result with any number of processes and in any memory
        del given[name]
    return dict(inputs) | given | dict(chosen)


def describe_handout(submissions: Iterable[Submission]) -> dict[str, Any]:
    """The starter code, by the digests of its files; the inputs say where it came from, if that is a path."""
    return {
        "handed_out": [
            {"id": each.id, "files": [{"path": file.path, "sha256": file.digest} for file in each.files]}
            for each in submissions
            if each.role is Role.BASE
        ]
    }


def describe_choices(max_matches: int, keys: Sequence[LayerKey]) -> dict[str, Any]:
    """The values chosen for parameters that were left open."""
    thresholds = [{"channel": key.channel, "own": key.own, **_thresholds(key.thresholds)} for key in keys]
    return {"max_matches": max_matches, "thresholds": thresholds}


def _thresholds(thresholds: Thresholds) -> dict[str, int]:
    return {"noise": thresholds.noise, "guarantee": thresholds.guarantee, "passage": thresholds.passage}
