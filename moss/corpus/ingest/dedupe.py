"""Equal documents: of those with equal texts, words or sketches, the first is kept.

>>> register, numbers = DuplicateRegister(), lambda *values: np.array(values)
>>> marks = EqualityMarks(*(np.array(hashes, np.uint64) for hashes in ([1, 2, 1], [5, 5, 5], [8, 8, 8])),
...                       words=numbers(9, 9, 9), sketch=numbers(4, 4, 4))
>>> same_as, kind = register.kept_for(marks, numbers(0, 1, 2))
>>> same_as.tolist(), [DuplicateKind(one).name for one in kind]
([0, 0, 0], ['KEPT', 'LEXICAL', 'IDENTICAL'])
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moss.corpus.engines.engine import Columns
from moss.corpus.ingest.shingles import Counts
from moss.corpus.storage.registers import UNKNOWN, Register, first_of
from moss.corpus.storage.tables import DuplicateKind
from moss.hashing import Hashes

MARKS = ("content", "lexical", "shingled", "words", "sketch")


@dataclass(frozen=True, slots=True)
class EqualityMarks:
    """The digests and sizes that tell whether documents are equal."""

    content: Hashes
    lexical: Hashes
    shingled: Hashes
    words: Counts
    sketch: Counts

    @classmethod
    def stored(cls, columns: Columns) -> EqualityMarks:
        """The marks of stored documents, from the columns `MARKS` of their table."""
        content, lexical, shingled = (columns[name].view(np.uint64) for name in ("content", "lexical", "shingled"))
        return cls(content, lexical, shingled, columns["words"], columns["sketch"])

    def __len__(self) -> int:
        return len(self.content)

    def __getitem__(self, at: NDArray[np.int64] | NDArray[np.bool_]) -> EqualityMarks:
        return EqualityMarks(self.content[at], self.lexical[at], self.shingled[at], self.words[at], self.sketch[at])


class DuplicateRegister:
    """The documents so far, by their marks; tells which of them is kept for an equal one."""

    def __init__(self) -> None:
        self._content, self._lexical, self._shingled = Register(), Register(), Register()

    def remember(self, marks: EqualityMarks, same_as: Counts) -> None:
        """Add documents; those without words are equal only if their texts are."""
        worded, sketched = marks.words > 0, marks.sketch > 0
        self._content.add(marks.content, same_as)
        self._lexical.add(marks.lexical[worded], same_as[worded])
        self._shingled.add(marks.shingled[sketched], same_as[sketched])

    def kept_for(self, marks: EqualityMarks, numbers: Counts) -> tuple[Counts, Counts]:
        """For each of these documents with these numbers the document that is kept for it, and why
        (`DuplicateKind`)."""
        own = np.arange(len(marks))
        same_as = numbers.copy()
        parent = own.copy()  # an earlier one of these documents that it is like
        kind = np.zeros(len(marks), np.int64)
        undecided = np.ones(len(marks), np.bool_)
        for reason, hashes, register, sound in (
            (DuplicateKind.IDENTICAL, marks.content, self._content, undecided.copy()),
            (DuplicateKind.LEXICAL, marks.lexical, self._lexical, marks.words > 0),
            (DuplicateKind.SHINGLED, marks.shingled, self._shingled, marks.sketch > 0),
        ):
            earlier, first = register.find(hashes), first_of(hashes)
            known = undecided & sound & (earlier != UNKNOWN)
            same_as[known], kind[known] = earlier[known], reason
            alike = undecided & sound & ~known & (first < own)
            parent[alike], kind[alike] = first[alike], reason
            undecided &= ~(known | alike)
        while (parent[parent] != parent).any():
            parent = parent[parent]
        return same_as[parent], kind
