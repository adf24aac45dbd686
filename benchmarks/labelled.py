"""Labelled corpora, read once, for the programs that measure detection quality.

A corpus is a folder of cases, each with `submissions/<id>/...`, `truth.csv` (a, b, label, perhaps level), `case.json`
(language; negatives explicit or implicit) and perhaps `boilerplate/`, `exclude.csv`, `uncertain.txt`. None is part of
this project.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontends import as_compiled, by_name
from moss.comparison.plan import plan_all
from moss.comparison.scan import cut_spans, read_files
from moss.comparison.scanned_files import FilePlan, FileStreams
from moss.comparison.views import FileTexts, Handout, ViewBags, make_view_bags, make_views, united
from moss.engine.documents import base_hashes, make_document
from moss.engine.index import authors_of
from moss.engine.ranking.score import Views
from moss.engine.union_find import clusters
from moss.hashing import Hashes
from moss.intake import collect
from moss.model import Channel, Codes, Role, Submission, TokenStream

EVERYTHING = 1 << 30
MADE = frozenset(
    {"bash-gpt-dev", "cf-transform-dev", "emse25-dev", "pyhomework-dev", "sample_submissions", "similcode-dev"}
)
"""Corpora whose copies were made for them: an original is as honest as any, as long as no copy of it is there."""

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Member:
    """One submission, read once, and what has been made of it so far."""

    name: str
    texts: list[FileTexts]
    made: dict[Hashable, Any] = field(default_factory=dict)

    @cached_property
    def content(self) -> list[Codes]:
        """All tokens: equal for submissions that say the same."""
        return [stream.codes for file in self.texts for stream in streams_of(file)]


@dataclass(frozen=True, eq=False)
class Case:
    """A class, and what is known about its pairs. What is made of a member is made once, whatever classes it is in."""

    language: str
    members: list[Member]
    handed_out: list[Member]
    name: str = ""
    corpus: str = ""
    truth: dict[Pair, int] = field(default_factory=dict)
    level: dict[Pair, str] = field(default_factory=dict)
    doubtful: frozenset[int] = frozenset()  # whom nobody is sure of, and second texts of the same author
    _handouts: dict[Hashable, Any] = field(default_factory=dict)

    @cached_property
    def names(self) -> list[str]:
        """The names of all members."""
        return [member.name for member in self.members]

    @cached_property
    def author(self) -> NDArray[np.int64]:
        """A number for the author of each member; those who say the same have the same one."""
        return authors_of(self.names, [member.content for member in self.members])

    @cached_property
    def judged(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """The pairs that have a label, and their labels."""
        a, b = np.array(list(self.truth), np.int32).reshape(-1, 2).T
        return a, b, np.array(list(self.truth.values()), np.int64)

    @property
    def first_of_each(self) -> list[int]:
        """The first member of each author."""
        return sorted(np.unique(self.author, return_index=True)[1].tolist())

    def having(self, members: Iterable[Member]) -> Case:
        """A class of these members, with the same handout; of their pairs nothing is known."""
        return Case(self.language, list(members), self.handed_out, self.name, self.corpus, _handouts=self._handouts)

    def only(self, chosen: Sequence[int]) -> Case:
        """A class of some of the members."""
        return self.having(self.members[i] for i in chosen)

    def made(self, key: Hashable, make: Callable[[list[list[FileTexts]]], Sequence[Any]]) -> list[Any]:
        """A value for each member, computed only for members that lack it; `key` is its name."""
        missing = [member for member in self.members if key not in member.made]
        if missing:
            found = make([member.texts for member in missing])
            for member, one in zip(missing, found, strict=True):
                member.made[key] = one
        return [member.made[key] for member in self.members]

    def handout(self, key: Hashable, make: Callable[[list[list[FileTexts]]], Any]) -> Any:
        """A value computed from the starter code, once."""
        if key not in self._handouts:
            self._handouts[key] = make([member.texts for member in self.handed_out])
        return self._handouts[key]

    def bags(self) -> list[ViewBags]:
        """The bags of each member in each view, as if it were a class by itself."""

        def handed_out(given: list[list[FileTexts]]) -> Handout:
            return united([make_view_bags(given, None)])

        base = self.handout("bags", handed_out)
        return self.made("bags", lambda all_texts: [make_view_bags([texts], base) for texts in all_texts])

    def views(self) -> Views:
        """The class in all views."""
        placed = [
            {name: some.of(np.array([place])) for name, some in bags.items()} for place, bags in enumerate(self.bags())
        ]
        return make_views(placed, self.author, EVERYTHING, jobs=1).views

    @cached_property
    def is_prose(self) -> bool:
        """Whether nothing in the class has a structure."""
        return all(file.structure is None for member in self.members for file in member.texts)

    def winnowed(self) -> list[Hashes]:
        """The fingerprints of plain winnowing, each once: structure with k = 12 and w = 5, prose with 3 and 2."""
        k, w = (3, 2) if self.is_prose else (12, 5)

        def hashes(files: Sequence[FileTexts], base: Hashes) -> Hashes:
            return np.unique(make_document([s for file in files for s in streams_of(file)], k, w, base).hashes)

        def handed_out(given: list[list[FileTexts]]) -> Hashes:
            documents = [make_document([s for file in files for s in streams_of(file)], k, w) for files in given]
            return base_hashes(documents, k)

        base = self.handout(("winnowed", k, w), handed_out)
        return self.made(("winnowed", k, w), lambda all_files: [hashes(files, base) for files in all_files])


def streams_of(file: FileTexts) -> list[TokenStream]:
    """The structure of a file; of one that has none, the words of each of its stretches."""
    return [words for _, words in file.texts] if file.structure is None else [file.structure]


def make_case(submissions: Sequence[Submission], language: str) -> Case:
    """A class of these submissions, in the order of their names, of whose pairs nothing is known."""
    language = "auto" if language.startswith("mix") else language
    everyone = sorted(submissions, key=lambda s: s.id)
    plans = plan_all(everyone, language)
    read = map(_texts, plans, read_files(plans))
    members = [(each.role, Member(each.id, texts)) for each, texts in zip(everyone, read, strict=True)]
    new, base = ([member for role, member in members if role is wanted] for wanted in (Role.NEW, Role.BASE))
    return Case(language, new, base)


def _texts(plans: Sequence[FilePlan], files: Sequence[FileStreams]) -> list[FileTexts]:
    """All that was read of a submission."""
    return [
        FileTexts(
            number,
            cut_spans(_as_compiled(plan), part.spans, part.tokens[Channel.TEXT]),
            part.tokens.get(Channel.STRUCTURE),
        )
        for number, (plan, file) in enumerate(zip(plans, files, strict=True))
        for part in file.parts
    ]


def _as_compiled(plan: FilePlan) -> str:
    return as_compiled(by_name(plan.parts[0].language), plan.text) if len(plan.parts) == 1 else plan.text


def honest_names(
    names: Iterable[str], copied: Collection[tuple[str, str]], doubtful: Collection[str], made: bool
) -> list[str]:
    """The members whom no copied pair names and nobody doubts.

    If copies were `made` for the corpus, also the original of each: the one that most copies are of, and among equals
    the one with the shortest name."""
    suspects = {name for pair in copied for name in pair}
    pairs = Counter(name for pair in copied for name in pair)
    if made:
        suspects -= {min(group, key=lambda name: (-pairs[name], len(name), name)) for group in clusters(copied)}
    return [name for name in names if name not in suspects and name not in doubtful]


def cases_of(corpus: Path) -> list[Case]:
    """The cases of a corpus that have both copied and independent pairs."""
    folders = [corpus] if (corpus / "truth.csv").exists() else sorted(p.parent for p in corpus.glob("*/truth.csv"))
    cases = [read_case(folder) for folder in folders]
    return [case for case in cases if 0 < sum(case.truth.values()) < len(case.truth)]


def read_case(folder: Path) -> Case:
    """The class in a folder."""
    about = json.loads((folder / "case.json").read_text())
    base = [folder / "boilerplate"] if (folder / "boilerplate").is_dir() else []
    case = make_case(collect([folder / "submissions"], [], base).submissions, about["language"])
    place = {name: i for i, name in enumerate(case.names)}
    truth, level = _judged(folder, place, about["negatives"] == "implicit")
    doubtful = frozenset(place[name] for name in doubted(folder, case.names) if name in place)
    return replace(
        case,
        name=folder.name,
        corpus=folder.parent.name,
        language=about["language"],
        truth=truth,
        level=level,
        doubtful=doubtful,
    )


def doubted(folder: Path, names: Collection[str]) -> set[str]:
    """The members of a class whom its labels doubt, and second texts of the same author."""
    named = {row[side] for row in rows_of(folder / "exclude.csv") for side in "ab"}
    again = {name for name in names if name.endswith("v2") and name.removesuffix("v2") in names}
    return named | again | set(_unsure(folder))


def _unsure(folder: Path) -> list[str]:
    listed = folder / "uncertain.txt"
    return listed.read_text().split() if listed.exists() else []


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a table, if there is one."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _judged(folder: Path, place: Mapping[str, int], implicit: bool) -> tuple[dict[Pair, int], dict[Pair, str]]:
    """The label of each pair that has one, and the level of disguise of the copied ones."""

    def pair(row: Mapping[str, str]) -> Pair:
        a, b = sorted((place[row["a"]], place[row["b"]]))
        return a, b

    listed = rows_of(folder / "truth.csv")
    truth = dict.fromkeys(combinations(range(len(place)), 2), 0) if implicit else {}
    truth |= {pair(row): int(row["label"]) for row in listed}
    for row in rows_of(folder / "exclude.csv"):
        truth.pop(pair(row), None)
    unsure = {place[name] for name in _unsure(folder) if name in place}
    truth = {key: label for key, label in truth.items() if unsure.isdisjoint(key)}
    return truth, {pair(row): row.get("level") or "" for row in listed if row["label"] == "1"}
