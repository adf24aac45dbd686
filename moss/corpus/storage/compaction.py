"""Compaction: one segment of all, so that a corpus that was added to many times is read as quickly as any."""

from __future__ import annotations

from moss.corpus.storage.manifest import Segment
from moss.corpus.storage.segments import ORDER, STORAGE, CorpusWriter, Snapshot, local_engine
from moss.corpus.storage.tables import SCHEMAS


def compact(writer: CorpusWriter) -> None:
    """Make one segment of all."""
    old = writer.manifest.segments
    if len(old) < 2:
        return
    name = writer.new_name()
    with writer.making(name) as unfinished, Snapshot(writer.folder) as snapshot:
        engine = local_engine(writer.folder, writer.memory)
        try:
            snapshot.tables(engine)
            for table in SCHEMAS:
                rows = f"SELECT * FROM {table} ORDER BY {ORDER[table]}"
                engine.write_file(rows, unfinished / f"{table}.parquet", *STORAGE[table])
        finally:
            engine.close()
    sums = [sum(getattr(s, what) for s in old) for what in ("documents", "kept", "shingles", "fingerprints")]
    writer.become((Segment(name, 0, *sums),))
