"""The one way through: paths or submissions in, report out.

    submissions ─▶ token streams ─▶ fingerprints ─▶ ranked pairs ─▶ aligned passages ─▶ report

The command line calls `compare`; the server and the wire server, whose submissions are in a database, call
`compare_submissions`, the second half of the way. None of them detects anything itself. What compares is imported only
if there is no result in the cache, because importing it takes longer than anything else then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from moss import version
from moss.comparison.parameters import describe_handout, describe_parameters
from moss.comparison.result_cache import ComparisonResult, pack_result, result_key, unpack_result
from moss.intake import AS_USUAL, AUTO, Choice, Intake, collect, newest_versions, only_below
from moss.intake.names import numbered
from moss.messages import gettext as _
from moss.model import Problem, RankingKnown, ReferenceKind, Report, Role, Rules, Stage, StageProgress, Submission
from moss.settings import Settings

if TYPE_CHECKING:
    from moss.comparison.stream_cache import ComparisonCache


class ExternalArchive(Protocol):
    """Earlier work in any amount, which is not read as a whole but asked what it has in common with new submissions."""

    @property
    def name(self) -> str:
        """The name that a report calls it by."""

    def about(self, new: Sequence[Submission], progress: Callable[[int, int], None]) -> Sequence[Submission]:
        """The earlier submissions in it that share something with the new ones; `progress` is called with how many
        files of the new ones are done, and how many there are."""


class NothingToCompareError(ValueError):
    """There are fewer than two submissions with anything in them; the message is one sentence for the user, and the
    problems say why files could not be read."""

    def __init__(self, reason: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(_("there is nothing to compare: %(why)s", why=reason))
        self.problems = tuple(problems)


def compare(
    paths: Sequence[str | Path],
    *,
    base: Sequence[str | Path] = (),
    archive: Sequence[str | Path] = (),
    references: Sequence[tuple[ReferenceKind, str | Path]] = (),
    kept: Sequence[ExternalArchive] = (),
    settings: Settings | None = None,
    progress: StageProgress = lambda stage, done, total: None,
    cache: ComparisonCache | None = None,
    choice: Choice = AS_USUAL,
    layout: str = AUTO,
    all_versions: bool = False,
) -> Report:
    """The report about the submissions in these folders, archives or files.

    `references` are like archives, each with its kind, such as a chatbot's answers. `kept` are external archives, of
    which only submissions take part that share something with the new ones. With a cache, nothing that was found before
    is looked for again; the report is the same. `choice` says which files are read although they are usually ignored,
    and which are left out; `layout` says whose names folders and files have. If a platform tells several versions of a
    submission apart, the newest is compared, or all are if `all_versions`.
    """
    settings = settings or Settings()
    intake = collect(
        paths, archive, base, references=references, directory=settings.directory, limits=settings.limits,
        progress=lambda files: progress(Stage.READING, files, 0), choice=choice,
        jobs=settings.jobs, layout=layout, encoding=settings.encoding,
    )  # fmt: skip
    intake = intake if all_versions else newest_versions(intake)
    intake = only_below(intake, settings.subdirectory) if settings.subdirectory else intake
    inputs = {"paths": paths, "base": base, "archive": [*archive, *(each.name for each in kept)]}
    if references:
        inputs["reference"] = [f"{kind}:{path}" for kind, path in references]
    return compare_submissions(
        with_external_archives(intake, kept, lambda done, total: progress(Stage.ASKING, done, total)),
        settings,
        {name: [str(path) for path in given] for name, given in inputs.items()},
        progress,
        cache,
        cache,
    )


def compare_submissions(
    intake: Intake,
    settings: Settings,
    inputs: Mapping[str, Sequence[str]],
    progress: StageProgress = lambda stage, done, total: None,
    streams: ComparisonCache | None = None,
    results: ComparisonCache | None = None,
    *,
    one_is_enough: bool = False,
    ranked: RankingKnown = lambda submissions, ranking: None,
) -> Report:
    """The report about submissions that are in memory; `inputs` says where they came from. With a cache for streams,
    files that were read in an earlier run are not scanned again; with one for results, a class that was compared before
    is not compared again. The report is the same. A class without a single pair is an error, unless one submission is
    enough. `ranked` is called with the ranking when it is known, before passages are sought."""
    if settings.anonymize:
        intake, inputs = _without_names(intake, inputs)
    submissions = sorted((s for s in intake.submissions if s.role is not Role.BASE), key=lambda s: s.id)
    _check(submissions, intake.problems, one_is_enough)
    key = result_key(intake, settings) if results is not None else ""
    found = _recall(results, key, submissions)
    problems: list[Problem] = []
    if found is None:
        from moss.comparison.detection import find

        found, problems = find(intake, submissions, settings, progress, streams, ranked)
        if results is not None and not problems:  # the next time, a scanner that failed may succeed
            results.put({key: pack_result(found)})
    return Report(
        created=datetime.now(UTC).replace(microsecond=0),
        version=version.__version__,
        parameters=describe_parameters(settings, inputs, {**found.chosen, **describe_handout(intake.submissions)}),
        submissions=found.submissions,
        pairs=found.pairs,
        ranking=found.ranking,
        clusters=found.clusters,
        problems=(*intake.problems, *problems, *found.notes),
        baseline=found.baseline,
        rules=Rules(version.SCAN_VERSION, version.HASH_VERSION, version.SCORE_VERSION),
    )


def _without_names(intake: Intake, inputs: Mapping[str, Sequence[str]]) -> tuple[Intake, Mapping[str, Sequence[str]]]:
    """Submissions with pseudonyms for owners, and as many inputs that name nobody."""
    from moss.comparison.anonymize import anonymize

    hidden = {name: [f"{len(given)} left out for anonymity"] * bool(given) for name, given in inputs.items()}
    return anonymize(intake), hidden


def with_external_archives(
    intake: Intake, archives: Sequence[ExternalArchive], progress: Callable[[int, int], None]
) -> Intake:
    """The intake with the submissions of external archives that share something with its new ones; equal ids are told
    apart by numbers."""
    new = [submission for submission in intake.submissions if submission.role is Role.NEW]
    earlier = [submission for archive in archives for submission in archive.about(new, progress)]
    together = (*intake.submissions, *earlier)
    names = numbered([submission.id for submission in together], lambda name: (name, ""))
    renamed = (s if s.id == name else replace(s, id=name) for s, name in zip(together, names, strict=True))
    return replace(intake, submissions=tuple(renamed))


def _recall(results: ComparisonCache | None, key: str, submissions: Sequence[Submission]) -> ComparisonResult | None:
    """The result of an earlier run, if the cache has it."""
    packed = results.get([key]).get(key) if results is not None else None
    return unpack_result(packed, submissions) if packed is not None else None


def _check(submissions: Sequence[Submission], problems: Sequence[Problem], one_is_enough: bool) -> None:
    """Raise NothingToCompareError if there cannot be a single pair, unless one submission is enough."""
    if one_is_enough and any(s.files for s in submissions):
        return
    if reason := _lacking(submissions):
        raise NothingToCompareError(reason, problems)


def _lacking(submissions: Sequence[Submission]) -> str:
    """The reason why there cannot be a pair; empty if there can."""
    readable = [s for s in submissions if s.files]
    if not submissions:
        return _("no submissions were found")
    if not readable:
        return _("none of the submissions has a file that can be read")
    if not any(s.role is Role.NEW for s in readable):
        return _("there is earlier work, but no new submission")
    if len(readable) == 1:
        return _("only one submission, %(name)s, can be read, and at least two are needed", name=readable[0].id)
    if len({s.owner for s in readable}) == 1:
        return _(
            "all submissions are by one student, %(name)s, and at least two students are needed", name=readable[0].owner
        )
    return ""
