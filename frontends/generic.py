"""What reads any text at all: the scanner of last resort, and the plain prose front ends.

The generic scanner knows no keywords, so every word is a token by itself, and so is every sign: one code for all words
would make everything look alike.
"""

from __future__ import annotations

import numpy as np

from frontends.codes import characters, hash_signs, in_vocabulary
from frontends.folding import fold
from frontends.frontend import PROSE, Frontend
from frontends.words import SIGN, kinds, lower, scan_words, word_spans, word_stream
from moss.hashing import SpanHasher
from moss.model import Channel, Tokens, TokenStream


def scan_anything(text: str) -> Tokens:
    """Words and signs as they stand; the text channel as for every other file."""
    folded = fold(text)
    chars = characters(folded.text)
    hasher = SpanHasher(lower(folded.text))
    kind = kinds(chars)
    start, end = word_spans(kind)
    sign = np.flatnonzero(kind == SIGN)
    hashes = np.concatenate([hasher(start, end), hash_signs(chars[sign])])
    order = np.argsort(np.concatenate([start, sign]), kind="stable")
    first, last = np.concatenate([start, sign])[order], np.concatenate([end, sign + 1])[order]
    structure = TokenStream(in_vocabulary("anything", hashes[order]), *folded.original(first, last))
    return {Channel.STRUCTURE: structure, Channel.TEXT: word_stream(folded, hasher, kind)}


GENERIC = Frontend("generic", scan_anything, "words and signs")

FRONTENDS = (
    Frontend(
        "text",
        scan_words,
        "words",
        endings=(".txt", ".text", ".md", ".markdown", ".rst", ".tex", ".adoc", ".org"),
        aliases=("prose", "plain", "markdown", "md"),
        channel=Channel.TEXT,
        thresholds=PROSE,
    ),
    Frontend("ascii", scan_words, "words", channel=Channel.TEXT, thresholds=PROSE),
    GENERIC,
)
