"""The plain difference between two texts, line by line, as `diff -u` would show it.

Python's difflib takes time that grows with the pairs of equal lines, and a file of one line repeated ten thousand
times has very many. So those are counted first, and beyond a limit there is a sentence instead of a difference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from markupsafe import Markup

from moss.messages import gettext, marked, number
from moss.model import FileRecord, Match
from moss.report.visible_text import writer

LINES, EQUAL_PAIRS, CONTEXT = 5_000, 100_000, 3
LITTLE = 0.1  # the share of the smaller file's lines that must be equal for a difference to be readable

TOO_LONG = marked("The difference is not shown: one of the files has more than %(most)s lines.")
TOO_DIFFERENT = marked(
    "The difference is not shown: only %(alike)s of %(least)s lines are the same to the letter, so it would be "
    "the two files one after the other."
)
TOO_REPETITIVE = marked(
    "The difference is not shown: the same lines come again and again, and it would take too long to find."
)
ONLY_FIRST, ONLY_SECOND = marked("Only the first side has this file."), marked("Only the second side has this file.")
EQUAL = marked("The two files are the same, line for line.")

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a difference: `sign` is +, - or a blank; it has a number on each side that it occurs on."""

    sign: str
    a: int | None
    b: int | None
    text: str


@dataclass(frozen=True, slots=True)
class FileDifference:
    """Two files compared line by line, or a sentence that says why there are no hunks."""

    a: FileRecord | None
    b: FileRecord | None
    hunks: tuple[tuple[DiffLine, ...], ...] = ()
    sentence: str = ""


def differences(
    a: Sequence[FileRecord], b: Sequence[FileRecord], matches: Sequence[Match]
) -> tuple[FileDifference, ...]:
    """The difference of each file from its counterpart on the other side, then the files without a counterpart."""
    partners = _partners(a, b, matches)
    paired = [difference(a[i], b[j]) for i, j in partners]
    rows, columns = {i for i, _ in partners}, {j for _, j in partners}
    only_a = [FileDifference(file, None, sentence=gettext(ONLY_FIRST)) for i, file in enumerate(a) if i not in rows]
    only_b = [FileDifference(None, file, sentence=gettext(ONLY_SECOND)) for j, file in enumerate(b) if j not in columns]
    return (*paired, *only_a, *only_b)


def _partners(a: Sequence[FileRecord], b: Sequence[FileRecord], matches: Sequence[Match]) -> list[tuple[int, int]]:
    """The positions of files that are counterparts: those that share most tokens, then those with equal paths."""
    tokens: Counter[tuple[int, int]] = Counter()
    rows, columns = ({file.path: place for place, file in enumerate(files)} for files in (a, b))
    for match in matches:
        tokens[rows[match.a.file], columns[match.b.file]] += match.tokens
    ranked = [both for both, _ in sorted(tokens.items(), key=lambda item: (-item[1], item[0]))]
    ranked += [(rows[path], columns[path]) for path in rows if path in columns]
    result: list[tuple[int, int]] = []
    for i, j in ranked:
        if all(i != row and j != column for row, column in result):
            result.append((i, j))
    return sorted(result)


def difference(a: FileRecord, b: FileRecord) -> FileDifference:
    """The difference between two files."""
    ours, theirs = _lines(a.text), _lines(b.text)
    if max(len(ours), len(theirs)) > LINES:
        return FileDifference(a, b, sentence=gettext(TOO_LONG, most=number(LINES)))
    if _equal_pairs(ours, theirs) > EQUAL_PAIRS:
        return FileDifference(a, b, sentence=gettext(TOO_REPETITIVE))
    alike, least = _lines_alike(ours, theirs), min(len(ours), len(theirs))
    if alike < LITTLE * least:
        return FileDifference(a, b, sentence=gettext(TOO_DIFFERENT, alike=alike, least=least))
    hunks = tuple(_hunks(ours, theirs))
    return FileDifference(a, b, hunks, "" if hunks else gettext(EQUAL))


def _lines(text: str) -> list[str]:
    lines = _LINE_END.split(text)
    return lines if lines[-1] else lines[:-1]


def _equal_pairs(a: list[str], b: list[str]) -> int:
    ours, theirs = Counter(a), Counter(b)
    return sum(count * theirs[line] for line, count in ours.items())


def _lines_alike(a: list[str], b: list[str]) -> int:
    """The number of non-blank lines that also occur on the other side, anywhere."""
    ours, theirs = (Counter(line for line in lines if line.strip()) for lines in (a, b))
    return (ours & theirs).total()


def _hunks(a: list[str], b: list[str]) -> list[tuple[DiffLine, ...]]:
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    groups = matcher.get_grouped_opcodes(CONTEXT) if a != b else ()
    return [tuple(line for step in group for line in _lines_of(a, b, *step)) for group in groups]


def _lines_of(a: list[str], b: list[str], tag: str, i: int, i_end: int, j: int, j_end: int) -> list[DiffLine]:
    if tag == "equal":
        return [DiffLine(" ", i + n + 1, j + n + 1, a[i + n]) for n in range(i_end - i)]
    gone = [DiffLine("-", n + 1, None, a[n]) for n in range(i, i_end)]
    return gone + [DiffLine("+", None, n + 1, b[n]) for n in range(j, j_end)]


def diff_rows(hunk: Sequence[DiffLine]) -> Markup:
    """A hunk as rows of a table."""
    write = writer("".join(line.text for line in hunk))
    return Markup("".join(_row(line, write) for line in hunk))


_ROWS = {" ": "same", "-": "gone", "+": "new"}


def _row(line: DiffLine, write: Callable[[str], str]) -> str:
    sign = line.sign.replace("-", "−")
    return (
        f'<tr class="{_ROWS[line.sign]}"><td class="n">{line.a or ""}</td><td class="n">{line.b or ""}</td>'
        f'<td class="sign">{sign}</td><td class="line">{write(line.text)}</td></tr>'
    )
