"""Quotations and lists of references: what a text says in the words of others, and says so.

A quotation is what stands between quotation marks in one paragraph, three words or more. A list of references begins
with a heading that says so, in the second half of the text, and ends with it or with the heading of an appendix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from frontends import TEXT, for_path
from moss.intake.notebooks import NOTEBOOK
from moss.messages import gettext as _
from moss.messages import percent
from moss.model import Problem, SourceFile, Submission

Spans = list[tuple[int, int]]

_LONGEST = 3000  # characters of a quotation: from there on a mark is missing
_QUOTED = re.compile(
    rf'"[^"\n]{{1,{_LONGEST}}}"|“[^“”]{{1,{_LONGEST}}}”|„[^„“”]{{1,{_LONGEST}}}[“”]|«[^«»]{{1,{_LONGEST}}}»'
    rf"|»[^«»]{{1,{_LONGEST}}}«|「[^「」]{{1,{_LONGEST}}}」"
)
_WORD = re.compile(r"\w+")
_MOSTLY = 0.5
_FEWEST = 3  # words of a quotation
_UNSPACED = re.compile("[\u3040-\u30ff\u4e00-\u9fff]{6}")  # six characters of writing that has no blanks
_NUMBER = r"[ \t#*]*(?:\d+(?:\.\d+)*\.?|[IVX]+\.)?[ \t]*"
_REFERENCES = re.compile(
    rf"^{_NUMBER}(?:list of )?(?:references(?: cited)?|reference list|bibliography|works cited|(?:cited )?literature"
    r"|sources|literatur(?:verzeichnis)?|quellen(?:verzeichnis|angaben)?|bibliographie|références|referencias|bibliografía"
    r"|bibliografia|riferimenti|referências|литература|参考文献)[ \t]*:?[ \t]*\**$",
    re.IGNORECASE | re.MULTILINE,
)
_AFTERWARDS = re.compile(
    rf"^{_NUMBER}(?:appendix|appendices|annex|anhang|annexe|apéndice)\b", re.IGNORECASE | re.MULTILINE
)


def is_prose(file: SourceFile) -> bool:
    """Whether a file is an essay: a document, or a plain text."""
    document = bool(file.cells) and not file.path.lower().endswith(NOTEBOOK)
    return document or for_path(file.path) is TEXT


@lru_cache(maxsize=64)  # a pair's files are asked about again for each of its passages
def quoted_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where quotations and the list of references stand, in order and apart from each other."""
    first, last = _references(text)
    quoted = [span for span in _quotations(text) if span[1] <= first or span[0] >= last]
    return tuple(sorted([*quoted, (first, last)] if first < last else quoted))


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    for found in _QUOTED.finditer(text):
        long = sum(1 for _ in _WORD.finditer(found[0])) >= _FEWEST or _UNSPACED.search(found[0])
        if long and "\n\n" not in found[0]:
            yield found.span()


def _references(text: str) -> tuple[int, int]:
    """From where to where the list of references is; nowhere if there is none."""
    headings = [found.start() for found in _REFERENCES.finditer(text) if found.start() >= len(text) // 2]
    if not headings:
        return len(text), len(text)
    after = _AFTERWARDS.search(text, headings[-1])
    return headings[-1], after.start() if after else len(text)


def without(spans: Sequence[tuple[int, int]], left_out: Sequence[tuple[int, int]]) -> Spans:
    """The remainder of some spans, in order, without others."""
    remaining: Spans = []
    for start, end in spans:
        for out, back in left_out:
            if start < out < end:
                remaining.append((start, out))
            if out < end and back > start:
                start = max(start, min(back, end))
        if start < end:
            remaining.append((start, end))
    return remaining


def quoted_part(file: SourceFile, start: int, end: int) -> float:
    """The part of a passage that is quoted, or is in the list of references."""
    inside = sum(max(0, min(end, back) - max(start, out)) for out, back in quoted_spans(file.text))
    return inside / max(1, end - start)


def mostly_quoted(submissions: Sequence[Submission]) -> Iterator[Problem]:
    """The essays of which less is left than what was left out, so that nobody is surprised."""
    for submission in submissions:
        for file in filter(is_prose, submission.files):
            if (part := quoted_part(file, 0, len(file.text))) > _MOSTLY:
                reason = _("%(share)s of it is quotations and references, which were ignored", share=percent(part))
                yield Problem(f"{submission.id}/{file.path}", reason)
