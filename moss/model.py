"""The nouns of the detector, as frozen data.

Data flows one way: bytes become **Submissions** (intake), their files become **TokenStreams** (front ends),
streams become **Matches** and **Pairs** (engine), and a **Report** holds everything that a reader needs. Nothing here
has behaviour beyond derived properties, and nothing here imports anything else of ours.

Spans are half-open everywhere. Offsets count characters of the file's text; lines are 1-based and inclusive.

The classes of a report are also the one description of how it is written and read, wherever that happens: `moss.codec`
and `moss.shapes` follow their fields. A field's type may carry marks, which say what its name and type do not. A new
figure is a new field with a default, which stands in for it in whatever was written before. Unlike elsewhere, types
are evaluated here as they are read: to compile them from their texts takes longer than to read a report from the cache.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, StrEnum
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint64]
Offsets = NDArray[np.int64]


class Within:
    """Marks a number with its limits, which every number that we wrote keeps; if `open`, it is greater than `least`."""

    def __init__(self, least: float, most: float, open: bool = False) -> None:
        self.least, self.most, self.open = least, most, open


class Rounded:
    """Marks a number that has so many digits behind the point in a report's JSON; elsewhere it keeps them all."""

    def __init__(self, digits: int) -> None:
        self.digits = digits


class JsonName:
    """Marks a field that a report's JSON calls by another name."""

    def __init__(self, name: str) -> None:
        self.name = name


class Mark(Enum):
    """Marks a field that is not simply a value under its name."""

    APART = "apart"  # is written elsewhere: texts and rankings are large
    BRIEF = "brief"  # left out of a report's JSON where it is empty
    NEEDED = "needed"  # may not be missing in a file, although it has a default
    OBJECT = "object"  # has the names of its parts in a report's JSON; elsewhere the tuple is a list


MOST = 2**31 - 1  # what databases hold in a whole number
Count = Annotated[int, Within(0, MOST)]
Ordinal = Annotated[int, Within(1, MOST)]
Ratio = Annotated[float, Within(0, 1), Rounded(6)]
FINEST = 1e-6  # difference between two ratios in a report


class Role(StrEnum):
    """The part that a submission has in a comparison, which decides what it is compared with."""

    NEW = "new"  # with everything
    ARCHIVE = "archive"  # earlier work: with new submissions only
    BASE = "base"  # handed out by the instructor: what matches it is nobody's copying


class ReferenceKind(StrEnum):
    """The kinds of work that new submissions are compared with besides each other, as the instructor tells them."""

    EARLIER = "earlier"  # submissions of other years or courses
    MODEL = "model"  # the instructor's own solution
    TASK = "task"  # the statement of the task
    BOOK = "book"  # a book, or a solution that was published
    CHATBOT = "chatbot"  # answers that were generated for the task


def kind_of(role: Role, reference: str | None) -> ReferenceKind | None:
    """The kind of a submission that others are compared with; None for what was handed in now or handed out."""
    return ReferenceKind(reference or ReferenceKind.EARLIER) if role is Role.ARCHIVE else None


class Reading(StrEnum):
    """Which of the files that were sent together make one submission."""

    AUTO = "auto"  # recognised from the files
    WHOLE = "whole"  # all files are one submission
    ITEMS = "items"  # each file, archive or folder is one
    CLASSES = "classes"  # each archive or folder holds several


class Stage(StrEnum):
    """The stages of a comparison, in their order, as progress is told and stored."""

    READING = "reading"
    ASKING = "asking archives"  # passed over unless a corpus was named
    SCANNING = "scanning"
    RANKING = "ranking"
    ALIGNING = "aligning"
    STORING = "storing"  # on a server; the command line writes files instead


StageProgress = Callable[[Stage, int, int], None]
"""A function that is called with a stage, how much of it is done, and how much there is in all (0: not known)."""


class Channel(StrEnum):
    """One way of reading a file: by its structure, or by its words."""

    STRUCTURE = "structure"  # names, literals, layout and comments normalised away
    TEXT = "text"  # the words as written, comments and strings included


class Status(StrEnum):
    """How well a file could be read."""

    OK = "ok"
    FALLBACK = "fallback"  # its front end failed, so the generic scanner read it
    SKIPPED = "skipped"  # not compared; the reason says why


class Problem(NamedTuple):
    """A file or folder that was ignored, refused, cut or read less well, and the reason in one sentence."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A section of a file's text with a name and a language of its own: a notebook's cell, a document's paragraph."""

    label: str
    language: str
    start: Count
    end: Count


class LineOrigin(NamedTuple):
    """The commit that first had some lines of a file: from this line on, up to the next origin."""

    line: Ordinal
    commit: Annotated[Count, "its place in the history, from 1; 0: no commit has these lines"]


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of a git repository, as it says itself: names and dates can be set to anything."""

    id: str
    author: str
    mail: str = ""
    time: Annotated[
        str, "when it was written, ISO 8601 with the author's zone; empty if the commit has no such date"
    ] = ""
    committed: Annotated[str, Mark.BRIEF, "when it was committed, if that is another time"] = ""
    subject: Annotated[str, Mark.BRIEF, "the first line of its message"] = ""
    part: Annotated[Ratio, "of the lines handed in, without starter code: those that it was the first to have"] = 0.0


@dataclass(frozen=True, slots=True)
class GitHistory:
    """The commits of a submission's git repository that first had lines of it, the oldest first."""

    commits: tuple[Commit, ...] = ()
    count: Annotated[Count, "all commits of the repository"] = 0
    cut: Annotated[bool, "whether older commits are missing, as in a shallow clone"] = False


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One readable file; `text` is compared and shown, to the character."""

    path: str  # inside the submission, with forward slashes
    text: str = field(repr=False)
    digest: str = ""  # SHA-256 of the bytes as handed in
    encoding: str = "utf-8"
    cells: tuple[Cell, ...] = ()
    origins: tuple[LineOrigin, ...] = ()  # of its lines, if its submission has a history
    finding: str = ""  # a sentence, if it was read only partly or otherwise than one sees it


@dataclass(frozen=True, slots=True)
class Submission:
    """The files that one owner handed in together. Two submissions of one owner are never a pair."""

    id: str  # unique in a run: the folder's or file's name
    owner: str
    files: tuple[SourceFile, ...]
    role: Role = Role.NEW
    skipped: tuple[Problem, ...] = ()  # files of it that could not be read
    version: str | None = None
    time: datetime | None = None
    language: str = "auto"  # the front end for all its files, if somebody said so
    age: int = 0  # how many newer versions of its owner's there are
    section: str = ""  # of the course, if the platform says so
    account: str = ""  # its owner's, where a platform gives one beside the name
    history: GitHistory | None = None  # if it is or has a git repository
    dated: datetime | None = None  # the newest date of its files in their archive, if no platform says a time
    reference: ReferenceKind | None = None  # of an archive's submission: what it is; None: earlier work

    @property
    def kind(self) -> ReferenceKind | None:
        """The kind of a reference; None for what was handed in now or handed out."""
        return kind_of(self.role, self.reference)


@dataclass(frozen=True, slots=True)
class TokenStream:
    """The tokens of one file in one channel: three parallel arrays, and no Python object for any token."""

    codes: Codes  # what the engine compares; equal codes are equal tokens, on every machine and for ever
    start: Offsets
    end: Offsets

    def __post_init__(self) -> None:
        if not len(self.codes) == len(self.start) == len(self.end):
            raise ValueError("codes, start and end must have one entry for each token")

    def __len__(self) -> int:
        return len(self.codes)


Tokens = Mapping[Channel, TokenStream]
"""All channels of one file; prose has only the text channel."""


@dataclass(frozen=True, slots=True)
class Region:
    """A span of one file: its lines and its characters."""

    file: str
    start_line: Ordinal
    end_line: Ordinal
    start: Count
    end: Count
    cell: Annotated[str | None, Mark.BRIEF, "which cells of a notebook, or paragraphs of a document, it lies in"] = None
    quoted: Annotated[
        Ratio, Mark.BRIEF, "of an essay: the part of it that is in quotation marks or in the list of references"
    ] = 0.0
    commit: Annotated[
        Count,
        Mark.BRIEF,
        "the commit with which more than half of its lines were there: its place in the history, from 1",
    ] = 0
    begun: Annotated[Count, Mark.BRIEF, "the commit that was the first to have any of its lines"] = 0

    @property
    def is_quoted(self) -> bool:
        """Whether most of it is."""
        return self.quoted >= 0.5


class EqualRun(NamedTuple):
    """As many equal tokens in a row as there are, as character spans in both texts."""

    a_start: Count
    a_end: Count
    b_start: Count
    b_end: Count


@dataclass(frozen=True, slots=True)
class Match:
    """A pair of regions that correspond: one or more runs of equal tokens with small gaps between them.

    A passage over several cells of a notebook is shown as one match for each cell.
    """

    a: Region
    b: Region
    tokens: Annotated[Count, "equal tokens; those in the gaps do not count"]
    rarity: Annotated[Count, "how many other owners have most of this passage too"]
    channel: Channel
    others: Annotated[tuple[str, ...], "the submissions of those owners"]
    runs: Annotated[tuple[EqualRun, ...], "its stretches of equal tokens: [a_start, a_end, b_start, b_end]"]


class ViewReason(NamedTuple):
    """How much one view of two submissions says about their score."""

    view: Annotated[str, "outline, structure, words or letters"]
    alike: Annotated[Ratio, "the weight that they share in this view, divided by the mean of their own"]
    part: Annotated[Ratio, "of the proportion: how much of it this view makes up"]


@dataclass(frozen=True, slots=True)
class Reasons:
    """The parts of a pair's score: the proportion that its views make up, and an amount."""

    views: tuple[ViewReason, ...] = ()
    proportion: Annotated[Ratio, "what the views say together; the amount can only add to it"] = 0.0
    amount: Annotated[
        float, Within(0, 1e12), Rounded(1), "tokens that they share and few others have, each by how few these are"
    ] = 0.0


@dataclass(frozen=True, slots=True)
class Pair:
    """Two submissions of different owners, with the passages that they share."""

    a: str
    b: str
    score: Annotated[Ratio, "how unusual it is that these two share what they share"]
    similarity: Annotated[Ratio, "the part of both sides' tokens that is in a match"]
    share_a: Annotated[Ratio, "the part of the first side's tokens that is in a match"]
    share_b: Annotated[Ratio, "the part of the second side's tokens that is in a match"]
    tokens: Annotated[Count, "equal tokens in all matches"]
    longest: Annotated[Count, "equal tokens in the largest match"]
    rarity: Annotated[
        float, Within(0, 1e9), Rounded(3), "other owners who have it too, averaged over the matched tokens"
    ]
    matches: tuple[Match, ...]
    reasons: Annotated[Reasons, "what made the score"] = Reasons()


@dataclass(frozen=True, slots=True)
class FileRecord:
    """How one file entered the comparison."""

    path: str
    lines: Count
    tokens: Count
    language: str
    status: Status
    reason: Annotated[str, Mark.NEEDED] = ""
    encoding: Annotated[str, Mark.NEEDED] = ""
    digest: Annotated[str, JsonName("sha256"), Mark.NEEDED, "of the bytes as handed in"] = ""
    base: Annotated[tuple[Region, ...], Mark.BRIEF, "passages that the instructor handed out"] = ()
    cells: Annotated[tuple[Cell, ...], Mark.BRIEF, "of a notebook; of a document, its paragraphs"] = ()
    text: Annotated[str, Mark.APART] = field(default="", repr=False)
    origins: Annotated[
        tuple[LineOrigin, ...],
        Mark.BRIEF,
        "which commit first had its lines: [from this line on, place in the history]",
    ] = ()


@dataclass(frozen=True, slots=True)
class SubmissionRecord:
    """How one submission entered the comparison."""

    id: str
    owner: str
    role: Role
    language: str
    tokens: Count
    fingerprints: Count
    files: tuple[FileRecord, ...]
    version: Annotated[str, Mark.BRIEF, "which of several versions it is, as the platform calls it"] = ""
    handed_in: Annotated[str, Mark.BRIEF, "as the platform says: ISO 8601, local time unless a zone is named"] = ""
    section: Annotated[str, Mark.BRIEF, "of the course, as the platform says"] = ""
    account: Annotated[str, Mark.BRIEF, "of the owner, where the platform gives one beside the name"] = ""
    history: Annotated[
        GitHistory | None, Mark.BRIEF, "of its git repository; names and dates can be set to anything"
    ] = None
    dated: Annotated[
        str, Mark.BRIEF, "the newest date that its files had in their archive: ISO 8601; archives can be dated anyhow"
    ] = ""
    reference: Annotated[ReferenceKind | None, Mark.BRIEF, "the kind of an archive's submission, if not earlier"] = None

    @property
    def kind(self) -> ReferenceKind | None:
        """The kind of a reference; None for what was handed in now or handed out."""
        return kind_of(self.role, self.reference)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Every pair that shares anything, best first: positions in the report's submissions, and scores; or those pairs of
    it in which some submissions are."""

    a: NDArray[np.integer[Any]]
    b: NDArray[np.integer[Any]]
    score: NDArray[np.float64]
    whole: int | None = field(default=None, repr=False)  # how many pairs there are, if these are only some

    @property
    def sharing(self) -> int:
        """How many pairs share anything."""
        return len(self.score) if self.whole is None else self.whole

    def __len__(self) -> int:
        return len(self.score)


RankingKnown = Callable[[Sequence[Submission], Ranking], None]
"""A function that is called with the submissions of a class and the ranking of their pairs, as soon as it is known."""


def angle(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores as angles from 0 to a right angle, on which their spread is equal everywhere."""
    return np.arcsin(np.sqrt(np.clip(score, 0, 1)))


class Standing(StrEnum):
    """How a score compares with what is ordinary in its class."""

    ORDINARY = "ordinary"
    ABOVE = "above"
    FAR = "far above"


FEWEST_PAIRS = 10


@dataclass(frozen=True, slots=True)
class Baseline:
    """The ordinary scores of a class: the median of all pairs, and limits that ordinary pairs hardly pass."""

    pairs: Annotated[int, Within(0, 2**62), Mark.NEEDED, "that were compared, those that share nothing included"] = 0
    typical: Annotated[Ratio, Mark.NEEDED, "the median score"] = 0.0
    spread: Annotated[float, Within(0, 10, open=True), Rounded(6), Mark.NEEDED, "of the scores' angles"] = 1.0
    limit: Annotated[Ratio, Mark.NEEDED, "what scores more is above what is ordinary"] = 1.0
    far: Annotated[Ratio, Mark.NEEDED, "what scores more is far above what is ordinary"] = 1.0
    enough: Annotated[bool, "false in older reports in which most submissions are too short to tell"] = True
    expected: Annotated[
        float, Within(0, 1e9), Rounded(3), "pairs of a class like this that would be far above by chance; 0: not known"
    ] = 0.0

    @property
    def is_known(self) -> bool:
        """Whether there are enough pairs to tell what is ordinary."""
        return self.pairs >= FEWEST_PAIRS

    def spreads(self, score: float) -> float:
        """How many spreads a score lies above what is typical; below it, less than 0."""
        place, typical = angle(np.array([score, self.typical]))
        return float((place - typical) / self.spread)

    def standing(self, score: float) -> Standing:
        """Whether a score is ordinary, above or far above what is ordinary."""
        return Standing.FAR if score > self.far else Standing.ABOVE if score > self.limit else Standing.ORDINARY

    def count_linked(self, ranking: Ranking, chosen: float | None) -> int:
        """How many pairs, the best ones, connect submissions to clusters: those with at least the score that the user
        chose, otherwise those far above what is ordinary."""
        if chosen is None:
            return int(np.searchsorted(-ranking.score, -self.far, side="left"))
        return int(np.searchsorted(-ranking.score, -chosen, side="right"))


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules by which a report was made, by their numbers in `moss.version`; 1 for a report that does not say."""

    scan: Annotated[Ordinal, "of reading files as tokens"] = 1
    hash: Annotated[Ordinal, "of taking fingerprints"] = 1
    score: Annotated[Ordinal, "of ranking: scores of different ones cannot be compared"] = 1

    @property
    def in_words(self) -> str:
        """All of them in a few words."""
        return f"scan {self.scan}, hash {self.hash}, score {self.score}"


@dataclass(frozen=True, slots=True)
class ImportedFrom:
    """The other tool that found what a report shows; moss itself has compared nothing of it."""

    tool: str
    meaning: Annotated[str, "what its score is"]
    version: Annotated[str, "of the tool, or how it was called"] = ""
    made: Annotated[str, "when, as the tool says it"] = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of one comparison, complete and plain."""

    created: datetime
    version: str  # of the tool
    parameters: Mapping[str, Any]
    submissions: tuple[SubmissionRecord, ...]
    pairs: Annotated[tuple[Pair, ...], "the best, in the order of their scores"]
    ranking: Annotated[Ranking, Mark.APART]
    clusters: Annotated[tuple[tuple[str, ...], ...], "groups of submissions"]
    problems: tuple[Annotated[Problem, Mark.OBJECT], ...]
    baseline: Baseline = Baseline()
    rules: Rules = Rules()
    imported: Annotated[
        ImportedFrom | None,
        Mark.BRIEF,
        "if another tool found this: scores are that tool's, and rarity, others, standing and baseline are not known",
    ] = None
