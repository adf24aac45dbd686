"""A corpus as the archive of a comparison: the few of its documents that share anything with what is new.

Comparing a class with a million earlier documents would read them all. The corpus is asked about each new file first,
and only documents that share fingerprints or shingles with one enter the comparison, whole, as submissions of their
own; scores and passages are then those of any comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from moss.corpus.documents import PROSE, Document, language_of
from moss.corpus.queries import Corpus
from moss.model import Role, SourceFile, Submission

LEAST = 0.05  # of a new file that a document must have, or the other way round
_AT_ONCE = 500  # texts fetched at a time

Progress = Callable[[int, int], None]


def archive_submissions(
    folder: Path, new: Sequence[Submission], progress: Progress = lambda done, total: None
) -> tuple[Submission, ...]:
    """The documents of a corpus that share something with the new submissions, each as one of its own."""
    wanted: set[int] = set()
    files = [file for submission in new for file in submission.files]
    with Corpus(folder) as corpus:
        for number, file in enumerate(files):
            progress(number, len(files))
            wanted |= {found.sighting.doc for found in corpus.query(_document(file), least=LEAST, shown=0)}
        progress(len(files), len(files))
        order = sorted(wanted)
        return tuple(
            _submission(corpus, doc, document)
            for start in range(0, len(order), _AT_ONCE)
            for doc, document in corpus.texts(order[start : start + _AT_ONCE]).items()
        )


def _document(file: SourceFile) -> Document:
    language = PROSE if file.cells else language_of(file.path, file.text)
    return Document(file.path, file.text, 0, len(file.text), None, language)


def _submission(corpus: Corpus, doc: int, document: Document) -> Submission:
    """A document as an earlier submission. Several versions of one address belong to one owner."""
    sighting = corpus.sighting(doc)
    name = sighting.address if len(corpus.at(sighting.address)) == 1 else f"{sighting.address} ({doc})"
    file = SourceFile(sighting.address.rpartition("/")[2] or sighting.address, document.text)
    return Submission(name, sighting.address, (file,), Role.ARCHIVE, time=sighting.date)
