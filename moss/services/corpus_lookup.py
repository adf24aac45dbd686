"""Looking up corpora: which of the earlier work that a server keeps has something to do with a run's submissions."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from sqlalchemy.orm import Session

from moss.comparison import with_external_archives
from moss.comparison.anonymize import without_names
from moss.corpus.errors import CorpusError, CorpusMemoryError
from moss.corpus.storage.catalog import folder_in, without_path
from moss.intake import Intake
from moss.intake.names import numbered, unique_ids
from moss.messages import gettext as _
from moss.model import Submission
from moss.store.courses.corpus_archiving import Addresses
from moss.store.results.run_input import FoundEarlierWork, RunInput, run_input_of, split_by_rights, with_earlier_work
from moss.store.tables import RunRow

_SHOWN = 3  # last parts of an address: the file, and the folders that name its owner


class CorpusLookupError(Exception):
    """A corpus that cannot be asked; the message is one sentence for the user who started the run."""


@dataclass(frozen=True, slots=True)
class CorpusAnswer:
    """The earlier work in corpora that resembles new submissions."""

    submissions: dict[int, str]  # submissions of this server, by id, with the corpus that has each
    documents: FoundEarlierWork  # everything else

    def named_beside(self, others: Iterable[str]) -> FoundEarlierWork:
        """The documents, named for readers by the corpus and as much of the end of each address as tells them apart; no
        name is one of `others`."""
        taken = sorted(others)
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
) -> CorpusAnswer:
    """The earlier work in these corpora of a data folder that resembles the new submissions among `given`."""
    intake = Intake(tuple(given), ())
    found: list[tuple[str, Submission]] = []
    for name in names:
        before = len(intake.submissions)
        intake = _asked(data, name, intake, progress)
        found += ((name, submission) for submission in intake.submissions[before:])
    own = [addresses.submission(document.owner) for _, document in found]
    documents = [each for each, number in zip(found, own, strict=True) if number is None]
    numbers = {number: corpus for (corpus, _), number in zip(found, own, strict=True) if number is not None}
    return CorpusAnswer(numbers, documents)


def add_answer(
    session: Session,
    run: RunRow,
    asked: RunRow,
    answer: CorpusAnswer,
    store: Callable[[FoundEarlierWork], Mapping[str, int]],
) -> RunInput:
    """The run's input together with the corpora's answer, whose texts `store` stores. Submissions from a course that
    not all readers of the report may read are named by their number alone."""
    named, strangers = split_by_rights(session, run, asked, answer.submissions)
    material = run_input_of(session, asked, named)
    found: list[tuple[str, Submission]] = []
    origins: dict[str, int] = {}
    for people, group in groupby(sorted(strangers, key=lambda each: each.people), key=lambda each: each.people):
        together = list(group)
        for stranger, hidden in zip(together, without_names([e.submission for e in together], people), strict=True):
            name = _("submission %(number)s of another course", number=stranger.number)
            found.append((stranger.corpus, replace(hidden, id=name, owner=name)))
            origins[name] = stranger.number
    found += answer.named_beside([*(each.id for each in material.submissions), *origins])
    return with_earlier_work(session, run, material, found, store(found), origins)


def _asked(data: Path, name: str, intake: Intake, progress: Callable[[int, int], None]) -> Intake:
    from moss.corpus.search.archive import CorpusArchive  # which takes a while to import, and few runs need it

    folder = folder_in(data, name)
    if not folder.is_dir():
        raise CorpusLookupError(
            _(
                "The corpus %(name)s is not in the worker’s data folder: it was removed, or the worker runs on "
                "a machine without that folder.",
                name=name,
            )
        )
    try:
        return with_external_archives(intake, [CorpusArchive(folder, name)], progress)
    except CorpusMemoryError:
        raise MemoryError from None  # the job's process says how much memory it may use
    except CorpusError as error:
        raise CorpusLookupError(
            _("The corpus %(name)s can’t be searched: %(why)s.", name=name, why=without_path(error, folder))
        ) from None
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise MemoryError from None
        raise CorpusLookupError(
            _("The corpus %(name)s can’t be searched: %(why)s.", name=name, why=(error.strerror or str(error)).lower())
        ) from None
