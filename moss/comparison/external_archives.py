"""Earlier work that is kept elsewhere, in whatever amount: a comparison asks it for what has to do with what is new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from moss.intake import Intake
from moss.intake.names import numbered
from moss.model import Role, Submission

Progress = Callable[[int, int], None]


class ExternalArchive(Protocol):
    """An archive that is not read as a whole."""

    @property
    def name(self) -> str:
        """What a report calls it."""

    def about(self, new: Sequence[Submission], progress: Progress) -> Sequence[Submission]:
        """The earlier submissions in it that share something with these; `progress` is told how many files of these
        are done, and how many there are."""


def with_external_archives(intake: Intake, kept: Sequence[ExternalArchive], progress: Progress) -> Intake:
    """The same and what is kept about it, told apart by numbers where names occur twice."""
    new = [submission for submission in intake.submissions if submission.role is Role.NEW]
    earlier = [submission for archive in kept for submission in archive.about(new, progress)]
    together = (*intake.submissions, *earlier)
    names = numbered([submission.id for submission in together], lambda name: (name, ""))
    renamed = (s if s.id == name else replace(s, id=name) for s, name in zip(together, names, strict=True))
    return replace(intake, submissions=tuple(renamed))
