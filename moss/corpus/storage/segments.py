"""Segments: immutable folders of Parquet files, and the manifest that says which of them are the corpus.

    NAME/corpus.json                     the manifest, replaced as a whole
    NAME/lock                            held by the one process that writes
    NAME/segments/00000001/*.parquet     one file for each table (`moss.corpus.storage.tables`)
    NAME/scratch/                        where engines overflow

One process writes at a time; any number read, each the corpus as its manifest was when they began (a **snapshot**). A
reader holds a shared lock on each segment it uses. Compaction replaces segments by one: those that somebody still reads
are retired first, and swept away by a later writer.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import gettempdir
from types import TracebackType
from typing import IO, Any

from moss.corpus.engines.duckdb import FOR_NUMBERS, MEMORY, DuckEngine, FileForm, whole_folder
from moss.corpus.engines.engine import Columns, Engine
from moss.corpus.errors import CorpusError
from moss.corpus.storage.cleanup import sweep
from moss.corpus.storage.locks import hold, holdable
from moss.corpus.storage.manifest import Manifest, Segment, exists, read_manifest, write_local
from moss.corpus.storage.mirror import origin_of, push, retract
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.tables import DOCUMENTS, FINGERPRINTS, SCHEMAS, SHINGLES, TEXTS, TONGUES
from moss.messages import gettext

_LOCK = "lock"
STORAGE = {
    DOCUMENTS: FileForm("zstd", 1 << 16),
    SHINGLES: FOR_NUMBERS,
    FINGERPRINTS: FOR_NUMBERS,
    TEXTS: FileForm("uncompressed", 1 << 11),  # packed already; one text is fetched by reading all of its group
    TONGUES: FileForm("zstd"),
}
ORDER = {DOCUMENTS: "doc", SHINGLES: "shingle, doc", FINGERPRINTS: "hash, doc, start", TEXTS: "doc", TONGUES: "doc"}


@dataclass
class Snapshot:
    """A corpus as it is at one moment, to be read; nothing of it is removed while it is open."""

    folder: Path
    manifest: Manifest = field(init=False)

    def __post_init__(self) -> None:
        self._locks: list[IO[bytes]] = []
        while True:
            self.manifest = read_manifest(self.folder)
            try:
                self._hold()
                return
            except FileNotFoundError:  # compacted between the two steps; or damaged
                self.close()
                if read_manifest(self.folder).generation == self.manifest.generation:
                    raise CorpusError(
                        gettext("the corpus at %(folder)s is damaged: a segment is missing", folder=self.folder)
                    ) from None

    def _hold(self) -> None:
        for segment in self.manifest.segments:
            self._locks.append(hold(self.segment(segment.name)))

    def segment(self, name: str) -> Path:
        """A segment's folder."""
        return self.folder / "segments" / name

    def paths(self, table: str) -> list[Path]:
        """The files of a table, in the order of their documents."""
        files = [self.file(segment.name, table) for segment in self.manifest.segments]
        return [file for file in files if table != TONGUES or file.exists()]

    def file(self, segment: str, table: str) -> Path:
        """The file of a segment's table."""
        return self.segment(segment) / f"{table}.parquet"

    def tables(self, engine: Engine) -> None:
        """Tell an engine of all tables."""
        for table, schema in SCHEMAS.items():
            engine.table(table, self.paths(table), schema)

    def close(self) -> None:
        """Let go of the segments."""
        for lock in self._locks:
            lock.close()
        self._locks = []

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def scratch_of(folder: Path) -> Path:
    """The folder in which engines may overflow."""
    scratch = folder / "scratch"
    try:
        scratch.mkdir(exist_ok=True)
    except OSError:  # a corpus that may only be read
        return Path(gettempdir())
    return scratch if os.access(scratch, os.W_OK) else Path(gettempdir())


def local_engine(folder: Path, memory: int = MEMORY) -> DuckEngine:
    """DuckDB with a place to overflow in the corpus."""
    return DuckEngine(scratch_of(folder), memory)


class CorpusWriter:
    """The right to change a corpus, which one process has at a time; makes the corpus if there is none."""

    def __init__(self, folder: Path, recipe: Recipe | None = None, memory: int = MEMORY) -> None:
        self.folder, self.memory, self._origin = folder, memory, origin_of(folder)
        if folder.is_dir() and not exists(folder) and not self._may_become_corpus():
            raise CorpusError(gettext("%(folder)s is a folder with other things in it, not a corpus", folder=folder))
        try:
            (folder / "segments").mkdir(parents=True, exist_ok=True)
            self._lock = open(folder / _LOCK, "wb")  # noqa: SIM115
        except OSError as error:
            raise CorpusError(
                gettext("the corpus at %(folder)s cannot be written: %(reason)s", folder=folder, reason=error.strerror)
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise CorpusError(
                gettext("another process is writing to the corpus at %(folder)s", folder=folder)
            ) from None
        try:
            if not exists(folder):
                self._write(Manifest(recipe or Recipe()))
            self.manifest = read_manifest(folder)
            if recipe is not None and recipe.renewed != self.manifest.recipe.renewed:
                raise CorpusError(
                    "this corpus was made with other sizes of shingles, samples or fingerprints"
                    if recipe.sketches_only == self.manifest.recipe.sketches_only
                    else "whether a corpus has sketches only is decided when it is made"
                )
            self._sweep()
        except BaseException:
            self.close()
            raise

    def _may_become_corpus(self) -> bool:
        """Whether nothing is in the folder but what a writer leaves that was stopped before it wrote the manifest; what
        lies in its folders and is no part of the corpus is removed by writers."""
        names = {path.name for path in self.folder.iterdir()}
        folders = [folder for name in ("segments", "scratch") if (folder := self.folder / name).is_dir()]
        inside = (path for folder in folders for path in folder.iterdir())
        return names <= {_LOCK, "segments", "origin.json", "scratch"} and (self._origin != "" or not any(inside))

    def append(self, tables: Mapping[str, Columns], kept: int) -> None:
        """Add a segment with these rows, of which all but the documents may come in any order."""
        first = self.manifest.documents
        self.become((*self.manifest.segments, self.write(self.new_name(), tables, first, kept)))

    def write(self, name: str, tables: Mapping[str, Columns], first: int, kept: int) -> Segment:
        """Write the files of a segment that is no part of the corpus yet."""
        with self.making(name) as unfinished:
            engine = local_engine(self.folder, self.memory)
            try:
                for table, columns in tables.items():
                    engine.write_arrays(columns, unfinished / f"{table}.parquet", STORAGE[table])
            finally:
                engine.close()
        documents, shingles, fingerprints = (len(tables[name]["doc"]) for name in (DOCUMENTS, SHINGLES, FINGERPRINTS))
        return Segment(name, first, documents, kept, shingles, fingerprints)

    def new_name(self, number: int = 0) -> str:
        """The name of a new segment, or of another one that is made with it."""
        if self._origin:  # writers elsewhere must not use the same name
            return self.unique_name(number)
        return f"{self.manifest.made + 1 + number:08}"

    def unique_name(self, number: int = 0) -> str:
        """A name that is never used again: a worker that was thought to be lost may still finish its segment."""
        return f"{self.manifest.made + 1 + number:08}-{secrets.token_hex(4)}"

    @contextmanager
    def making(self, name: str) -> Iterator[Path]:
        """A folder for a segment's files, which has its name only when all of them are written; it is part of the
        corpus only after `become`."""
        with whole_folder(self.folder / "segments" / name) as unfinished:
            yield unfinished
            holdable(unfinished)

    def become(self, segments: tuple[Segment, ...], recipe: Recipe | None = None, *, renumbered: bool = False) -> None:
        """Make these segments the corpus; its former ones are removed when nobody reads them any more. If all of them
        were made by another recipe, it is the corpus's from now on. Say so if documents have other numbers in them."""
        now = self.manifest
        before, after = ([segment.name for segment in some] for some in (now.segments, segments))
        retired = tuple(name for name in before if name not in after)
        self._replace(
            recipe=recipe or now.recipe,
            generation=now.generation + 1,
            made=now.made + len(set(after) - set(before)),
            segments=segments,
            retired=now.retired + retired,
            renumbered=now.generation + 1 if renumbered else now.renumbered,
        )
        if retired:
            self._sweep()

    def _replace(self, **changes: Any) -> None:
        changed = replace(self.manifest, **changes)
        self._write(changed)
        self.manifest = changed

    def _write(self, manifest: Manifest) -> None:
        """Replace the manifest, first where the corpus is, if this is a mirror."""
        if self._origin:
            push(self.folder, manifest)
        write_local(self.folder, manifest)

    def _sweep(self) -> None:
        busy = sweep(self.folder, self.manifest)
        if busy != self.manifest.retired:
            self._replace(retired=busy)

    def close(self) -> None:
        """Let others write."""
        self._lock.close()

    def discard_unused(self) -> None:
        """Remove the corpus, if it never had a document: its sizes should not bind whoever adds the first. Its folders
        go only if they are empty, because somebody else's files may be in them."""
        if self.manifest.documents or self.manifest.generation:
            return
        if self._origin:
            retract(self.folder, self.manifest)
        for name in ("corpus.json", "origin.json", _LOCK):
            (self.folder / name).unlink(missing_ok=True)
        for folder in (self.folder / "segments", self.folder / "scratch", self.folder):
            with suppress(OSError):  # it is not there, or not empty
                folder.rmdir()

    def __enter__(self) -> CorpusWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
