"""Change over time: the versions of one address, and which addresses change (Broder et al., 6.5)."""

from __future__ import annotations

from dataclasses import dataclass

from moss.corpus.ingest.documents import words
from moss.corpus.ingest.shingles import containment, resemblance, shingles
from moss.corpus.search.queries import Corpus, CorpusSighting


@dataclass(frozen=True, slots=True)
class Version:
    """The text at an address at a time, compared exactly with the one before."""

    sighting: CorpusSighting
    words: int
    resemblance: float | None  # None for the first
    kept: float | None  # the part of the earlier text that is still there
    new: float | None  # the part of this text that was not there before

    @property
    def changed(self) -> bool:
        """Whether the text differs from the one before."""
        return self.resemblance is not None and self.resemblance < 1


def versions(corpus: Corpus, address: str) -> list[Version]:
    """All sightings at an address in the order of their dates."""
    sightings = corpus.at(address)
    texts = corpus.texts([sighting.doc for sighting in sightings])
    found: list[Version] = []
    before = None
    for sighting in sightings:
        tokens = words(texts[sighting.doc])
        S = shingles(tokens, corpus.recipe.shingle)
        if before is None:
            found.append(Version(sighting, len(tokens), None, None, None))
        else:
            figures = resemblance(before, S), containment(before, S), 1 - containment(S, before)
            found.append(Version(sighting, len(tokens), *figures))
        before = S
    return found


@dataclass(frozen=True, slots=True)
class History:
    """How often an address was seen, and with how many different texts."""

    address: str
    sightings: int
    texts: int


def changing(corpus: Corpus, most: int = 25) -> list[History]:
    """The addresses with the most different texts."""
    rows = corpus.fetch(
        f"""
        SELECT address, COUNT(*) AS sightings, COUNT(DISTINCT content) AS texts
        FROM documents GROUP BY address HAVING COUNT(DISTINCT content) > 1
        ORDER BY texts DESC, sightings DESC, address LIMIT {int(most)}
        """
    )
    return [
        History(*row) for row in zip(*(rows[name].tolist() for name in ("address", "sightings", "texts")), strict=True)
    ]
