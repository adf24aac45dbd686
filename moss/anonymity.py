"""Pseudonyms in place of names, wherever they stand in a text.

Pseudonyms are stable: they depend on the owners' names alone, so the same class gives the same ones again. They are
numbered in the order of the names' digests, which tells nothing about the alphabet.

Looked for are a name's parts and their usual combinations (AdaLovelace, lovelace_ada, alovelace), also of `Lovelace,
Ada` and of each member of a team, in any case, with or without accents, or with two letters for one (Mueller for
Müller, Müller for Mueller). Names in scripts without capital letters, such as Chinese or Arabic, are found inside
longer words too, because there other words may touch them, and with or without a space between surname and given name.
A part that two owners have becomes plain `student`. A part that most of the class writes is a word of the assignment
and not a name, and stays; equal submissions count once, because whoever copies a file copies its author's name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import chain, groupby, product
from math import prod
from typing import NamedTuple
from unicodedata import category, normalize

from frontends import for_path
from frontends.normalise.folding import fold
from moss.model import Problem, Submission, SubmissionRecord

NEUTRAL = "student"
"""What stands for a name that is no single owner's."""

HIDING = 8
"""Grows when more is hidden than before, so that pages which were kept are made again."""

_SHORTEST = 3  # letters of a part that is looked for in texts: shorter ones are parts of any text
_SHORTEST_PLAIN = 4  # letters of a name after one letter has taken the place of two: Baez is no baz
_WHOLE_NAME = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3]{2}")  # two letters of Chinese, Japanese or Korean may be a name
_UNSPACED_NAME = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3]{2,4}")  # longer ones have spaces, or are a team's
_TWO_FOR_ONE = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "å": "aa", "ø": "oe", "æ": "ae", "đ": "dj", "þ": "th"}
_ONE_FOR_TWO = {"ae": "ä", "oe": "ö", "ue": "ü", "ss": "ß", "aa": "å"}
_WRITTEN_TWICE = re.compile("|".join((*_TWO_FOR_ONE, *_ONE_FOR_TWO)))
_WORD_OR_BETWEEN = re.compile(r"[^\W\d_]+|[\W\d_]+")
_MOST_FORMS = 16  # with more, such letters are looked for as written, or all in the other way
_SEPARATORS = (" ", ", ", "_", "-", ".")
_ENDING = re.compile(r"\.\w{1,10}\Z")
_VOWEL_SIGNS = "".join(sign for sign in map(chr, range(0x900, 0x1D00)) if category(sign) == "Mc")
_PART = re.compile(rf"(?:[^\W\d_]++[{_VOWEL_SIGNS}]*+)++|\d+")  # in Indian scripts, too
_ADDRESS = re.compile(r"([^@\s]+)@[^@\s]+\.\w+")
_MAYBE_START = re.compile(r"[^\Wa-z_]|(?<![A-Za-z])[a-z]")  # all places where a name may begin, and some more
_LEAD = 3  # letters by which names are looked up

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
        for written in _written(person):
            for name in set().union(*map(_spellings, _forms(written))):
                pseudonym = pseudonyms[person.owner]
                names[name] = pseudonym if names.get(name, pseudonym) == pseudonym else NEUTRAL
    return names


def _written(person: Person) -> set[str]:
    """The names of a person, without the ending of a file that is the submission; the part of an address before the @;
    each member of a team; and the given name first where it stands behind a comma."""
    names = {_without_ending(name, person) for name in (person.owner, person.id, person.account)}
    written = {part for name in names for part in (name, name.partition("@")[0], *_members(name))}
    return {name.strip() for each in written for name in (each, _given_name_first(each))} - {""}


def _members(name: str) -> list[str]:
    """The members of a team: those between semicolons, or between commas if each of these has several words."""
    members = name.split(";") if ";" in name else name.split(",")
    return members if ";" in name or all(len(_PART.findall(member)) > 1 for member in members) else []


def _given_name_first(name: str) -> str:
    """`Ada Lovelace` for `Lovelace, Ada`; a name without just one comma as it is."""
    family, comma, given = name.partition(",")
    return f"{given} {family}" if comma and ";" not in name and "," not in given else name


def _without_ending(name: str, person: Person) -> str:
    """A name without the ending of the person's file: `ada` for `ada.py`, but all of `ada.lovelace`."""
    ending = _ENDING.search(name)
    if ending is None:
        return name
    is_of_file = any(file.path.endswith(ending[0]) for file in person.files) if person.files else for_path(name)
    return name[: ending.start()] if is_of_file else name


def _forms(name: str) -> set[str]:
    """A name as it is looked for: folding may give small and capital letters different looks."""
    small = normalize("NFC", name).lower()
    forms = {small, *_written_differently(small)}
    return {fold(form).text.lower() for form in (forms if name.isascii() else {name, name.upper(), *forms})}


def _written_differently(small: str) -> set[str]:
    """A name with two letters in the place of one, or one in the place of two."""
    choices = [_variants(word) for word in _WORD_OR_BETWEEN.findall(small)]
    if prod(map(len, choices)) > _MOST_FORMS:
        choices = [[words[0], words[-1]] for words in choices]
        return {"".join(each) for each in zip(*choices, strict=True)}
    return {"".join(each) for each in product(*choices)}


def _variants(word: str) -> list[str]:
    """A word as it is, and with such letters written in another way: each of a few, or all of them."""
    pieces = _WRITTEN_TWICE.split(word)
    found = _WRITTEN_TWICE.findall(word)
    choices = [(one, _TWO_FOR_ONE.get(one) or _ONE_FOR_TWO[one]) for one in found]
    ways = product(*choices) if 2 ** len(found) <= _MOST_FORMS else zip(*choices, strict=True)
    forms = ["".join(chain(*zip(pieces, (*way, ""), strict=True))) for way in ways]
    return [form for form in forms if form == word or len(form) >= _SHORTEST_PLAIN]


def _spellings(name: str) -> set[str]:
    """A name, its parts, and the usual combinations of them. The parts of an address are before the @: behind it are
    words such as `com`, which are nobody's name."""
    address = _ADDRESS.fullmatch(name)
    parts = _PART.findall(address[1] if address else name)
    spellings = {name, *parts}
    words = [part for part in parts if not part.isdigit()]
    for word in words:
        spellings |= _with_space(word)
    if len(words) > 1:
        spellings |= _combinations(words)
    return {spelling for spelling in spellings if spelling.strip()}


def _combinations(words: Sequence[str]) -> set[str]:
    """The usual combinations of several words, joined; also with separators, if one of them is too short to be looked
    for alone."""
    first, last = words[0], words[-1]
    initials = [word[0] for word in words]
    spellings = {last + first, last + first[0], first + last[0], "".join(words)}
    spellings |= {start + word for start in (first, first[0]) for word in words[1:]}
    for before in range(1, len(words)):
        short, rest = "".join(initials[:before]), words[before:]
        spellings |= {short + rest[0], short + "".join(rest), short + last, last + short}
    spellings.add(first + "".join(initials[1:]))
    for many in (2, 3):  # neighbours, as in GarciaLopez, and initials, as in cobrien
        spellings |= {"".join(words[start : start + many]) for start in range(len(words))}
        spellings.add(first[0] + "".join(words[1:][-many:]))
    if min(map(len, words)) < _SHORTEST < sum(map(len, words)):
        orders = (words, (last, *words[:-1]))
        spellings |= {between.join(order) for between in _SEPARATORS for order in orders}
    return spellings


def _with_space(word: str) -> set[str]:
    """A name in a script without spaces, with one between surname and given name wherever it may be, and these two."""
    if not _UNSPACED_NAME.fullmatch(word):
        return set()
    halves = [(word[:at], word[at:]) for at in range(1, len(word))]
    return {" ".join(both) for both in halves} | {half for both in halves for half in both if len(half) > 1}


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
        self._names = {_small(name): pseudonym for name, pseudonym in names.items() if name not in kept}
        self._sizes: dict[str, list[int]] = {}
        for lead, names_of_lead in groupby(sorted(self._names), key=lambda name: name[:_LEAD]):
            self._sizes[lead] = sorted({len(name) for name in names_of_lead}, reverse=True)
        odd = {name[0] for name in self._names if not name[0].isalnum()}
        self._start = re.compile("|".join([_MAYBE_START.pattern, *map(re.escape, sorted(odd))]))

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
        small, done, found = _small(folded.text), 0, []
        for candidate in self._start.finditer(folded.text):
            start = candidate.start()
            if start < done or not (end := self._end_of_name(folded.text, small, start)):
                continue
            done = end
            first = start if folded.start is None else int(folded.start[start])
            last = end if folded.end is None else int(folded.end[end - 1])
            while last < len(text) and category(text[last]) in ("Mn", "Me"):  # accents of its last letter
                last += 1
            found.append(Replacement(first, last, self._names[small[start:end]]))
        return found

    def _end_of_name(self, text: str, small: str, start: int) -> int:
        """Where the longest name ends that begins here and stands alone; 0 if there is none."""
        for lead in range(_LEAD, 0, -1):  # shorter names than that are their own leads
            for size in self._sizes.get(small[start : start + lead], ()):
                end = start + size
                if end <= len(text) and small[start:end] in self._names and _stands_alone(text, start, end):
                    return end
        return 0


def _small(text: str) -> str:
    """The text in lower case, character by character."""
    small = text.lower().replace("ς", "σ")  # one letter, which in lower case depends on its place
    if len(small) == len(text):
        return small
    return "".join(lower if len(lower := each.lower()) == 1 else each for each in text)


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
    """The path without names; an ending that says the language stays, even if somebody has that name."""
    ending = _ENDING.search(path)
    if ending is None or not for_path(path):
        return in_paths(path)
    return in_paths(path[: ending.start()]) + ending[0]


def hide_in_problems(problems: Iterable[Problem], in_paths: Remover) -> tuple[Problem, ...]:
    """The problems without names, in the order of what is left: that of the names would tell who is who."""
    hidden = (Problem(hide_in_path(each.path, in_paths), in_paths(each.reason)) for each in problems)
    return tuple(sorted(hidden))
