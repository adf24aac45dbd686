"""What a run found, as it stands in the archive of a course (see `moss.store.archive_format`)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from moss.model import Channel, Role, Status
from moss.store.archive_format import Count, Digest, Note, Number, Place, Plain, Share, Text


class ArchivedRegion(Plain):
    """A passage of one file."""

    file: Text
    start_line: Number
    end_line: Number
    start: Count
    end: Count
    cell: Text | None


class ArchivedCell(Plain):
    """A cell of a notebook."""

    label: Text
    language: Text
    start: Count
    end: Count


class ArchivedRecord(Plain):
    """How a file entered a run."""

    path: Text
    lines: Count
    tokens: Count
    language: Text
    status: Status
    reason: Text
    digest: Text
    encoding: Text
    base: list[ArchivedRegion]
    cells: list[ArchivedCell]
    text: Digest | Literal[""]


class ArchivedEntry(Plain):
    """How a submission entered a run; the place of the submission is that of its assignment, and in that."""

    submission: tuple[Place, Place] | None
    person: Place | None
    label: Text
    owner: Text
    role: Role
    language: Text
    tokens: Count
    fingerprints: Count
    files: list[ArchivedRecord]
    corpus: Text = ""  # from which it is, if nobody handed it in


class ArchivedMatch(Plain):
    """A passage that a pair shares."""

    channel: Channel
    tokens: Count
    rarity: Count
    a: ArchivedRegion
    b: ArchivedRegion
    others: list[Text]
    stretches: list[tuple[Count, Count, Count, Count]]


class ArchivedPair(Plain):
    """A pair, best first; `a` and `b` are places in the entries."""

    a: Place
    b: Place
    a_person: Place | None
    b_person: Place | None
    score: Share
    similarity: Share
    share_a: Share
    share_b: Share
    tokens: Count
    longest: Count
    rarity: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
    matches: list[ArchivedMatch]


class ArchivedBaseline(Plain):
    """What is ordinary in a class."""

    pairs: Annotated[int, Field(ge=0, le=2**62)]
    typical: Share
    spread: Annotated[float, Field(gt=0, le=10, allow_inf_nan=False)]
    limit: Share
    far: Share
    enough: bool = True


class ArchivedReport(Plain):
    """The whole of a run's file."""

    version: Text
    parameters: dict[str, Any]
    clusters: list[list[Text]]
    problems: list[Note]
    baseline: ArchivedBaseline
    entries: list[ArchivedEntry]
    pairs: list[ArchivedPair]
