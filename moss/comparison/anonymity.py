"""Anonymity: owners become pseudonyms everywhere, inside the code too, before anything is compared.

Pseudonyms are stable: they depend on the owners' names alone, so the same class gives the same ones again. They are
numbered in the order of the names' digests, which tells nothing about the alphabet.

Looked for are a name's parts and their usual combinations (AdaLovelace, lovelace_ada, alovelace), in any case, with or
without accents. A part that two owners have becomes plain `student`. A part that most of the class writes is a word of
the assignment and not a name, and stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256

from frontends.folding import fold
from moss.intake import Intake
from moss.model import Problem, Role, SourceFile, Submission

_SHORTEST = 3  # letters of a part that is looked for in texts: shorter ones are parts of any text
_NEUTRAL = "student"
_ENDING = re.compile(r"\.\w{1,10}\Z")
_PART = re.compile(r"[^\W\d_]+|\d+")


def anonymize(intake: Intake) -> Intake:
    """The same submissions without their owners' names, in ids, paths, texts and problems."""
    people = sorted((s for s in intake.submissions if s.role is not Role.BASE), key=lambda s: s.id)
    pseudonyms = pseudonyms_for(sorted({s.owner for s in people}))
    names = names_of(people, pseudonyms)
    in_texts = Remover({name: to for name, to in names.items() if len(name) >= _SHORTEST}, _common_words(people))
    in_paths = Remover(names, frozenset())
    seen: Counter[str] = Counter()
    hidden = []
    for person in people:
        pseudonym = pseudonyms[person.owner]
        seen[pseudonym] += 1
        suffix = f"-{seen[pseudonym]}" if seen[pseudonym] > 1 else ""
        files = tuple(_hide_in_file(file, in_texts, in_paths) for file in person.files)
        skipped = _hide_in_problems(person.skipped, in_paths)
        hidden.append(replace(person, id=pseudonym + suffix, owner=pseudonym, files=files, skipped=skipped))
    base = (s for s in intake.submissions if s.role is Role.BASE)
    return Intake((*hidden, *base), _hide_in_problems(intake.problems, in_paths))


def pseudonyms_for(owners: Sequence[str]) -> dict[str, str]:
    """A pseudonym for each owner."""
    ordered = sorted(owners, key=lambda owner: sha256(owner.encode("utf-8", "surrogatepass")).digest())
    width = len(str(len(ordered)))
    return {owner: f"{_NEUTRAL}{number:0{width}}" for number, owner in enumerate(ordered, 1)}


def names_of(people: Iterable[Submission], pseudonyms: dict[str, str]) -> dict[str, str]:
    """All that could give an owner away, in lower case without accents, and what takes its place."""
    names: dict[str, str] = {}
    for person in people:
        for written in {person.owner, person.id}:
            for name in _spellings(fold(_ENDING.sub("", written)).text.lower()):
                pseudonym = pseudonyms[person.owner]
                names[name] = pseudonym if names.get(name, pseudonym) == pseudonym else _NEUTRAL
    return names


def _spellings(name: str) -> set[str]:
    """A name, its parts, and what people make of first and last."""
    parts = _PART.findall(name)
    spellings = {name, *parts}
    words = [part for part in parts if not part.isdigit()]
    if len(words) > 1:
        first, last = words[0], words[-1]
        spellings |= {"".join(words), last + first, first + last, first[0] + last, last + first[0], first + last[0]}
    return {spelling for spelling in spellings if spelling.strip()}


def _common_words(people: Sequence[Submission]) -> frozenset[str]:
    """The words that more than half of the submissions write."""
    count: Counter[str] = Counter()
    for person in people:
        count.update({word.lower() for file in person.files for word in _PART.findall(file.text)})
    return frozenset(word for word, number in count.items() if 2 * number > len(people) and number > 2)


class Remover:
    """Puts pseudonyms in the place of names."""

    def __init__(self, names: dict[str, str], kept: frozenset[str]) -> None:
        self._names = {name: pseudonym for name, pseudonym in names.items() if name not in kept}
        longest_first = sorted(self._names, key=lambda name: (-len(name), name))
        alternatives = "|".join(re.escape(name) for name in longest_first) or r"(?!)"
        self._pattern = re.compile(alternatives, re.IGNORECASE)

    def __call__(self, text: str) -> str:
        """The text without the names."""
        folded = fold(text)
        pieces: list[str] = []
        done = 0
        for match in self._pattern.finditer(folded.text):
            start, end = match.span()
            if _stands_alone(folded.text, start, end) and (name := self._names.get(match[0].lower())):
                first = start if folded.start is None else int(folded.start[start])
                last = end if folded.end is None else int(folded.end[end - 1])
                pieces += text[done:first], name
                done = last
        return "".join(pieces) + text[done:]


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the characters are a word, a number, or a hump of a camelCaseName."""
    before, first = text[start - 1 : start], text[start]
    last, after = text[end - 1], text[end : end + 1]
    if first.isdigit() or last.isdigit():
        return not (before.isalnum() or after.isalnum())
    begins = not before.isalpha() or (before.islower() and first.isupper())
    ends = not after.isalpha() or (last.islower() and after.isupper())
    return begins and ends


def _hide_in_file(file: SourceFile, in_texts: Remover, in_paths: Remover) -> SourceFile:
    path = _hide_in_path(file.path, in_paths)
    if not file.cells:
        return replace(file, path=path, text=in_texts(file.text))
    text, cells, done = "", [], 0
    for cell in file.cells:
        text += file.text[done : cell.start]
        inside = in_texts(file.text[cell.start : cell.end])
        cells.append(replace(cell, start=len(text), end=len(text) + len(inside)))
        text += inside
        done = cell.end
    return replace(file, path=path, text=text + file.text[done:], cells=tuple(cells))


def _hide_in_path(path: str, in_paths: Remover) -> str:
    """The path without names; its ending stays, for it says the language."""
    ending = _ENDING.search(path)
    stem = path[: ending.start()] if ending else path
    return in_paths(stem) + (ending[0] if ending else "")


def _hide_in_problems(problems: Sequence[Problem], in_paths: Remover) -> tuple[Problem, ...]:
    return tuple(Problem(_hide_in_path(problem.path, in_paths), in_paths(problem.reason)) for problem in problems)
