"""`moss compare --archive corpus:NAME`: earlier work that is kept in a corpus."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moss.comparison import Progress
    from moss.model import Report
    from moss.settings import Settings

_PREFIX = "corpus:"


def corpora_among(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Of these paths the folders of corpora, written corpus:NAME or as the path of one, and the others."""
    from moss.cli.corpus_options import folder_of

    data = Path(os.environ.get("MOSS_DATA") or "moss-data")
    corpora, others = [], []
    for path in paths:
        if str(path).startswith(_PREFIX):
            corpora.append(folder_of(str(path).removeprefix(_PREFIX), data))
        elif (path / "corpus.json").is_file() and (path / "segments").is_dir():
            corpora.append(path)
        else:
            others.append(path)
    return corpora, others


def compare_with_corpora(
    paths: Sequence[Path],
    base: Sequence[Path],
    archive: Sequence[Path],
    corpora: Sequence[Path],
    settings: Settings,
    progress: Progress,
) -> Report:
    """A comparison whose archive has what corpora hold of the new submissions, too."""
    from moss.comparison import compare_submissions
    from moss.corpus.archive import archive_submissions
    from moss.intake import collect
    from moss.model import Role

    intake = collect(
        paths, archive, base, directory=settings.directory, limits=settings.limits,
        progress=lambda files: progress("reading", files, 0),
    )  # fmt: skip
    new = [submission for submission in intake.submissions if submission.role is Role.NEW]
    earlier = [
        submission
        for folder in corpora
        for submission in archive_submissions(folder, new, lambda done, total: progress("asking corpora", done, total))
    ]
    taken = {submission.id for submission in intake.submissions}
    unique = [s if s.id not in taken else replace(s, id=f"{s.id} (corpus)") for s in earlier]
    inputs = {"paths": paths, "base": base, "archive": [*archive, *corpora]}
    return compare_submissions(
        replace(intake, submissions=(*intake.submissions, *unique)),
        settings,
        {name: [str(path) for path in given] for name, given in inputs.items()},
        progress,
    )
