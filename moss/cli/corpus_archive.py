"""`moss compare --archive corpus:NAME`: earlier work from a corpus."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moss.corpus.search.archive import CorpusArchive

_PREFIX = "corpus:"
_URL = re.compile(r"^([a-z0-9]+):/(?!/)")  # of which a path has lost a slash


def corpora_among(paths: Sequence[Path]) -> tuple[list[CorpusArchive], list[Path]]:
    """Split paths into corpora, written corpus:NAME or as the path of one, and all others."""
    if not paths:
        return [], []
    from moss.cli.corpus.options import folder_of
    from moss.corpus.storage.manifest import exists

    data = Path(os.environ.get("MOSS_DATA") or "moss-data")
    corpora: list[Path] = []
    others: list[Path] = []
    for path in paths:
        if str(path).startswith(_PREFIX):
            corpora.append(folder_of(_URL.sub(r"\1://", str(path).removeprefix(_PREFIX)), data))
        elif exists(path) and (path / "segments").is_dir():
            corpora.append(path)
        else:
            others.append(path)
    if not corpora:
        return [], others
    from moss.corpus.search.archive import CorpusArchive  # which takes a while to import

    return [CorpusArchive(folder, str(folder)) for folder in corpora], others
