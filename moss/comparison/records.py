"""Records: what a reader gets to know, as plain data with lines and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from frontends import Thresholds
from frontends.cutting import runs
from moss.comparison.pairing import Figures, Shared, Side
from moss.comparison.scanning import LayerKey, Scanned
from moss.engine.scoring import Layer
from moss.lines import count_lines, line_of, line_starts
from moss.model import FileRecord, Match, Pair, Region, SourceFile, Status, Submission, SubmissionRecord
from moss.settings import Settings


def describe_submission(submission: Submission, scanned: Scanned) -> SubmissionRecord:
    """How a submission entered the comparison, files that could not be read included."""
    base = _base_regions(submission, scanned)
    files = [
        FileRecord(
            file.path, count_lines(file.text), read.tokens, read.language, read.status, read.reason,
            file.digest, file.encoding, base[number], file.cells, file.text,
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
    )


def _main_language(files: Sequence[FileRecord]) -> str:
    """The language of most tokens, the first by name of equal ones."""
    tokens: dict[str, int] = {}
    for file in files:
        tokens[file.language] = tokens.get(file.language, 0) + file.tokens
    return min(tokens, key=lambda name: (-tokens[name], name), default="")


def _base_regions(submission: Submission, scanned: Scanned) -> list[tuple[Region, ...]]:
    """For each file the passages that were handed out."""
    regions: list[list[Region]] = [[] for _ in submission.files]
    for key, located in scanned.layers.items():
        if key.own and located.document.base.any():
            for first, end_token in zip(*runs(located.document.base), strict=True):
                number = located.file_of(first)
                start, end = int(located.start[first]), int(located.end[end_token - 1])
                regions[number].append(make_region(submission.files[number], start, end))
    return [tuple(sorted(found, key=lambda region: region.start)) for found in regions]


def make_region(file: SourceFile, start: int, end: int) -> Region:
    """The passage of a file between two offsets."""
    starts = line_starts(file.text)
    return Region(file.path, line_of(starts, start), line_of(starts, max(start, end - 1)), start, end,
                  _cell_label(file, start, end))  # fmt: skip


def _cell_label(file: SourceFile, start: int, end: int) -> str | None:
    """Which cells of a notebook a passage lies in."""
    labels = [cell.label for cell in file.cells if cell.start < end and start < cell.end]
    return (labels[0] if len(labels) == 1 else f"{labels[0]} to {labels[-1]}") if labels else None


def describe_pair(
    a: Submission,
    b: Submission,
    score: float,
    figures: Figures,
    layers: Mapping[LayerKey, Layer],
    owners: Sequence[Submission],
) -> Pair:
    """A pair with its matches; `owners` are all submissions in the order of the layers' documents."""
    matches = tuple(_describe_match(a, b, passage, layers[passage.key], owners) for passage in figures.passages)
    tokens = sum(match.tokens for match in matches)
    matched, countable = figures.matched, figures.countable
    return Pair(
        a.id,
        b.id,
        score,
        sum(matched) / max(1, sum(countable)),
        matched[0] / max(1, countable[0]),
        matched[1] / max(1, countable[1]),
        tokens,
        max((match.tokens for match in matches), default=0),
        sum(match.rarity * match.tokens for match in matches) / max(1, tokens),
        matches,
    )


def _describe_match(a: Submission, b: Submission, passage: Shared, layer: Layer, owners: Sequence[Submission]) -> Match:
    others = [s for s in _having(passage, layer, owners) if s.owner not in (a.owner, b.owner)]
    return Match(
        _region(a, passage.a),
        _region(b, passage.b),
        passage.tokens,
        passage.key.channel,
        tuple(s.id for s in others),
        len({s.owner for s in others}),
        passage.runs,
    )


def _region(submission: Submission, side: Side) -> Region:
    return make_region(submission.files[side.file], side.start, side.end)


def _having(passage: Shared, layer: Layer, owners: Sequence[Submission]) -> list[Submission]:
    """The submissions that have more than half of the passage's fingerprints."""
    found = [layer.index.having(i) for i in layer.index.find(passage.hashes).tolist()]
    counts = np.bincount(np.concatenate([*found, np.zeros(0, np.int64)]), minlength=len(owners))
    return [owners[i] for i in np.flatnonzero(2 * counts > len(passage.hashes)).tolist()]


def describe_parameters(
    settings: Settings, inputs: Mapping[str, Sequence[str]], chosen: Mapping[str, Any]
) -> dict[str, Any]:
    """All that influenced the result: the settings, and what was chosen for those left open."""
    given = asdict(settings)
    del given["jobs"]  # the same result with any number of processes
    return dict(inputs) | given | dict(chosen)


def describe_choices(max_matches: int, keys: Sequence[LayerKey]) -> dict[str, Any]:
    """What was chosen for parameters that were left open."""
    thresholds = [{"channel": key.channel, "own": key.own, **_thresholds(key.thresholds)} for key in keys]
    return {"max_matches": max_matches, "thresholds": thresholds}


def _thresholds(thresholds: Thresholds) -> dict[str, int]:
    return {"noise": thresholds.noise, "guarantee": thresholds.guarantee, "passage": thresholds.passage}
