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
from moss.comparison.planning import plan_all
from moss.comparison.scanned import FilePlan, FileStreams
from moss.comparison.scanning import read_files, stretches
from moss.comparison.views import READERS, Handout, Passages, Reader, make_traces, make_views, united
from moss.engine.documents import base_hashes, make_document
from moss.engine.groups import clusters
from moss.engine.index import authors_of
from moss.engine.scoring import Views
from moss.engine.traces import together
from moss.hashing import Hashes
from moss.intake import collect
from moss.model import Channel, Role, Submission, TokenStream

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
    passages: list[Passages]
    made: dict[Hashable, Any] = field(default_factory=dict)

    @cached_property
    def content(self) -> bytes:
        """All tokens: equal for submissions that say the same."""
        return b"".join(stream.codes.tobytes() for file in self.passages for stream in streams_of(file))


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

    def made(self, key: Hashable, make: Callable[[list[list[Passages]]], Sequence[Any]]) -> list[Any]:
        """Something for each member, which is made of those that do not have it yet; `key` is its name."""
        missing = [member for member in self.members if key not in member.made]
        if missing:
            found = make([member.passages for member in missing])
            for member, one in zip(missing, found, strict=True):
                member.made[key] = one
        return [member.made[key] for member in self.members]

    def handout(self, key: Hashable, make: Callable[[list[list[Passages]]], Any]) -> Any:
        """Something that is made of what was handed out, once."""
        if key not in self._handouts:
            self._handouts[key] = make([member.passages for member in self.handed_out])
        return self._handouts[key]

    def traces(self, readers: Sequence[Reader] = READERS) -> dict[str, list[Hashes]]:
        """The traces of all members as these readers see them, by the readers' names."""

        def make(submissions: list[list[Passages]]) -> list[tuple[Hashes, ...]]:
            base: Handout = self.handout(tuple(readers), lambda given: united([make_traces(given, None, readers)]))
            found = make_traces(submissions, base, readers)
            return list(zip(*(found[reader.name].split() for reader in readers), strict=True))

        columns = zip(*self.made(tuple(readers), make), strict=True)
        return {reader.name: list(column) for reader, column in zip(readers, columns, strict=True)}

    def views(self, **changed: tuple[int, int]) -> Views:
        """The views of the class; `changed` has other k and w for some of them."""
        readers = [r._replace(k=changed[r.name][0], w=changed[r.name][1]) if r.name in changed else r for r in READERS]
        seen = {name: together(found) for name, found in self.traces(readers).items()}
        return make_views([seen], self.author, EVERYTHING, jobs=1)

    @cached_property
    def is_prose(self) -> bool:
        """Whether nothing in the class has a structure."""
        return all(file.structure is None for member in self.members for file in member.passages)

    def winnowed(self) -> list[Hashes]:
        """The fingerprints of plain winnowing, each once: structure with k = 12 and w = 5, prose with 3 and 2."""
        k, w = (3, 2) if self.is_prose else (12, 5)

        def hashes(files: Sequence[Passages], base: Hashes) -> Hashes:
            return np.unique(make_document([s for file in files for s in streams_of(file)], k, w, base).hashes)

        def handed_out(given: list[list[Passages]]) -> Hashes:
            documents = [make_document([s for file in files for s in streams_of(file)], k, w) for files in given]
            return base_hashes(documents, k)

        base = self.handout(("winnowed", k, w), handed_out)
        return self.made(("winnowed", k, w), lambda all_files: [hashes(files, base) for files in all_files])


def streams_of(file: Passages) -> list[TokenStream]:
    """The structure of a file; of one that has none, the words of each of its stretches."""
    return [words for _, words in file.texts] if file.structure is None else [file.structure]


def make_case(submissions: Sequence[Submission], language: str) -> Case:
    """A class of these submissions, in the order of their names, of whose pairs nothing is known."""
    language = "auto" if language.startswith("mix") else language
    everyone = sorted(submissions, key=lambda s: s.id)
    plans = plan_all(everyone, language)
    read = map(_passages, plans, read_files(plans))
    members = [(each.role, Member(each.id, passages)) for each, passages in zip(everyone, read, strict=True)]
    new, base = ([member for role, member in members if role is wanted] for wanted in (Role.NEW, Role.BASE))
    return Case(language, new, base)


def _passages(plans: Sequence[FilePlan], files: Sequence[FileStreams]) -> list[Passages]:
    return [
        Passages(
            stretches(_as_compiled(plan), part.spans, part.tokens[Channel.TEXT]), part.tokens.get(Channel.STRUCTURE)
        )
        for plan, file in zip(plans, files, strict=True)
        for part in file.parts
    ]


def _as_compiled(plan: FilePlan) -> str:
    return as_compiled(by_name(plan.parts[0].language), plan.text) if len(plan.parts) == 1 else plan.text


def honest_names(
    names: Iterable[str], copied: Collection[tuple[str, str]], doubtful: Collection[str], made: bool
) -> list[str]:
    """Those whom no copied pair names and nobody doubts; if copies were `made` for the corpus, also the original of
    each: the one that most copies are of, and of equals the one with the shortest name."""
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
    """Those of a class whom its labels doubt, and second texts of the same author."""
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
