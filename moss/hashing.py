"""Stable 64-bit hashes of many spans at once.

Hashes are stored and compared for years: they depend on nothing but the values, never on Python's salted `hash()`, the
process or the machine.

With P the prefix sums of c[j]·B^j, the hash of the values s..e is (P[e] − P[s])·B^(−s), modulo 2^64: a Karp–Rabin hash
of any span in a constant number of array operations, for words (spans of characters) and k-grams (spans of codes)
alike. The result goes through a finaliser, because the low bits of such a product depend on few values.

Such a hash is for short spans. Modulo 2^64 there are long sequences that differ and have the same hash whatever the
base is: two Thue–Morse words of 1,024 letters, one with `a` where the other has `b`. So texts as a whole, and words
that are too long for any language, get a digest instead.

    >>> values = np.array([1, 2, 3, 1, 2], np.uint64)
    >>> hashes = SpanHasher(values)(np.array([0, 1, 3]), np.array([2, 3, 5]))  # of 1 2, of 2 3, of 1 2
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    >>> HashLookup(np.array([50, 60, 70], np.uint64)).find(np.array([60, 1, 50], np.uint64))
    (array([0, 2]), array([1, 0]))
    >>> HashFilter(np.array([50, 60, 70], np.uint64)).which(np.array([60, 1, 50], np.uint64))
    array([0, 2])
    >>> order_by_hash(np.array([7, 5, 9, 5], np.uint64), owner=np.array([1, 1, 0, 0])).tolist()
    [3, 2, 1, 0]
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Values = NDArray[np.unsignedinteger[Any]]
Positions = NDArray[np.int64]
Value = TypeVar("Value", bound=np.generic)

_BASE = 0x9E3779B97F4A7C15  # odd, hence invertible modulo 2^64; the golden ratio's bits, so no structure
_INVERSE = pow(_BASE, -1, 1 << 64)
_BLOCK = 1 << 19  # values hashed at a time: bounds the tables of powers to 4 MB each


def mix(values: Hashes) -> Hashes:
    """Scramble each value so that every bit depends on every bit (the finaliser of SplitMix64, a bijection)."""
    z = values.copy()
    _mix_in_place(z, np.empty_like(z))
    return z


def _mix_in_place(z: Hashes, spare: Hashes) -> None:
    z ^= np.right_shift(z, np.uint64(30), out=spare)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= np.right_shift(z, np.uint64(27), out=spare)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= np.right_shift(z, np.uint64(31), out=spare)


def _powers(base: int, count: int) -> Hashes:
    """base^0, base^1, ... modulo 2^64, at least `count` of them."""
    return _power_table(base, max(_BLOCK + 1, 1 << (count - 1).bit_length()))


@lru_cache(maxsize=4)
def _power_table(base: int, size: int) -> Hashes:
    powers = np.full(size, base, np.uint64)
    powers[0] = 1
    return np.multiply.accumulate(powers)


class SpanHasher:
    """Hashes spans of one sequence; the sums over its values are made once."""

    def __init__(self, values: Values) -> None:
        self.values = values

    @cached_property
    def _sums(self) -> Hashes:
        return _prefix_sums(self.values)

    def __call__(self, start: Positions, end: Positions) -> Hashes:
        """The hash of each span of values; spans are in order, so that little memory is needed for any length."""
        return mix(self.in_order(start, end))

    def in_order(self, start: Positions, end: Positions) -> Hashes:
        """The hashes of spans before their bits are scrambled: enough to tell whether two are equal."""
        if len(self.values) <= _BLOCK:
            return self.polynomial(start, end)
        return self._by_blocks(start, end)

    def polynomial(self, start: Positions, end: Positions) -> Hashes:
        """The hash of each span, in any order, before its bits are scrambled: enough to tell whether two are equal."""
        return _polynomials(self._sums, start, end)

    def _by_blocks(self, start: Positions, end: Positions) -> Hashes:
        hashes = np.empty(len(start), np.uint64)
        first = 0
        while first < len(start):
            offset = int(start[first])
            last = int(np.searchsorted(end, offset + _BLOCK, side="right"))
            if last == first:  # a single span longer than a block
                hashes[first] = _long_polynomial(self.values[offset : int(end[first])])
                first += 1
            else:
                sums = _prefix_sums(self.values[offset : int(end[last - 1])])
                hashes[first:last] = _polynomials(sums, start[first:last] - offset, end[first:last] - offset)
                first = last
        return hashes


def _prefix_sums(values: Values) -> Hashes:
    sums = np.zeros(len(values) + 1, np.uint64)
    np.cumsum(values * _powers(_BASE, len(values) + 1)[: len(values)], out=sums[1:])
    return sums


def _polynomials(sums: Hashes, start: Positions, end: Positions) -> Hashes:
    result = sums.take(end)
    result -= sums.take(start)
    result *= _powers(_INVERSE, len(sums)).take(start)
    return result


def hash_windows(values: Values, size: int, out: Hashes) -> None:
    """Write the hash of each span of `size` values into `out`, as a SpanHasher gives it."""
    count = len(out)
    sums = _prefix_sums(values)
    np.subtract(sums[size:], sums[:count], out=out)
    out *= _powers(_INVERSE, count)[:count]
    _mix_in_place(out, sums[:count])


def _long_polynomial(values: Values) -> int:
    """The polynomial of one span of more than a block, block by block."""
    total = 0
    for offset in range(0, len(values), _BLOCK):
        part = values[offset : offset + _BLOCK]
        value = int(np.sum(part * _powers(_BASE, len(part))[: len(part)], dtype=np.uint64))
        total += value * pow(_BASE, offset, 1 << 64)
    return total % (1 << 64)


def digests(values: Values, start: Positions, end: Positions) -> Hashes:
    """A digest of each span of values, which does not depend on the width of the array. Spans are in order."""
    found = np.empty(len(start), np.uint64)
    first = 0
    while first < len(start):
        base = int(start[first])
        last = int(np.searchsorted(end, base + _BLOCK, side="right"))
        if last <= first:  # a single span longer than a block
            found[first] = _long_digest(values[base : int(end[first])])
            first += 1
            continue
        widened = np.ascontiguousarray(values[base : int(end[last - 1])], "<u8").view(np.uint8).data
        spans = zip((8 * (start[first:last] - base)).tolist(), (8 * (end[first:last] - base)).tolist(), strict=True)
        each = [blake2b(widened[i:j], digest_size=8).digest() for i, j in spans]
        found[first:last] = np.frombuffer(b"".join(each), "<u8")
        first = last
    return found


def _long_digest(values: Values) -> int:
    """The digest of one span of more than a block, block by block."""
    digest = blake2b(digest_size=8)
    for offset in range(0, len(values), _BLOCK):
        digest.update(values[offset : offset + _BLOCK].astype("<u8").tobytes())
    return int.from_bytes(digest.digest(), "little")


def among(values: NDArray[Any], table: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values are in a sorted table."""
    if not len(table):
        return np.zeros(len(values), np.bool_)
    found: NDArray[np.bool_] = table[np.minimum(np.searchsorted(table, values), len(table) - 1)] == values
    return found


def distinct(values: NDArray[Value]) -> NDArray[Value]:
    """The values in order, each once, as `np.unique`, which looks for masks and NaNs first."""
    ordered = np.sort(values)
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered.compress(new)


def order_by_hash(hashes: Hashes, owner: Positions) -> Positions:
    """The positions of hashes by their owner, and those of an owner in ascending order; of equal ones the first.

    A radix sort by the hashes' upper halves, which takes a third of the time of sorting by comparison. Hashes are
    scrambled, so hardly two that differ have the same upper half; these are put in order afterwards."""
    order = np.argsort((hashes >> np.uint64(32)).astype(np.uint16), kind="stable")
    for digit in (hashes >> np.uint64(48), *_digits(owner)):
        order = order.take(np.argsort(digit.astype(np.uint16).take(order), kind="stable"))
    values = hashes.take(order)
    wrong = values[1:] < values[:-1]  # of different owners, too
    upper = np.right_shift(values, np.uint64(32), out=values)
    upper |= owner.take(order).astype(np.uint64) << np.uint64(32)
    wrong &= upper[1:] == upper[:-1]
    if wrong.any():
        again = distinct(upper[1:][wrong])
        first, last = upper.searchsorted(again), upper.searchsorted(again, side="right")
        at = np.concatenate([np.arange(i, j) for i, j in zip(first.tolist(), last.tolist(), strict=True)])
        members = order[at]
        order[at] = members[np.lexsort((members, hashes[members], upper[at]))]
    return order


def _digits(owner: Positions) -> list[Positions]:
    """The numbers in base 2^16, the least digit first; all of them are less than 2^32."""
    if not len(owner):
        return []
    return [owner, owner >> 16] if int(owner.max()) >> 16 else [owner]


class HashFilter:
    """Finds those of very many hashes that are in a fixed set. Most are not, and of nearly all of these a look into a
    table tells that."""

    _ROOM = 16  # slots for each member, so that one other hash in sixteen has to be searched for
    _SLOTS = 1 << 24  # at most

    def __init__(self, members: Hashes) -> None:
        self.members = members  # sorted, none twice
        bits = min(max(1, len(members) * self._ROOM), self._SLOTS).bit_length()
        self._shift = np.uint64(64 - bits)
        self._table = np.zeros(1 << bits, np.bool_)
        self._table[(members >> self._shift).view(np.int64)] = True

    def which(self, hashes: Hashes) -> Positions:
        """The positions of those hashes that are members."""
        maybe = np.flatnonzero(self._table.take((hashes >> self._shift).view(np.int64)))
        return maybe.compress(among(hashes.take(maybe), self.members))


class HashLookup:
    """Finds many hashes at once in a small fixed set, by looking into a table instead of searching."""

    _SLOTS = 1 << 16  # at most: the table should fit into the processor's cache
    _ROOM = 64  # slots for each member, if there are so many
    _TRIES = 40  # ways to spread the members over the slots, of which the one with the fewest shared slots is taken

    def __init__(self, members: Hashes) -> None:
        self.members = members
        room = min(max(2, len(members) * self._ROOM), self._SLOTS)
        self._shift = np.uint64(64 - (room - 1).bit_length())
        factors = mix(np.arange(self._TRIES, dtype=np.uint64)) | np.uint64(1)
        self._factor = max(factors, key=lambda factor: len(distinct(_slots(members, factor, self._shift))))
        self._tables: list[NDArray[np.int64]] = []  # members that share a slot stand in different tables
        waiting = np.arange(len(members))
        while len(waiting):
            slots = _slots(members[waiting], self._factor, self._shift)
            table = np.zeros(1 << (64 - int(self._shift)), np.int64)
            table[slots] = waiting  # of those that share a slot the last is there
            self._tables.append(table)
            waiting = waiting[table[slots] != waiting]

    def find(self, hashes: Hashes) -> tuple[Positions, Positions]:
        """The positions of those hashes that are members, and the number of the member that each is."""
        slots = _slots(hashes, self._factor, self._shift)
        looked_up = [table.take(slots) for table in self._tables]
        found = [np.flatnonzero(self.members.take(place) == hashes) for place in looked_up]
        if len(found) == 1:
            return found[0], looked_up[0].take(found[0])
        none = np.zeros(0, np.int64)
        return np.concatenate([none, *found]), np.concatenate(
            [none, *(place.take(at) for place, at in zip(looked_up, found, strict=True))]
        )


def _slots(hashes: Hashes, factor: np.uint64, shift: np.uint64) -> Positions:
    """The slot of each hash: the top bits of a product, because the low bits of a polynomial depend on few values."""
    return ((hashes * factor) >> shift).view(np.int64)
