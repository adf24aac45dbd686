"""The manifest: which segments are the corpus, and how its documents were read."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from moss.corpus.errors import CorpusError
from moss.corpus.storage.recipe import Recipe
from moss.messages import gettext

FORMAT, VERSION = "moss-corpus", 2
_READABLE = (1, 2)  # the first has no rules in its recipe
_MANIFEST = "corpus.json"


@dataclass(frozen=True, slots=True)
class Segment:
    """One folder of files, and how much it holds."""

    name: str
    first: int  # its documents have consecutive numbers from this one on
    documents: int
    kept: int
    shingles: int
    fingerprints: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The segments of a corpus, and the recipe of its documents."""

    recipe: Recipe
    generation: int = 0  # one more with every change
    made: int = 0  # segments made so far
    segments: tuple[Segment, ...] = ()
    retired: tuple[str, ...] = ()  # replaced, but not yet swept away
    renumbered: int = 0  # the generation since which documents have the numbers that they have now

    @property
    def documents(self) -> int:
        """How many documents there are, including those that another one is kept for."""
        return sum(segment.documents for segment in self.segments)

    @property
    def shingles(self) -> int:
        """How many rows of sketches there are."""
        return sum(segment.shingles for segment in self.segments)


def exists(folder: Path) -> bool:
    """Whether there is a corpus."""
    return (folder / _MANIFEST).is_file()


def changed(folder: Path) -> float:
    """When the corpus was changed last, in seconds since 1970; 0 if it is gone."""
    try:
        return (folder / _MANIFEST).stat().st_mtime
    except OSError:
        return 0.0


def check_there(folder: Path, name: str) -> None:
    """Raise CorpusError if there is no such folder for the corpus that a user calls by this name."""
    try:
        folder.stat()
    except FileNotFoundError:
        raise _missing(folder, name) from None
    except OSError:  # who reads it is told why that cannot be
        pass


def _missing(folder: Path, name: str) -> CorpusError:
    return CorpusError(
        gettext("no corpus at %(folder)s; create one with: moss corpus add %(name)s PATH…", folder=folder, name=name)
    )


def read_manifest(folder: Path) -> Manifest:
    """The manifest as it is now; raises CorpusError if there is none, or if it is not ours to read."""
    try:
        plain = json.loads((folder / _MANIFEST).read_bytes())
    except FileNotFoundError:
        raise _missing(folder, str(folder)) from None
    except (OSError, ValueError) as error:
        raise CorpusError(
            gettext("the corpus at %(folder)s cannot be read: %(error)s", folder=folder, error=error)
        ) from None
    return manifest_of(plain, folder)


def manifest_of(plain: Any, folder: Path) -> Manifest:
    """The manifest from plain data; raises CorpusError if it is not ours to read."""
    if not isinstance(plain, dict) or plain.get("format") != FORMAT or plain.get("version") not in _READABLE:
        raise CorpusError(gettext("the corpus at %(folder)s was made by another version of moss", folder=folder))
    return Manifest(
        Recipe.from_plain(plain["recipe"]),
        plain["generation"],
        plain["made"],
        tuple(Segment(**segment) for segment in plain["segments"]),
        tuple(plain["retired"]),
        plain["renumbered"] if "renumbered" in plain else plain["generation"],  # which older ones do not have
    )


def plain_manifest(manifest: Manifest) -> dict[str, Any]:
    """The manifest as plain data."""
    return {"format": FORMAT, "version": VERSION, **asdict(manifest)}


def write_local(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest in a folder as a whole."""
    plain = plain_manifest(manifest)
    with open(folder / f".{secrets.token_hex(8)}", "x", encoding="utf-8") as file:  # for whom the user's umask says
        json.dump(plain, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    os.replace(file.name, folder / _MANIFEST)
