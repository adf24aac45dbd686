"""Reports in the store: written as rows, and read back; and the pages that were made of them.

Texts are not stored again: an entry's files name the digests of their contents. A page about one pair needs the texts
of two submissions only, so callers say which texts they want.

The model says which fields there are (`moss.codec`). Fields that are searched for or changed have a column; every other
field is stored in `figures`, so that a new one needs no migration.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from sqlalchemy import Select, bindparam, delete, insert, select
from sqlalchemy.orm import Session, defer, selectinload

from moss.codec import Form, from_plain, parts_of, plain
from moss.model import Baseline, FileRecord, Match, Pair, Ranking, Report, Rules, Status, SubmissionRecord
from moss.report.packed_page import PackedPage
from moss.report.words.references import representatives
from moss.store.submissions.contents import digest_of, read_texts
from moss.store.tables import (
    Base,
    MatchRow,
    PairRow,
    RenderedPageRow,
    ResultRow,
    RunEntryRow,
    RunRow,
    now,
)

NO_RANKING = Ranking(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))

# The queries of every page of a pair, which are put together once because that takes longer than answering them.
_PAGE = select(RenderedPageRow.packed).where(
    RenderedPageRow.run_id == bindparam("run"),
    RenderedPageRow.name == bindparam("name"),
    RenderedPageRow.made_with == bindparam("made_with"),
)
_PAIR = select(PairRow).where(PairRow.run_id == bindparam("run"), PairRow.rank == bindparam("rank"))


@dataclass(frozen=True, slots=True)
class SubmissionSource:
    """The origin of a submission in a report."""

    submission_id: int | None
    person_id: int | None
    corpus: str = ""  # the corpus that it is from, if it was not handed in here
    origin_id: int | None = None  # the submission that it copies without names


def save_report(session: Session, run_id: int, report: Report, sources: Mapping[str, SubmissionSource]) -> None:
    """Store the report of a run; `sources` has the origin of each submission by its id."""
    delete_report(session, run_id)
    number = {record.id: i for i, record in enumerate(report.submissions, 1)}
    session.add(_result(run_id, report))
    session.add_all(
        entry_row(run_id, number[record.id], record, sources[record.id], _digests(record))
        for record in report.submissions
    )
    people = {id: source.person_id for id, source in sources.items()}
    both = [(people[pair.a], people[pair.b]) for pair in report.pairs]
    add_pairs(session, run_id, report.pairs, report.submissions, both)
    session.get_one(RunRow, run_id).finished = now()


def delete_report(session: Session, run_id: int) -> None:
    """Delete what an earlier attempt may have left."""
    for table in (PairRow, RunEntryRow, ResultRow):
        session.execute(delete(table).where(table.run_id == run_id))


def _result(run_id: int, report: Report) -> ResultRow:
    values = plain(replace(report, submissions=(), pairs=()), Form.ROW)
    for elsewhere in ("created", "submissions", "pairs"):
        del values[elsewhere]
    return result_row(run_id, values, report.ranking)


def result_row(run_id: int, values: Mapping[str, Any], ranking: Ranking) -> ResultRow:
    """The row of a report, apart from its submissions and pairs."""
    packed = pack_ranking(ranking)
    return ResultRow(run_id=run_id, sharing=len(ranking), ranking=packed, **_columns(ResultRow, values))


def pack_ranking(ranking: Ranking) -> bytes:
    """A ranking in its stored form."""
    file = io.BytesIO()
    np.savez_compressed(file, a=ranking.a.astype(np.uint32), b=ranking.b.astype(np.uint32), score=ranking.score)
    return file.getvalue()


def unpack_ranking(packed: bytes) -> Ranking:
    """A ranking from its stored form."""
    with np.load(io.BytesIO(packed), allow_pickle=False) as columns:
        return Ranking(columns["a"].astype(np.int64), columns["b"].astype(np.int64), columns["score"])


def entry_row(
    run_id: int, number: int, record: SubmissionRecord, source: SubmissionSource, texts: Sequence[str]
) -> RunEntryRow:
    """The row of a submission in a report; `texts` are the digests of its files' texts."""
    values = plain(record, Form.ROW)
    values["files"] = [file | {"text": text} for file, text in zip(values["files"], texts, strict=True)]
    about = {"submission_id": source.submission_id, "person_id": source.person_id, "corpus": source.corpus,
             "origin_id": source.origin_id}  # fmt: skip
    return RunEntryRow(run_id=run_id, number=number, **about, **_columns(RunEntryRow, values))


def _digests(record: SubmissionRecord) -> list[str]:
    """The digests of the texts of a submission's files; skipped files have none."""
    return [digest_of(file.text) if file.status is not Status.SKIPPED else "" for file in record.files]


def add_pairs(
    session: Session,
    run_id: int,
    pairs: Sequence[Pair],
    records: Sequence[SubmissionRecord],
    people: Sequence[tuple[int | None, int | None]],
) -> None:
    """Store the pairs of a report in their order, with the numbers of their entries and the ids of both people of each.

    Passages are stored without an object for each: there are many times as many as pairs, and somebody waits."""
    number = {record.id: i for i, record in enumerate(records, 1)}
    sides = {record.id: (record.owner, record.kind) for record in records}
    listed = representatives((sides[pair.a], sides[pair.b]) for pair in pairs)
    values = [plain(pair, Form.ROW) for pair in pairs]
    passages = [given.pop("matches") for given in values]
    rows = [
        PairRow(run_id=run_id, rank=rank, a_person_id=both[0], b_person_id=both[1], behind=best if best < rank else 0,
                **_columns(PairRow, given | {"a": number[pair.a], "b": number[pair.b]}))
        for rank, (pair, given, both, best) in enumerate(zip(pairs, values, people, listed, strict=True), 1)
    ]  # fmt: skip
    session.add_all(rows)
    session.flush()
    found = [
        {"pair_id": row.id, "number": place, **_columns(MatchRow, match)}
        for row, matches in zip(rows, passages, strict=True)
        for place, match in enumerate(matches, 1)
    ]
    if found:
        session.execute(insert(MatchRow), found)


# Fields of the model are columns of the same name, except these two. Those without a column are in `figures`.

_COLUMN = {"id": "label", "runs": "stretches"}
_FIELD = {column: field for field, column in _COLUMN.items()}


@cache
def _own_columns(table: type[Base]) -> frozenset[str]:
    return frozenset(table.__table__.columns.keys())


def _columns(table: type[Base], values: Mapping[str, Any]) -> dict[str, Any]:
    named = {_COLUMN.get(name, name): value for name, value in values.items()}
    own = _own_columns(table)
    figures = {name: value for name, value in named.items() if name not in own}
    return {name: value for name, value in named.items() if name in own} | {"figures": figures}


def stored_fields(kind: type, row: ResultRow | RunEntryRow | PairRow | MatchRow) -> dict[str, Any]:
    """The fields of a data class that a row stores, by the names of its columns."""
    return {**row.figures, **{name: getattr(row, name) for name in _columns_of_fields(kind, type(row))}}


@cache
def _columns_of_fields(kind: type, table: type[Base]) -> frozenset[str]:
    """The columns of a table that store fields of a data class."""
    return frozenset(_COLUMN.get(part.name, part.name) for part in parts_of(kind)) & _own_columns(table)


def rules_of(result: ResultRow) -> Rules:
    """The rules by which a run was made."""
    return from_plain(Rules, Form.ROW, result.figures.get("rules", {}))


def baseline_of(session: Session, run: RunRow) -> Baseline:
    """The baseline of a run, which says what is ordinary in it."""
    return from_plain(Baseline, Form.ROW, session.scalars(select(ResultRow.baseline).filter_by(run_id=run.id)).one())


def by_field(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Stored values, by the names of the fields."""
    return {_FIELD.get(name, name): value for name, value in stored.items()}


def load_report(
    session: Session,
    run: RunRow,
    texts_of: Collection[int] | None = None,
    matches_of: Collection[int] | None = None,
    ranking_of: Collection[int] | None = None,
    figures_of: Collection[int] | None = None,
) -> Report:
    """The report of a finished run; if given, with the texts of these entries, the matches of these ranks, and in its
    ranking the pairs of these entries only. The ranking of a large class is larger than all else together. Figures that
    have no column, such as the reasons of a score, take as long to read as all others: those of these ranks."""
    without = [defer(ResultRow.ranking)] if ranking_of is not None and not ranking_of else []
    result = session.get_one(ResultRow, run.id, options=without)
    entries = session.scalars(select(RunEntryRow).filter_by(run_id=run.id).order_by(RunEntryRow.number)).all()
    texts = _texts(session, entries, texts_of)
    label = {entry.number: entry.label for entry in entries}
    assert run.finished is not None
    elsewhere = {"created": run.finished.replace(microsecond=0), "submissions": (), "pairs": ()}
    ranking = NO_RANKING if without else _ranking_of(unpack_ranking(result.ranking), ranking_of)
    report = from_plain(Report, Form.ROW, stored_fields(Report, result) | elsewhere, ranking=ranking)
    submissions = tuple(_record(entry, texts) for entry in entries)
    pairs = tuple(_pairs(session, run.id, label, matches_of, figures_of))
    return replace(report, submissions=submissions, pairs=pairs)


def _ranking_of(ranking: Ranking, entries: Collection[int] | None) -> Ranking:
    """The pairs of a ranking in which one of these entries is, by number."""
    if entries is None:
        return ranking
    places = np.array(sorted(entries)) - 1
    kept = np.isin(ranking.a, places) | np.isin(ranking.b, places)
    return Ranking(ranking.a[kept], ranking.b[kept], ranking.score[kept], len(ranking))


def pair_at(session: Session, run: RunRow, rank: int) -> PairRow | None:
    """The pair of a run with this rank."""
    return session.scalar(_PAIR, {"run": run.id, "rank": rank})


def load_pair(session: Session, run: RunRow, rank: int) -> Report | None:
    """The report of a finished run as if its pair of this rank were all there is: with its two submissions, its matches
    and its texts, the one that was handed in first named first in `paths`. None if there is no such pair.

    It costs the same however many others the run has compared."""
    pair = session.scalar(select(PairRow).filter_by(run_id=run.id, rank=rank))
    if pair is None:
        return None
    both = select(RunEntryRow).where(RunEntryRow.run_id == run.id, RunEntryRow.number.in_((pair.a, pair.b)))
    entries = session.scalars(both.order_by(RunEntryRow.number)).all()
    query = select(ResultRow.version, ResultRow.parameters).where(ResultRow.run_id == run.id)
    version, parameters = session.execute(query).one()
    sent = sorted((entry.submission_id, entry.label) for entry in entries if entry.submission_id is not None)
    texts = _texts(session, entries, None)
    assert run.finished is not None
    label = {entry.number: entry.label for entry in entries}
    return Report(
        run.finished.replace(microsecond=0), version, {**parameters, "paths": [label for _, label in sent]},
        tuple(_record(entry, texts) for entry in entries),
        (_pair(stored_fields(Pair, pair), label, tuple(map(match_of, pair.matches))),),
        NO_RANKING, (), (),
    )  # fmt: skip


def _texts(session: Session, entries: Sequence[RunEntryRow], wanted: Collection[int] | None) -> Mapping[str, str]:
    chosen = [entry for entry in entries if wanted is None or entry.number in wanted]
    return read_texts(session, {file["text"] for entry in chosen for file in entry.files if file["text"]})


def _record(entry: RunEntryRow, texts: Mapping[str, str]) -> SubmissionRecord:
    files = tuple(
        from_plain(FileRecord, Form.ROW, file, text=texts.get(file["text"], "")) for file in entry.files
    )  # fmt: skip
    stored = stored_fields(SubmissionRecord, entry) | {"files": ()}
    return replace(from_plain(SubmissionRecord, Form.ROW, by_field(stored)), files=files)


def _pairs(
    session: Session,
    run_id: int,
    label: Mapping[int, str],
    matches_of: Collection[int] | None,
    figures_of: Collection[int] | None,
) -> Iterable[Pair]:
    of_run = select(PairRow).where(PairRow.run_id == run_id)
    passages = _of_ranks(of_run, matches_of).options(selectinload(PairRow.matches), defer(PairRow.figures))
    matches = {row.rank: tuple(map(match_of, row.matches)) for row in session.scalars(passages)}
    query = _of_ranks(of_run, figures_of).with_only_columns(PairRow.rank, PairRow.figures)
    figures = dict(session.execute(query).all())
    columns = [getattr(PairRow, name) for name in _columns_of_fields(Pair, PairRow)]
    for rank, *values in session.execute(of_run.order_by(PairRow.rank).with_only_columns(PairRow.rank, *columns)):
        stored = {column.key: value for column, value in zip(columns, values, strict=True)}
        yield _pair(figures.get(rank, {}) | stored, label, matches.get(rank, ()))


def _of_ranks(query: Select[PairRow], ranks: Collection[int] | None) -> Select[PairRow]:
    return query if ranks is None else query.where(PairRow.rank.in_(ranks))


def _pair(stored: Mapping[str, Any], label: Mapping[int, str], matches: tuple[Match, ...]) -> Pair:
    sides = {"a": label[stored["a"]], "b": label[stored["b"]], "matches": ()}
    pair = from_plain(Pair, Form.ROW, {**stored, **sides})
    return replace(pair, matches=matches) if matches else pair


def match_of(row: MatchRow) -> Match:
    """The match that a row stores."""
    return from_plain(Match, Form.ROW, by_field(stored_fields(Match, row)))


def save_pages(session: Session, run_id: int, made_with: str, pages: Mapping[str, PackedPage]) -> None:
    """Store pages, in place of older ones with the same names."""
    session.execute(delete(RenderedPageRow).where(RenderedPageRow.run_id == run_id, RenderedPageRow.name.in_(pages)))
    session.add_all(
        RenderedPageRow(run_id=run_id, name=name, made_with=made_with, packed=page.to_bytes())
        for name, page in pages.items()
    )


def read_page(session: Session, run_id: int, name: str, made_with: str) -> PackedPage | None:
    """A page, if it is stored and was made with these templates."""
    packed = session.scalar(_PAGE, {"run": run_id, "name": name, "made_with": made_with})
    return PackedPage.from_bytes(packed) if packed is not None else None


def delete_pages(session: Session, run_id: int) -> None:
    """Delete all pages of a run."""
    session.execute(delete(RenderedPageRow).where(RenderedPageRow.run_id == run_id))
