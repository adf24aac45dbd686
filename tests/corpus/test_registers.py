"""From hashes to numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from moss.corpus.storage.registers import UNKNOWN, Register, first_of

HASHES = st.lists(st.integers(0, 20), max_size=15)


@given(st.lists(HASHES, max_size=8), HASHES)
def test_the_first_number_counts(rounds, asked):
    register, known, number = Register(), {}, 0
    for hashes in rounds:
        numbers = np.arange(number, number + len(hashes))
        register.add(np.array(hashes, np.uint64), numbers)
        for h, n in zip(hashes, numbers.tolist(), strict=True):
            known.setdefault(h, n)
        number += len(hashes)
    assert register.find(np.array(asked, np.uint64)).tolist() == [known.get(h, UNKNOWN) for h in asked]
    assert register.hashes.tolist() == sorted(known)


@given(HASHES)
def test_the_first_of_equal_ones(hashes):
    assert first_of(np.array(hashes, np.uint64)).tolist() == [hashes.index(h) for h in hashes]
