"""The copies planted in generated pages (generated_pages.py), and how many of them a clustering has found."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Truth:
    """The planted copies: (kind, number of the original, number of the copy)."""

    planted: list[tuple[str, int, int]] = field(default_factory=list)

    @staticmethod
    def read(folder: Path) -> Truth:
        with open(folder / "truth.jsonl") as lines:
            rows = [json.loads(line) for line in lines]
        return Truth([(row["kind"], row["original"], row["copy"]) for row in rows])

    def recall(self, clusters: Iterable[list[int]]) -> dict[str, float]:
        """For each kind the part of copies that are in their original's cluster."""
        place = {number: at for at, members in enumerate(clusters) for number in members}
        total, hit = Counter[str](), Counter[str]()
        for kind, original, copy in self.planted:
            if original != copy:
                total[kind] += 1
                hit[kind] += place.get(original, -1) == place.get(copy, -2)
        return {kind: hit[kind] / total[kind] for kind in total}

    def precision(self, clusters: Iterable[list[int]]) -> float:
        """The part of pairs in one cluster that were planted."""
        family = {copy: original for _, original, copy in self.planted}
        right = pairs = 0
        for members in clusters:
            families = Counter(family.get(number, number) for number in members)
            pairs += len(members) * (len(members) - 1) // 2
            right += sum(count * (count - 1) // 2 for count in families.values())
        return right / pairs if pairs else 1.0


def number_of(url: str) -> int:
    """The number in a page's address."""
    return int(url.rpartition("/")[2].removesuffix(".html"))


def read_clusters(path: Path) -> tuple[list[list[int]], dict[str, float]]:
    """The clusters in a file, as numbers of pages, and the processor seconds of each phase."""
    plain = json.loads(path.read_text())
    return [[number_of(url) for url in cluster["documents"]] for cluster in plain["clusters"]], plain[
        "processor_seconds"
    ]
