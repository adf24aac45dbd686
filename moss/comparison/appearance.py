"""When passages appeared: the commits of a submission's git history with which their lines were there."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from moss.lines import line_starts
from moss.model import Commit, FileRecord, GitHistory, Region, SourceFile

NO_COMMIT = 0


def appeared(file: SourceFile, first_line: int, last_line: int) -> tuple[int, int]:
    """The commit with which more than half of these lines were there, and the first that had any of them, by their
    places in the history from 1; 0 if there is none. Commits are in their order, whatever their dates say."""
    if not file.origins:
        return NO_COMMIT, NO_COMMIT
    found = sorted(commit or _NEVER for commit in _commits(file, range(first_line, last_line + 1)))
    if not found or found[0] == _NEVER:
        return NO_COMMIT, NO_COMMIT
    middle = found[len(found) // 2]
    return NO_COMMIT if middle == _NEVER else middle, found[0]


_NEVER = 1 << 62


def _commits(file: SourceFile | FileRecord, lines: Iterable[int]) -> Iterator[int]:
    """For each of these lines that is not blank the commit that first had it."""
    begins = [origin.line for origin in file.origins]
    starts = line_starts(file.text)
    ends = [*starts[1:].tolist(), len(file.text)]
    for line in lines:
        if line <= len(ends) and not file.text[starts[line - 1] : ends[line - 1]].isspace():
            yield file.origins[max(0, bisect_right(begins, line) - 1)].commit


def with_parts(history: GitHistory, files: Sequence[FileRecord]) -> GitHistory:
    """The history, each commit with the part of the lines handed in, starter code left out, that it first had."""
    lines: Counter[int] = Counter()
    for file in files:
        if file.origins:
            lines.update(_commits(file, _outside(file.base, file.lines)))
    total = lines.total()
    commits = [replace(commit, part=lines[place] / total if total else 0.0) for place, commit in _placed(history)]
    return replace(history, commits=tuple(commits))


def _placed(history: GitHistory) -> Iterator[tuple[int, Commit]]:
    return enumerate(history.commits, 1)


def _outside(regions: Sequence[Region], lines: int) -> Iterator[int]:
    """The numbers of a file's lines that no region has, which are in order."""
    bounds = [(0, 0), *((region.start_line, region.end_line) for region in regions), (lines + 1, lines + 1)]
    for (_, end), (start, _) in pairwise(bounds):
        yield from range(end + 1, start)
