"""Pseudonyms in place of names, wherever they stand in a text.

Pseudonyms are stable: they depend on the owners' names alone, so the same class gives the same ones again. They are
numbered in the order of the names' digests, which tells nothing about the alphabet.

Looked for are a name's parts and their usual combinations (AdaLovelace, lovelace_ada, alovelace), in any case, with or
without accents, or with two letters for one (Mueller). Names in scripts without capital letters, such as Chinese or
Arabic, are found inside longer words too, because there other words may touch them. A part that two owners have becomes
plain `student`. A part that most of the class writes is a word of the assignment and not a name, and stays; equal
submissions count once, because whoever copies a file copies its author's name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple
from unicodedata import normalize

from frontends.normalise.folding import fold
from moss.model import Submission, SubmissionRecord

NEUTRAL = "student"
"""What stands for a name that is no single owner's."""

HIDING = 2
"""Grows when more is hidden than before, so that pages which were kept are made again."""

_SHORTEST = 3  # letters of a part that is looked for in texts: shorter ones are parts of any text
_WHOLE_NAME = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3]{2}")  # two letters of Chinese, Japanese or Korean may be a name
_TWO_FOR_ONE = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "å": "aa", "ø": "oe", "đ": "dj"})
_ENDING = re.compile(r"\.\w{1,10}\Z")
_PART = re.compile(r"[^\W\d_]+|\d+")

Person = Submission | SubmissionRecord


class Replacement(NamedTuple):
    """A name in a text, and its replacement."""

    start: int
    end: int
    pseudonym: str


def pseudonyms_for(owners: Sequence[str]) -> dict[str, str]:
    """A pseudonym for each owner."""
    ordered = sorted(owners, key=lambda owner: sha256(owner.encode("utf-8", "surrogatepass")).digest())
    width = len(str(len(ordered)))
    return {owner: f"{NEUTRAL}{number:0{width}}" for number, owner in enumerate(ordered, 1)}


def names_of(people: Iterable[Person], pseudonyms: Mapping[str, str]) -> dict[str, str]:
    """All spellings that could reveal an owner, in lower case without accents, and their replacements."""
    names: dict[str, str] = {}
    for person in people:
        for written in {person.owner, person.id, person.account} - {""}:
            for name in set().union(*map(_spellings, _forms(_ENDING.sub("", written)))):
                pseudonym = pseudonyms[person.owner]
                names[name] = pseudonym if names.get(name, pseudonym) == pseudonym else NEUTRAL
    return names


def _forms(name: str) -> set[str]:
    """A name as it is looked for: folding may give small and capital letters different looks."""
    if name.isascii():
        return {fold(name).text.lower()}
    small = normalize("NFC", name).lower()
    return {fold(form).text.lower() for form in (name, small, name.upper(), small.translate(_TWO_FOR_ONE))}


def _spellings(name: str) -> set[str]:
    """A name, its parts, and the usual combinations of them."""
    parts = _PART.findall(name)
    spellings = {name, *parts}
    words = [part for part in parts if not part.isdigit()]
    if len(words) > 1:
        first, last = words[0], words[-1]
        spellings |= {last + first, last + first[0], first + last[0]}
        spellings |= {"".join(words), "".join(word[0] for word in words[:-1]) + last}
        spellings |= {start + word for start in (first, first[0]) for word in words[1:]}
        for many in (2, 3):  # neighbours, as in GarciaLopez, and initials, as in cobrien
            spellings |= {"".join(words[start : start + many]) for start in range(len(words))}
            spellings.add(first[0] + "".join(words[1:][-many:]))
    return {spelling for spelling in spellings if spelling.strip()}


def common_words(people: Sequence[Person]) -> frozenset[str]:
    """The words that more than half of the submissions write, of which equal ones count once."""
    count: Counter[str] = Counter()
    written = {tuple(file.text for file in person.files) for person in people}
    for texts in written:
        count.update({word.lower() for text in texts for word in _PART.findall(text)})
    return frozenset(word for word, number in count.items() if 2 * number > len(written) and number > 2)


class Remover:
    """Puts pseudonyms in the place of names."""

    def __init__(self, names: Mapping[str, str], kept: frozenset[str] = frozenset()) -> None:
        self._names = {name: pseudonym for name, pseudonym in names.items() if name not in kept}
        longest_first = sorted(self._names, key=lambda name: (-len(name), name))
        alternatives = "|".join(re.escape(name) for name in longest_first) or r"(?!)"
        self._pattern = re.compile(alternatives, re.IGNORECASE)

    def __call__(self, text: str) -> str:
        """The text without the names."""
        pieces: list[str] = []
        done = 0
        for start, end, pseudonym in self.found_in(text):
            pieces += text[done:start], pseudonym
            done = end
        return "".join(pieces) + text[done:]

    def found_in(self, text: str) -> list[Replacement]:
        """Where the names stand in the text, in order."""
        folded = fold(text)
        found = []
        for match in self._pattern.finditer(folded.text):
            start, end = match.span()
            if _stands_alone(folded.text, start, end) and (name := self._names.get(match[0].lower())):
                first = start if folded.start is None else int(folded.start[start])
                last = end if folded.end is None else int(folded.end[end - 1])
                found.append(Replacement(first, last, name))
        return found


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the characters are a word, a number, or a hump of a camelCaseName."""
    before, first = text[start - 1 : start], text[start]
    last, after = text[end - 1], text[end : end + 1]
    if first.isdigit() or last.isdigit():
        return not (before.isalnum() or after.isalnum())
    return not (_is_joined(before, first) or _is_joined(last, after))


def _is_joined(left: str, right: str) -> bool:
    """Whether two neighbours belong to one word: letters of scripts with capitals, but not where a hump begins."""
    return _has_case(left) and _has_case(right) and not (left.islower() and right.isupper())


def _has_case(letter: str) -> bool:
    return letter.isalpha() and letter.lower() != letter.upper()


def in_texts(names: Mapping[str, str], people: Sequence[Person]) -> Remover:
    """Removes names from the texts of these people: all but the shortest ones and words of the task."""
    return Remover({name: to for name, to in names.items() if _is_telling(name)}, common_words(people))


def _is_telling(name: str) -> bool:
    return len(name) >= _SHORTEST or _WHOLE_NAME.fullmatch(name) is not None


def hide_in_path(path: str, in_paths: Remover) -> str:
    """The path without names; its ending stays, for it says the language."""
    ending = _ENDING.search(path)
    stem = path[: ending.start()] if ending else path
    return in_paths(stem) + (ending[0] if ending else "")
