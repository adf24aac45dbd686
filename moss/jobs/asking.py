"""Asking corpora: which of the earlier work that a server keeps has to do with what a run compares."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from moss.comparison import with_earlier
from moss.corpus.errors import CorpusError, CorpusMemoryError
from moss.corpus.places import folder_in, without_path
from moss.intake import Intake
from moss.intake.names import numbered, unique_ids
from moss.model import Submission
from moss.store.comparing import Found
from moss.store.shelving import Addresses

_SHOWN = 3  # parts of an address: the file, and the folders that say whose it is


class AskingError(Exception):
    """A corpus that cannot be asked; the message is one sentence for whoever started the run."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What corpora hold of what is new."""

    submissions: frozenset[int]  # that were handed in here
    documents: Found  # all else

    def named_beside(self, others: Iterable[Submission]) -> Found:
        """The documents under names for readers: the end of the address, as much of it as tells them apart, and the
        corpus; none of them is that of another submission."""
        taken = sorted(other.id for other in others)
        parts = [tuple(document.owner.split("/")) for _, document in self.documents]
        ends = unique_ids([(*path[:-_SHOWN], "/".join(path[-_SHOWN:])) for path in parts])
        wished = [f"{end} ({corpus})" for end, (corpus, _) in zip(ends, self.documents, strict=True)]
        names = numbered([*taken, *wished], lambda name: (name, ""))[len(taken) :]
        return [(corpus, replace(each, id=name)) for name, (corpus, each) in zip(names, self.documents, strict=True)]


def ask_corpora(
    data: Path,
    names: Sequence[str],
    given: Sequence[Submission],
    addresses: Addresses,
    progress: Callable[[int, int], None],
) -> Asked:
    """What the corpora of these names in a data folder hold of the new ones of these submissions."""
    intake = Intake(tuple(given), ())
    found: list[tuple[str, Submission]] = []
    for name in names:
        before = len(intake.submissions)
        intake = _asked(data, name, intake, progress)
        found += ((name, submission) for submission in intake.submissions[before:])
    own = [addresses.submission(document.owner) for _, document in found]
    documents = [each for each, number in zip(found, own, strict=True) if number is None]
    return Asked(frozenset(number for number in own if number is not None), documents)


def _asked(data: Path, name: str, intake: Intake, progress: Callable[[int, int], None]) -> Intake:
    from moss.corpus.archive import CorpusArchive  # which takes a while to import, and few runs need it

    folder = folder_in(data, name)
    if not folder.is_dir():
        raise AskingError(
            f"The corpus {name} is not in the data folder of the worker that tried: it was removed, or the worker runs "
            "on a machine that does not have the folder."
        )
    try:
        return with_earlier(intake, [CorpusArchive(folder, name)], progress)
    except CorpusMemoryError:
        raise MemoryError from None  # of which whoever does the job knows more
    except CorpusError as error:
        raise AskingError(f"The corpus {name} cannot be asked: {without_path(error, folder)}.") from None
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise MemoryError from None
        raise AskingError(f"The corpus {name} cannot be asked: {(error.strerror or str(error)).lower()}.") from None
