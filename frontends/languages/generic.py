"""What reads any text at all: the scanner of last resort, and the plain prose front ends.

The generic scanner knows no keywords, so every word is a token by itself, and so is every sign: one code for all words
would make everything look alike.
"""

from __future__ import annotations

from frontends.frontend import PROSE, Frontend
from frontends.lexing.char_classes import PART, WHOLE, Roles, between_blanks, cut
from frontends.lexing.codes import TokenHasher, hash_signs, in_vocabulary
from frontends.normalise.folding import fold
from frontends.normalise.words import lower, scan_words, word_stream
from moss.model import Channel, Tokens, TokenStream

_ANYTHING = Roles(sign=WHOLE, word=PART, unspaced=WHOLE)


def scan_anything(text: str) -> Tokens:
    """Words and signs as they stand; the text channel as for every other file."""
    folded = fold(text)
    chars = between_blanks(folded.text)
    roles = _ANYTHING.of(chars)
    start, end = cut(roles)
    hashes = TokenHasher(lower(folded.text))(start, end)
    single = roles[1:][start] == WHOLE
    hashes[single] = hash_signs(chars[1:][start[single]])  # a few signs have a lower case, and keep theirs
    structure = TokenStream(in_vocabulary("anything", hashes), *folded.original(start, end))
    return {Channel.STRUCTURE: structure, Channel.TEXT: word_stream(folded)}


GENERIC = Frontend("generic", scan_anything, "words and signs")

TEXT = Frontend(
    "text",
    scan_words,
    "words",
    endings=(".txt", ".text", ".md", ".markdown", ".rst", ".tex", ".adoc", ".org"),
    aliases=("prose", "plain", "markdown", "md"),
    channel=Channel.TEXT,
    thresholds=PROSE,
)

DATA = Frontend(
    "data",
    scan_words,
    "words",
    endings=(
        *(".json", ".xml", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties"),
        *(".csv", ".tsv", ".lock", ".log", ".svg"),
    ),
    aliases=("configuration", "json", "xml", "yaml"),
    channel=Channel.TEXT,
    thresholds=PROSE,
)
"""Data and configuration: full of brackets, and yet no program, so it is compared by its words."""

FRONTENDS = (
    TEXT,
    DATA,
    Frontend("ascii", scan_words, "words", channel=Channel.TEXT, thresholds=PROSE),
    GENERIC,
)
