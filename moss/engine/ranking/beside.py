"""Text beside programs: prose, data and configuration that lies beside a class's programs.

If a quarter of the class or more have a passage of it, it is a licence, a template or a task's statement: it says
nothing about who copied a program, and would drown the programs if it is long. So its fingerprints are not counted at
all, in no pair, as if they were base code. A passage that fewer have counts as all words do.

A *program* that many have is never left out like this: it weighs by rarity, and is pointed out to the reader.

    >>> licence, own = np.array([1, 2, 3], np.uint64), np.array([8, 9], np.uint64)
    >>> bags = Bags(np.concatenate([licence, licence, licence, own]), np.array([3, 3, 3, 2]), np.arange(4))
    >>> found = sift([bags], author=np.arange(4), programs=np.ones(4, np.bool_))
    >>> found.counted.hashes.tolist(), found.common.tolist()
    ([8, 9], [1.0, 1.0, 1.0, 0.0])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moss.engine.index import count_authors
from moss.engine.ranking.bags import Bags, joined
from moss.hashing import distinct

_COMMON = 4  # one author in so many, and
_LEAST = 3  # at least so many: their text is common
_PROGRAMS = 2  # one author in so many has a program: it is a class of programs


class Beside(NamedTuple):
    """The text beside programs, one bag for each file, without what is common."""

    counted: Bags  # without what is common
    common: NDArray[np.float64]  # for each file: the part of its fingerprints that was common


def sift(bags: Sequence[Bags], author: NDArray[np.int64], programs: NDArray[np.bool_]) -> Beside:
    """Text beside programs without what is common in the class; `programs` says which submissions have a program."""
    everything = joined(bags)
    files = np.repeat(np.arange(len(everything.counts)), everything.counts)
    authors = len(distinct(author[programs]))
    if not len(files) or _PROGRAMS * authors <= int(author.max(initial=0)):
        return Beside(everything, np.zeros(len(everything.counts)))
    fingerprint = distinct(everything.hashes).searchsorted(everything.hashes)
    fingerprints, submissions = np.divmod(distinct(fingerprint * len(author) + everything.submissions), len(author))
    having = count_authors(fingerprints, submissions.astype(np.int32), author)
    common = having[fingerprint] >= max(_LEAST, -(-authors // _COMMON))
    lost = np.bincount(files, common, len(everything.counts))
    return Beside(everything.where(~common), lost / np.maximum(1, everything.counts))
