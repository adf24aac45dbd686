"""The comparison: everything between submissions and report, in the order in which it happens.

`planning` chooses front ends, `reading` runs them on all cores, `scanning` is what it runs, `ranking` orders the
pairs, `pairing` aligns two submissions, `records` says it in lines and names, and `pipeline` is the way through.
"""

from moss.comparison.pipeline import NothingToCompareError, Progress, compare, compare_submissions

__all__ = ["NothingToCompareError", "Progress", "compare", "compare_submissions"]
