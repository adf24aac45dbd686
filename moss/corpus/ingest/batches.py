"""Batches: many documents as columns, with everything that reading them tells, before they are compared."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from moss.corpus.crawl.records import CrawlItem, LeftOut
from moss.corpus.errors import CorpusError
from moss.corpus.ingest.dedupe import EqualityMarks
from moss.corpus.ingest.documents import CorpusDocument, TokenColumns, is_program, streams, word_columns
from moss.corpus.ingest.fingerprints import CorpusFingerprints, joined, winnowed
from moss.corpus.ingest.shingles import Counts, HashSets, masks_for, set_digests, sketches, text_digests
from moss.corpus.near.simhash import features_of, simhashes
from moss.corpus.storage.recipe import Recipe
from moss.hashing import Hashes, among, digests, mix
from moss.intake.limits import MIB
from moss.messages import gettext
from moss.model import Problem

_TEXT = 8 * MIB  # characters read at once: bounds the memory for arrays
_DOCUMENTS = 1 << 14  # documents read at once
_NONE = np.zeros(0, np.uint64)
_PACKING = 1  # of zlib: texts are kept for showing, and packing them is a good part of the time


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """Documents as columns, in the order in which they were read."""

    addresses: list[str]
    languages: list[str]
    dates: NDArray[np.datetime64]  # in microseconds, or not a time
    sizes: Counts  # in bytes
    words: Counts
    keys: Hashes  # the same for what need not be added twice
    content: Hashes  # one number for the text as it is
    lexical: Hashes  # for the sequence of words
    shingled: Hashes  # for the sketch
    simhash: Hashes
    masks: Counts
    sketches: HashSets
    fingerprints: CorpusFingerprints
    texts: list[bytes]  # packed; none if sketches are all that is wanted
    tongues: list[str]  # human languages, by two letters
    problems: tuple[Problem, ...] = ()
    left_out: int = 0  # documents that were not wanted
    known: int = 0  # documents that were there before

    def __len__(self) -> int:
        return len(self.addresses)

    @property
    def marks(self) -> EqualityMarks:
        """The marks that tell which of the documents are equal."""
        return EqualityMarks(self.content, self.lexical, self.shingled, self.words, self.sketches.sizes)


def read_batches(found: Iterable[CrawlItem], recipe: Recipe, known: Hashes = _NONE) -> Iterator[DocumentBatch]:
    """The documents in batches of bounded size, with the problems of those that could not be read, and without those
    whose keys are among the (sorted) known ones."""
    waiting: list[CorpusDocument] = []
    problems: list[Problem] = []
    size = left_out = 0
    for item in found:
        if isinstance(item, Problem):
            problems.append(item)
        elif isinstance(item, LeftOut):
            left_out += 1
        else:
            waiting.append(item)
            size += len(item.text)
        if size >= _TEXT or len(waiting) >= _DOCUMENTS:
            yield _new_batch(waiting, known, recipe, problems, left_out)
            waiting, problems, size, left_out = [], [], 0, 0
    if waiting or problems or left_out:
        yield _new_batch(waiting, known, recipe, problems, left_out)


def _new_batch(
    documents: list[CorpusDocument], known: Hashes, recipe: Recipe, problems: list[Problem], left_out: int
) -> DocumentBatch:
    """A batch of those documents that are not known."""
    new = _unknown(documents, known)
    return replace(make_batch(new, recipe, problems), left_out=left_out, known=len(documents) - len(new))


def _unknown(documents: list[CorpusDocument], known: Hashes) -> list[CorpusDocument]:
    if not len(known):
        return documents
    keys = _keys(documents, _contents(documents), _dates(documents))
    return [document for document, old in zip(documents, among(keys, known).tolist(), strict=True) if not old]


def _contents(documents: Sequence[CorpusDocument]) -> Hashes:
    return np.array([document.content for document in documents], np.uint64)


def _dates(documents: Sequence[CorpusDocument]) -> NDArray[np.datetime64]:
    return microseconds([document.date for document in documents])


def microseconds(dates: Sequence[datetime | None]) -> NDArray[np.datetime64]:
    """Times in UTC, without their zone; None is not a time. (Seconds and their fractions apart are exact, and take a
    third of the time that numpy takes to read a list of dates.)"""
    seconds = np.array([np.nan if date is None else _utc(date).timestamp() for date in dates], np.float64)
    fractions = np.array([0 if date is None else date.microsecond for date in dates], np.int64)
    known = ~np.isnan(seconds)
    found = np.full(len(dates), np.iinfo(np.int64).min)  # not a time
    whole = np.round(seconds[known] - fractions[known] / 1e6).astype(np.int64)
    found[known] = whole * 1_000_000 + fractions[known]
    return found.view("datetime64[us]")


def _utc(date: datetime) -> datetime:
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


def make_batch(documents: Sequence[CorpusDocument], recipe: Recipe, problems: Sequence[Problem] = ()) -> DocumentBatch:
    """The columns of these documents."""
    if recipe.sketches_only:
        codes, offsets = word_columns(documents)
        simhash, fingerprints, texts = np.zeros(len(documents), np.uint64), joined([]), []
    else:
        text, structure = streams(documents)
        codes, offsets = text.codes, text.offsets
        simhash = simhashes(*features_of(codes, offsets))
        fingerprints = fingerprints_of(documents, text, structure, recipe)
        texts = [pack(document.text) for document in documents]
    words = np.diff(offsets)
    masks = masks_for(words, recipe.sample)
    sketch = sketches(codes, offsets, recipe.shingle, masks)
    content, dates = _contents(documents), _dates(documents)
    return DocumentBatch(
        addresses=[document.address for document in documents],
        languages=[document.language for document in documents],
        dates=dates,
        sizes=np.array([document.size for document in documents], np.int64),
        words=words,
        keys=_keys(documents, content, dates),
        content=content,
        lexical=text_digests(codes, offsets),
        shingled=set_digests(sketch, masks),
        simhash=simhash,
        masks=masks,
        sketches=sketch,
        fingerprints=fingerprints,
        texts=texts,
        tongues=[document.tongue for document in documents],
        problems=tuple(problems),
    )


def fingerprints_of(
    documents: Sequence[CorpusDocument], text: TokenColumns, structure: TokenColumns, recipe: Recipe, widen: int = 1
) -> CorpusFingerprints:
    """The winnowed fingerprints of documents: of programs by their structure, of all others by their words; windows may
    be widened."""
    programs = np.array([is_program(document.language) for document in documents], np.bool_)
    by_words = winnowed(_only(text, ~programs), recipe.noise, recipe.window * widen)
    if not programs.any():
        return joined([by_words])
    by_structure = winnowed(structure, recipe.code_noise, recipe.code_window * widen)
    return joined([by_words, by_structure])


def _only(found: TokenColumns, wanted: NDArray[np.bool_]) -> TokenColumns:
    """The tokens of some of the documents; the others have none."""
    if wanted.all():
        return found
    kept = np.repeat(wanted, np.diff(found.offsets))
    before = np.concatenate([[0], np.cumsum(kept)])
    return TokenColumns(found.codes[kept], found.start[kept], found.end[kept], before[found.offsets])


def pack(text: str) -> bytes:
    """A text as it is stored."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _PACKING)


def unpack(packed: bytes) -> str:
    """A stored text; raises CorpusError if it is none."""
    try:
        return zlib.decompress(packed).decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError):
        raise CorpusError(gettext("the corpus is damaged: a text cannot be unpacked")) from None


def address_hashes(addresses: Sequence[str]) -> Hashes:
    """One number for each address."""
    encoded = [address.encode("utf-8", "surrogatepass") for address in addresses]
    ends = np.cumsum([0, *map(len, encoded)])
    return digests(np.frombuffer(b"".join(encoded), np.uint8), ends[:-1], ends[1:])


def _keys(documents: Sequence[CorpusDocument], content: Hashes, dates: NDArray[np.datetime64]) -> Hashes:
    """The keys of documents: of address and content, and of the date if it says when the document was seen."""
    dated = np.array([document.dated for document in documents], np.bool_)
    seen = np.where(dated, dates.view(np.int64), 0).astype(np.int64).view(np.uint64)
    return keys_of(address_hashes([document.address for document in documents]), content, seen)


def keys_of(addresses: Hashes, content: Hashes, seen: Hashes) -> Hashes:
    """One number for each document, equal for those that need not be added twice: of its address, its text, and its
    date (0 if that is no part of it)."""
    return mix(addresses ^ mix(content + mix(seen + np.uint64(1))))
