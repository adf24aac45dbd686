"""The one way through: paths in, report out.

    submissions ─▶ token streams ─▶ fingerprints ─▶ ranked pairs ─▶ aligned passages ─▶ report

The command line, the web app and the wire server all call `compare`; none of them detects anything by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from moss import version
from moss.comparison.external_archives import ExternalArchive, with_external_archives
from moss.comparison.keeper import ComparisonCache
from moss.comparison.parameters import describe_handout, describe_parameters
from moss.comparison.progress import Progress
from moss.comparison.result_cache import ComparisonResult, pack_result, result_key, unpack_result
from moss.intake import AS_USUAL, AUTO, Choice, Intake, collect, newest_versions, only_below
from moss.model import Problem, Report, Role, Rules, Stage, Submission
from moss.settings import Settings


class NothingToCompareError(ValueError):
    """Fewer than two submissions with something in them; the message is one sentence for the user, and the problems say
    why what was given could not be read."""

    def __init__(self, reason: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(f"there is nothing to compare: {reason}")
        self.problems = tuple(problems)


def compare(
    paths: Sequence[str | Path],
    *,
    base: Sequence[str | Path] = (),
    archive: Sequence[str | Path] = (),
    kept: Sequence[ExternalArchive] = (),
    settings: Settings | None = None,
    progress: Progress = lambda stage, done, total: None,
    cache: ComparisonCache | None = None,
    choice: Choice = AS_USUAL,
    layout: str = AUTO,
    all_versions: bool = False,
) -> Report:
    """Everything that the submissions in these folders, archives or files share, ranked. Of what is kept elsewhere as
    earlier work, that takes part which has something to do with them. With a cache, what was found before is not
    looked for again; the report is the same. The choice says what is read of that which is usually ignored, and what is
    left out; the layout, whose names folders and files have. Of several versions that a platform tells apart, the
    newest is compared, or all are with others."""
    settings = settings or Settings()
    intake = collect(
        paths, archive, base, directory=settings.directory, limits=settings.limits,
        progress=lambda files: progress(Stage.READING, files, 0), choice=choice,
        jobs=settings.jobs, layout=layout, encoding=settings.encoding,
    )  # fmt: skip
    intake = intake if all_versions else newest_versions(intake)
    intake = only_below(intake, settings.subdirectory) if settings.subdirectory else intake
    inputs = {"paths": paths, "base": base, "archive": [*archive, *(each.name for each in kept)]}
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
    progress: Progress = lambda stage, done, total: None,
    keeper: ComparisonCache | None = None,
    results: ComparisonCache | None = None,
    *,
    one_is_enough: bool = False,
) -> Report:
    """The same for submissions that are already in memory; `inputs` says where they came from. With a keeper, files
    that were read in an earlier run are not scanned again, and with one for results, a class that was compared before
    is not compared again; the report is the same. Nothing to compare with is an error, unless one is enough."""
    if settings.anonymize:
        from moss.comparison.anonymise import anonymize

        intake = anonymize(intake)
        inputs = {name: [f"{len(given)} left out for anonymity"] * bool(given) for name, given in inputs.items()}
    submissions = sorted((s for s in intake.submissions if s.role is not Role.BASE), key=lambda s: s.id)
    _check(submissions, intake.problems, one_is_enough)
    key = result_key(intake, settings) if results is not None else ""
    found = _recall(results, key, submissions)
    problems: list[Problem] = []
    if found is None:
        from moss.comparison.detection import find  # what compares takes long to import, and was not needed before

        found, problems = find(intake, submissions, settings, progress, keeper)
        if results is not None and not problems:  # what could not be scanned may be, the next time
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


def _recall(results: ComparisonCache | None, key: str, submissions: Sequence[Submission]) -> ComparisonResult | None:
    """What an earlier run found, if it is kept."""
    packed = results.get([key]).get(key) if results is not None else None
    return unpack_result(packed, submissions) if packed is not None else None


def _check(submissions: Sequence[Submission], problems: Sequence[Problem], one_is_enough: bool) -> None:
    """Refuse what cannot give a single pair; a report without pairs is wanted if one submission is enough."""
    if one_is_enough and any(s.files for s in submissions):
        return
    if reason := _lacking(submissions):
        raise NothingToCompareError(reason, problems)


def _lacking(submissions: Sequence[Submission]) -> str:
    """What is missing for a pair, or nothing."""
    readable = [s for s in submissions if s.files]
    if not submissions:
        return "no submissions were found"
    if not readable:
        return "none of the submissions has a file that can be read"
    if not any(s.role is Role.NEW for s in readable):
        return "the archive has submissions, but none is new"
    if len(readable) == 1:
        return f"{readable[0].id} is the only submission that can be read, and it takes two"
    if len({s.owner for s in readable}) == 1:
        return f"{readable[0].owner} is the only owner, and nobody copies from themselves"
    return ""
