"""The overview page: the ordinary scores of the class, every shown pair, the clusters, and how to repeat the run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

import numpy as np

from moss.messages import gettext
from moss.model import FileRecord, Pair, Problem, ReferenceKind, Report, Role, Standing, Status, SubmissionRecord
from moss.report.page_templates import Links, environment, numbers, once, paged
from moss.report.pages.cluster_graph import make_graph
from moss.report.pages.histogram import make_histogram
from moss.report.pages.timeline import BARS_HEIGHT, make_timeline
from moss.report.words.hand_in_times import CAUTION
from moss.report.words.listed import least_listed, no_pairs_in_words
from moss.report.words.references import fold_references, kinds_in, listed_in_ranking
from moss.report.words.run_words import command, digests, has_handout, parameters_in_words, roles_in_words
from moss.report.words.score_reasons import small_but_rare

FIRST_ROWS = 200
"""Rows of a list that are in the page itself, for readers without scripts, and that are printed."""

_DRAWN = 200  # submissions: more drawings than that are slow to open; each cluster has its own page


@dataclass(frozen=True, slots=True)
class OverviewSide:
    """One submission of a pair, as the table shows it."""

    id: str
    number: int
    kind: ReferenceKind | None  # if it is a reference
    share: float


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """One pair, as the table shows it."""

    number: int
    pair: Pair
    sides: tuple[OverviewSide, OverviewSide]
    cluster: int | None
    standing: Standing
    remark: str  # on a pair that is unusual mostly because few others have the passages
    further: tuple[int, ...] = ()  # numbers of further pairs of the same student with references of the same kind
    behind: int = 0  # the number of the pair that is listed in its place, of which it is one of the further ones


def render_overview(report: Report, links: Links) -> str:
    """The page that is opened first."""
    listed = [row for row in rows(report) if not row.behind]
    drawn = sum(len(cluster) for cluster in report.clusters) <= _DRAWN and not report.imported
    return environment().get_template("report/imported.html" if report.imported else "report/index.html").render(
        report=report,
        links=links,
        rows=listed if report.imported else listed[:FIRST_ROWS],
        listed=len(listed),
        reference_kinds=kinds_in(report),
        blank=_blank_row(),
        first_rows=FIRST_ROWS,
        files=list(islice(all_files(report), FIRST_ROWS)),
        problems=problems_of(report),
        counts=counts(report),
        histogram=make_histogram(report.ranking.score[is_listed(report)], report.baseline),
        graph=make_graph(report) if report.clusters and drawn else None,
        timeline=make_timeline(report),
        bars_height=BARS_HEIGHT,
        caution=gettext(CAUTION),
        numbers=numbers(report),
        paged=paged(report),
        command=command(report.parameters),
        settings=[*roles_in_words(report), *parameters_in_words(report.parameters, report.baseline)],
        handout=has_handout(report),
        digests=digests(report),
        best=best_scores(report),
        least_listed=least_listed(report),
        no_pairs=no_pairs_in_words(report),
    )  # fmt: skip


def rows(report: Report) -> list[OverviewRow]:
    """Every shown pair, best first; those of a student with several references of one kind stand behind the best."""
    number, folded = numbers(report), fold_references(report)
    behind = {rank: best for best, further in folded.items() for rank in further}
    kinds = {record.id: record.kind for record in report.submissions}
    cluster = {id: n for n, members in enumerate(report.clusters, 1) for id in members}

    def side(id: str, share: float) -> OverviewSide:
        return OverviewSide(id, number[id], kinds[id], share)

    return [
        OverviewRow(
            rank,
            pair,
            (side(pair.a, pair.share_a), side(pair.b, pair.share_b)),
            cluster.get(pair.a) if cluster.get(pair.a) == cluster.get(pair.b) else None,
            report.baseline.standing(pair.score),
            small_but_rare(pair) if report.baseline.standing(pair.score) is not Standing.ORDINARY else "",
            folded.get(rank, ()),
            behind.get(rank, 0),
        )
        for rank, pair in enumerate(report.pairs, 1)
    ]


def _blank_row() -> OverviewRow:
    """A row with everything that a row may have, which the script copies and fills in."""
    side = OverviewSide("", 0, ReferenceKind.EARLIER, 0.0)
    return OverviewRow(0, Pair("", "", 0, 0, 0, 0, 0, 0, 0, ()), (side, side), 1, Standing.ORDINARY, "…", (0,))


def all_files(report: Report) -> Iterator[tuple[SubmissionRecord, FileRecord]]:
    """Every file with its submission."""
    return ((record, file) for record in report.submissions for file in record.files)


def problems_of(report: Report) -> list[Problem]:
    """The problems of the run, and the files that could not be read when they were uploaded, long before it."""
    told = {(PurePosixPath(problem.path).name, problem.reason) for problem in report.problems}
    unread = ((record, file) for record, file in all_files(report) if file.status is Status.SKIPPED)
    return [
        *report.problems,
        *(
            Problem(f"{record.id}/{file.path}", file.reason)
            for record, file in unread
            if (PurePosixPath(file.path).name, file.reason) not in told
        ),
    ]


@once
def best_scores(report: Report) -> list[float]:
    """For each submission, its score with the one that is most alike."""
    best = np.zeros((2, len(report.submissions)))
    for side, column in zip(best, (report.ranking.a, report.ranking.b), strict=True):
        side[column[::-1]] = report.ranking.score[::-1]  # of several the last stays: the best, because that comes first
    scores: list[float] = best.max(axis=0).tolist()
    return scores


is_listed = once(listed_in_ranking)


def counts(report: Report) -> dict[str, int]:
    """The numbers of students, submissions, files and pairs of each sort. Files that were read are counted as students
    are: what these are compared with has others. Pairs that stand out are counted as they are listed: a student is once
    among them for all texts of a kind."""
    score, baseline = report.ranking.score[is_listed(report)], report.baseline
    far = int((score > baseline.far).sum())
    new = [record for record in report.submissions if record.role is Role.NEW]
    return {
        "new": len(new),
        "students": len({record.owner for record in new}),
        "archived": sum(record.kind is ReferenceKind.EARLIER for record in report.submissions),
        "texts": sum(record.kind not in (None, ReferenceKind.EARLIER) for record in report.submissions),
        "sharing": len(report.ranking),
        "scores": len(score),
        "apart": max(0, baseline.pairs - len(report.ranking)),
        "far": far,
        "above": int((score > baseline.limit).sum()) - far,
        "files": sum(len(record.files) for record in report.submissions),
        "of_others": sum(len(record.files) for record in report.submissions if record.role is not Role.NEW),
        "unread": sum(file.status is Status.SKIPPED for _, file in all_files(report)),
        "read": sum(file.status is not Status.SKIPPED for record in new for file in record.files),
    }
