"""The description of submissions and pairs for a report: plain data with lines and names."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

import numpy as np

from frontends.lexing.char_classes import runs
from moss.comparison.align import PairFigures, PassageSide, SharedPassage
from moss.comparison.appearance import appeared, with_parts
from moss.comparison.quotations import is_prose, quoted_part
from moss.comparison.rank import RankedPair
from moss.comparison.scanned_files import LayerKey, ScannedSubmission
from moss.engine.index import Layer
from moss.hashing import distinct
from moss.lines import count_lines, line_starts, lines_of
from moss.model import FileRecord, Match, Pair, Ranking, Region, SourceFile, Status, Submission, SubmissionRecord

SHORT = 5  # lines: programs that are no longer may be identical by chance
_COUNTED = 1 << 20  # passages times submissions that are looked up at a time: bounds the memory


def describe_submission(submission: Submission, scanned: ScannedSubmission) -> SubmissionRecord:
    """How a submission entered the comparison, files that could not be read included."""
    base = _base_regions(submission, scanned)
    files = [
        FileRecord(
            file.path, count_lines(file.text), read.tokens, read.language, read.status, read.reason,
            file.encoding, file.digest, base[number], file.cells, file.text, file.origins,
        )
        for number, (file, read) in enumerate(zip(submission.files, scanned.files, strict=True))
    ]  # fmt: skip
    skipped = [FileRecord(p.path, 0, 0, "", Status.SKIPPED, p.reason) for p in submission.skipped]
    return SubmissionRecord(
        submission.id,
        submission.owner,
        submission.role,
        _main_language(files),
        sum(file.tokens for file in files),
        sum(len(located.document.hashes) for key, located in scanned.layers.items() if key.own),
        (*files, *skipped),
        submission.version or "",
        submission.time.isoformat() if submission.time else "",
        submission.section,
        submission.account,
        with_parts(submission.history, files) if submission.history else None,
        submission.dated.isoformat() if submission.dated else "",
        submission.reference,
    )


def has_same(records: Sequence[SubmissionRecord], ranking: Ranking) -> bool:
    """Whether there is a pair of identical submissions that are too long for that to be chance."""
    count = int(np.searchsorted(-ranking.score, -1, side="right"))
    a, b = ranking.a[:count], ranking.b[:count]
    long = np.zeros(len(records), np.bool_)
    for number in distinct(np.concatenate([a, b])).tolist():
        long[number] = sum(map(_own_lines, records[number].files)) > SHORT
    return bool((long[a] & long[b]).any())


def _own_lines(file: FileRecord) -> int:
    """How many lines of a file have anything but blanks and starter code in them."""
    starts = [*line_starts(file.text).tolist(), len(file.text)]
    base = {line for region in file.base for line in range(region.start_line, region.end_line + 1)}
    lines = enumerate(pairwise(starts), 1)
    return sum(
        number not in base and not file.text[start:end].isspace() for number, (start, end) in lines if start < end
    )


def _main_language(files: Sequence[FileRecord]) -> str:
    """The language of most tokens, the first by name of equal ones."""
    tokens: dict[str, int] = {}
    for file in files:
        tokens[file.language] = tokens.get(file.language, 0) + file.tokens
    return min(tokens, key=lambda name: (-tokens[name], name), default="")


def _base_regions(submission: Submission, scanned: ScannedSubmission) -> list[tuple[Region, ...]]:
    """The regions of starter code in each file."""
    regions: list[list[Region]] = [[] for _ in submission.files]
    for key, located in scanned.layers.items():
        if key.own and located.document.base.any():
            for first, end_token in zip(*runs(located.document.base), strict=True):
                number = located.file_of(first)
                start, end = int(located.start[first]), int(located.end[end_token - 1])
                regions[number].append(make_region(submission.files[number], start, end))
    return [tuple(sorted(found, key=lambda region: region.start)) for found in regions]


def make_region(file: SourceFile, start: int, end: int) -> Region:
    """The region of a file between two offsets."""
    return make_regions(file, [(start, end)])[0]


def make_regions(file: SourceFile, spans: Sequence[tuple[int, int]]) -> list[Region]:
    """The regions of a file between these offsets."""
    offsets = np.array([(start, max(start, end - 1)) for start, end in spans])
    lines = lines_of(line_starts(file.text), offsets).tolist()
    prose = is_prose(file)
    quoted = [quoted_part(file, start, end) if prose else 0.0 for start, end in spans]
    return [
        Region(file.path, first, last, start, end, label, part)
        for (start, end), (first, last), label, part in zip(
            spans, lines, _cell_labels(file, spans), quoted, strict=True
        )
    ]


def _cell_labels(file: SourceFile, spans: Sequence[tuple[int, int]]) -> list[str | None]:
    """The label of the cells of a notebook, or of the paragraphs of a document, that each span lies in, if in any."""
    starts, ends = [cell.start for cell in file.cells], [cell.end for cell in file.cells]
    labels: list[str | None] = []
    for start, end in spans:
        inside = file.cells[bisect_right(ends, start) : bisect_left(starts, end)]
        several = len(inside) > 1
        labels.append(f"{inside[0].label} to {inside[-1].label}" if several else inside[0].label if inside else None)
    return labels


def describe_pair(
    ranked: RankedPair, figures: PairFigures, layers: Mapping[LayerKey, Layer], owners: Sequence[Submission]
) -> Pair:
    """A pair with its matches; `owners` are all submissions in the order of the layers' documents."""
    a, b = owners[ranked.a], owners[ranked.b]
    passages = figures.passages
    sides = _regions(a, [p.a for p in passages]), _regions(b, [p.b for p in passages])
    others = ([s for s in found if s.owner not in (a.owner, b.owner)] for found in _having(passages, layers, owners))
    matches = tuple(map(_describe_match, passages, *sides, others))
    tokens = sum(match.tokens for match in matches)
    matched, countable = figures.matched, figures.countable
    return Pair(
        a.id,
        b.id,
        ranked.score,
        sum(matched) / max(1, sum(countable)),
        matched[0] / max(1, countable[0]),
        matched[1] / max(1, countable[1]),
        tokens,
        max((match.tokens for match in matches), default=0),
        sum(match.rarity * match.tokens for match in matches) / max(1, tokens),
        matches,
        ranked.reasons,
    )


def _describe_match(passage: SharedPassage, a: Region, b: Region, others: Sequence[Submission]) -> Match:
    return Match(
        a,
        b,
        passage.tokens,
        len({s.owner for s in others}),
        passage.key.channel,
        tuple(s.id for s in others),
        passage.runs,
    )


def _regions(submission: Submission, sides: Sequence[PassageSide]) -> list[Region]:
    """The regions of a submission's sides; those of one file are looked up together, which is faster."""
    regions: dict[PassageSide, Region] = {}
    for number in {side.file for side in sides}:
        here = [side for side in sides if side.file == number]
        file = submission.files[number]
        found = make_regions(file, [(side.start, side.end) for side in here])
        found = [_dated(file, region) for region in found] if file.origins else found
        regions.update(zip(here, found, strict=True))
    return [regions[side] for side in sides]


def _dated(file: SourceFile, region: Region) -> Region:
    """The region with the commits with which it appeared."""
    commit, begun = appeared(file, region.start_line, region.end_line)
    return replace(region, commit=commit, begun=begun)


def _having(
    passages: Sequence[SharedPassage], layers: Mapping[LayerKey, Layer], owners: Sequence[Submission]
) -> Iterator[list[Submission]]:
    """The submissions that have more than half of the fingerprints of each passage."""
    at_once = max(1, _COUNTED // max(1, len(owners)))
    for key, same_layer in groupby(passages, key=lambda passage: passage.key):
        found = list(same_layer)
        for first in range(0, len(found), at_once):
            hashes = [passage.hashes for passage in found[first : first + at_once]]
            for having in layers[key].index.having_most(hashes, len(owners)):
                yield [owners[i] for i in having]
