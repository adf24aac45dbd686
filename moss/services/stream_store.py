"""Token streams in the store, so that a text is scanned once, however often it is compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Self

from sqlalchemy import delete, select

from moss.comparison.stream_cache import keys_of
from moss.model import Role
from moss.store import Store
from moss.store.results.run_input import RunInput
from moss.store.submissions.contents import digest_of, in_batches
from moss.store.tables import TokenStreamRow


@dataclass(frozen=True, slots=True)
class StoredStreams:
    """The token streams of some texts, in the database."""

    store: Store
    contents: Mapping[str, int]  # the id of the text that each key stands for

    @property
    def everything(self) -> bool:
        """True: streams that are quick to make are stored as well, because passages are looked up in them."""
        return True

    @classmethod
    def of_run(cls, store: Store, material: RunInput, language: str = "auto") -> Self:
        """The streams for the texts of a run in this language."""
        contents: dict[str, int] = {}
        for is_base in (True, False):
            chosen = [s for s in material.submissions if (s.role is Role.BASE) is is_base]
            for submission, keys in zip(chosen, keys_of(chosen, language), strict=True):
                for file, key in zip(submission.files, keys, strict=True):
                    if (content_id := material.contents.get(digest_of(file.text))) is not None:
                        contents[key] = content_id
        return cls(store, contents)

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

    def put(self, packed: Mapping[str, bytes]) -> None:
        """Store these streams, in place of those under the same keys."""
        ours = {key: streams for key, streams in packed.items() if key in self.contents}
        with self.store.session() as session:
            for some in in_batches(sorted(ours)):
                session.execute(delete(TokenStreamRow).where(TokenStreamRow.key.in_(some)))
                session.add_all(
                    TokenStreamRow(key=key, content_id=self.contents[key], streams=ours[key]) for key in some
                )
