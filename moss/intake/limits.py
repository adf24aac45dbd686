"""The terms of an intake: how much may be read, which files are wanted, who looks on; and the account of what was read.

Limits hold for what is really read: sizes that an archive claims for its members are only ever believed when they
are a reason to refuse.

A user chooses files and folders by glob, whatever is usually ignored. A glob names a file or folder by its name
(`node_modules`, `*.min.js`) or by the end of its path (`src/generated`), and holds for all that is in a folder. Of
several globs that match, the last decides.

A server watches while strangers' files are read, in a process that one of them may end. It is told which file comes
next, so that it knows which one that was; it may object to a file; and it takes each text away once it is read, so that
they need not all fit in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import NamedTuple

from moss.intake.entries import UnreadableError
from moss.messages import gettext as _
from moss.model import SourceFile

EXCLUDED = "excluded by --exclude"
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


class Rule(NamedTuple):
    """A glob, and whether paths that match it are read."""

    glob: str
    include: bool

    def matches(self, path: str) -> bool:
        """Whether the glob names the path or a folder above it."""
        parts = path.split("/")
        above = ("/".join(parts[: n + 1]) for n in range(len(parts)))
        return any(fnmatchcase(each, self.glob) or fnmatchcase(each, f"*/{self.glob}") for each in above)


class Choice(NamedTuple):
    """Rules in the order in which they were given."""

    rules: tuple[Rule, ...] = ()

    def wants(self, path: str) -> bool | None:
        """Whether a path is wanted; None if no rule says so."""
        return next((rule.include for rule in reversed(self.rules) if rule.matches(path)), None)

    def refusal(self, path: str, ignored: str) -> str:
        """Why a path is not read, or nothing; `ignored` is why it usually is not."""
        if not self.rules:
            return ignored
        wanted = self.wants(path)
        return ignored if wanted is None else "" if wanted else EXCLUDED


AS_USUAL = Choice()


def _no_objection(shown: str) -> str:
    return ""


def _as_it_is(file: SourceFile) -> SourceFile:
    return file


class Watch(NamedTuple):
    """Two functions: one that may object to a file before it is read, and one that is given each file that was."""

    before: Callable[[str], str] = _no_objection  # why not to read the file that is shown by this name, or nothing
    after: Callable[[SourceFile], SourceFile] = _as_it_is  # what stands for the file from then on

    def announce(self, shown: str) -> None:
        """Tell that a file comes next; raises UnreadableError if it is not to be read."""
        if reason := self.before(shown):
            raise UnreadableError(reason)


NOBODY = Watch()


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
