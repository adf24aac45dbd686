"""A report without names, for showing it to others: pseudonyms in place of owners, also in paths and texts.

It hides what `moss compare --anonymize` hides, but in a report that exists: scores and passages stay, and places in
texts are moved to where they are after names have become longer or shorter. Submissions, and the two of a pair, are in
the order of their pseudonyms: that of their names would tell who they are to whoever has the list of the class.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np

from moss.anonymity import (
    HIDING,
    Remover,
    Replacement,
    hide_in_path,
    hide_in_problems,
    in_texts,
    names_of,
    pseudonyms_for,
)
from moss.model import EqualRun, FileRecord, Match, Pair, Ranking, Region, Report, SubmissionRecord
from moss.report.evidence.redaction import PLACES, flipped, nameless_starter_code, people_of
from moss.report.words.history_words import nameless


def kept_name(name: str) -> str:
    """The name under which a page without names is kept. It changes when more is hidden than before."""
    return f"masked-{HIDING}/{name}"


@dataclass(frozen=True)
class NamelessText:
    """A text without names, and where its characters went."""

    text: str
    found: Sequence[Replacement]

    def start(self, offset: int) -> int:
        """Where a span that began here begins: before a pseudonym, if it began inside of a name."""
        before = bisect_right(self.found, offset, key=lambda name: name.start)
        if before and offset < self.found[before - 1].end:
            return self.found[before - 1].start + self._longer(before - 1)
        return offset + self._longer(before)

    def end(self, offset: int) -> int:
        """Where a span that ended here ends: after a pseudonym, if it ended inside of a name."""
        before = bisect_left(self.found, offset, key=lambda name: name.start)
        if before and offset < self.found[before - 1].end:
            return self.found[before - 1].end + self._longer(before)
        return offset + self._longer(before)

    def _longer(self, count: int) -> int:
        """How much longer the first names have become, all together."""
        return self._sums[count]

    @cached_property
    def _sums(self) -> list[int]:
        return [*accumulate((len(name) - (end - start) for start, end, name in self.found), initial=0)]


class Mask:
    """Takes the names of a report's people out of it. It has to be made with all texts: only together do they tell a
    student's name from a word of the task."""

    def __init__(self, report: Report) -> None:
        people = sorted(people_of(report), key=lambda record: record.id)
        self.owners = pseudonyms_for(sorted({record.owner for record in people}))
        names = names_of(people, self.owners)
        self.ids = _numbered(people, self.owners)
        self.paths, self.texts = Remover(names), in_texts(names, people)
        self._order = sorted(range(len(report.submissions)), key=lambda place: self.id(report.submissions[place].id))

    def number_behind(self, number: int) -> int | None:
        """The number of the submission that has this one in the report without names; None if there is none."""
        return self._order[number - 1] + 1 if 0 < number <= len(self._order) else None

    def id(self, id: str) -> str:
        """The pseudonym of a submission; starter code keeps its name."""
        return self.ids.get(id, id)

    def text(self, text: str) -> NamelessText:
        """A text without names."""
        return NamelessText(self.texts(text), self.texts.found_in(text))

    def report(self, report: Report) -> Report:
        """The report, or a part of it, without names."""
        masked = {record.id: _MaskedSubmission(self, record) for record in report.submissions}
        return replace(
            report,
            parameters=self._parameters(report.parameters),
            submissions=tuple(masked[report.submissions[place].id].record() for place in self._order),
            ranking=self._ranking(report.ranking),
            pairs=tuple(self._pair(pair, masked[pair.a], masked[pair.b]) for pair in report.pairs),
            clusters=tuple(tuple(sorted(map(self.id, cluster))) for cluster in report.clusters),
            problems=hide_in_problems(report.problems, self.paths),
        )

    def _parameters(self, parameters: Mapping[str, object]) -> dict[str, object]:
        hidden: dict[str, object] = {name: [word] for name, word in PLACES.items() if parameters.get(name)}
        hidden |= nameless_starter_code(parameters)
        return {**parameters, **hidden, "comment": self.texts(str(parameters.get("comment") or ""))}

    def _ranking(self, ranking: Ranking) -> Ranking:
        """The ranking with the places that submissions have in the order of their pseudonyms."""
        places = np.argsort(np.array(self._order, np.int64))
        a, b = places[ranking.a], places[ranking.b]
        return replace(ranking, a=np.minimum(a, b), b=np.maximum(a, b))

    def _pair(self, pair: Pair, a: _MaskedSubmission, b: _MaskedSubmission) -> Pair:
        matches = tuple(self._match(match, a, b) for match in pair.matches)
        masked = replace(pair, a=self.id(pair.a), b=self.id(pair.b), matches=matches)
        return flipped(masked) if masked.b < masked.a else masked

    def _match(self, match: Match, a: _MaskedSubmission, b: _MaskedSubmission) -> Match:
        ours, theirs = a.texts[match.a.file], b.texts[match.b.file]
        runs = (
            EqualRun(ours.start(run.a_start), ours.end(run.a_end), theirs.start(run.b_start), theirs.end(run.b_end))
            for run in match.runs
        )
        others = tuple(sorted(map(self.id, match.others)))
        return replace(match, a=a.region(match.a), b=b.region(match.b), others=others, runs=tuple(runs))


class _MaskedSubmission:
    """A submission without names; its files by the paths that they had."""

    def __init__(self, mask: Mask, given: SubmissionRecord) -> None:
        self.mask, self.given = mask, given
        self.texts = {
            file.path: NamelessText(mask.texts(file.text), mask.texts.found_in(file.text)) for file in given.files
        }
        self.paths: dict[str, str] = {}
        for file in given.files:
            self.paths[file.path] = _unused(hide_in_path(file.path, mask.paths), self.paths.values())

    def record(self) -> SubmissionRecord:
        """The record without names."""
        given, history = self.given, self.given.history
        return replace(
            given,
            id=self.mask.id(given.id),
            owner=self.mask.owners.get(given.owner, given.owner),
            files=tuple(map(self._file, given.files)),
            version="", handed_in="", dated="", section="", account="",
            history=history and replace(history, commits=tuple(map(nameless, history.commits))),
        )  # fmt: skip

    def region(self, region: Region) -> Region:
        """A region of one of the files."""
        moved, path = self.texts[region.file], self.paths[region.file]
        return replace(region, file=path, start=moved.start(region.start), end=moved.end(region.end))

    def _file(self, file: FileRecord) -> FileRecord:
        moved = self.texts[file.path]
        cells = (replace(cell, start=moved.start(cell.start), end=moved.end(cell.end)) for cell in file.cells)
        return replace(
            file,
            path=self.paths[file.path],
            reason=self.mask.paths(file.reason),
            digest="",  # by which whoever has the file would know whose it is
            base=tuple(map(self.region, file.base)),
            cells=tuple(cells),
            text=moved.text,
        )


def _unused(path: str, used: Collection[str]) -> str:
    """The path, or one with a number if another file has become the same."""
    stem, dot, ending = path.rpartition(".") if "." in path else (path, "", "")
    tries = (path, *(f"{stem}-{number}{dot}{ending}" for number in range(2, len(used) + 3)))
    return next(each for each in tries if each not in used)


def _numbered(people: Sequence[SubmissionRecord], pseudonyms: Mapping[str, str]) -> dict[str, str]:
    """A pseudonym for each submission: its owner's, with a number if it is not the owner's first."""
    seen: Counter[str] = Counter()
    ids = {}
    for person in people:
        pseudonym = pseudonyms[person.owner]
        seen[pseudonym] += 1
        ids[person.id] = pseudonym if seen[pseudonym] == 1 else f"{pseudonym}-{seen[pseudonym]}"
    return ids
