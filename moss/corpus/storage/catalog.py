"""The catalog of the corpora in a data folder: names, sizes and problems, without opening them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from moss.corpus.errors import CorpusError
from moss.corpus.storage.manifest import changed, exists, read_manifest


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A corpus of a data folder."""

    name: str
    documents: int
    changed: datetime  # when documents were last added or removed
    problem: str = ""  # why it cannot be read, if so


def folder_in(data: Path, name: str) -> Path:
    """The folder of a corpus by its plain name."""
    return data / "corpora" / name


def folders_in(data: Path) -> list[Path]:
    """The folders of all corpora, by name."""
    return sorted(path for path in (data / "corpora").glob("*") if exists(path))


def entries_in(data: Path) -> list[CatalogEntry]:
    """All corpora by name, including those that cannot be read, with the reason."""
    return [_entry(folder) for folder in folders_in(data)]


def _entry(folder: Path) -> CatalogEntry:
    when = datetime.fromtimestamp(int(changed(folder)), UTC)
    try:
        manifest = read_manifest(folder)
        manifest.recipe.check_rules(folder)
        return CatalogEntry(folder.name, manifest.documents, when)
    except CorpusError as error:
        return CatalogEntry(folder.name, 0, when, without_path(error, folder))


def without_path(error: CorpusError, folder: Path) -> str:
    """The message of an error without the corpus's path, which users of a server need not know."""
    return str(error).replace(f"the corpus at {folder}", "it").replace(str(folder), folder.name)
