"""How much may be read, and the running account of what has been.

Limits hold for what is really read: sizes that an archive claims for its members are only ever believed when they
are a reason to refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields

from moss.intake.choice import AS_USUAL, Choice
from moss.intake.entries import UnreadableError
from moss.intake.observer import NOBODY, Watch
from moss.messages import gettext as _

MIB = 1024 * 1024
PROGRESS_EVERY = 100
_ENTRY_BYTES = 16  # of an archive for one entry: the headers of zip have 76 and two names, and archives shrink little
_ANY_ENTRIES = 500  # that a submission's archives may hold, however small they are


class IntakeError(ValueError):
    """Wrong usage, in one clear sentence."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is read; what lies beyond is refused and listed."""

    file_bytes: int = 16 * MIB  # one file
    submission_bytes: int = 64 * MIB  # all files of one submission
    total_bytes: int = 4096 * MIB  # everything together
    entries: int = 500_000  # files looked at, in folders and in archives
    ratio: int = 200  # unpacked to packed size
    depth: int = 5  # archives inside archives

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise IntakeError(
                    _(
                        "the limit %(name)s must be a whole number of at least 1, not %(value)r",
                        name=limit.name,
                        value=value,
                    )
                )


class IntakeRun:
    """The account of a whole run: entries looked at, bytes and files read."""

    def __init__(
        self,
        limits: Limits,
        progress: Callable[[int], None] | None = None,
        watch: Watch = NOBODY,
        choice: Choice = AS_USUAL,
        jobs: int | None = None,
        layout: str = "auto",
        encoding: str = "",
    ) -> None:
        self.limits = limits
        self.watch = watch
        self.choice = choice
        self.jobs = jobs
        self.encoding = encoding  # tried first for each file
        self.layout = layout  # how names are to be read, as `moss.intake.platforms.LAYOUTS` has it
        self.entries = 0
        self.bytes = 0
        self.files = 0
        self._progress = progress

    def may_look(self) -> bool:
        """Count one more entry and return whether the limit still allows it."""
        self.entries += 1
        return self.entries <= self.limits.entries

    def count_file(self) -> None:
        """Count one more file read, and tell about it now and then."""
        self.files += 1
        if self._progress and self.files % PROGRESS_EVERY == 0:
            self._progress(self.files)

    def finish(self) -> None:
        """Tell the final number of files."""
        if self._progress:
            self._progress(self.files)


class Account:
    """Counts what one submission uses of its own limits, and of those for everything that is read."""

    def __init__(self, run: IntakeRun, *, may_be_dated: bool = False, dated: bool = False) -> None:
        self.run = run
        self.may_be_dated = may_be_dated  # whether a history is to be read, if there is one
        self.dated = dated  # whether there is one
        self.bytes = 0
        self._packed = 0  # bytes of the archives that lie in no other one
        self._unpacked = 0  # entries of those that do
        self._inside = 0  # archives that are being unpacked

    @contextmanager
    def unpacking(self, packed: int) -> Iterator[None]:
        """Around the reading of an archive of so many bytes; those of one inside another are in the other's."""
        self._packed += packed if not self._inside else 0
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    def count_entries(self, number: int) -> None:
        """Count what an archive inside another holds; raises UnreadableError if so few bytes cannot honestly hold so
        much. Archives in archives can: each level multiplies the entries of the one below, and costs a few bytes."""
        self._unpacked += number if self._inside > 1 else 0
        if self._unpacked > _ANY_ENTRIES + self._packed // _ENTRY_BYTES:
            raise UnreadableError(_("refused, because its archives claim far more files than could fit in them"))

    @property
    def limits(self) -> Limits:
        """The limits of the run."""
        return self.run.limits

    def charge(self, amount: int) -> None:
        """Count bytes read; raises UnreadableError as soon as a limit is passed."""
        self.bytes += amount
        self.run.bytes += amount
        if self.bytes > self.limits.submission_bytes:
            limit = human_size(self.limits.submission_bytes)
            raise UnreadableError(
                _("not read, because the submission is larger than the limit of %(limit)s", limit=limit)
            )
        if self.run.bytes > self.limits.total_bytes:
            limit = human_size(self.limits.total_bytes)
            raise UnreadableError(
                _("not read, because all submissions together are larger than the limit of %(limit)s", limit=limit)
            )


def human_size(size: int) -> str:
    """The size in the largest unit that keeps it exact enough to read."""
    for unit, name in ((1024 * MIB, "GiB"), (MIB, "MiB"), (1024, "KiB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"
