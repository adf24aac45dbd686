"""The one way through: paths in, report out.

    submissions ─▶ token streams ─▶ fingerprints ─▶ ranked pairs ─▶ aligned passages ─▶ report

The command line, the web app and the wire server all call `compare`; none of them detects anything by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from frontends import Thresholds
from frontends.frontend import CODE
from moss.comparison.anonymity import anonymize
from moss.comparison.keeping import Keeper
from moss.comparison.planning import plan_all
from moss.comparison.ranking import connected, count_allowed, rank, too_little
from moss.comparison.reading import read_all
from moss.comparison.records import describe_choices, describe_parameters, describe_submission
from moss.comparison.results import Found, pack_result, result_key, unpack_result
from moss.comparison.scanned import LayerKey
from moss.comparison.scanning import Scanner
from moss.comparison.showing import make_layers, make_showing, show
from moss.comparison.spilling import Spill
from moss.comparison.views import united
from moss.engine.baseline import estimate
from moss.engine.documents import Document, base_hashes
from moss.intake import Intake, collect
from moss.model import Problem, Report, Role, Status, Submission, SubmissionRecord
from moss.settings import Settings, default_max_matches
from moss.version import __version__
from moss.workers import available_cores

Progress = Callable[[str, int, int], None]
"""Told the stage, how much of it is done, and how much there is in all (0: not known)."""

_RANKING = 8  # one part in so many of the budget is for sorting what the class shares


class NothingToCompareError(ValueError):
    """Fewer than two submissions with something in them; the message is one sentence for the user."""


def compare(
    paths: Sequence[str | Path],
    *,
    base: Sequence[str | Path] = (),
    archive: Sequence[str | Path] = (),
    settings: Settings | None = None,
    progress: Progress = lambda stage, done, total: None,
    cache: Keeper | None = None,
) -> Report:
    """Everything that the submissions in these folders, archives or files share, ranked. With a cache, what was found
    before is not looked for again; the report is the same."""
    settings = settings or Settings()
    intake = collect(
        paths, archive, base, directory=settings.directory, limits=settings.limits,
        progress=lambda files: progress("reading", files, 0),
    )  # fmt: skip
    inputs = {"paths": paths, "base": base, "archive": archive}
    return compare_submissions(
        intake,
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
    keeper: Keeper | None = None,
    results: Keeper | None = None,
) -> Report:
    """The same for submissions that are already in memory; `inputs` says where they came from. With a keeper, files
    that were read in an earlier run are not scanned again, and with one for results, a class that was compared before
    is not compared again; the report is the same."""
    if settings.anonymize:
        intake = anonymize(intake)
        inputs = {name: [f"{len(given)} left out for anonymity"] * bool(given) for name, given in inputs.items()}
    submissions = sorted((s for s in intake.submissions if s.role is not Role.BASE), key=lambda s: s.id)
    _check(submissions)
    key = result_key(intake, settings) if results is not None else ""
    found = _recall(results, key, submissions)
    problems: list[Problem] = []
    if found is None:
        found, problems = _find(intake, submissions, settings, progress, keeper)
        if results is not None and not problems:  # what could not be scanned may be, the next time
            results.put({key: pack_result(found)})
    return Report(
        created=datetime.now(UTC).replace(microsecond=0),
        version=__version__,
        parameters=describe_parameters(settings, inputs, found.chosen),
        submissions=found.submissions,
        pairs=found.pairs,
        ranking=found.ranking,
        clusters=found.clusters,
        problems=(*intake.problems, *problems, *found.notes),
        baseline=found.baseline,
    )


def _recall(results: Keeper | None, key: str, submissions: Sequence[Submission]) -> Found | None:
    """What an earlier run found, if it is kept."""
    packed = results.get([key]).get(key) if results is not None else None
    return unpack_result(packed, submissions) if packed is not None else None


def _find(
    intake: Intake, submissions: Sequence[Submission], settings: Settings, progress: Progress, keeper: Keeper | None
) -> tuple[Found, list[Problem]]:
    """What these submissions share, and which files were read in a lesser way."""
    base = [s for s in intake.submissions if s.role is Role.BASE]
    jobs = settings.jobs or available_cores()
    scanner, problems = _with_base(base, settings, jobs, keeper)
    plans = plan_all(submissions, settings.language)
    budget = settings.memory or sys.maxsize
    with closing(Spill(budget)) as spill:
        read = read_all(
            plans, scanner, jobs, settings.deadline, lambda n: progress("scanning", n, len(plans)), keeper, spill.take
        )
    progress("ranking", 0, 0)
    max_matches = settings.max_matches or default_max_matches(len(submissions))
    ranked = rank(submissions, read, max_matches, jobs, budget // _RANKING, spill.forget)
    ranking, scanned = ranked.ranking, read.scanned
    del read  # and with it the traces
    spill.forget()
    layers = make_layers(submissions, scanned, max_matches, jobs)
    spill.forget()
    showing = make_showing(submissions, scanned, layers)
    pairs = show(showing, ranking, settings.show, jobs, lambda done, total: progress("aligning", done, total))
    records = tuple(map(describe_submission, submissions, scanned))
    spill.forget()
    found = Found(
        records,
        pairs,
        ranking,
        connected(submissions, ranking, settings.cluster),
        estimate(ranking.score, count_allowed(submissions), ranked.tells_enough),
        describe_choices(max_matches, list(layers)),
        tuple(too_little(submissions, ranked)),
    )
    return found, [*problems, *_fallbacks(records)]


def _check(submissions: Sequence[Submission]) -> None:
    """Refuse what cannot give a single pair."""
    readable = [s for s in submissions if s.files]
    new = [s for s in readable if s.role is Role.NEW]
    owners = {s.owner for s in readable}
    if not submissions:
        raise NothingToCompareError("there is nothing to compare: no submissions were found")
    if not readable:
        raise NothingToCompareError("there is nothing to compare: none of the submissions has a file that can be read")
    if not new:
        raise NothingToCompareError("there is nothing to compare: the archive has submissions, but none is new")
    if len(readable) == 1:
        raise NothingToCompareError(
            f"there is nothing to compare: {readable[0].id} is the only submission that can be read, and it takes two"
        )
    if len(owners) == 1:
        raise NothingToCompareError(
            f"there is nothing to compare: {readable[0].owner} is the only owner, and nobody copies from themselves"
        )


def _thresholds(settings: Settings) -> Thresholds | None:
    """What the user asked for, the missing one in keeping with the other; None for each language's own."""
    if settings.noise is None and settings.guarantee is None:
        return None
    extra = CODE.guarantee - CODE.noise
    noise = settings.noise if settings.noise is not None else max(2, (settings.guarantee or 0) - extra)
    guarantee = settings.guarantee if settings.guarantee is not None else noise + extra
    return Thresholds(noise, guarantee, noise)


def _with_base(
    base: Sequence[Submission], settings: Settings, jobs: int, keeper: Keeper | None
) -> tuple[Scanner, list[Problem]]:
    """A scanner that leaves out what was handed out, and the files of that which were read in a lesser way."""
    scanner = Scanner(_thresholds(settings), {}, None)
    read = read_all(plan_all(base, settings.language), scanner, jobs, settings.deadline, keeper=keeper)
    documents: dict[LayerKey, list[Document]] = {}
    for scanned in read.scanned:
        for key, located in scanned.layers.items():
            documents.setdefault(key, []).append(located.document)
    hashes = {key: base_hashes(found, key.thresholds.noise) for key, found in documents.items()}
    records = list(map(describe_submission, base, read.scanned))
    return Scanner(scanner.thresholds, hashes, united(read.traces)), _fallbacks(records)


def _fallbacks(records: Sequence[SubmissionRecord]) -> list[Problem]:
    """Files that were read in a lesser way, for the list of problems."""
    return [
        Problem(f"{record.id}/{file.path}", file.reason)
        for record in records
        for file in record.files
        if file.status is Status.FALLBACK
    ]
