"""Histories of submissions: the commits of its git repositories that first had the lines that were handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from moss.intake.archives.commits import RepositoryHistory, as_table, history_of, origins_in
from moss.intake.entries import GIT_FOLDER
from moss.intake.limits import IntakeRun
from moss.intake.sandbox import Refused, read_isolated
from moss.intake.source_files import Outcome, without_history
from moss.messages import gettext as _
from moss.model import Commit, GitHistory, SourceFile


def with_histories(outcomes: Sequence[Outcome], run: IntakeRun) -> list[Outcome]:
    """The outcomes; in the place of repositories that were yet to be read their histories, or why they have none."""
    repositories = [outcome.repository for outcome in outcomes if outcome.repository]
    if not repositories:
        return list(outcomes)
    read = partial(history_of, run.encoding)
    found = iter(read_isolated(read, repositories, _("a git repository"), jobs=run.jobs))
    return [_with_history(outcome, next(found)) if outcome.repository else outcome for outcome in outcomes]


def _with_history(outcome: Outcome, found: RepositoryHistory | Refused) -> Outcome:
    if isinstance(found, Refused):
        return without_history(outcome, found.reason)
    return outcome._replace(repository=None, history=found)


class _RootedHistory(NamedTuple):
    """A history, and the folder of its repository, empty or ending in a slash."""

    root: str
    history: RepositoryHistory


def dated(outcomes: Sequence[Outcome]) -> tuple[list[Outcome], GitHistory | None]:
    """The outcomes with the origins of the lines of each file, and the history that these refer to, if there is any. A
    file belongs to the innermost repository around it."""
    rooted = [_RootedHistory(o.path.removesuffix(GIT_FOLDER), o.history) for o in outcomes if o.history]
    if not rooted:
        return list(outcomes), None
    rooted.sort(key=lambda each: -len(each.root))
    origins = [_origins(outcome, rooted) for outcome in outcomes]
    used = sorted(
        {where for found in origins for _line, where in found if where}, key=lambda where: (-where[0], where[1])
    )
    places = {where: place for place, where in enumerate(used, 1)}
    marked = [
        outcome._replace(file=_marked(outcome.file, found, places)) if outcome.file and found else outcome
        for outcome, found in zip(outcomes, origins, strict=True)
    ]
    commits = tuple(_commit(rooted, where) for where in used)
    count = sum(len(each.history.commits) for each in rooted)
    return marked, GitHistory(commits, count, any(each.history.cut for each in rooted))


_Where = tuple[int, int]  # the number of a repository, and of a commit in it


def _origins(outcome: Outcome, rooted: Sequence[_RootedHistory]) -> list[tuple[int, _Where | None]]:
    """The line numbers of a file, each with the commit that first had the line."""
    for number, (root, history) in enumerate(rooted):
        if outcome.lines is not None and outcome.path.startswith(root):
            found = origins_in(outcome.lines, history)
            return [(line, None if commit is None else (number, commit)) for line, commit in found]
    return []


def _marked(file: SourceFile, found: list[tuple[int, _Where | None]], places: dict[_Where, int]) -> SourceFile:
    return replace(file, origins=as_table([(line, places[where] if where else 0) for line, where in found]))


def _commit(rooted: Sequence[_RootedHistory], where: _Where) -> Commit:
    number, commit = where
    return rooted[number].history.commits[commit]
