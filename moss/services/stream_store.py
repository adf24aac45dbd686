"""Token streams in the store, so that a text is scanned once, however often it is compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import delete, select

from moss.store import Store
from moss.store.submissions.contents import in_batches
from moss.store.tables import TokenStreamRow


@dataclass(frozen=True, slots=True)
class StoredStreams:
    """The token streams of some texts, in the database."""

    store: Store
    contents: Mapping[str, int]  # the ids of the texts whose streams may be stored, by their digests

    @property
    def everything(self) -> bool:
        """True: streams that are quick to make are stored as well, because passages are looked up in them."""
        return True

    def get(self, keys: Collection[str]) -> Mapping[str, bytes]:
        """The streams under these keys, as far as they are stored."""
        found: dict[str, bytes] = {}
        with self.store.reading() as session:
            for some in in_batches(sorted(keys)):
                found.update(
                    session.execute(
                        select(TokenStreamRow.key, TokenStreamRow.streams).where(TokenStreamRow.key.in_(some))
                    ).all()
                )
        return found

    def put(self, packed: Mapping[str, bytes], digests: Mapping[str, str] | None = None) -> None:
        """Store streams of texts that have an id, in place of others under the same keys."""
        texts = {key: self.contents[digest] for key, digest in (digests or {}).items() if digest in self.contents}
        ours = {key: streams for key, streams in packed.items() if key in texts}
        with self.store.session() as session:
            for some in in_batches(sorted(ours)):
                session.execute(delete(TokenStreamRow).where(TokenStreamRow.key.in_(some)))
                session.add_all(TokenStreamRow(key=key, content_id=texts[key], streams=ours[key]) for key in some)
