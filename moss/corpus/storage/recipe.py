"""The recipe by which a corpus reads its documents, fixed when it is made: only documents read alike can be compared.

Sizes stay as they were chosen. The rules of reading and hashing are those of the program that built it: when a later
one has others, it asks for the corpus to be built anew (`moss.corpus.storage.rebuild`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from moss import version
from moss.corpus.errors import CorpusError, OtherRulesError
from moss.messages import gettext

_FIRST = {"scan": 1, "hash": 1, "sketches_only": False}  # of a corpus that does not say how it was built


@dataclass(frozen=True, slots=True)
class Recipe:
    """Sizes of shingles, samples and fingerprints, and the rules by which they are made."""

    shingle: int = 5  # words in a shingle
    sample: int = 100  # shingles kept of a document, at most (about)
    noise: int = 8  # words in a fingerprint's k-gram: no shorter passage is noticed
    guarantee: int = 20  # words: every shared run of that many is found
    code_noise: int = 12  # the same for the structure of programs, in tokens
    code_guarantee: int = 20
    scan: int = field(default_factory=lambda: version.SCAN_VERSION)
    hash: int = field(default_factory=lambda: version.HASH_VERSION)
    sketches_only: bool = False  # neither texts nor fingerprints nor simhashes: good for clusters, and nothing else

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name == "sketches_only" and isinstance(value, bool):
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise CorpusError(
                    gettext("%(name)s must be a whole number of at least 1, not %(value)r", name=each.name, value=value)
                )
        if self.guarantee < self.noise or self.code_guarantee < self.code_noise:
            raise CorpusError(gettext("the guarantee must be at least as long as the noise threshold"))

    @property
    def window(self) -> int:
        """The winnowing window: how many k-grams `guarantee` words have."""
        return self.guarantee - self.noise + 1

    @property
    def code_window(self) -> int:
        """The winnowing window of programs: how many k-grams `code_guarantee` tokens have."""
        return self.code_guarantee - self.code_noise + 1

    @property
    def renewed(self) -> Recipe:
        """A recipe of these sizes, with the rules of this program."""
        return replace(self, scan=version.SCAN_VERSION, hash=version.HASH_VERSION)

    def check_rules(self, folder: Path) -> None:
        """Refuse a corpus that cannot be asked: built by other rules than this program's, it would find next to
        nothing, and without texts nothing."""
        self.check_versions(folder)
        self.check_texts(folder)

    def check_versions(self, folder: Path) -> None:
        """Refuse a corpus that was built by other rules than this program's."""
        if self != self.renewed:
            raise OtherRulesError(
                gettext(
                    "the corpus at %(folder)s was built by other rules (scan %(scan)s, hash %(hash)s) than those "
                    "of this moss (scan %(our_scan)s, hash %(our_hash)s); to rebuild it: moss corpus rebuild "
                    "%(folder)s",
                    folder=folder,
                    scan=self.scan,
                    hash=self.hash,
                    our_scan=version.SCAN_VERSION,
                    our_hash=version.HASH_VERSION,
                )
            )

    def check_texts(self, folder: Path) -> None:
        """Refuse a corpus that has no texts."""
        if self.sketches_only:
            raise CorpusError(
                gettext(
                    "the corpus at %(folder)s was made with --sketches-only: it can only be used for clusters",
                    folder=folder,
                )
            )

    def plain(self) -> dict[str, int | bool]:
        """The recipe as plain data."""
        return asdict(self)

    @staticmethod
    def from_plain(values: dict[str, Any]) -> Recipe:
        """The recipe from plain data; raises CorpusError if it is none."""
        given: dict[str, Any] = _FIRST | values if isinstance(values, dict) else {}
        if set(given) != {each.name for each in fields(Recipe)}:
            raise CorpusError(gettext("the corpus was made by another version of moss"))
        return Recipe(**given)
