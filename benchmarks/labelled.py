"""Labelled corpora, read once, for the programs that measure detection quality.

A corpus is a folder of cases, each with `submissions/<id>/...`, `truth.csv` (a, b, label, perhaps level), `case.json`
(language; negatives explicit or implicit) and perhaps `boilerplate/`, `exclude.csv`, `uncertain.txt`. None is part of
this project.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from moss.comparison.planning import plan_all
from moss.comparison.scanned import FilePlan
from moss.comparison.scanning import Scanner, read_file, stretches
from moss.comparison.views import READERS, Passages, make_traces, united
from moss.engine.documents import Document, base_hashes, make_document
from moss.engine.index import authors_of
from moss.engine.scoring import Views, make_view
from moss.engine.traces import together
from moss.hashing import Hashes
from moss.intake import collect
from moss.model import Channel, Role, Submission, TokenStream

EVERYTHING = 1 << 30
Pair = tuple[int, int]


@dataclass(frozen=True)
class Case:
    """A class, read once: what was read of each submission, and what is known about its pairs."""

    name: str
    language: str
    names: list[str]
    passages: list[list[Passages]]
    handed_out: list[list[Passages]]
    author: np.ndarray[Any, Any]
    truth: dict[Pair, int] = field(default_factory=dict)
    level: dict[Pair, str] = field(default_factory=dict)
    doubtful: frozenset[int] = frozenset()  # whom nobody is sure of, and second texts of the same author
    _known: dict[Any, dict[str, list[Hashes]]] = field(default_factory=dict)

    def traces(self, changed: Mapping[str, tuple[int, int]]) -> dict[str, list[Hashes]]:
        """The traces of all submissions in each view; `changed` has other k and w for some views."""
        key = tuple(sorted(changed.items()))
        if key not in self._known:
            readers = [
                r._replace(k=changed[r.name][0], w=changed[r.name][1]) if r.name in changed else r for r in READERS
            ]
            base = united([make_traces(self.handed_out, None, readers)])
            made = make_traces(self.passages, base, readers)
            self._known[key] = {name: bags.split() for name, bags in made.items()}
        return self._known[key]

    def views(self, members: Sequence[int] | None = None, **changed: tuple[int, int]) -> Views:
        """The views of the class, or of some of its members."""
        chosen = list(range(len(self.names)) if members is None else members)
        traces = self.traces(changed)
        author = self.author[chosen]
        seen = {name: together([found[i] for i in chosen]) for name, found in traces.items()}
        return Views(**{name: make_view([bags], author, EVERYTHING) for name, bags in seen.items()})

    def winnowed(self) -> list[Hashes]:
        """The fingerprints of plain winnowing: structure with 12/16, prose with 3/4."""
        prose = all(file.structure is None for files in self.passages for file in files)
        k, w = (3, 2) if prose else (12, 5)

        def document(files: Sequence[Passages], base: Hashes) -> Document:
            return make_document([stream for file in files for stream in _streams(file, prose)], k, w, base)

        base = base_hashes([document(files, np.zeros(0, np.uint64)) for files in self.handed_out], k)
        return [np.unique(document(files, base).hashes) for files in self.passages]


def make_case(submissions: Sequence[Submission], language: str) -> Case:
    """A class of these submissions, in the order of their names, of whose pairs nothing is known."""
    language = "auto" if language.startswith("mix") else language
    everyone = sorted(submissions, key=lambda s: s.id)
    scanner = Scanner(None, {}, None)
    read: dict[Role, list[list[Passages]]] = {Role.NEW: [], Role.BASE: []}
    contents = []
    for submission, plans in zip(everyone, plan_all(everyone, language), strict=True):
        read[submission.role].append(_passages(plans))
        if submission.role is Role.NEW:
            contents.append(scanner(plans).content)
    names = [s.id for s in everyone if s.role is Role.NEW]
    return Case("", language, names, read[Role.NEW], read[Role.BASE], authors_of(names, contents))


def _streams(file: Passages, prose: bool) -> list[TokenStream]:
    """The structure of a file; of prose, and of what has none, the words of each stretch."""
    if file.structure is None or prose:
        return [words for _, words in file.texts]
    return [file.structure]


def _passages(plans: Iterable[FilePlan]) -> list[Passages]:
    return [
        Passages(stretches(plan.text, part.spans, part.tokens[Channel.TEXT]), part.tokens.get(Channel.STRUCTURE))
        for plan in plans
        for part in read_file(plan).parts
    ]


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
    return replace(
        case, name=folder.name, language=about["language"], truth=truth, level=level, doubtful=_doubtful(folder, place)
    )


def _doubtful(folder: Path, place: Mapping[str, int]) -> frozenset[int]:
    named = [name for row in rows_of(folder / "exclude.csv") for name in (row["a"], row["b"])]
    again = [name for name in place if name.endswith("v2") and name.removesuffix("v2") in place]
    return frozenset(place[name] for name in (*named, *again, *_unsure(folder)) if name in place)


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
