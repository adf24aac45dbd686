"""Lost and found: where the page that was at an address is best found now (Broder et al., 6.2).

Of the addresses at which its text, or one that resembles it, was seen, the best is the one that was seen last, among
those that were still there when their host was last visited (in the last month in which any page of it was seen).
"""

from __future__ import annotations

from dataclasses import dataclass

from moss.corpus.search.queries import Corpus, CorpusSighting
from moss.corpus.search.sites import HOST_SQL, host_of
from moss.corpus.storage.tables import DOCUMENTS

Visits = dict[str, tuple[int, int]]
"""The last year and month in which each host was visited."""


@dataclass(frozen=True, slots=True)
class LocatedPage:
    """A sighting of a page, and how much it resembles the one that is sought."""

    sighting: CorpusSighting
    resemblance: float
    there: bool | None  # at the last visit of its host; None if it has no host or date


def last_visits(corpus: Corpus) -> Visits:
    """When each host was visited last."""
    rows = corpus.fetch(
        f"SELECT {HOST_SQL} AS host, max(date) AS last FROM {DOCUMENTS} WHERE date IS NOT NULL GROUP BY ALL"
    )
    days = rows["last"].astype("datetime64[D]").tolist()
    return {host: (day.year, day.month) for host, day in zip(rows["host"].tolist(), days, strict=True) if host}


def whereabouts(corpus: Corpus, address: str, resemblance: float, visits: Visits) -> list[LocatedPage]:
    """The sightings of what resembles the newest text at an address: the best first, then the newest."""
    found = corpus.locate(address, resemblance)
    there = {sighting.address: _there(corpus, sighting.address, visits) for sighting, _ in found}
    pages = [LocatedPage(sighting, alike, there[sighting.address]) for sighting, alike in found]
    best = next((page for page in pages if page.there), None)
    return pages if best is None else [best, *(page for page in pages if page is not best)]


def _there(corpus: Corpus, address: str, visits: Visits) -> bool | None:
    seen, last = corpus.at(address)[-1].date, visits.get(host_of(address))
    return None if seen is None or last is None else (seen.year, seen.month) == last
