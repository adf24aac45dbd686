"""Previews: how a run's ranking would change with other settings, without storing another run.

Token streams are stored, so only the ranking has to be made. That happens in a separate process with limited time and
memory, because the web server has other readers.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from frontends import by_name
from moss.comparison import NothingToCompareError, compare_submissions
from moss.comparison.plan import plan_all
from moss.comparison.stream_cache import key_of
from moss.intake import Intake
from moss.messages import gettext as _
from moss.model import Report
from moss.processes.pool import Failure, limit_memory, map_isolated
from moss.services.corpus_lookup import CorpusLookupError, add_answer, ask_corpora
from moss.settings import Settings
from moss.store import Store
from moss.store.courses.corpus_archiving import addresses_of
from moss.store.results.run_differences import RunDifference, difference
from moss.store.results.run_input import FoundEarlierWork, RunInput, run_input_of
from moss.store.results.run_outcome import RunMember, RunOutcome, known_by, outcome_of
from moss.store.submissions.contents import content_ids, digest_of
from moss.store.submissions.fingerprints import StoredStreams
from moss.store.tables import RunRow


class PreviewError(Exception):
    """A preview that cannot be made, for a reason that a reader can understand."""


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """The request for a preview, as its process gets it."""

    database: str
    megabytes: int  # of memory that the process may use
    run_id: int
    settings: Mapping[str, Any]  # fields of `Settings`
    archives: tuple[int, ...]
    corpora: tuple[str, ...]
    data: Path  # the data folder, which has the corpora
    most: int  # pairs in the answer at most


@dataclass(frozen=True, slots=True)
class PreviewRefusal:
    """The reason why there is no preview, in one sentence."""

    sentence: str


def preview(question: PreviewRequest, seconds: float) -> RunDifference:
    """How the ranking would differ from that of the run; raises PreviewError if nobody can say within `seconds`."""
    [(_name, answer)] = map_isolated(_answer_within_limits, [question], jobs=1, deadline=lambda asked: seconds)
    if isinstance(answer, Failure):
        raise PreviewError(
            _("The preview %(why)s. A run may take the time and memory that it needs.", why=answer.reason)
        )
    if isinstance(answer, PreviewRefusal):
        raise PreviewError(answer.sentence)
    return answer


def _answer_within_limits(question: PreviewRequest) -> RunDifference | PreviewRefusal:
    """The answer, made in a separate process with limited memory."""
    limit_memory(question.megabytes)
    return answer_to(question)


def answer_to(question: PreviewRequest) -> RunDifference | PreviewRefusal:
    """The answer, made in this process."""
    try:
        with closing(Store(question.database)) as store, store.reading() as session:
            return _answer(store, session, question)
    except NothingToCompareError as error:
        words = str(error)
        return PreviewRefusal(f"{words[0].upper()}{words[1:]}.")
    except CorpusLookupError as error:
        return PreviewRefusal(str(error))


def _answer(store: Store, session: Session, question: PreviewRequest) -> RunDifference | PreviewRefusal:
    run = session.get_one(RunRow, question.run_id)
    settings = Settings(**{**question.settings, "show": 0, "jobs": 1})
    asked = RunRow(
        assignment_id=run.assignment_id, archives=list(question.archives)
    )  # never added to the session, so never stored
    material = run_input_of(session, asked)
    if question.corpora:
        answer = ask_corpora(
            question.data, question.corpora, material.submissions, addresses_of(session), lambda done, total: None
        )
        material = add_answer(session, run, asked, answer, lambda found: _stored(session, found))
    streams = ReadOnlyStreams(store, material.contents)
    if _must_be_read(material, settings.language, streams):
        return PreviewRefusal(
            _("Some files have not been read with these settings yet, so there is no preview. Start a run instead.")
        )
    report = compare_submissions(Intake(material.submissions, ()), settings, {}, streams=streams)
    return difference(outcome_of(session, run, cleaned=False), _outcome(session, report, material), question.most)


def _stored(session: Session, found: FoundEarlierWork) -> Mapping[str, int]:
    """The ids of texts of earlier work that are in the store, because a run has them; a preview stores none."""
    return content_ids(session, {digest_of(file.text) for _, submission in found for file in submission.files})


class ReadOnlyStreams(StoredStreams):
    """Stored token streams that are only read."""

    def put(self, packed: Mapping[str, bytes], digests: Mapping[str, str] | None = None) -> None:
        """Do nothing: a preview stores no streams."""


def _must_be_read(material: RunInput, language: str, streams: ReadOnlyStreams) -> bool:
    """Whether there are unread files whose lexers need separate processes, which this process cannot start."""
    plans = [plan for files in plan_all(material.submissions, language) for plan in files]
    keys = {key_of(p) for p in plans if any(by_name(part.language).isolated for part in p.parts)}
    return bool(keys) and len(streams.get(keys)) < len(keys)


def _outcome(session: Session, report: Report, material: RunInput) -> RunOutcome:
    sources = [material.sources[record.id] for record in report.submissions]
    members = tuple(
        RunMember(record.id, record.owner, record.role, source.submission_id, source.person_id, record.reference or "")
        for record, source in zip(report.submissions, sources, strict=True)
    )
    return RunOutcome(members, known_by(session, members), report.ranking, report.baseline, {}, report.rules)
