"""Front ends for any text: the generic scanner, which is the last resort, and prose.

The generic scanner knows no keywords, so every word has a code of its own, and so has every sign: one code for all
words would make everything look alike.

    >>> text = "Print X+1"
    >>> stream = scan_anything(text)[Channel.STRUCTURE]
    >>> [text[i:j] for i, j in zip(stream.start, stream.end)]
    ['Print', 'X', '+', '1']
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
    """The structure channel with every word and sign as it is written, and the text channel as for every other file."""
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
