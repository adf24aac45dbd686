"""A corpus as the archive of a comparison: the few of its documents that share anything with new submissions.

Comparing a class with a million earlier documents would read them all. The corpus is asked about each new file first,
and only documents that share fingerprints or shingles with one enter the comparison, whole, as submissions of their
own; scores and passages are then those of any comparison. Of equal documents a corpus keeps one: the others, at
other addresses, may be other people's, and come with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from moss.corpus.ingest.documents import PROSE, CorpusDocument, language_of
from moss.corpus.search.queries import Corpus
from moss.model import Role, SourceFile, Submission

LEAST = 0.05  # of a new file that a document must have, or the other way round
_AT_ONCE = 500  # texts fetched at a time

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class CorpusArchive:
    """A corpus that a comparison can ask (see `moss.comparison.ExternalArchive`)."""

    folder: Path
    name: str

    def about(self, new: Sequence[Submission], progress: Progress = lambda done, total: None) -> tuple[Submission, ...]:
        """The documents that share something with these submissions, each as an earlier submission whose owner is its
        address."""
        wanted: set[int] = set()
        files = [file for submission in new for file in submission.files]
        with Corpus(self.folder) as corpus:
            for number, file in enumerate(files):
                progress(number, len(files))
                wanted |= {found.sighting.doc for found in corpus.query(_document(file), least=LEAST, shown=0)}
            progress(len(files), len(files))
            return tuple(_submissions(corpus, wanted))


def _document(file: SourceFile) -> CorpusDocument:
    language = PROSE if file.cells else language_of(file.path, file.text)
    return CorpusDocument(file.path, file.text, 0, len(file.text), None, language)


def _submissions(corpus: Corpus, wanted: Collection[int]) -> Iterator[Submission]:
    """These documents and those that are equal to them, as submissions; a document that was seen again unchanged at one
    address is one submission."""
    different: dict[tuple[str, int], int] = {}
    for doc in corpus.with_equals(wanted):
        different.setdefault((corpus.sighting(doc).address, corpus.kept_for(doc)), doc)
    order = list(different.values())
    for start in range(0, len(order), _AT_ONCE):
        for doc, document in corpus.texts(order[start : start + _AT_ONCE]).items():
            address = document.address
            file = SourceFile(address.rpartition("/")[2] or address, document.text)
            yield Submission(address, address, (file,), Role.ARCHIVE, time=corpus.sighting(doc).date)
