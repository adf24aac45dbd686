"""Paths to submissions: the one function that runs the intake from end to end."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from moss.intake.drafts import Draft
from moss.intake.histories import dated, with_histories
from moss.intake.limits import AS_USUAL, MIB, NOBODY, Account, Choice, IntakeError, IntakeRun, Limits, Watch
from moss.intake.names import displayable, numbered, seen, stem_of, unique_ids, without_archive_suffix
from moss.intake.platforms import AUTO, LAYOUTS, NONE
from moss.intake.source_files import Outcome, collapse, read_part, with_documents
from moss.intake.sources import Opened, Source, open_source, shown_names, sources
from moss.messages import gettext as _
from moss.messages import ngettext
from moss.model import Problem, ReferenceKind, Role, Submission

NO_LIMITS_GIVEN = Limits()
_WAITING_AT_ONCE = 64 * MIB  # of documents and repositories, which are held in memory until they are read on all cores

# Such names are given to whoever comes next; elsewhere they belong to other people.
_IMPERSONAL = re.compile(
    r"(?:team|group|gruppe|grupo|groupe|student|submission|user|anon\w*|participant|pair|src|source)?[ _-]*\d*"
    r"|[a-z]\d{1,4}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Intake:
    """All that was handed in, in a fixed order, and all that was ignored, refused or read in a lesser way."""

    submissions: tuple[Submission, ...]
    problems: tuple[Problem, ...]
    downloads: tuple[Download, ...] = ()


@dataclass(frozen=True, slots=True)
class Download:
    """How the names in one of the given folders or archives were read."""

    path: str
    layout: str  # the platform as `--layout` calls it; `none` for an ordinary class
    title: str
    why: str
    doubts: tuple[str, ...] = ()  # platforms that it could be of, too


class Gathered(NamedTuple):
    """A draft with what became of its parts."""

    draft: Draft
    source: str  # the path that was given
    outcomes: tuple[Outcome, ...]
    dated: datetime | None = None  # by its archive, if that says anything
    reference: ReferenceKind | None = None  # its kind, if the user said so

    @property
    def name(self) -> str:
        """The last component of the draft's name."""
        return self.draft.name[-1]

    @property
    def is_lone_text(self) -> bool:
        """Whether it is a single text file rather than a folder or an archive."""
        return not self.draft.is_folder and any(o.file and o.path == self.name for o in self.outcomes)


def collect(
    new: Sequence[Path | str],
    archive: Sequence[Path | str] = (),
    base: Sequence[Path | str] = (),
    *,
    references: Sequence[tuple[ReferenceKind, Path | str]] = (),
    directory: bool = False,
    limits: Limits = NO_LIMITS_GIVEN,
    progress: Callable[[int], None] | None = None,
    watch: Watch = NOBODY,
    choice: Choice = AS_USUAL,
    jobs: int | None = None,
    layout: str = AUTO,
    encoding: str = "",
    whole: bool = False,
) -> Intake:
    """Everything found at the paths, as submissions and problems; raises IntakeError for a path that is not there. What
    is usually ignored is read if the choice says so, and what is usually read is not. Documents are read by `jobs`
    processes, or on all cores. The encoding is tried first for each file. The layout says whose names the children of
    folders and archives have, if that is not to be recognised. References are like archives, and each has its kind.
    A sole folder in the only one given is that of the class, unless it is said to be one `whole` submission."""
    if layout not in LAYOUTS:
        raise IntakeError(
            _("unknown layout %(name)r; the layouts are %(layouts)s", name=layout, layouts=", ".join(LAYOUTS))
        )
    kinds = [
        (source, kind)
        for role, kind, paths in (
            (Role.NEW, None, new),
            (Role.ARCHIVE, None, archive),
            (Role.BASE, None, base),
            *((Role.ARCHIVE, kind, [path]) for kind, path in references),
        )
        for source in sources([os.fspath(path) for path in paths], role, directory and role is not Role.BASE)
    ]
    given = [source for source, _ in kinds]
    run = IntakeRun(limits, progress, watch, choice, jobs, layout, encoding)
    problems: list[Problem] = []
    gathered: list[Gathered] = []
    downloads: list[Download] = []
    for (source, kind), shown in zip(kinds, shown_names(given), strict=True):
        found, opened = _gather(source, shown, run, sole=len(kinds) == 1 and not whole)
        gathered.extend(item._replace(reference=kind) for item in found)
        downloads.extend(_download(source, opened, layout))
        aside = [Problem(part.shown or source.name, part.entry.refusal) for part in opened.aside if part.entry.refusal]
        problems.extend(aside)
        if not found and not aside and len(kinds) > 1:  # of a sole source, everybody sees that nothing was found
            problems.append(Problem(source.name, _("empty, so there is nothing to compare")))
    run.finish()
    ids = unique_ids([item.draft.name for item in gathered])
    owners = _by_stem(gathered, [_owner(item, name) for item, name in zip(gathered, ids, strict=True)])
    owners = [seen(owner) for owner in owners]
    gathered = [_without_empty_files(item) for item in gathered]
    problems.extend(_same_owners(gathered, owners))
    problems.extend(problem for item in gathered for problem in _problems(item))
    return Intake(tuple(map(_submission, gathered, ids, owners)), tuple(problems), tuple(downloads))


def only_below(intake: Intake, folder: str) -> Intake:
    """The intake with the files in one folder of each submission; starter code stays whole. Who has no such folder is
    listed."""
    start = folder.strip("/") + "/"
    problems = []
    submissions = []
    for each in intake.submissions:
        files = tuple(file for file in each.files if each.role is Role.BASE or file.path.startswith(start))
        left = len(each.files) - len(files)
        if left:
            outside = ngettext(
                "%(n)s file outside %(folder)s, not compared", "%(n)s files outside %(folder)s, not compared", left,
                n=left, folder=folder,
            )  # fmt: skip
            nothing = _("no readable file in %(folder)s; %(outside)s", folder=folder, outside=outside)
            reason = outside if files else nothing
            problems.append(Problem(each.id, reason))
        submissions.append(replace(each, files=files))
    return replace(intake, submissions=tuple(submissions), problems=(*intake.problems, *problems))


def newest_versions(intake: Intake) -> Intake:
    """The intake without older versions, of which one sentence tells. Who has any goes by the name alone."""
    older = [submission for submission in intake.submissions if submission.age]
    if not older:
        return intake
    kept = [submission for submission in intake.submissions if not submission.age]
    names = Counter([*(submission.id for submission in kept), *(submission.owner for submission in kept)])
    behind = {(submission.owner, submission.role) for submission in older}
    plain = [
        replace(each, id=each.owner) if (each.owner, each.role) in behind and names[each.owner] == 1 else each
        for each in kept
    ]
    problem = Problem(_("older versions"), _older(older))
    return replace(intake, submissions=tuple(plain), problems=(*intake.problems, problem))


def _older(submissions: Sequence[Submission]) -> str:
    versions: dict[str, list[str]] = {}
    for submission in submissions:
        versions.setdefault(submission.owner, []).append(submission.version or "?")
    some = [f"{owner}: {', '.join(numbers)}" for owner, numbers in versions.items()]
    listed = "; ".join(some[:_MOST_LISTED]) + ("; …" if len(some) > _MOST_LISTED else "")
    return ngettext(
        "%(n)s is not compared, because there is a newer one (%(listed)s); --versions all compares all",
        "%(n)s are not compared, because there is a newer one (%(listed)s); --versions all compares all",
        len(submissions), n=len(submissions), listed=listed,
    )  # fmt: skip


_MOST_LISTED = 10  # people whose older versions are named in a sentence


def _gather(source: Source, shown: str, run: IntakeRun, sole: bool) -> tuple[list[Gathered], Opened]:
    path = displayable(source.paths[0])
    with ExitStack() as stack:
        opened = open_source(source, shown, run, stack, sole)
        outcomes = _read(opened.drafts, run, depth=int(source.kind not in ("folder", "files")))
    dates = _dates(opened.drafts, outcomes)
    found = zip(opened.drafts, outcomes, dates, strict=True)
    return [_named(Gathered(draft, path, collapse(read), date)) for draft, read, date in found], opened


def _dates(drafts: Sequence[Draft], outcomes: Sequence[Sequence[Outcome]]) -> list[datetime | None]:
    """The newest date of each draft's files in their archives, where no platform says a time. None at all if they lie
    close to each other: then they say when somebody packed everything, not when anybody wrote it."""
    of_files = [[outcome.modified for outcome in some if outcome.file and outcome.modified] for some in outcomes]
    newest = [max(some, key=_clock, default=None) for some in of_files]
    clocks = [_clock(date) for date in newest if date]
    if not clocks or max(clocks) - min(clocks) < _PACKED_WITHIN:
        return [None] * len(drafts)
    return [None if draft.time else date for draft, date in zip(drafts, newest, strict=True)]


def _clock(date: datetime) -> datetime:
    return date.replace(tzinfo=None)


_PACKED_WITHIN = timedelta(hours=1)  # a platform packs a class within that time


def _download(source: Source, opened: Opened, layout: str) -> Iterable[Download]:
    if source.kind == "files" or source.role is Role.BASE:
        return
    path, found = displayable(source.paths[0]), opened.found
    if found:
        yield Download(path, found.platform.key, found.platform.title, found.why)
        return
    if layout not in (AUTO, NONE):
        raise IntakeError(
            _(
                "nothing in %(path)s fits --layout %(layout)s; moss intake show prints what is there",
                path=path,
                layout=layout,
            )
        )
    yield Download(path, NONE, "", opened.why, opened.doubts)


def _read(drafts: Sequence[Draft], run: IntakeRun, depth: int) -> list[list[Outcome]]:
    outcomes: list[list[Outcome]] = [[] for _ in drafts]
    accounts = [_account(draft, run) for draft in drafts]
    jobs = [(part.entry.position, number, part) for number, draft in enumerate(drafts) for part in draft.parts]
    jobs.sort(key=lambda job: job[0])  # so that a compressed archive is read from front to back
    waiting = 0  # bytes
    for _order, number, part in jobs:
        for outcome in read_part(part, accounts[number], depth):
            outcomes[number].append(outcome)
            waiting += outcome.waiting
        if waiting > _WAITING_AT_ONCE:
            _read_waiting(outcomes, run)
            waiting = 0
    if waiting:
        _read_waiting(outcomes, run)
    return outcomes


def _account(draft: Draft, run: IntakeRun) -> Account:
    may_be_dated = draft.role is not Role.BASE
    return Account(run, may_be_dated=may_be_dated, dated=may_be_dated and any(p.entry.repository for p in draft.parts))


def _read_waiting(outcomes: list[list[Outcome]], run: IntakeRun) -> None:
    """Replace each document that is yet to be read by its text, each repository by its history, or both by the reason
    why there is none."""
    read = iter(with_histories(with_documents([outcome for some in outcomes for outcome in some], run), run))
    outcomes[:] = [[next(read) for _ in some] for some in outcomes]


def _named(item: Gathered) -> Gathered:
    # `alice.zip` is alice, unless it is not an archive but a text of that name.
    draft = item.draft
    if draft.is_folder or draft.owner or item.is_lone_text:
        return item
    return item._replace(draft=replace(draft, name=(*draft.name[:-1], without_archive_suffix(item.name))))


def _owner(item: Gathered, name: str) -> str:
    """The owner, which is the unique id where the name alone does not say who that is, or no student wrote it."""
    if item.reference not in (None, ReferenceKind.EARLIER):
        return name
    if item.draft.owner or name == item.name:
        return item.draft.owner or name
    return name if item.draft.loose or item.is_lone_text or _IMPERSONAL.fullmatch(item.name) else item.name


def _by_stem(gathered: Sequence[Gathered], owners: Sequence[str]) -> list[str]:
    """The owners, those of single files without the ending: `ann` for `ann.py`, unless somebody else would then have
    the same name, as beside `ann.java`."""
    stems = [
        stem_of(item.name) if item.is_lone_text and owner == item.name and item.draft.role is not Role.BASE else owner
        for item, owner in zip(gathered, owners, strict=True)
    ]
    count = Counter(stems)
    return [stem if count[stem] == 1 else owner for stem, owner in zip(stems, owners, strict=True)]


def _same_owners(gathered: Sequence[Gathered], owners: Sequence[str]) -> Iterable[Problem]:
    first: dict[str, str] = {}
    again: dict[tuple[str, str], list[str]] = {}
    for item, owner in zip(gathered, owners, strict=True):
        if item.draft.role is not Role.BASE and first.setdefault(owner, item.source) != item.source:
            again.setdefault((item.source, first[owner]), []).append(owner)
    yield from _alike(gathered, owners)
    for (later, earlier), names in again.items():
        some = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        reason = ngettext(
            "%(n)s of its students (%(some)s) is in %(earlier)s too, and is not compared with themselves",
            "%(n)s of its students (%(some)s) are in %(earlier)s too, and are not compared with themselves",
            len(names), n=len(names), some=some, earlier=earlier,
        )  # fmt: skip
        yield Problem(later, reason)


def _alike(gathered: Sequence[Gathered], owners: Sequence[str]) -> Iterable[Problem]:
    """For each who has several submissions in one place that no platform calls versions, that they are one person's."""
    mine: dict[tuple[str, Role, str], list[Gathered]] = {}
    for item, owner in zip(gathered, owners, strict=True):
        if item.draft.role is not Role.BASE and not item.draft.age:
            mine.setdefault((item.source, item.draft.role, owner), []).append(item)
    for (_source, _role, owner), items in mine.items():
        if len(items) > 1:
            places = ", ".join(item.draft.shown for item in items)
            several = _("%(n)s submissions (%(places)s), treated as versions of one", n=len(items), places=places)
            yield Problem(owner, several)


def _without_empty_files(item: Gathered) -> Gathered:
    """The draft; if all of its files are empty, without them and with that as the reason. An empty file beside others
    is usual, as `__init__.py` is, and stays."""
    if any(outcome.file and not outcome.empty for outcome in item.outcomes):
        return item
    empty = _("an empty file, so there is nothing to compare")
    return item._replace(
        outcomes=tuple(o._replace(file=None, lines=None, reason=empty) if o.file else o for o in item.outcomes)
    )


def _problems(item: Gathered) -> Iterable[Problem]:
    yield from (Problem(outcome.shown, outcome.reason) for outcome in item.outcomes if outcome.reason)
    where = item.draft.shown or item.name
    if not any(outcome.file or outcome.shown == where for outcome in item.outcomes):
        yield Problem(where, _("no readable file"))


def _submission(item: Gathered, name: str, owner: str) -> Submission:
    outcomes, history = dated(sorted(item.outcomes, key=lambda outcome: outcome.path))
    files = [replace(outcome.file, finding=outcome.reason) for outcome in outcomes if outcome.file]
    paths = numbered([file.path for file in files])
    return Submission(
        name,
        owner,
        tuple(file if file.path == path else replace(file, path=path) for file, path in zip(files, paths, strict=True)),
        item.draft.role,
        tuple(Problem(o.path, o.reason) for o in outcomes if not o.file and (o.folder or not o.ignored)),
        item.draft.version,
        item.draft.time,
        age=item.draft.age,
        section=item.draft.section,
        account=item.draft.account,
        history=history,
        dated=item.dated,
        reference=item.reference,
    )
