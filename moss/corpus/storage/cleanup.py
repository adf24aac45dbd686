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
    kept = newest_phases(folder, manifest)
    for path in (folder / "phases").glob("g*"):
        if path != kept:
            remove_if_idle(path)
    return busy


def phases_of(folder: Path, generation: int) -> Path:
    """The folder of the results of clustering's phases for a generation of a corpus."""
    return folder / "phases" / f"g{generation}"


def newest_phases(folder: Path, manifest: Manifest, before: int | None = None) -> Path | None:
    """The newest results that are of documents with the numbers they have now; of generations before one, if it is
    given."""
    end = manifest.generation + 1 if before is None else before
    usable = (phases_of(folder, number) for number in _generations(folder) if manifest.renumbered <= number < end)
    return next(usable, None)


def _generations(folder: Path) -> list[int]:
    """The generations of which there are results, the newest first."""
    names = (path.name[1:] for path in (folder / "phases").glob("g*"))
    return sorted((int(name) for name in names if name.isdigit()), reverse=True)


def forget_older_phases(folder: Path, generation: int) -> None:
    """Remove the results for older generations that nobody reads any more."""
    for number in _generations(folder):
        if number < generation:
            remove_if_idle(phases_of(folder, number))
