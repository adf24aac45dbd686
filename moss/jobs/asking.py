"""Asking corpora: which of the earlier work that a server keeps has to do with what a run compares."""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

from moss.comparison import with_earlier
from moss.corpus.errors import CorpusError, CorpusMemoryError
from moss.corpus.places import folder_in, without_path
from moss.intake import Intake
from moss.intake.names import numbered, unique_ids
from moss.model import Submission
from moss.store.comparing import Found

_SHOWN = 3  # parts of an address: the file, and the folders that say whose it is


class AskingError(Exception):
    """A corpus that cannot be asked; the message is one sentence for whoever started the run."""


def ask_corpora(
    data: Path, names: Sequence[str], given: Sequence[Submission], progress: Callable[[int, int], None]
) -> Found:
    """What the corpora of these names in a data folder hold of the new ones of these submissions."""
    intake = Intake(tuple(given), ())
    found: list[tuple[str, Submission]] = []
    for name in names:
        before = len(intake.submissions)
        intake = _asked(data, name, intake, progress)
        found += ((name, submission) for submission in intake.submissions[before:])
    return _called(found, {submission.id for submission in given})


def _called(found: Found, taken: Collection[str]) -> Found:
    """The same under names for readers: the end of the address, as much of it as tells them apart, and the corpus."""
    parts = [tuple(submission.owner.split("/")) for _, submission in found]
    ends = unique_ids([(*path[:-_SHOWN], "/".join(path[-_SHOWN:])) for path in parts])
    wished = [f"{end} ({corpus})" for end, (corpus, _) in zip(ends, found, strict=True)]
    names = numbered([*sorted(taken), *wished], lambda name: (name, ""))[len(taken) :]
    return [(corpus, replace(each, id=name)) for name, (corpus, each) in zip(names, found, strict=True)]


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
