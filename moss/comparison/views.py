"""The streams of codes that each view of the score looks at, and the bags that are made of them.

`moss.engine.ranking.score` says what the views are for and which k-grams they select; here is what they see of a
submission. Text without structure (an essay; a README, a licence, a file of data, a notebook's text cells) is kept
apart, file by file, because beside programs it counts only as far as much of the class does not have it
(`moss.engine.ranking.beside`). It has no part in the letters of a submission that has a program.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontends.normalise.folding import Folded, fold
from frontends.normalise.outline import outlines
from frontends.normalise.verbatim import folded_letters, spelled
from moss.engine.ranking.bags import NOTHING, Bags, make_bags, together
from moss.engine.ranking.beside import Beside, sift
from moss.engine.ranking.letters import triples
from moss.engine.ranking.score import (
    LONG,
    LONG_WORDS,
    OUTLINE,
    RARE,
    STRUCTURE,
    VIEWS,
    WORDS,
    Views,
    ViewSpec,
    make_letter_view,
    make_view,
)
from moss.hashing import Hashes, among, distinct
from moss.model import Codes, TokenStream
from moss.processes.pool import give_back_memory, map_trusted

BESIDE = "beside"
WITH_BESIDE = (WORDS.name, LONG_WORDS.name)  # the views that have what counts of text without structure
_MUCH = 1 << 27  # bytes that are given back to the system, which clears them before anybody uses them again; fewer stay
_KGRAMS = (OUTLINE, STRUCTURE, WORDS, *RARE)


class FileTexts(NamedTuple):
    """A file part as the views look at it: the text of each of its spans, with its words, whose offsets count from the
    start of the span; and the structure, if the language has one."""

    file: int  # its number in the submission
    texts: tuple[tuple[str, TokenStream], ...]
    structure: TokenStream | None


@dataclass(frozen=True, slots=True)
class ViewStreams:
    """The streams of a submission that the views look at."""

    outline: list[Codes] = field(default_factory=list)
    structure: list[Codes] = field(default_factory=list)
    words: list[Codes] = field(default_factory=list)
    beside: dict[int, list[Codes]] = field(default_factory=dict)  # words of text without structure, by file
    letters: list[Folded] = field(default_factory=list)

    def of(self, spec: ViewSpec) -> list[Codes]:
        """The streams that a view of k-grams looks at."""
        code = {OUTLINE: self.outline, STRUCTURE: self.structure, LONG: self.structure}
        return code.get(spec, self.words)


ViewBags = dict[str, Bags]
"""For each view, by name, the bags of some submissions; those of text without structure are of single files."""

Handout = Mapping[str, Hashes]
"""For each view, by name, the fingerprints of starter code, sorted."""


def make_view_bags(submissions: Sequence[Sequence[FileTexts]], base: Handout | None) -> ViewBags:
    """The bags of submissions with these files, without the fingerprints of the handout (`base`). Of the handout itself
    (None) every k-gram is kept: in other surroundings others are selected."""
    read = _read(submissions)
    bags = {spec.name: _kgram_bags(spec, [streams.of(spec) for streams in read], base) for spec in _KGRAMS}
    files = [(number, codes) for number, streams in enumerate(read) for codes in streams.beside.values()]
    beside = _kgram_bags(WORDS, [codes for _, codes in files], base)
    bags[BESIDE] = beside.of(np.array([number for number, _ in files], np.int64))
    handed_out = base["letters"] if base is not None else NOTHING
    found = [
        some[~among(some, handed_out)] if len(handed_out) else some
        for some in triples([[*map(folded_letters, streams.letters)] for streams in read])
    ]
    bags["letters"] = replace(together(found), hashes=np.concatenate([*found, NOTHING]).astype(np.uint32))
    return bags


def _kgram_bags(spec: ViewSpec, streams: Sequence[Sequence[Codes]], base: Handout | None) -> Bags:
    if base is not None:
        return make_bags(streams, spec.k, spec.w, base[spec.name])
    every = make_bags(streams, spec.k, 1, NOTHING)
    return together([distinct(hashes) for hashes in every.split()])


def has_program(submission: Sequence[FileTexts]) -> bool:
    """Whether a submission has a program; its other text lies beside it then."""
    return any(part.structure is not None and len(part.structure) for part in submission)


def _read(submissions: Sequence[Sequence[FileTexts]]) -> list[ViewStreams]:
    """The streams of each submission."""
    parts = [part for submission in submissions for part in submission]
    passages = [passage for part in parts for passage in part.texts]
    folded = [fold(text) for text, _ in passages]
    words, plain = iter(spelled(passages, folded)), iter(folded)
    outline = iter(outlines([part.structure.codes for part in parts if part.structure is not None]))
    result: list[ViewStreams] = []
    for submission in submissions:
        streams, program = ViewStreams(), has_program(submission)
        for part in submission:
            spoken, texts = list(islice(words, len(part.texts))), list(islice(plain, len(part.texts)))
            if part.structure is not None:
                streams.outline.append(next(outline))
                streams.structure.append(part.structure.codes)
                streams.words.extend(spoken)
            else:
                streams.beside.setdefault(part.file, []).extend(spoken)
            if part.structure is not None or not program:
                streams.letters.extend(texts)
        result.append(streams)
    return result


def united(handouts: Sequence[ViewBags]) -> Handout:
    """The fingerprints that any of these has, in each view; text beside programs is words like any others."""
    found = {
        spec.name: distinct(np.concatenate([NOTHING, *(bags[spec.name].hashes for bags in handouts)]))
        for spec in (*VIEWS, *RARE)
    }
    beside = [bags[BESIDE].hashes for bags in handouts]
    return found | {WORDS.name: distinct(np.concatenate([found[WORDS.name], *beside]))}


class ClassViews(NamedTuple):
    """A class in all views, and which text beside its programs was not counted."""

    views: Views
    beside: Beside


def sift_beside(all_bags: Sequence[ViewBags], author: NDArray[np.int64]) -> Beside:
    """The text beside the programs of a class, without what is common in it."""
    programs = np.zeros(len(author), np.bool_)
    for bags in all_bags:
        some = bags["structure"]
        programs[some.numbers[some.counts > 0]] = True
    return sift([bags[BESIDE] for bags in all_bags], author, programs)


def make_views(
    all_bags: Sequence[ViewBags], author: NDArray[np.int64], max_matches: int, jobs: int, room: int = sys.maxsize
) -> ClassViews:
    """The views of a class whose submissions, some at a time, have these bags; made in about so many bytes. Bags are
    half of what is held of a class, so those of a view are taken away once it is made."""
    beside = sift_beside(all_bags, author)

    def view(spec: ViewSpec) -> object:
        chosen = [bags[spec.name] for bags in all_bags]
        if spec.name == "letters":
            return make_letter_view(chosen, author)
        more = [beside.counted] if spec.name in WITH_BESIDE else []
        return make_view(spec, [*chosen, *more], author, max_matches, room // jobs)

    specs = (*VIEWS, *RARE)
    made: dict[str, object] = {}
    freed = 0
    for number, found in map_trusted(view, specs, jobs=jobs):
        made[specs[number].name] = found
        freed += sum(bags.pop(specs[number].name).hashes.nbytes for bags in all_bags)
        if freed > _MUCH:
            give_back_memory()
            freed = 0
    return ClassViews(Views(*(made[spec.name] for spec in specs)), beside)  # type: ignore[arg-type]
