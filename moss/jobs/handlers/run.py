"""A run: compare an assignment's submissions and store the report. Its pages are made when somebody opens them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from moss.comparison import NothingToCompareError, compare_submissions
from moss.intake import Intake
from moss.jobs.job_context import JobContext, JobError
from moss.jobs.ledger import add_job
from moss.model import Problem, Ranking, RankingKnown, Report, Role, Stage, Submission
from moss.report.words.references import representatives
from moss.services.corpus_lookup import CorpusLookupError, add_answer, ask_corpora
from moss.settings import Settings, SettingsError
from moss.store.courses.corpus_archiving import Addresses, addresses_of
from moss.store.courses.merges import follow_merges
from moss.store.courses.roster import declare_partners
from moss.store.results.reports import SubmissionSource, delete_pages, save_report
from moss.store.results.run_input import RunInput, run_input_of, store_earlier_work
from moss.store.submissions.fingerprints import StoredStreams
from moss.store.tables import RunRow

FIRST_PAIRS = 10  # pairs that are shown as soon as the ranking is known
_BEST = 1000  # pairs among which these are sought


def run(work: JobContext) -> None:
    """Do a run; an interrupted attempt leaves nothing but token streams, which the next one uses."""
    run_id = work.payload["run"]
    work.progress(Stage.READING, 0, 0)
    with work.saving() as session:
        delete_pages(session, run_id)
        session.get_one(RunRow, run_id).first_pairs = []
    with work.store.reading() as session:
        asked = session.get_one(RunRow, run_id)
        settings, material = dict(asked.settings), run_input_of(session, asked)
        inputs = _inputs(asked, material)
        corpora, addresses = tuple(asked.corpora), addresses_of(session)
    if corpora:
        material = _with_corpora(work, run_id, material, corpora, addresses)

    def known(submissions: Sequence[Submission], ranking: Ranking) -> None:
        """Show the best pairs to a user who waits, while their passages are sought."""
        with work.saving() as session:
            session.get_one(RunRow, run_id).first_pairs = _first_pairs(submissions, ranking, material.sources)

    report = _compare(work, material, settings, inputs, known)
    work.progress(Stage.STORING, 0, 0)
    with work.finishing() as session:
        save_report(session, run_id, report, material.sources)
        session.get_one(RunRow, run_id).first_pairs = []
        session.flush()
        follow_merges(session, [run_id])  # names that were merged or parted meanwhile
        declare_partners(session, session.get_one(RunRow, run_id).assignment.course_id)
        if "drop" not in work.payload:  # whose passages nobody looks up later
            add_job(session, "index", {"assignment": asked.assignment_id}, course_id=work.course_id)


def _inputs(asked: RunRow, material: RunInput) -> dict[str, list[str]]:
    """The sources of the submissions, as the report names them."""
    assignment = asked.assignment
    name = f"{assignment.course.title}: {assignment.name}"
    archive = [*(f"assignment {number}" for number in asked.archives), *(f"corpus:{name}" for name in asked.corpora)]
    base = [submission.id for submission in material.submissions if submission.role is Role.BASE]
    return {"paths": [name], "base": base, "archive": archive}


def _with_corpora(
    work: JobContext, run_id: int, material: RunInput, corpora: Sequence[str], addresses: Addresses
) -> RunInput:
    """Add earlier work from corpora to the run's input, and store its texts for the report's pages."""
    try:
        answer = ask_corpora(
            work.config.data,
            corpora,
            material.submissions,
            addresses,
            lambda done, total: work.progress(Stage.ASKING, done, total),
        )
    except CorpusLookupError as error:
        raise JobError(str(error)) from None
    with work.saving() as session:
        run = session.get_one(RunRow, run_id)
        return add_answer(session, run, run, answer, lambda found: store_earlier_work(session, run_id, found))


def _compare(
    work: JobContext,
    material: RunInput,
    settings: dict[str, object],
    inputs: dict[str, list[str]],
    known: RankingKnown,
) -> Report:
    intake = Intake(material.submissions, _findings(material.submissions))
    try:
        chosen = Settings(**settings)  # type: ignore[arg-type]
        streams = StoredStreams(work.store, material.contents)
        # Judges submit once for each task and language, also if one program is all there is.
        alone = "drop" in work.payload
        return compare_submissions(intake, chosen, inputs, work.progress, streams, one_is_enough=alone, ranked=known)
    except (NothingToCompareError, SettingsError) as error:
        raise JobError(str(error)) from None


def _findings(submissions: Sequence[Submission]) -> tuple[Problem, ...]:
    """The files that were read only partly when they were uploaded, or otherwise than one sees them. The list of
    problems takes those that were not read at all from the submissions."""
    return tuple(
        Problem(f"{each.id}/{file.path}", file.finding) for each in submissions for file in each.files if file.finding
    )


def _first_pairs(
    submissions: Sequence[Submission], ranking: Ranking, sources: Mapping[str, SubmissionSource]
) -> list[list[Any]]:
    """The best pairs of a ranking, each as the ids of two stored submissions and a score. Names are looked up when the
    pairs are shown, so that nobody is named who was erased meanwhile."""
    best = [*zip(*(side[:_BEST].tolist() for side in (ranking.a, ranking.b, ranking.score)), strict=True)]
    sides = [(submission.owner, submission.kind) for submission in submissions]
    listed = representatives((sides[a], sides[b]) for a, b, _ in best)
    shown = [pair for number, (pair, first) in enumerate(zip(best, listed, strict=True), 1) if number == first]
    stored = [source.submission_id for source in (sources[submission.id] for submission in submissions)]
    return [[stored[a], stored[b], score] for a, b, score in shown[:FIRST_PAIRS] if stored[a] and stored[b]]
