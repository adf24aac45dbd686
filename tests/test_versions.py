"""What lasts says by which rules it was made: whoever changes hashes or scores raises their numbers too.

(That the front ends are as their number says is in `frontends/test_scan_version.py`.)
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest
from support.classes import SAMPLES

from moss import compare
from moss.corpus.ingest.batches import address_hashes
from moss.corpus.ingest.documents import TokenColumns
from moss.corpus.ingest.fingerprints import winnowed
from moss.corpus.ingest.shingles import masks_for, set_digests, sketches, text_digests
from moss.corpus.near.simhash import features_of, simhashes
from moss.engine.kgrams import hash_kgrams
from moss.engine.winnowing import winnow
from moss.version import HASH_VERSION, SCAN_VERSION, SCORE_VERSION

HASHED = {2: "9872dd59b26514bb"}
"""A digest of the numbers that some tokens lead to, by HASH_VERSION. If it has changed, raise the number and add a
line here."""

ESSAYS = (0.58551642, 0.46481655, 0.12576622, 0.12271242, 0.11753423)
RANKED = {(2, 2, 2): ESSAYS, (3, 2, 2): ESSAYS, (3, 2, 3): ESSAYS, (4, 2, 3): ESSAYS, (5, 2, 3): ESSAYS}
"""The best scores of a sample class, by all three versions. If only they have changed, raise SCORE_VERSION and add a
line here; if a front end or a hash has changed as well, add the line for that."""


def hashed() -> str:
    """A digest of all numbers that are ever stored of these tokens."""
    codes = np.random.Generator(np.random.PCG64(1)).integers(0, 300, 3000).astype(np.uint64)
    offsets = np.array([0, 40, 41, 41, 1000, 3000])
    kgrams = hash_kgrams(codes, 12)
    masks = masks_for(np.diff(offsets), 100)
    sets = sketches(codes, offsets, 5, masks)
    places = np.arange(len(codes))
    prints = winnowed(TokenColumns(codes, places, places + 1, offsets), 8, 13)
    found = [
        kgrams, winnow(kgrams, 5), sets.hashes, masks, prints.hashes, prints.start, text_digests(codes, offsets),
        set_digests(sets, masks), simhashes(*features_of(codes, offsets)), address_hashes(["", "a/ü.txt", "x" * 200]),
    ]  # fmt: skip
    return sha256(b"".join(each.astype("<u8").tobytes() for each in found)).hexdigest()[:16]


def test_the_version_was_raised_if_the_hashes_changed():
    assert HASHED.get(HASH_VERSION) == hashed()


def test_the_version_was_raised_if_the_scores_changed():
    report = compare([SAMPLES / "essays" / "submissions"], base=[SAMPLES / "essays" / "starter"])
    expected = RANKED.get((SCAN_VERSION, HASH_VERSION, SCORE_VERSION))
    assert report.ranking.score[:5].tolist() == pytest.approx(expected, abs=1e-6)
