"""How a corpus reads its documents: fixed when it is made, as what is stored can only be compared with its like."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from moss.corpus.errors import CorpusError


@dataclass(frozen=True, slots=True)
class Recipe:
    """Sizes of shingles, samples and fingerprints."""

    shingle: int = 5  # words in a shingle
    sample: int = 100  # shingles kept of a document, at most (about)
    noise: int = 8  # words in a fingerprint's k-gram: no shorter passage is noticed
    guarantee: int = 20  # words: every shared run of that many is found
    code_noise: int = 12  # the same for the structure of programs, in tokens
    code_guarantee: int = 20

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise CorpusError(f"{field.name} must be a whole number of at least 1, not {value!r}")
        if self.guarantee < self.noise or self.code_guarantee < self.code_noise:
            raise CorpusError("the guarantee must be at least as long as the noise threshold")

    @property
    def window(self) -> int:
        """How many k-grams of words lie in a run of `guarantee`."""
        return self.guarantee - self.noise + 1

    @property
    def code_window(self) -> int:
        """How many k-grams of structure lie in a run of `code_guarantee`."""
        return self.code_guarantee - self.code_noise + 1

    def plain(self) -> dict[str, int]:
        """As plain data."""
        return asdict(self)

    @staticmethod
    def from_plain(values: dict[str, Any]) -> Recipe:
        """From plain data; raises CorpusError for what is none."""
        if not isinstance(values, dict) or set(values) != {field.name for field in fields(Recipe)}:
            raise CorpusError("the corpus was made by another version of moss")
        return Recipe(**values)
