"""Manku's experiments on tables, redone: the distribution of fingerprints, compressed tables, the designs' costs, and
the rate of batches.

Manku, Jain, Das Sarma: Detecting near-duplicates for web crawling. WWW 2007.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from findings import Picture, Section, Table
from plots import Axis, Series, plot

from moss.corpus.near.compressed_blocks import BlockTable, bit_lengths
from moss.corpus.near.hamming_tables import HammingTables, batch, distinct
from moss.corpus.near.table_designs import ALONE, MANY, TableDesign, choose, designs
from moss.corpus.search.interpolation import search
from moss.hashing import Hashes


def distribution(fingerprints: Hashes) -> Section:
    """Figure 2(a), and Section 3.2."""
    unique = distinct(fingerprints)
    drawn = np.sort(np.random.default_rng(3).integers(0, 2**64, len(unique), np.uint64))
    series = []
    for name, values in (("simhashes of documents", unique), ("random numbers", drawn)):
        lengths = np.bincount(bit_lengths(values[1:] ^ values[:-1]), minlength=65)
        series.append(Series(name, list(range(1, 65)), (100 * lengths[1:] / max(len(values) - 1, 1)).tolist()))
    picture = Picture(
        "papers-leading-bits.svg",
        "Position of the first differing bit of successive fingerprints: random ones have one peak, ours a left half "
        "too.",
        plot(
            "First bit in which successive fingerprints differ",
            series,
            Axis("its position, from the least significant"),
            Axis("% of fingerprints"),
        ),
    )
    rows = []
    for name, values in (
        ("simhashes of documents and copies", unique),
        ("as many random numbers", drawn),
        *((f"2^{d} random numbers", _random(d)) for d in (16, 20)),
    ):
        bits = BlockTable(values).nbytes * 8 / len(values)
        rows.append((name, f"{len(values):,}", f"{bits:.1f}", f"{bits / 64:.2f}"))
    rows.append(("paper's", "2^34", "", "about 0.5"))
    text = (
        "Simhashes of similar documents begin alike, so the left half of the curve is higher than for random numbers, "
        "as in the paper's figure, and blocks of 1,024 bytes with Huffman codes for that position are smaller. Each "
        "time the collection doubles, a fingerprint takes one bit less: three quarters of its size at a million, half "
        "at 2^34."
    )
    table = Table(("table", "fingerprints", "bits each", "of 64 bits"), rows)
    return Section(
        "Distribution and compression of fingerprints (Manku, Figure 2 and Section 3.2)", [text, picture, table]
    )


def _random(d: int, seed: int = 4) -> Hashes:
    return np.sort(np.random.default_rng(seed).integers(0, 2**64, 1 << d, np.uint64))


def tables(d: int, queries: int) -> Section:
    """Example 3.1, measured, with the rule that chooses."""
    collection = _random(d)
    random = np.random.default_rng(5)
    asked = random.choice(collection, queries) ^ (np.uint64(1) << random.integers(0, 64, queries).astype(np.uint64))
    sought = random.integers(0, 2**64, 200_000, np.uint64)
    ratio = _seconds(lambda: np.searchsorted(collection, sought)) / _seconds(lambda: search(collection, sought))
    headings = (
        "tables", "leading bits", "found by a probe of 2^34", f"of 2^{d}", "building", "a query of many", "alone",
        "taken for many", "taken alone",
    )  # fmt: skip
    text = (
        f"The paper's four designs on 2^{d} random fingerprints. We search for {queries:,} of them with one bit "
        "changed, all together and one by one; times are CPU times. The last columns say for which sizes of a "
        "collection our cost rule takes a design, for many searches at once and for single ones: in Python, each table "
        "makes a single search so much slower that few tables are better. Searching the sorted table by interpolation "
        f"is {ratio:.1f} times as fast as by halving, for values in no order."
    )
    table = Table(headings, [_design_row(design, collection, asked, d) for design in designs(3)])
    return Section("Tables for Hamming distance 3 (Manku, Example 3.1)", [text, table])


def _design_row(design: TableDesign, collection: Hashes, asked: Hashes, d: int) -> tuple[str, ...]:
    """How a design fares, and when it is taken."""
    built = _seconds(lambda: HammingTables(collection, 3, design))
    index = HammingTables(collection, 3, design)
    many = _seconds(lambda: index.near_each(asked))
    some = asked[:200].tolist()
    one = _seconds(lambda: [index.near(query) for query in some]) / len(some)
    leading = sorted({permutation.leading for permutation in design.permutations})
    chosen = [[e for e in range(8, 41) if choose(3, 1 << e, probe) is design] for probe in (MANY, ALONE)]
    return (
        str(len(design.permutations)),
        " to ".join(str(p) for p in (leading[0], leading[-1])[: min(2, len(leading))]),
        f"{2.0 ** (34 - leading[0]):,.0f}",
        f"{2.0 ** (d - leading[0]):.3g}",
        f"{built:.2f} s",
        f"{1e6 * many / len(asked):.1f} µs",
        f"{1e6 * one:.0f} µs",
        *(f"2^{sizes[0]} to 2^{sizes[-1]}" if sizes else "never" for sizes in chosen),
    )


def batches(queries: int, size: int) -> Section:
    """Section 4.3: how fast a collection streams past a batch of queries."""
    random = np.random.default_rng(6)
    asked = random.integers(0, 2**64, queries, np.uint64)
    chunk = 1 << 18
    streamed = [random.integers(0, 2**64, chunk, np.uint64) for _ in range(size // chunk)]
    seconds = _seconds(lambda: sum(len(row) for _, row in batch(asked, iter(streamed), 3)))
    rate = len(streamed) * chunk / seconds
    paper = 2**34 / 200 / 100
    table = Table(
        ("", "queries", "collection", "fingerprints a second of one core"),
        [
            ("ours", f"{queries:,}", f"{len(streamed) * chunk:,}", f"{rate:,.0f}"),
            ("paper's, by one of its 200 mappers", "1,000,000", "2^34", f"at least {paper:,.0f}"),
        ],
    )
    text = (
        "Tables are built of the queries, and the collection streams past them. The paper's rate follows from fewer "
        "than 100 "
        "seconds on 200 machines, compressed files included."
    )
    return Section("Batches (Manku, Section 4.3)", [text, table])


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
