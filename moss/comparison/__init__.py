"""The comparison: everything between submissions and report, in the order in which it happens.

`pipeline` is the way through, and `finding` the part of it that looks for what is shared: `planning` chooses front
ends, `reading` runs them on all cores, `scanning` is what it runs, `ranking` orders the pairs, `showing` those that are
shown, `pairing` aligns two submissions, and `records` says it in lines and names. `results` spares the next run all of
that, `keeping` what this one has read; `packing` makes bytes of it, and `fingerprints` reads those. `earlier` asks
archives that are not read as a whole. `explain` says how one score came about, from `traces` of the submissions that
were `chosen`.
"""

from moss.comparison.external_archives import ExternalArchive, with_external_archives
from moss.comparison.keeper import ComparisonCache
from moss.comparison.pipeline import NothingToCompareError, compare, compare_submissions
from moss.comparison.progress import Progress

__all__ = [
    "ComparisonCache",
    "ExternalArchive",
    "NothingToCompareError",
    "Progress",
    "compare",
    "compare_submissions",
    "with_external_archives",
]
