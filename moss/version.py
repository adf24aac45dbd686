"""The version of the tool, and of the rules by which it reads, hashes and ranks, in the one place that all else reads.

Corpora, stored fingerprints, kept token streams, runs and reports last longer than the program that made them, so each
of them says by which rules it was made. Anything without these numbers was made by the first rules: 1, 1 and 1. Raise
a number in the same commit as the change, once for each version that somebody else may have used.
"""

__version__ = "0.1.0"

SCAN_VERSION = 5
"""Raise it when any front end, or what is folded before it, gives other tokens for any text. Streams that were kept are
read again, a server makes its fingerprints anew, and a corpus asks for `moss corpus rebuild`. (Streams that Pygments'
lexers made are also read again when Pygments is another version.)"""

HASH_VERSION = 2
"""Raise it when tokens, k-grams, shingles, texts or addresses get other numbers, or when others of them are selected.
The consequences are those of the scan version."""

SCORE_VERSION = 3
"""Raise it when any pair may get another score, rank or standing. Results in the cache are computed again; stored runs
and reports stay as they are, say by which score they were ranked, and are not compared with runs of another."""
