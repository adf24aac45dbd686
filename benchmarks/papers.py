"""The papers' tables and figures beside our own, measured on this machine.

    python benchmarks/papers.py [--pages FOLDER] [--write docs/papers.md] [--quick]

Winnowing (Schleimer, Wilkerson, Aiken 2003), near-duplicates (Manku, Jain, Das Sarma 2007) and syntactic clustering
(Broder, Glassman, Manasse, Zweig 1997). The text is random, or from HTML pages that a Debian package brings (Python's
documentation: apt install python3-doc), or generated from text that is installed. Nothing in docs/papers.md is typed by
hand: `--write` makes it, and its pictures, from what was measured. Times are CPU times.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from findings import Section, printed, written
from installed_pages import find_pages, other_pages
from papers_applications import applications
from papers_broder import phase_times
from papers_simhash import CHOICES, Collection, pieces_of, precision_and_recall
from papers_tables import batches, distribution, tables
from papers_winnowing import densities, ranks

HEADING = """# The papers, redone

Three papers' figures, and ours by the same definitions on our own data. This page and its pictures are made by
`python benchmarks/papers.py --write docs/papers.md`, which prints the same tables;
{where}.

- Schleimer, Wilkerson, Aiken: *Winnowing: Local Algorithms for Document Fingerprinting.* SIGMOD 2003.
- Manku, Jain, Das Sarma: *Detecting Near-Duplicates for Web Crawling.* WWW 2007.
- Broder, Glassman, Manasse, Zweig: *Syntactic Clustering of the Web.* WWW 1997.

Their collections had hundreds of thousands to billions of web pages. Ours have hundreds to thousands of documents, so
figures that depend on the size of a collection differ; the text says how."""


def sections(pages: list[Path], quick: bool) -> Iterator[Section]:
    """All of them, one after the other."""
    density, counted = densities(400_000 if quick else 8_000_000, pages)
    yield density
    yield ranks(counted)
    collection = Collection(pieces_of(pages, 60 if quick else 3_000))
    unseen = pieces_of(other_pages(pages), 60 if quick else 1_500)
    yield precision_and_recall(collection, Collection(unseen, seed=11) if len(unseen) >= 50 else None)
    ours = next(iter(CHOICES.values()))
    yield distribution(np.array([ours(words) for words in collection.documents], np.uint64))
    yield tables(12 if quick else 20, 2_000 if quick else 50_000)
    yield batches(2_000 if quick else 1_000_000, 1 << (18 if quick else 22))
    yield phase_times(500 if quick else 20_000)
    yield applications()


def main() -> None:
    """Measure, print, and write the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, metavar="FOLDER", help="HTML pages instead of Python's documentation")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write a page of documentation, pictures beside it")
    parser.add_argument("--quick", action="store_true", help="small sizes: to see that it works, not to be quoted")
    options = parser.parse_args()
    pages = find_pages(options.pages)
    done = []
    for section in sections(pages, options.quick):
        print(printed(section), flush=True)
        done.append(section)
    if options.write:
        where = f"this one by Python {platform.python_version()} on {platform.machine()}"
        written(done, HEADING.format(where=where), options.write, options.write.parent / "images")


if __name__ == "__main__":
    main()
