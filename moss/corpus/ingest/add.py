"""The addition of documents: incremental, resumable, on all cores.

Portions of the input are read side by side and come back in order, so that the numbers of documents do not depend on
how many processes read them. Documents that were added before (the same content at the same address) are skipped while
reading. Every few tens of thousands of documents a segment is finished and becomes part of the corpus: after an
interruption, the same command is run again, and no more than that is lost.

Three digests tell which documents are equal (Broder et al., 5.2): of the text, of the words, of the sketch. Of
equal ones the first is kept for clustering; the others stand in the table of documents and join its cluster. Only
identical ones are dropped entirely: a text that differs in anything can still be shown and asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from moss.corpus.crawl.records import AS_USUAL, ReadingChoice
from moss.corpus.engines.duckdb import MEMORY
from moss.corpus.ingest.batches import DocumentBatch, read_batches
from moss.corpus.ingest.segment_builder import AddedCounts, Registers, SegmentRows
from moss.corpus.ingest.sources import Portion, SourceFiles, portions, read, split
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.segments import CorpusWriter
from moss.hashing import Hashes
from moss.model import Problem
from moss.processes.pool import Failure, available_cores, map_isolated

_DEADLINE = 120.0  # seconds for a portion
_DEADLINE_ALONE = 30.0  # for a document that is read by itself, because its portion failed

Progress = Callable[[str, int, int], None]
Task = Any
"""Something to read: a portion of the input, or documents that are stored already. Knows whether it `is_single`."""

Reading = Callable[[Task], list[DocumentBatch]]
Outcomes = Iterator[tuple[int, list[DocumentBatch] | Failure]]
Reader = Callable[[Reading, Sequence[Task]], Outcomes]
"""Applies a function to tasks, somewhere, and gives (number, result) in any order."""


def side_by_side(jobs: int | None = None) -> Reader:
    """A reader that reads in processes of this machine; one that hangs or dies costs one document."""

    def reader(reading: Reading, tasks: Sequence[Task]) -> Outcomes:
        count = jobs or available_cores()
        return map_isolated(reading, tasks, jobs=count, deadline=_deadline)

    return reader


def in_turn(reading: Reading, tasks: Sequence[Task]) -> Outcomes:
    """A reader that reads in this process."""
    return ((number, reading(task)) for number, task in enumerate(tasks))


def _deadline(task: Task) -> float:
    return _DEADLINE_ALONE if task.is_single else _DEADLINE


def add(
    folder: Path,
    paths: Sequence[str],
    *,
    recipe: Recipe | None = None,
    choice: ReadingChoice = AS_USUAL,
    reader: Reader | None = None,
    memory: int = MEMORY,
    progress: Progress = lambda stage, done, total: None,
) -> AddedCounts:
    """Add the documents at these paths to the corpus in a folder, which is made if it is not there."""
    found = list(portions(paths, choice))  # before anything is made: a path that is not there is a mistake
    tasks = [item for item in found if not isinstance(item, Problem)]
    added = AddedCounts(problems=[item for item in found if isinstance(item, Problem)])
    with CorpusWriter(folder, recipe, memory) as writer:
        writer.manifest.recipe.check_versions(folder)
        registers = Registers.stored(writer)
        growing = SegmentRows(writer.manifest.documents)
        reader = reader or side_by_side()
        reading = partial(read_portion, recipe=writer.manifest.recipe, known=registers.keys.hashes)
        rescue = partial(read_singly, reading, reader=reader, problems=added.problems)
        batches = in_order(reader(reading, tasks), tasks, rescue, progress)
        for batch in batches:
            growing.take(batch, registers, added)
            if growing.is_full:
                writer.append(growing.tables(), growing.kept)
                growing = SegmentRows(writer.manifest.documents)
        if growing.documents:
            writer.append(growing.tables(), growing.kept)
    return added


def read_portion(portion: Portion, recipe: Recipe, known: Hashes) -> list[DocumentBatch]:
    """The batches of a portion, without documents that are known."""
    return list(read_batches(read(portion), recipe, known))


def in_order(
    outcomes: Outcomes, tasks: Sequence[Task], rescue: Callable[[Task], Iterable[DocumentBatch]], progress: Progress
) -> Iterator[DocumentBatch]:
    """The batches of all tasks in the order of the tasks; `rescue` reads those that failed in another way."""
    early: dict[int, list[DocumentBatch] | Failure] = {}
    due = 0
    progress("reading", 0, len(tasks))
    for number, result in outcomes:
        early[number] = result
        while due in early:
            outcome = early.pop(due)
            yield from rescue(tasks[due]) if isinstance(outcome, Failure) else outcome
            due += 1
            progress("reading", due, len(tasks))


def read_singly(reading: Reading, portion: Portion, reader: Reader, problems: list[Problem]) -> Iterator[DocumentBatch]:
    """The batches of a portion that failed, read again in the smallest pieces: what still fails is a problem."""
    pieces = split(portion)
    outcomes = dict(reader(reading, pieces))
    for number, piece in enumerate(pieces):
        outcome = outcomes[number]
        if isinstance(outcome, Failure):
            name = piece.paths[0][0] if isinstance(piece, SourceFiles) else f"{piece.shown}, {piece.start}"
            problems.append(Problem(name, f"reading it {outcome.reason}"))
        else:
            yield from outcome
