"""Reports in the store: what a run found, as rows, and back.

Texts are not stored again: an entry's files name the digests of their contents. A page about one pair needs the texts
of two submissions only, so whoever loads a report says whose texts they want.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sqlalchemy import delete, select
from sqlalchemy.orm import Session, selectinload

from moss.model import (
    Baseline,
    Cell,
    FileRecord,
    Match,
    Pair,
    Problem,
    Ranking,
    Region,
    Report,
    Status,
    SubmissionRecord,
)
from moss.model import Run as Stretch
from moss.store.contents import digest_of, read_texts
from moss.store.tables import Entry, MatchRow, PairRow, Result, Run, now


@dataclass(frozen=True, slots=True)
class Source:
    """Where a submission of the report came from."""

    submission_id: int | None
    person_id: int | None
    corpus: str = ""  # if nobody handed it in here


def save_report(session: Session, run_id: int, report: Report, sources: Mapping[str, Source]) -> None:
    """Store what a run found; `sources` say for each submission's id where it came from."""
    forget_report(session, run_id)
    number = {record.id: i for i, record in enumerate(report.submissions, 1)}
    session.add(_result(run_id, report))
    session.add_all(_entry(run_id, number[record.id], record, sources[record.id]) for record in report.submissions)
    session.add_all(_pair_row(run_id, rank, pair, number, sources) for rank, pair in enumerate(report.pairs, 1))
    session.get_one(Run, run_id).finished = now()


def forget_report(session: Session, run_id: int) -> None:
    """Remove what an earlier attempt may have left."""
    for table in (PairRow, Entry, Result):
        session.execute(delete(table).where(table.run_id == run_id))


def _result(run_id: int, report: Report) -> Result:
    return Result(
        run_id=run_id,
        version=report.version,
        parameters=dict(report.parameters),
        clusters=[list(cluster) for cluster in report.clusters],
        problems=[[problem.path, problem.reason] for problem in report.problems],
        baseline=asdict(report.baseline),
        sharing=len(report.ranking),
        ranking=pack_ranking(report.ranking),
    )


def pack_ranking(ranking: Ranking) -> bytes:
    """The ranking as it is stored."""
    file = io.BytesIO()
    np.savez_compressed(file, a=ranking.a.astype(np.uint32), b=ranking.b.astype(np.uint32), score=ranking.score)
    return file.getvalue()


def unpack_ranking(packed: bytes) -> Ranking:
    """The ranking as a result has it."""
    with np.load(io.BytesIO(packed), allow_pickle=False) as columns:
        return Ranking(columns["a"].astype(np.int64), columns["b"].astype(np.int64), columns["score"])


def _entry(run_id: int, number: int, record: SubmissionRecord, source: Source) -> Entry:
    return Entry(
        run_id=run_id,
        number=number,
        submission_id=source.submission_id,
        person_id=source.person_id,
        label=record.id,
        owner=record.owner,
        role=record.role,
        language=record.language,
        tokens=record.tokens,
        fingerprints=record.fingerprints,
        files=[_file_plain(file) for file in record.files],
        corpus=source.corpus,
    )


def _file_plain(file: FileRecord) -> dict[str, Any]:
    plain = asdict(file)
    text = plain.pop("text")
    return plain | {"text": digest_of(text) if file.status is not Status.SKIPPED else ""}


def _pair_row(run_id: int, rank: int, pair: Pair, number: Mapping[str, int], sources: Mapping[str, Source]) -> PairRow:
    figures = ("score", "similarity", "share_a", "share_b", "tokens", "longest", "rarity")
    return PairRow(
        run_id=run_id,
        rank=rank,
        a=number[pair.a],
        b=number[pair.b],
        a_person_id=sources[pair.a].person_id,
        b_person_id=sources[pair.b].person_id,
        matches=[_match_row(i, match) for i, match in enumerate(pair.matches, 1)],
        **{name: getattr(pair, name) for name in figures},
    )


def _match_row(number: int, match: Match) -> MatchRow:
    return MatchRow(
        number=number,
        channel=match.channel,
        tokens=match.tokens,
        rarity=match.rarity,
        a=asdict(match.a),
        b=asdict(match.b),
        others=list(match.others),
        stretches=[[run.a_start, run.a_end, run.b_start, run.b_end] for run in match.runs],
    )


def load_report(
    session: Session, run: Run, texts_of: Collection[int] | None = None, matches_of: Collection[int] | None = None
) -> Report:
    """The report of a finished run; with the texts of these entries and the matches of these ranks only, if given."""
    result = session.get_one(Result, run.id)
    entries = session.scalars(select(Entry).filter_by(run_id=run.id).order_by(Entry.number)).all()
    texts = _texts(session, entries, texts_of)
    label = {entry.number: entry.label for entry in entries}
    assert run.finished is not None
    return Report(
        created=run.finished.replace(microsecond=0),
        version=result.version,
        parameters=result.parameters,
        submissions=tuple(_record(entry, texts) for entry in entries),
        pairs=tuple(_pairs(session, run.id, label, matches_of)),
        ranking=unpack_ranking(result.ranking),
        clusters=tuple(tuple(cluster) for cluster in result.clusters),
        problems=tuple(Problem(path, reason) for path, reason in result.problems),
        baseline=Baseline(**result.baseline),
    )


def _texts(session: Session, entries: Sequence[Entry], wanted: Collection[int] | None) -> Mapping[str, str]:
    chosen = [entry for entry in entries if wanted is None or entry.number in wanted]
    return read_texts(session, {file["text"] for entry in chosen for file in entry.files if file["text"]})


def _record(entry: Entry, texts: Mapping[str, str]) -> SubmissionRecord:
    files = tuple(_file(plain, texts) for plain in entry.files)
    return SubmissionRecord(
        entry.label, entry.owner, entry.role, entry.language, entry.tokens, entry.fingerprints, files
    )


def _file(plain: Mapping[str, Any], texts: Mapping[str, str]) -> FileRecord:
    parts = {
        "status": Status(plain["status"]),
        "base": tuple(Region(**region) for region in plain["base"]),
        "cells": tuple(Cell(**cell) for cell in plain["cells"]),
        "text": texts.get(plain["text"], ""),
    }
    return FileRecord(**{**plain, **parts})


def _pairs(
    session: Session, run_id: int, label: Mapping[int, str], matches_of: Collection[int] | None
) -> Iterable[Pair]:
    rows = session.scalars(select(PairRow).filter_by(run_id=run_id).order_by(PairRow.rank)).all()
    query = select(PairRow).filter_by(run_id=run_id).options(selectinload(PairRow.matches))
    if matches_of is not None:
        query = query.where(PairRow.rank.in_(matches_of))
    matches = {row.rank: tuple(map(_match, row.matches)) for row in session.scalars(query)}
    for row in rows:
        yield Pair(
            label[row.a], label[row.b], row.score, row.similarity, row.share_a, row.share_b, row.tokens, row.longest,
            row.rarity, matches.get(row.rank, ()),
        )  # fmt: skip


def _match(row: MatchRow) -> Match:
    stretches = tuple(Stretch(*each) for each in row.stretches)
    return Match(
        Region(**row.a), Region(**row.b), row.tokens, row.channel, tuple(row.others), row.rarity, stretches
    )  # fmt: skip
