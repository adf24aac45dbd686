"""The cache of results: what a comparison found, as bytes, under a key of everything that it depends on.

The key is a digest of every submission's names and texts, of the settings that influence the result, of the source of
everything that computes it, and of the language of its notes. So the same class, compared with the same settings by
the same program, is found again, and nothing else is. Texts are not cached: whoever asks has them.

    "found", 2      what this is, and the version of the format
    size            of the description
    description     JSON: records without texts, pairs, clusters, baseline, notes, in the codec's packed form
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
from moss.codec import Form, all_from_plain, from_plain, plain, supply
from moss.entry_points import FRONTENDS, packages
from moss.intake import Intake
from moss.messages import language_digest
from moss.model import Baseline, Pair, Problem, Ranking, Submission, SubmissionRecord
from moss.settings import Settings

_FORMAT = b"found\x02"
_SIZE = struct.Struct("<6sQ")
_LEFT_OUT = ("limits", "jobs", "memory", "comment", "deadline")  # these change nothing, or nothing behind the intake


class ComparisonResult(NamedTuple):
    """Everything that a comparison found: a report without time, inputs and settings, which belong to the run."""

    submissions: tuple[SubmissionRecord, ...]
    pairs: tuple[Pair, ...]
    ranking: Ranking
    clusters: tuple[tuple[str, ...], ...]
    baseline: Baseline
    chosen: Mapping[str, Any]  # what was chosen for parameters left open
    notes: tuple[Problem, ...]  # what a reader should know of the submissions


def result_key(intake: Intake, settings: Settings) -> str:
    """The key of the result of comparing these submissions: a digest of everything that determines it."""
    digest = sha256()
    options = [(name, value) for name, value in asdict(settings).items() if name not in _LEFT_OUT]
    rules = version.SCAN_VERSION, version.HASH_VERSION, version.SCORE_VERSION
    digest.update(_line(_program(), language_digest(), rules, options))
    for submission in sorted(intake.submissions, key=lambda s: (s.role, s.id)):
        texts = [file.text.encode("utf-8", "surrogatepass") for file in submission.files]
        files = [
            (
                file.path,
                file.digest,
                file.encoding,
                len(text),
                [(c.label, c.language, c.start, c.end) for c in file.cells],
                [tuple(origin) for origin in file.origins],
            )
            for file, text in zip(submission.files, texts, strict=True)
        ]
        skipped = [(problem.path, problem.reason) for problem in submission.skipped]
        reference = submission.reference and submission.reference.value
        about = submission.id, submission.owner, submission.role.value, reference, submission.language
        times = str(submission.time), str(submission.dated)
        handed_in = submission.version, *times, submission.section, submission.account
        history = asdict(submission.history) if submission.history else None
        digest.update(_line(about, handed_in, skipped, files, history))
        for text in texts:
            digest.update(text)
    return digest.hexdigest()


def _line(*values: object) -> bytes:
    """Strings, numbers and lists of them as a line; different values give different lines."""
    return repr(values).encode() + b"\n"


@cache
def _program() -> str:
    """The program that compares, in a line: a digest of its source, the libraries under it, and the packages that add
    to it."""
    from pygments import __version__  # a comparison without a cache does without it

    others = f"Pygments {__version__}, Unicode {unidata_version}, numpy {np.__version__}, {packages(FRONTENDS)}"
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


def pack_result(found: ComparisonResult) -> bytes:
    """The result as bytes."""
    content = {
        "submissions": [plain(record, Form.PACKED) for record in found.submissions],
        "pairs": [plain(pair, Form.PACKED) for pair in found.pairs],
        "clusters": found.clusters,
        "baseline": plain(found.baseline, Form.PACKED),
        "chosen": found.chosen,
        "notes": found.notes,
        "ranked": len(found.ranking),
    }
    description = json.dumps(content, separators=(",", ":")).encode()
    ranking = found.ranking
    arrays = ranking.a.astype("<u4").tobytes(), ranking.b.astype("<u4").tobytes(), ranking.score.astype("<f8").tobytes()
    return b"".join([_SIZE.pack(_FORMAT, len(description)), description, *arrays])


def unpack_result(packed: bytes, submissions: Sequence[Submission]) -> ComparisonResult | None:
    """The packed result, which is about these submissions; None if it is damaged or about others."""
    try:
        kind, size = _SIZE.unpack_from(packed)
        if kind != _FORMAT:
            return None
        end = _SIZE.size + size
        content = json.loads(packed[_SIZE.size : end])
        count = content["ranked"]
        if len(packed) != end + 16 * count:
            return None
        a, b = (np.frombuffer(packed, "<u4", count, end + 4 * count * i).astype(np.int32) for i in (0, 1))
        score = np.frombuffer(packed, "<f8", count, end + 8 * count).astype(np.float64)
        return ComparisonResult(
            _with_texts(all_from_plain(SubmissionRecord, Form.PACKED, content["submissions"]), submissions),
            all_from_plain(Pair, Form.PACKED, content["pairs"]),
            Ranking(a, b, score),
            tuple(tuple(ids) for ids in content["clusters"]),
            from_plain(Baseline, Form.PACKED, content["baseline"]),
            content["chosen"],
            tuple(Problem(*note) for note in content["notes"]),
        )
    except (ValueError, KeyError, TypeError, IndexError, struct.error):
        return None


def _with_texts(
    records: tuple[SubmissionRecord, ...], submissions: Sequence[Submission]
) -> tuple[SubmissionRecord, ...]:
    """The records with the texts of the submissions that they are about; files that were skipped have none."""
    for record, submission in zip(records, submissions, strict=True):
        if record.id != submission.id:
            raise ValueError("this is about other submissions")
        texts = [file.text for file in submission.files]
        texts += [""] * (len(record.files) - len(texts))
        for file, text in zip(record.files, texts, strict=True):
            supply(file, text=text)
    return records
