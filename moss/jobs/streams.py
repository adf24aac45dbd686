"""Token streams in the store, so that a text is scanned once however often it is compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sqlalchemy import delete, select

from moss.comparison.keeping import keys_of
from moss.model import Role
from moss.store import Store
from moss.store.comparing import Material
from moss.store.contents import digest_of, in_batches
from moss.store.tables import Kept


@dataclass
class StoredStreams:
    """Keeps the streams of the texts of one run."""

    store: Store
    material: Material
    language: str = "auto"  # that the run asks for
    everything: bool = True  # passages are looked up in them too
    _content: dict[str, int] = field(default_factory=dict)  # which text a key is about

    def __post_init__(self) -> None:
        for is_base in (True, False):
            chosen = [s for s in self.material.submissions if (s.role is Role.BASE) is is_base]
            for submission, keys in zip(chosen, keys_of(chosen, self.language), strict=True):
                for file, key in zip(submission.files, keys, strict=True):
                    if (content_id := self.material.contents.get(digest_of(file.text))) is not None:
                        self._content[key] = content_id

    def get(self, keys: Collection[str]) -> Mapping[str, bytes]:
        """Those of these that are kept."""
        found: dict[str, bytes] = {}
        with self.store.reading() as session:
            for some in in_batches(sorted(keys)):
                found.update(session.execute(select(Kept.key, Kept.streams).where(Kept.key.in_(some))).all())
        return found

    def put(self, packed: Mapping[str, bytes]) -> None:
        """Keep these, instead of what may be there under the same keys."""
        ours = {key: streams for key, streams in packed.items() if key in self._content}
        with self.store.session() as session:
            for some in in_batches(sorted(ours)):
                session.execute(delete(Kept).where(Kept.key.in_(some)))
                session.add_all(Kept(key=key, content_id=self._content[key], streams=ours[key]) for key in some)
