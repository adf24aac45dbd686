"""Traces: the fingerprints that one submission has in each view, with the text that each was made of.

A hash cannot be turned back into text, and bags hold no places, because the ranking of a class does not need them. To
explain a single pair, the fingerprints of one submission are made again with their texts; a test compares them with the
bags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from frontends.normalise.outline import outline, outlined
from frontends.normalise.verbatim import letters, spelled_in_place
from moss.comparison.views import BESIDE, FileTexts, Handout, has_program
from moss.engine.ranking.bags import select
from moss.engine.ranking.letters import triples_in_order
from moss.engine.ranking.score import LONG, LONG_WORDS, OUTLINE, STRUCTURE, WORDS, ViewSpec
from moss.lines import line_of, line_starts
from moss.model import TokenStream


class Trace(NamedTuple):
    """One fingerprint, where it stands, and as it is written there."""

    hash: int
    file: int
    line: int  # 0 if it is not known
    text: str


class _Located(NamedTuple):
    """A stream of a file's text."""

    file: int
    text: str
    tokens: TokenStream
    is_whole: bool = True  # the text is all of the file, so that its lines are the file's

    def written(self, first: int, last: int) -> str:
        """Some tokens on one line, with a blank where anything lies between two of them."""
        found = ""
        end = int(self.tokens.start[first])
        for token in range(first, last):
            start = int(self.tokens.start[token])
            found += " " * (start > end) + " ".join(self.text[start : (end := int(self.tokens.end[token]))].split())
        return found


def trace(submission: Sequence[FileTexts], texts: Sequence[str], handout: Handout) -> dict[str, list[Trace]]:
    """The fingerprints of a submission by the names of their views, and of text without structure; without the
    handout's. `texts` are those of its files."""
    streams = _streams(submission, texts)
    specs = {OUTLINE.name: OUTLINE, STRUCTURE.name: STRUCTURE, WORDS.name: WORDS, BESIDE: WORDS}
    found = {name: list(_kgrams(spec, streams[name], handout)) for name, spec in specs.items()}
    for spec, stream in ((LONG, STRUCTURE), (LONG_WORDS, WORDS)):
        found[spec.name] = list(_kgrams(spec, streams[stream.name], handout))
    return found | {"letters": list(_triples(streams["letters"], frozenset(handout["letters"].tolist())))}


def _streams(submission: Sequence[FileTexts], texts: Sequence[str]) -> dict[str, list[_Located]]:
    """The streams that the views look at (see `moss.comparison.views`), with places."""
    found: dict[str, list[_Located]] = {name: [] for name in ("outline", "structure", "words", BESIDE, "letters")}
    is_program = has_program(submission)
    for part in submission:
        spoken = [
            _Located(part.file, text, spelled_in_place(text, words), len(part.texts) == 1) for text, words in part.texts
        ]
        if part.structure is not None:
            text = texts[part.file]
            found["outline"].append(_Located(part.file, text, _outline(part.structure)))
            found["structure"].append(_Located(part.file, text, part.structure))
        found["words" if part.structure is not None else BESIDE] += spoken
        if part.structure is not None or not is_program:
            found["letters"] += spoken
    return found


def _outline(structure: TokenStream) -> TokenStream:
    kept = outlined(structure.codes)
    return TokenStream(outline(structure.codes), structure.start[kept], structure.end[kept])


def _kgrams(spec: ViewSpec, streams: Sequence[_Located], handout: Handout) -> Iterator[Trace]:
    selected = select([stream.tokens.codes for stream in streams], spec.k, spec.w, handout[spec.name])
    number = selected.ends.searchsorted(selected.positions, side="right")
    first = selected.positions - (selected.ends - [len(stream.tokens) for stream in streams])[number]
    hashes = selected.hashes[selected.positions]
    for which, token, code in zip(number.tolist(), first.tolist(), hashes.tolist(), strict=True):
        stream = streams[which]
        line = line_of(line_starts(stream.text), int(stream.tokens.start[token])) if stream.is_whole else 0
        yield Trace(code, stream.file, line, stream.written(token, token + spec.k))


def _triples(streams: Sequence[_Located], base: frozenset[int]) -> Iterator[Trace]:
    """Each triple of letters once."""
    seen = set(base)
    for stream in streams:
        found = letters(stream.text)
        for place, number in enumerate(triples_in_order(found).tolist()):
            if number not in seen:
                seen.add(number)
                yield Trace(number, stream.file, 0, "".join(map(chr, found[place : place + 3].tolist())))
