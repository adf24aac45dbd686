"""The cleanup of a corpus: replaced segments, files derived from them, and unfinished ones are removed."""

from __future__ import annotations

import shutil
from pathlib import Path

from moss.corpus.storage.locks import remove_if_idle
from moss.corpus.storage.manifest import Manifest


def sweep(folder: Path, manifest: Manifest) -> tuple[str, ...]:
    """Remove segments that nobody reads any more, and what an interrupted writer has left; only the writer may do so.

    Returns the names of retired segments that somebody still reads."""
    busy = tuple(name for name in manifest.retired if not remove_if_idle(folder / "segments" / name))
    known = {segment.name for segment in manifest.segments} | set(busy)
    lookups = (folder / "lookups").glob("[0-9]*")  # others are being made by readers
    for path in (*(folder / "segments").iterdir(), *lookups):
        if path.name not in known:
            shutil.rmtree(path, ignore_errors=True)
    forget_phases(folder, manifest.generation)
    return busy


def phases_of(folder: Path, generation: int) -> Path:
    """The folder of the results of clustering's phases for a generation of a corpus."""
    return folder / "phases" / f"g{generation}"


def forget_phases(folder: Path, generation: int) -> None:
    """Remove the results for other generations that nobody reads any more."""
    kept = phases_of(folder, generation)
    for path in kept.parent.glob("g*"):
        if path != kept:
            remove_if_idle(path)
