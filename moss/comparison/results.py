"""Results: what a comparison found, as bytes that can be kept, under a key of all that it depends on.

The key is a digest of every submission's names and texts, of the settings that influence the result, and of the source
of everything that computes it. So the same class, compared with the same settings by the same program, is found again,
and nothing else is. Texts are no part of what is kept: whoever asks has them.

    "found", 1      what this is, and the version of the format
    size            of the description
    description     JSON: records without texts, pairs, clusters, baseline, notes
    ranking         all pairs, best first: numbers of the first ones, of the second ones, scores
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import unidata_version

import numpy as np

from moss import version
from moss.intake import Intake
from moss.model import (
    Baseline,
    Cell,
    Channel,
    FileRecord,
    Match,
    Pair,
    Problem,
    Ranking,
    Region,
    Role,
    Run,
    Status,
    Submission,
    SubmissionRecord,
)
from moss.settings import Settings

_FORMAT = b"found\x01"
_SIZE = struct.Struct("<6sQ")
_CHOSEN = ("limits", "jobs", "memory", "comment", "deadline")  # these change nothing, or nothing behind the intake


class Found(NamedTuple):
    """What a comparison found: a report without what the run that asks knows better."""

    submissions: tuple[SubmissionRecord, ...]
    pairs: tuple[Pair, ...]
    ranking: Ranking
    clusters: tuple[tuple[str, ...], ...]
    baseline: Baseline
    chosen: Mapping[str, Any]  # what was chosen for parameters left open
    notes: tuple[Problem, ...]  # what a reader should know of the submissions


def result_key(intake: Intake, settings: Settings) -> str:
    """What determines the result of comparing these submissions."""
    digest = sha256()
    options = [(name, value) for name, value in asdict(settings).items() if name not in _CHOSEN]
    rules = version.SCAN_VERSION, version.HASH_VERSION, version.SCORE_VERSION
    digest.update(_line(_program(), rules, options))
    for submission in sorted(intake.submissions, key=lambda s: (s.role, s.id)):
        texts = [file.text.encode("utf-8", "surrogatepass") for file in submission.files]
        files = [
            (
                file.path,
                file.digest,
                file.encoding,
                len(text),
                [(c.label, c.language, c.start, c.end) for c in file.cells],
            )
            for file, text in zip(submission.files, texts, strict=True)
        ]
        skipped = [(problem.path, problem.reason) for problem in submission.skipped]
        about = submission.id, submission.owner, submission.role.value, submission.language
        digest.update(_line(about, skipped, files))
        for text in texts:
            digest.update(text)
    return digest.hexdigest()


def _line(*values: object) -> bytes:
    """Strings, numbers and lists of them, written so that others are written otherwise."""
    return repr(values).encode() + b"\n"


@cache
def _program() -> str:
    """What stands for the program that compares: its source, and what it stands on."""
    from pygments import __version__  # a comparison without a cache does without it

    others = f"Pygments {__version__}, Unicode {unidata_version}, numpy {np.__version__}"
    return f"{source_digest(Path(__file__).parents[2])}, {others}, Python {sys.version_info[:3]}"


def source_digest(root: Path) -> str:
    """A digest of all source below `root` that computes a result, in folders of any depth."""
    folders = (root / "moss" / "engine", root / "moss" / "comparison", root / "frontends")
    files = {*(root / "moss").glob("*.py"), *(file for folder in folders for file in folder.rglob("*.py"))}
    digest = sha256()
    for file in sorted(files):
        source = file.read_bytes()
        digest.update(_line(file.relative_to(root).as_posix(), len(source)))
        digest.update(source)
    return digest.hexdigest()


def pack_result(found: Found) -> bytes:
    """The result as bytes."""
    plain = {
        "submissions": [_plain_record(record) for record in found.submissions],
        "pairs": [_plain_pair(pair) for pair in found.pairs],
        "clusters": found.clusters,
        "baseline": asdict(found.baseline),
        "chosen": found.chosen,
        "notes": [[note.path, note.reason] for note in found.notes],
        "ranked": len(found.ranking),
    }
    description = json.dumps(plain, separators=(",", ":")).encode()
    ranking = found.ranking
    arrays = ranking.a.astype("<u4").tobytes(), ranking.b.astype("<u4").tobytes(), ranking.score.astype("<f8").tobytes()
    return b"".join([_SIZE.pack(_FORMAT, len(description)), description, *arrays])


def unpack_result(packed: bytes, submissions: Sequence[Submission]) -> Found | None:
    """The result that was packed, about these submissions; None if that cannot be told."""
    try:
        kind, size = _SIZE.unpack_from(packed)
        if kind != _FORMAT:
            return None
        end = _SIZE.size + size
        plain = json.loads(packed[_SIZE.size : end])
        count = plain["ranked"]
        if len(packed) != end + 16 * count:
            return None
        a, b = (np.frombuffer(packed, "<u4", count, end + 4 * count * i).astype(np.int32) for i in (0, 1))
        score = np.frombuffer(packed, "<f8", count, end + 8 * count).astype(np.float64)
        return Found(
            tuple(_record(found, given) for found, given in zip(plain["submissions"], submissions, strict=True)),
            tuple(map(_pair, plain["pairs"])),
            Ranking(a, b, score),
            tuple(tuple(ids) for ids in plain["clusters"]),
            Baseline(**plain["baseline"]),
            plain["chosen"],
            tuple(Problem(*note) for note in plain["notes"]),
        )
    except (ValueError, KeyError, TypeError, IndexError, struct.error):
        return None


# A record, a pair and so on in plain lists, and back. Written out, because there are many of them.


def _plain_record(record: SubmissionRecord) -> list[Any]:
    files = [
        [
            f.path,
            f.lines,
            f.tokens,
            f.language,
            f.status,
            f.reason,
            f.digest,
            f.encoding,
            list(map(_plain_region, f.base)),
        ]
        for f in record.files
    ]
    return [record.id, record.owner, record.role, record.language, record.tokens, record.fingerprints, files]


def _record(plain: list[Any], submission: Submission) -> SubmissionRecord:
    """A record with the texts of the submission that it is about; files that were skipped have none."""
    number, owner, role, language, tokens, fingerprints, files = plain
    if number != submission.id:
        raise ValueError("this is about other submissions")
    texts: list[tuple[tuple[Cell, ...], str]] = [(file.cells, file.text) for file in submission.files]
    texts += [((), "")] * (len(files) - len(texts))
    read = tuple(_file(file, *text) for file, text in zip(files, texts, strict=True))
    return SubmissionRecord(number, owner, Role(role), language, tokens, fingerprints, read)


def _file(plain: list[Any], cells: tuple[Cell, ...], text: str) -> FileRecord:
    path, lines, tokens, language, status, reason, digest, encoding, base = plain
    handed_out = tuple(Region(*region) for region in base)
    return FileRecord(path, lines, tokens, language, Status(status), reason, digest, encoding, handed_out, cells, text)


def _plain_pair(pair: Pair) -> list[Any]:
    return [
        pair.a, pair.b, pair.score, pair.similarity, pair.share_a, pair.share_b, pair.tokens, pair.longest, pair.rarity,
        list(map(_plain_match, pair.matches)),
    ]  # fmt: skip


def _pair(plain: list[Any]) -> Pair:
    a, b, score, similarity, share_a, share_b, tokens, longest, rarity, matches = plain
    found = tuple(map(_match, matches))
    return Pair(a, b, score, similarity, share_a, share_b, tokens, longest, rarity, found)


def _plain_match(match: Match) -> list[Any]:
    runs = [[run.a_start, run.a_end, run.b_start, run.b_end] for run in match.runs]
    a, b = _plain_region(match.a), _plain_region(match.b)
    return [a, b, match.tokens, match.channel, match.others, match.rarity, runs]


def _match(plain: list[Any]) -> Match:
    a, b, tokens, channel, others, rarity, runs = plain
    return Match(
        Region(*a), Region(*b), tokens, Channel(channel), tuple(others), rarity, tuple(Run(*run) for run in runs)
    )


def _plain_region(region: Region) -> list[Any]:
    return [region.file, region.start_line, region.end_line, region.start, region.end, region.cell]
