"""Designs: which bits lead in which table, so that fingerprints within k bits of each other meet in one of them.

Manku, Jain, Das Sarma: Detecting near-duplicates for web crawling. WWW 2007, Section 3.1.

Throughout:
    k  how many bits may differ
    n  how many fingerprints are in a table, n = 2^d
    p  how many bits lead in a table: those in which fingerprints must agree to meet there

Cut the 64 bits into r blocks. At most k of them hold a difference, so some r − k agree; with one table for each choice
of r − k blocks, in which these lead, every near pair meets. The bits left may be cut once more in the same way. For
k = 3 the paper has four designs:

    tables  blocks          p         a probe finds, of 2^34 random ones
         4  4               16        262144
        10  5               25 or 26  at most 512
        16  4, then 4 more  28        64
        20  6               31 to 33  at most 8

More tables make every probe find less, but there are more of them to keep and to probe. A design's cost by query is
t·(probe + n·2^(−p)·check); `choose` takes the cheapest for the size at hand. The paper leaves that choice to the reader
and stores each table once; so do we, unless `memory` forbids it.

Where we differ from the paper: it draws one of the permutations that bring the chosen blocks to the front at random; we
keep all bits in their order otherwise, so tables are the same every time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from moss.hashing import Hashes

BITS = 64
MOST_BITS = 16
"""More differing bits than that are no near-duplicate; half of 64 differ by chance."""

ALONE = 10_000.0
"""Finding one place in a table costs as much as checking that many fingerprints: calls that array operations save."""
MANY = 18.0
"""The same where many are sought together: they are sorted and merged with the table."""
ALL = 2.0
"""The same where all are compared with all: nothing is sought, but every table is sorted."""


_Move = tuple[np.uint64, np.uint64, np.uint64]  # shift right, keep these bits, shift left


@dataclass(frozen=True)
class Permutation:
    """An order of the 64 bits, given by which runs of bits move where; the first `leading` ones are to agree."""

    order: tuple[int, ...]
    """Positions, counted from the most significant bit, in the order in which the permutation puts them."""
    leading: int

    @cached_property
    def mask(self) -> np.uint64:
        """The leading bits, where they stand in a fingerprint that is not permuted."""
        return np.uint64(sum(1 << (BITS - 1 - position) for position in self.order[: self.leading]))

    def __call__(self, fingerprints: Hashes) -> Hashes:
        """The fingerprints with their bits in this order."""
        return _moved(fingerprints, self._moves)

    def one(self, fingerprint: int) -> int:
        """One fingerprint with its bits in this order, which is faster than an array of one."""
        return sum((fingerprint >> right & mask) << left for right, mask, left in self._small_moves)

    def undo(self, permuted: Hashes) -> Hashes:
        """The fingerprints that this order made these of."""
        return _moved(permuted, self._moves_back)

    @cached_property
    def _moves(self) -> tuple[_Move, ...]:
        return tuple(_move(old, new, size) for old, new, size in _runs(self.order))

    @cached_property
    def _small_moves(self) -> tuple[tuple[int, int, int], ...]:
        return tuple((int(right), int(mask), int(left)) for right, mask, left in self._moves)

    @cached_property
    def _moves_back(self) -> tuple[_Move, ...]:
        return tuple(_move(new, old, size) for old, new, size in _runs(self.order))


@dataclass(frozen=True)
class TableDesign:
    """The tables of a collection, by their permutations."""

    permutations: tuple[Permutation, ...]

    def cost(self, size: int, probe: float = MANY) -> float:
        """The cost of one query among so many random fingerprints, in fingerprints checked."""
        return sum(probe + size * 2.0**-permutation.leading for permutation in self.permutations)


def choose(k: int, size: int, probe: float = MANY, memory: int | None = None) -> TableDesign:
    """The cheapest design for so many fingerprints, of those whose tables fit into the memory (in bytes), if any do."""
    possible = designs(k)
    fitting = [design for design in possible if memory is None or len(design.permutations) * size * 8 <= memory]
    return min(fitting or possible[:1], key=lambda design: design.cost(size, probe))


@lru_cache
def designs(k: int) -> tuple[TableDesign, ...]:
    """The paper's designs, those with fewer tables first: 4, 10, 16 and 20 tables for three bits, as many of each kind
    as the same cuts need for another number of bits."""
    if not 0 <= k <= MOST_BITS:
        raise ValueError(f"the number of bits that may differ is from 0 to {MOST_BITS}")
    cuts = [[k + 1]] if k == 0 else [[k + 1], [k + 2], [k + 1, k + 1], [k + 3]]
    return tuple(TableDesign(tuple(_permutations(range(BITS), k, cut))) for cut in cuts)


def _permutations(bits: Sequence[int], k: int, cuts: Sequence[int]) -> Iterator[Permutation]:
    """One for each choice of all but k blocks, and, if there are more cuts, of blocks of the bits left."""
    blocks = _blocks(bits, cuts[0])
    for chosen in combinations(range(len(blocks)), len(blocks) - k):
        front = [bit for block in chosen for bit in blocks[block]]
        rest = [bit for block in range(len(blocks)) if block not in chosen for bit in blocks[block]]
        if len(cuts) == 1:
            yield Permutation((*front, *rest), len(front))
        else:
            for inner in _permutations(rest, k, cuts[1:]):
                yield Permutation((*front, *inner.order), len(front) + inner.leading)


def _blocks(bits: Sequence[int], count: int) -> list[Sequence[int]]:
    """The bits in so many runs, as equal as can be, the longer ones first."""
    size, longer = divmod(len(bits), count)
    ends = [size * i + min(i, longer) for i in range(count + 1)]
    return [bits[ends[i] : ends[i + 1]] for i in range(count)]


def _runs(order: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """Runs of bits that stay together: position before, position after, length."""
    begin = 0
    for new in range(1, len(order) + 1):
        if new == len(order) or order[new] != order[new - 1] + 1:
            yield order[begin], begin, new - begin
            begin = new


def _move(source: int, target: int, size: int) -> _Move:
    low, high = BITS - source - size, BITS - target - size
    return np.uint64(low), np.uint64((1 << size) - 1), np.uint64(high)


def _moved(fingerprints: Hashes, moves: Sequence[_Move]) -> Hashes:
    moved = np.zeros_like(fingerprints)
    for right, mask, left in moves:
        moved |= ((fingerprints >> right) & mask) << left
    return moved
