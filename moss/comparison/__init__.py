"""The comparison: everything between submissions and report, in the order in which it happens.

`planning` chooses front ends, `reading` runs them on all cores, `scanning` is what it runs, `ranking` orders the
pairs, `pairing` aligns two submissions, `records` says it in lines and names, and `pipeline` is the way through.
`keeping` spares the next run what this one has read, `packing` makes bytes of it, and `fingerprints` reads those.
"""

from moss.comparison.fingerprints import Fingerprints, fingerprints_in, fingerprints_of
from moss.comparison.keeping import Keeper, keys_of
from moss.comparison.pipeline import NothingToCompareError, Progress, compare, compare_submissions

__all__ = [
    "Fingerprints",
    "Keeper",
    "NothingToCompareError",
    "Progress",
    "compare",
    "compare_submissions",
    "fingerprints_in",
    "fingerprints_of",
    "keys_of",
]
