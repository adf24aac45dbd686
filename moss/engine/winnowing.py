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
"""

from __future__ import annotations

import numpy as np

from moss.hashing import Hashes, Positions


def winnow(h: Hashes, w: int) -> Positions:
    """Robust winnowing (Definition 3): the minimum of each window; of equal ones the one that the window to the left
    selected if it is still there, else the rightmost."""
    rightmost = _rightmost_minima(h, w)
    if not len(rightmost):
        return rightmost
    value = h[rightmost]
    first = np.flatnonzero(np.concatenate([[True], value[1:] != value[:-1]]))  # windows with another minimum
    last = np.concatenate([first[1:], [len(value)]]) - 1
    selected = rightmost[first]
    again = np.flatnonzero(selected < last)  # the minimum leaves the window, an equal one is in it
    return _follow(rightmost, selected, again, last)


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
    rightmost = _rightmost_minima(h, w)
    return rightmost[np.concatenate([[True], rightmost[1:] != rightmost[:-1]])] if len(rightmost) else rightmost


def select_mod(h: Hashes, p: int) -> Positions:
    """Those that are 0 mod p (Manber): as dense as one likes, but no run is sure to be found."""
    return np.flatnonzero(h % np.uint64(p) == 0)


def select_all(h: Hashes) -> Positions:
    """All of them."""
    return np.arange(len(h))


def _rightmost_minima(h: Hashes, w: int) -> Positions:
    """For each window the position of its minimum, of equal ones the rightmost."""
    if w < 1:
        raise ValueError("the window must hold at least one hash")
    w = min(w, len(h))
    best = np.arange(len(h))  # of the windows of `size` that begin at each position
    size = 1
    while size < w:
        step = min(size, w - size)  # windows of `size`, `step` apart, together cover `size + step`
        left, right = best[:-step], best[step:]
        best = np.where(h[right] <= h[left], right, left)
        size += step
    return best
