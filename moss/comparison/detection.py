"""Detection: from submissions to everything that they share, in the order of the stages."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing

from frontends import Thresholds
from frontends.frontend import CODE
from moss.comparison.describe import describe_submission, has_same
from moss.comparison.parameters import describe_choices
from moss.comparison.plan import plan_all
from moss.comparison.quotations import mostly_quoted
from moss.comparison.rank import connected, count_allowed, rank
from moss.comparison.result_cache import ComparisonResult
from moss.comparison.scan import Scanner
from moss.comparison.scan_pool import read_all
from moss.comparison.scanned_files import LayerKey
from moss.comparison.shown_pairs import ShownClass, show_pairs
from moss.comparison.spill import Spill
from moss.comparison.stream_cache import ComparisonCache
from moss.comparison.views import united
from moss.engine.documents import Document, base_hashes
from moss.engine.ranking.baseline import estimate
from moss.intake import Intake
from moss.model import Problem, RankingKnown, Role, Stage, StageProgress, Status, Submission, SubmissionRecord
from moss.processes.pool import available_cores
from moss.settings import Settings, default_max_matches

_RANKING = 8  # an eighth of the memory budget is for sorting what the class shares


def find(
    intake: Intake,
    submissions: Sequence[Submission],
    settings: Settings,
    progress: StageProgress,
    cache: ComparisonCache | None,
    ranking_known: RankingKnown,
) -> tuple[ComparisonResult, list[Problem]]:
    """Everything that these submissions share, and the problems of files that the generic scanner had to read."""
    base = [s for s in intake.submissions if s.role is Role.BASE]
    jobs = settings.jobs or available_cores()
    scanner, problems = with_base(base, submissions, settings, jobs, cache)
    plans = plan_all(submissions, settings.language, settings.quotations)
    budget = settings.memory or sys.maxsize
    with closing(Spill(budget)) as spill:
        read = read_all(
            plans,
            scanner,
            jobs,
            settings.deadline,
            lambda n: progress(Stage.SCANNING, n, len(plans)),
            cache,
            spill.take,
        )
    progress(Stage.RANKING, 0, 0)
    max_matches = settings.max_matches or default_max_matches(len(submissions))
    ranked = rank(submissions, read, max_matches, jobs, budget // _RANKING, spill.forget)
    ranking, scanned = ranked.ranking, read.scanned
    ranking_known(submissions, ranking)
    del read  # and with it the bags
    spill.forget()
    showing = ShownClass(submissions, scanned, max_matches, jobs)
    pairs = show_pairs(showing, ranked, settings.show, lambda done, total: progress(Stage.ALIGNING, done, total))
    records = tuple(map(describe_submission, submissions, scanned))
    spill.forget()
    baseline = estimate(ranking.score, count_allowed(submissions), has_same(records, ranking))
    found = ComparisonResult(
        records,
        tuple(pair for pair in pairs if pair.score >= settings.threshold),
        ranking,
        connected(submissions, ranking, baseline.count_linked(ranking, settings.cluster)),
        baseline,
        describe_choices(max_matches, showing.keys),
        (*ranked.notes, *(() if settings.quotations else mostly_quoted(submissions))),
    )
    return found, [*problems, *_fallbacks(records)]


def _thresholds(settings: Settings) -> Thresholds | None:
    """The thresholds that the user asked for, a missing one chosen to go with the other; None for each language's
    own."""
    if settings.noise is None and settings.guarantee is None:
        return None
    extra = CODE.guarantee - CODE.noise
    noise = settings.noise if settings.noise is not None else max(2, (settings.guarantee or 0) - extra)
    guarantee = settings.guarantee if settings.guarantee is not None else noise + extra
    return Thresholds(noise, guarantee, noise)


def with_base(
    base: Sequence[Submission],
    submissions: Sequence[Submission],
    settings: Settings,
    jobs: int,
    cache: ComparisonCache | None,
) -> tuple[Scanner, list[Problem]]:
    """A scanner that leaves the starter code of these submissions out, and the problems of files of it that the generic
    scanner had to read."""
    scanner = Scanner(_thresholds(settings), {}, None)
    plans = plan_all(base, settings.language, settings.quotations, beside=submissions)
    read = read_all(plans, scanner, jobs, settings.deadline, cache=cache)
    documents: dict[LayerKey, list[Document]] = {}
    for scanned in read.scanned:
        for key, located in scanned.layers.items():
            documents.setdefault(key, []).append(located.document)
    hashes = {key: base_hashes(found, key.thresholds.noise) for key, found in documents.items()}
    records = list(map(describe_submission, base, read.scanned))
    return Scanner(scanner.thresholds, hashes, united(read.bags)), _fallbacks(records)


def _fallbacks(records: Sequence[SubmissionRecord]) -> list[Problem]:
    """The problems of files that were read by the generic scanner instead of their own."""
    return [
        Problem(f"{record.id}/{file.path}", file.reason)
        for record in records
        for file in record.files
        if file.status is Status.FALLBACK
    ]
