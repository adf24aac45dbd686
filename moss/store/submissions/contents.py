"""Contents: the texts that were handed in, each stored once, compressed, under its digest."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import delete, exists, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from moss.store.tables import ContentRow, RunTextRow, SubmittedFileRow

_AT_ONCE = 500  # values in one statement, because databases limit them

Value = TypeVar("Value")


def digest_of(text: str) -> str:
    """The digest of a text, under which it is stored."""
    return hashlib.sha256(_encoded(text)).hexdigest()


def store_texts(session: Session, texts: Iterable[str]) -> dict[str, int]:
    """Store these texts, unless they are stored already; returns their ids by digest."""
    named = {digest_of(text): text for text in texts}
    ids = content_ids(session, named)
    # In a fixed order, so that two transactions that store the same texts never wait for each other.
    new = [_row(digest, named[digest]) for digest in sorted(named.keys() - ids.keys())]
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    for rows in in_batches(new):
        session.execute(insert(ContentRow).on_conflict_do_nothing(index_elements=["digest"]), rows)
    return ids | content_ids(session, [row["digest"] for row in new])


def content_ids(session: Session, digests: Collection[str]) -> dict[str, int]:
    """The ids of the texts with these digests, as far as they are stored."""
    found: dict[str, int] = {}
    for some in in_batches(sorted(digests)):
        found.update(session.execute(select(ContentRow.digest, ContentRow.id).where(ContentRow.digest.in_(some))).all())
    return found


def read_texts(session: Session, digests: Collection[str]) -> dict[str, str]:
    """The texts with these digests, as far as they are stored."""
    found: dict[str, str] = {}
    for some in in_batches(sorted(digests)):
        rows = session.execute(select(ContentRow.digest, ContentRow.packed).where(ContentRow.digest.in_(some)))
        found.update((digest, unpack(packed)) for digest, packed in rows)
    return found


def unpack(packed: bytes) -> str:
    """Decompress a stored text."""
    return zlib.decompress(packed).decode("utf-8", "surrogatepass")


def delete_unused_texts(session: Session, ids: Collection[int] | None = None) -> None:
    """Delete those of these texts (None: of all) that no file and no run has any more, with all data about them."""
    unused = (
        ~exists().where(SubmittedFileRow.content_id == ContentRow.id),
        ~exists().where(RunTextRow.content_id == ContentRow.id),
    )
    if ids is None:
        session.execute(delete(ContentRow).where(*unused))
        return
    for some in in_batches(sorted(ids)):
        session.execute(delete(ContentRow).where(ContentRow.id.in_(some), *unused))


def texts_of_runs(session: Session, runs: Collection[int]) -> set[int]:
    """The texts from corpora that these runs have."""
    found: set[int] = set()
    for some in in_batches(sorted(runs)):
        found.update(session.scalars(select(RunTextRow.content_id).where(RunTextRow.run_id.in_(some))))
    return found


def in_batches(values: Sequence[Value], size: int = _AT_ONCE) -> Iterator[list[Value]]:
    """The values in batches of this size."""
    waiting = iter(values)
    while some := list(islice(waiting, size)):
        yield some


def _row(digest: str, text: str) -> dict[str, Any]:
    return {"digest": digest, "characters": len(text), "packed": zlib.compress(_encoded(text), 6)}


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
