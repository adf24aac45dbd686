"""The errors of corpora; each message is one sentence for the user."""

from __future__ import annotations


class CorpusError(ValueError):
    """Wrong usage, or a corpus that cannot be read or written."""


class CorpusMemoryError(CorpusError):
    """A corpus that needs more memory than it may use."""


class OtherRulesError(CorpusError):
    """A corpus that was built by other rules of reading or hashing; the message says how to build it anew."""
