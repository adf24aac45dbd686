"""The comparison: everything between submissions and report, in the order in which it happens.

    pipeline        the way from paths or submissions to a report; a cached result ends it early
    detection       the part of it that computes, in these steps:
    plan            which front end reads which part of which file
    scan_pool       all submissions on all cores, by `scan`, which makes `scanned_files` of them
    stream_cache    which files need not be scanned, because an earlier run has (`stream_codec`: as bytes)
    spill           what was scanned, in a file, if memory is short
    views, rank     the pairs in their order
    shown_pairs     the best of them, aligned by `align` and described by `describe`; `notes` about the class

Beside the way: `result_cache` saves the next run all of that, `anonymize` hides names, `parameters` says what a result
depends on, `explain` shows how one score comes about (`submission_choice`, `fingerprint_traces`), and
`passage_fingerprints` is for looking up who else has a passage.
"""

from moss.comparison.pipeline import (
    ExternalArchive,
    NothingToCompareError,
    compare,
    compare_submissions,
    with_external_archives,
)

__all__ = [
    "ExternalArchive",
    "NothingToCompareError",
    "compare",
    "compare_submissions",
    "with_external_archives",
]
