"""Which k-grams become fingerprints: robust winnowing and the other selections of its paper.

Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for Document Fingerprinting. SIGMOD 2003.

Throughout:
    k  noise threshold: the length of a k-gram, hence of the shortest match
    t  guarantee threshold: every shared run of t tokens is found
    w  window, w = t - k + 1: that many consecutive k-grams lie in a run of t tokens
    h  the hashes of a document's k-grams, in order

Each window of w hashes selects its minimum, so every shared run of t tokens, which fills a window, has a selected hash
on both sides. All selections return positions in h, ascending.

Where we differ from the paper:
  - We implement its definitions. The code in its Figure 5 starts with an empty buffer and thereby selects from the
    incomplete windows at the beginning too.
  - A document with fewer than w hashes has no window. We take all of it as one, or short texts would be invisible;
    the guarantee stays, and nothing shorter than k is found.

    >>> h = np.array([77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98], np.uint64)  # its Figure 2
    >>> winnow(h, 4).tolist(), h[winnow(h, 4)].tolist()
    ([3, 6, 8, 11, 15], [17, 17, 8, 39, 17])
"""

from __future__ import annotations

import numpy as np

from moss.engine.kgrams import ranges
from moss.hashing import Hashes, Positions

_BLOCK = 1 << 14  # hashes looked at together: the numbers in between stay in the processor's cache


def winnow(h: Hashes, w: int) -> Positions:
    """Robust winnowing (Definition 3): the minimum of each window; of equal ones the one that the window to the left
    selected if it is still there, else the rightmost."""
    return winnow_all(h, w, np.zeros(1, np.int64), np.array([len(h)]))


def winnow_all(h: Hashes, w: int, first: Positions, count: Positions) -> Positions:
    """Robust winnowing of many documents at once: each has the `count` hashes from `first` on."""
    if w < 1:
        raise ValueError("the window must hold at least one hash")
    if w == 1:
        return ranges(first, count)
    whole = count >= w
    selected = _select_in_windows(h, w, first[whole], count[whole] - w + 1)
    short = ~whole & (count > 0)
    if not short.any():
        return selected
    return np.sort(np.concatenate([selected, _last_minima(h, first[short], count[short])]))


def _select_in_windows(h: Hashes, w: int, first: Positions, count: Positions) -> Positions:
    """The positions that robust winnowing selects in documents that have `count` windows from `first` on.

    Where a window has one minimum, that is selected, and nothing else is: so all minima are found first, by a few
    operations on whole arrays. Only where equal minima are in one window the windows are looked at in order."""
    if not len(first):
        return np.zeros(0, np.int64)
    found = _minima(h, w, first, count)
    value = h.take(found)
    again = np.flatnonzero((value[1:] == value[:-1]) & (found[1:] - found[:-1] < w))
    again = again[_number_of(found[again], first) == _number_of(found[again + 1], first)]
    if not len(again):
        return found
    tied = np.zeros(len(found), np.bool_)  # with the next one
    tied[again] = True
    edge = np.flatnonzero(np.diff(tied, prepend=False))
    begin, end = edge[::2], edge[1::2]  # the first and the last of those that are tied
    document = _number_of(found[begin], first)
    window = np.maximum(found[begin] - w + 1, first[document])
    last = np.minimum(found[end], (first + count - 1)[document])
    place = ranges(window, last - window + w)
    sizes = last - window + 1
    chosen = place[_select_in_order(h[place], w, np.cumsum(sizes + w - 1) - (sizes + w - 1), sizes)]
    number = np.maximum(0, found[begin].searchsorted(chosen, side="right") - 1)
    chosen = chosen[(chosen <= found[end][number]) & (h[chosen] == value[begin][number])]
    selected = np.ones(len(found), np.bool_)
    selected[ranges(begin, end - begin + 1)] = False
    selected[found.searchsorted(chosen)] = True
    return found.compress(selected)


def _number_of(position: Positions, first: Positions) -> Positions:
    """The number of the document that each position is in."""
    return first.searchsorted(position, side="right") - 1


def _minima(h: Hashes, w: int, first: Positions, count: Positions) -> Positions:
    """The positions of all minima of all windows: those whose hash is the greatest minimum of the windows around."""
    behind = np.append(0, first + count)
    outside = ranges(behind, np.append(first, len(h) - w + 1) - behind)  # windows that are in no document
    found = []
    for begin in range(0, len(h), _BLOCK):
        some = h[begin : begin + _BLOCK]
        window = begin - w + 1  # the first that has the first of these
        low, high = max(0, window), min(len(h) - w + 1, begin + len(some))
        least = np.zeros(len(some) + w - 1, np.uint64)
        least[low - window : high - window] = _in_windows(h[low : high + w - 1], w, np.minimum)
        least[outside[slice(*outside.searchsorted((low, high)))] - window] = 0
        found.append(np.flatnonzero(some == _in_windows(least, w, np.maximum)) + begin)
    minima = np.concatenate(found)
    if h.take(minima).all():
        return minima
    document = np.maximum(0, first.searchsorted(minima, side="right") - 1)  # a hash of 0 may lie in none
    return minima[(minima >= first[document]) & (minima < (first + count + w - 1)[document])]


def _in_windows(h: Hashes, w: int, extreme: np.ufunc) -> Hashes:
    """The minimum (or maximum) of each window of w."""
    size = 1
    while size < w:
        step = min(size, w - size)  # windows of `size`, `step` apart, together cover `size + step`
        h = extreme(h[step:], h[:-step])
        size += step
    return h


def _select_in_order(h: Hashes, w: int, first: Positions, count: Positions) -> Positions:
    """The positions that robust winnowing selects in documents that have `count` windows from `first` on, from one
    window to the next."""
    rightmost = rightmost_minima(h, w)
    window = ranges(first, count)
    value = h[rightmost[window]]
    new = np.ones(len(window), np.bool_)  # windows with another minimum than the one to the left
    new[1:] = value[1:] != value[:-1]
    new[np.cumsum(count)[:-1]] = True
    begin = np.flatnonzero(new)
    selected = rightmost[window[begin]]
    last = window[np.append(begin[1:], len(window)) - 1]
    again = np.flatnonzero(selected < last)  # the minimum leaves the window, an equal one is in it
    return _follow(rightmost, selected, again, last)


def _last_minima(h: Hashes, first: Positions, count: Positions) -> Positions:
    """The position of the rightmost minimum of each document, as one window."""
    place = ranges(first, count)
    begin = np.cumsum(count) - count
    least = np.minimum.reduceat(h[place], begin)
    return np.maximum.reduceat(np.where(h[place] == np.repeat(least, count), place, -1), begin)


def _follow(rightmost: Positions, selected: Positions, again: Positions, last: Positions) -> Positions:
    """The selected positions, with each chain of equal minima followed to its last window."""
    if not len(again):
        return selected
    pieces: list[Positions] = []
    done = 0
    for i in again.tolist():
        position, end = int(selected[i]), int(last[i])
        chain = []
        while position < end:
            position = int(rightmost[position + 1])
            chain.append(position)
        pieces += selected[done : i + 1], np.array(chain, np.int64)
        done = i + 1
    return np.concatenate([*pieces, selected[done:]])


def winnow_plain(h: Hashes, w: int) -> Positions:
    """Winnowing (Definition 1): the minimum of each window, of equal ones the rightmost."""
    rightmost = rightmost_minima(h, w)
    return rightmost[np.concatenate([[True], rightmost[1:] != rightmost[:-1]])] if len(rightmost) else rightmost


def select_mod(h: Hashes, p: int) -> Positions:
    """The positions of hashes that are 0 mod p (Manber): as dense as one likes, but no run is sure to be found."""
    return np.flatnonzero(h % np.uint64(p) == 0)


def select_all(h: Hashes) -> Positions:
    """All positions."""
    return np.arange(len(h))


def rightmost_minima(h: Hashes, w: int) -> Positions:
    """For each window the position of its minimum, of equal ones the rightmost."""
    if w < 1:
        raise ValueError("the window must hold at least one hash")
    w = min(w, len(h))
    best, least = np.arange(len(h)), h  # of the windows of `size` that begin at each position: where, and what
    size = 1
    while size < w:
        step = min(size, w - size)  # windows of `size`, `step` apart, together cover `size + step`
        right = least[step:] <= least[:-step]
        best = np.where(right, best[step:], best[:-step])
        least = np.where(right, least[step:], least[:-step])
        size += step
    return best
