"""One line for a folder or library that turned out to hold nothing but compiled files, instead of one for each.

This is decided after everything in it was read, so that a source file among compiled ones is never missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from moss.intake.source_files import Outcome
from moss.messages import gettext as _

_OUTPUT_FOLDERS = frozenset(("bin", "build", "debug", "dist", "obj", "out", "release", "target"))
_LIBRARIES = (".jar", ".war", ".whl", ".egg")
_LIBRARY_TEXTS = (".txt", ".md", ".properties", ".xml", ".html", ".mf")


def collapse(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, those of each folder or library of compiled files replaced by a single one."""
    outcomes = tuple(outcomes)
    if sum(outcome.binary for outcome in outcomes) < 2:
        return outcomes
    kept: list[Outcome] = []
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        top = _top(outcome.path)
        (groups.setdefault(top, []) if top else kept).append(outcome)
    for top, inside in groups.items():
        kept.extend([_summary(top, inside)] if _is_compiled(top, inside) else inside)
    return tuple(kept)


def _top(path: str) -> str:
    """The outermost folder or library above the path that may hold compiled files only, or nothing."""
    parts = path.split("/")[:-1]
    for i, part in enumerate(parts):
        if part.lower() in _OUTPUT_FOLDERS or part.lower().endswith(_LIBRARIES):
            return "/".join(parts[: i + 1])
    return ""


def _is_compiled(top: str, inside: Sequence[Outcome]) -> bool:
    library = top.lower().endswith(_LIBRARIES)
    compiled = [outcome for outcome in inside if outcome.binary]
    return len(compiled) > 1 and all(
        outcome.binary or outcome.ignored or (library and _is_library_text(outcome)) for outcome in inside
    )


def _is_library_text(outcome: Outcome) -> bool:
    name = outcome.path.rpartition("/")[2].lower()
    return outcome.file is not None and ("." not in name or name.endswith(_LIBRARY_TEXTS))


def _summary(top: str, inside: Sequence[Outcome]) -> Outcome:
    first = inside[0]
    shown = first.shown[: len(first.shown) - len(first.path) + len(top)]
    return Outcome(
        top, shown, reason=_("only compiled or other binary files (%(n)s), ignored", n=len(inside)), binary=True
    )
