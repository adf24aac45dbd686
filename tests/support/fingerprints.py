"""Fingerprints some of which are near each other, and brute force to compare with."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

_flipped = st.sets(st.integers(0, 63), max_size=5).map(lambda bits: sum(1 << bit for bit in bits))
_centres = st.lists(st.integers(0, 2**64 - 1) | st.sampled_from([0, 2**64 - 1]), min_size=1, max_size=4)

few_bits = st.integers(0, 5)


@st.composite
def crowded(draw, max_size=30):
    """Lists of fingerprints that are a few flipped bits away from a few centres."""
    centres = draw(_centres)
    members = draw(st.lists(st.tuples(st.sampled_from(centres), _flipped), max_size=max_size))
    return np.array([centre ^ flipped for centre, flipped in members], np.uint64)


def planted(rng, count, copies, bits):
    """So many random fingerprints, each with copies in which that many bits are flipped at most."""
    originals = rng.integers(0, 2**64, count, np.uint64)
    made = np.repeat(originals, copies)
    for _ in range(bits):
        made ^= np.uint64(1) << rng.integers(0, 64, len(made)).astype(np.uint64)
    return np.concatenate([originals, made])


def brute_pairs(fingerprints, k):
    """All pairs of different fingerprints within k bits."""
    unique = sorted(set(fingerprints.tolist()))
    return {(a, b) for i, a in enumerate(unique) for b in unique[i + 1 :] if (a ^ b).bit_count() <= k}


def brute_near(fingerprints, query, k):
    return sorted({value for value in fingerprints.tolist() if (value ^ query).bit_count() <= k})
