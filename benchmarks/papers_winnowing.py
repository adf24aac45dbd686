"""Section 5.1 of the winnowing paper, redone: densities, the longest gap, and how often k-grams occur.

Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for Document Fingerprinting. SIGMOD 2003.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from findings import Picture, Section, Table
from installed_pages import without_tags
from plots import Axis, Series, plot

from moss.engine.kgrams import hash_kgrams
from moss.engine.winnowing import select_mod, winnow, winnow_plain
from moss.hashing import Hashes, Positions

K, W, P = 50, 100, 50  # the paper's: characters of a k-gram, hashes in a window, and the modulus


@dataclass
class Counted:
    """The counts of all hashes and of selected ones, added up document by document."""

    total_bytes: int = 0
    text: int = 0
    hashes: int = 0
    plain: int = 0
    robust: int = 0
    mod: int = 0
    longest_mod: int = 0
    longest_robust: int = 0
    windows: int = 0
    empty_windows: int = 0  # without a hash that is 0 mod p
    all: list[Hashes] = field(default_factory=list)
    fingerprints: list[Hashes] = field(default_factory=list)

    def take(self, text: str) -> None:
        """Count one document."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        h = hash_kgrams(codes, K)
        self.text += len(codes)
        self.hashes += len(h)
        if len(h) < W:  # no window to speak of
            return
        robust, mod = winnow(h, W), select_mod(h, P)
        self.plain += len(winnow_plain(h, W))
        self.robust += len(robust)
        self.mod += len(mod)
        gaps = longest_gap(mod, len(h))
        self.longest_mod = max(self.longest_mod, gaps)
        self.longest_robust = max(self.longest_robust, longest_gap(robust, len(h)))
        before = np.concatenate([[0], np.cumsum(np.isin(np.arange(len(h)), mod, assume_unique=True))])
        self.windows += len(h) - W + 1
        self.empty_windows += int(np.sum(before[W:] == before[: len(before) - W]))
        self.all.append(h)
        self.fingerprints.append(h[robust])


def longest_gap(selected: Positions, count: int) -> int:
    """The longest run of hashes, of so many, that holds no selected one."""
    edges = np.concatenate([[-1], selected, [count]])
    return int(np.max(np.diff(edges))) - 1


def random_text(characters: int, seed: int = 1) -> str:
    """Letters drawn at random."""
    letters = np.random.default_rng(seed).integers(ord("a"), ord("z") + 1, characters, np.uint8)
    return letters.tobytes().decode("ascii")


def count(texts: Iterable[tuple[int, str]]) -> Counted:
    """All documents, given as their sizes in bytes and their texts."""
    counted = Counted()
    for size, text in texts:
        counted.total_bytes += size
        counted.take(text)
    return counted


def count_pages(pages: list[Path]) -> Counted:
    """All pages, without tags and white space."""

    def texts() -> Iterable[tuple[int, str]]:
        for path in pages:
            data = path.read_bytes()
            yield len(data), without_tags(data.decode("utf-8", "replace"))

    return count(texts())


def densities(characters: int, pages: list[Path]) -> tuple[Section, Counted]:
    """Figure 3 and the text around it."""
    drawn = count([(characters, random_text(characters))])
    real = count_pages(pages)
    table = Table(
        ("", "random text, ours", "paper's", "HTML pages, ours", "paper's"),
        [
            ("documents", "1", "1", f"{len(pages):,}", "500,000"),
            ("total bytes", f"{drawn.total_bytes:,}", "8 MB", f"{real.total_bytes:,}", "7,182,692,852"),
            ("text, characters", f"{drawn.text:,}", "", f"{real.text:,}", "1,940,576,448"),
            ("hashes", f"{drawn.hashes:,}", "", f"{real.hashes:,}", "1,940,576,399"),
            ("winnowing, fingerprints", f"{drawn.plain:,}", "", f"{real.plain:,}", "38,530,846"),
            ("density", _density(drawn, drawn.plain), "0.019902", _density(real, real.plain), "0.019855"),
            ("density, robust winnowing", _density(drawn, drawn.robust), "", _density(real, real.robust), "0.019829"),
            ("expected 2/(w + 1)", *[f"{2 / (W + 1):.6f}"] * 4),
            (f"0 mod {P}, fingerprints", f"{drawn.mod:,}", "", f"{real.mod:,}", "38,761,128"),
            ("density", _density(drawn, drawn.mod), "0.020005", _density(real, real.mod), "0.019974"),
            ("expected 1/p", *[f"{1 / P:.6f}"] * 4),
            (f"longest run without, 0 mod {P}", f"{drawn.longest_mod:,}", "", f"{real.longest_mod:,}", "29,983"),
            (
                "longest run without, winnowing",
                f"{drawn.longest_robust:,}",
                "",
                f"{real.longest_robust:,}",
                f"below {W}",
            ),
            (f"windows without, 0 mod {P}", _share(drawn), "13.5 % expected", _share(real), ""),
        ],
    )
    text = (
        f"k-grams of {K} characters, windows of {W} hashes, and those that are 0 mod {P}, on random text and on HTML "
        "pages without tags and white space. Runs are counted in hashes. If a window has no fingerprint, a passage of "
        f"{K + W - 1} characters can be copied without being noticed; with winnowing there is no such window."
    )
    return Section("Density of fingerprints (winnowing, Figure 3)", [text, table]), real


def _density(counted: Counted, selected: int) -> str:
    return f"{selected / max(counted.hashes, 1):.6f}"


def _share(counted: Counted) -> str:
    return f"{100 * counted.empty_windows / max(counted.windows, 1):.1f} %"


def plateaus(hashes: Hashes) -> tuple[np.ndarray, np.ndarray]:
    """The frequency of each hash by its rank, as the two ends of each plateau of equal frequencies."""
    _, counts = np.unique(hashes, return_counts=True)
    frequency, size = np.unique(counts, return_counts=True)
    frequency, size = frequency[::-1], size[::-1]
    last = np.cumsum(size)
    return np.column_stack([last - size + 1, last]).ravel(), np.repeat(frequency, 2)


def slope(rank: np.ndarray, frequency: np.ndarray) -> float:
    """The slope of the line through the ends of plateaus, in logarithms."""
    return float(np.polyfit(np.log(rank), np.log(frequency), 1)[0]) if len(set(frequency.tolist())) > 1 else 0.0


def ranks(real: Counted) -> Section:
    """Figure 4."""
    curves = {
        "all k-grams": np.concatenate(real.all or [np.empty(0, np.uint64)]),
        "fingerprints": np.concatenate(real.fingerprints or [np.empty(0, np.uint64)]),
    }
    rows, series = [], []
    for name, hashes in curves.items():
        rank, frequency = plateaus(hashes)
        shares = [np.sum(rank[1::2][frequency[::2] == n] - rank[::2][frequency[::2] == n] + 1) for n in (1, 2, 3)]
        rows.append(
            (
                f"{name}, ours",
                f"{slope(rank, frequency):.2f}",
                *(f"{100 * share / rank[-1]:.0f} %" for share in shares),
                f"{frequency[0]:,}",
            )
        )
        series.append(Series(name, rank.tolist(), frequency.tolist(), marked=True))
    paper = [
        (f"{name}, paper's", "-0.7", "82 %", "14 %", "2 %", most)
        for name, most in zip(curves, ("", "3,270"), strict=True)
    ]
    table = Table(
        ("", "slope", "occur once", "twice", "three times", "most frequent"),
        [row for pair in zip(rows, paper, strict=True) for row in pair],
    )
    picture = Picture(
        "papers-rank-frequency.svg",
        "Frequency by rank of all k-grams and of fingerprints, both axes logarithmic: falling, with plateaus.",
        plot("How often k-grams occur", series, Axis("rank", True), Axis("frequency", True)),
    )
    text = (
        "The k-grams of all pages, ranked by how often they occur; the ends of each plateau of equal frequencies are "
        "plotted, and a line is fitted to them, as in the paper. The paper's curve comes from 20,000 pages by many "
        "authors, without an aberrant plateau, and is nearly straight. Ours comes from one manual, and nothing was "
        "removed: its pages share their head and foot, which gives the plateau on the left, so a straight line fits "
        "badly and the slope says little."
    )
    return Section("Frequency by rank (winnowing, Figure 4)", [text, table, picture])
