"""Evidence: one pair as a single file that a committee can read, print, keep and check.

Everything is inside the file: it loads nothing and runs nothing, and its style is allowed only by its digest. Other
students are mentioned by number only. Anonymous evidence has no names at all, not even inside the code. A student's
copy has their own text in full, and of the other text only what is equal.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from markupsafe import Markup

from moss.messages import gettext
from moss.model import FileRecord, Pair, Problem, ReferenceKind, Report, Status, SubmissionRecord
from moss.processes.pool import Failure, map_isolated
from moss.report.code.substitutions import renaming_in
from moss.report.code.visible_text import visible_plain
from moss.report.evidence.code import EvidenceSheet, listing, sheet_of
from moss.report.evidence.exhibits import TracedPassage, exhibit, trace_passage
from moss.report.evidence.redaction import (
    Redaction,
    in_order,
    owners_of,
    people_of,
    redact_everybody,
    redact_for,
    redact_others,
)
from moss.report.page_templates import TEMPLATES, environment
from moss.report.words.fairness import fairness_of
from moss.report.words.history_words import history_of_pair
from moss.report.words.pair_words import rarity_of, standing_in_words
from moss.report.words.passage_words import passages_of, place_in_words
from moss.report.words.run_words import command, common_from, has_handout, parameters_in_words, roles_in_words
from moss.report.words.score_reasons import reasons_for, reasons_markup

_TOKENS = TEMPLATES / "parts" / "assets" / "moss.css"
_STYLES = [TEMPLATES / "report" / "assets" / name for name in ("passages.css", "evidence.css")]
_RUNNING = "font: 8.5pt system-ui, sans-serif; color: #333;"
DEADLINE = 60.0  # seconds; an ordinary file takes a tenth of one


class EvidenceError(ValueError):
    """Evidence that cannot be made; the message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class EvidenceSide:
    """One submission of the pair."""

    letter: str
    name: str
    kind: ReferenceKind | None  # if it is a reference
    share: float
    tokens: int
    lines: int
    sheets: tuple[EvidenceSheet, ...]
    problems: tuple[Problem, ...]

    @property
    def digests(self) -> str:
        """The SHA-256 of every file as handed in, in the form that `sha256sum --check` reads."""
        return "\n".join(f"{sheet.file.digest}  {sheet.path}" for sheet in self.sheets if sheet.file.digest)


@dataclass(frozen=True, slots=True)
class Provenance:
    """The course, assignment and run of the evidence, and what was decided; only for runs of a server."""

    course: str
    assignment: str
    run: int
    prepared_by: str = ""
    decision: str | None = None  # in words; empty if there is none, None if it is not to be told


@dataclass(frozen=True, slots=True)
class EvidenceRequest:
    """The pair to make evidence of, and how to show it."""

    report: Report
    number: int
    note: str = ""
    anonymous: bool = False
    name_others: bool = False
    made: datetime | None = None
    highlight: bool = True
    provenance: Provenance | None = None
    student: str = ""  # the submission of the student whose copy it is


def render_evidence(
    report: Report,
    number: int,
    *,
    note: str = "",
    anonymous: bool = False,
    name_others: bool = False,
    made: datetime | None = None,
    highlight: bool = True,
    student: str = "",
) -> str:
    """The evidence of the pair with this number, counted from 1; without `highlight` no lexer of others is run. It is
    the copy for one student if their submission is named."""
    named = name_others and not anonymous and not student
    return _render(EvidenceRequest(report, number, note, anonymous, named, made, highlight, student=student))


def make_evidence(case: EvidenceRequest) -> str:
    """The evidence as one page, made in a process of its own; EvidenceError if it fails, as when a lexer hangs."""
    for attempt in (case, replace(case, highlight=False)):
        for _, result in map_isolated(_render, [attempt], jobs=1, deadline=lambda case: DEADLINE):
            if not isinstance(result, Failure):
                return result
            reason = result.reason
    raise EvidenceError(gettext("the evidence cannot be made: rendering it %(reason)s", reason=reason))


def _render(case: EvidenceRequest) -> str:
    report, given = case.report, case.report.pairs[case.number - 1]
    redaction = _redaction(case)
    pair = in_order(given, redaction, case.student)
    traces = [trace_passage(passage) for passage in passages_of(report, pair, careful=not case.highlight)]
    sides = [_side(letter, report, pair, traces, redaction, careful=not case.highlight) for letter in "ab"]
    sheets = {f"{side.letter} {sheet.file.path}": sheet for side in sides for sheet in side.sheets}
    others = sum(record.owner not in owners_of(report, pair) for record in people_of(report))
    exhibits = [
        exhibit(trace, report, others, redaction, sheets, case.name_others, is_copy=bool(case.student))
        for trace in traces
    ]
    style = _style(sides)
    return environment().get_template("report/evidence.html").render(
        report=report,
        case=case,
        pair=pair,
        a=sides[0],
        b=sides[1],
        sides=sides[:1] if case.student else sides,
        note=redaction.texts(case.note),
        others=others,
        exhibits=exhibits,
        longest=max(exhibits, key=lambda exhibit: exhibit.match.tokens, default=None),
        renaming=renaming_in([trace.passage.changes for trace in traces]),
        rarity=rarity_of(pair, others),
        why=reasons_for(report, pair),
        reasons_markup=reasons_markup,
        fairness=fairness_of(report, pair, (sides[0].name, sides[1].name)),
        history=history_of_pair(report, pair, [side.name for side in sides], redaction.commit),
        **_of_the_run(report, given, redaction),
        place=place_in_words,
        listing=listing,
        style=Markup(style),
        digest=b64encode(sha256(style.encode()).digest()).decode(),
    )  # fmt: skip


def _redaction(case: EvidenceRequest) -> Redaction:
    pair = case.report.pairs[case.number - 1]
    if case.student:
        return redact_for(case.report, pair, case.student)
    if case.anonymous:
        return redact_everybody(case.report, pair)
    return redact_others(case.report, pair, case.name_others)


def _of_the_run(report: Report, pair: Pair, redaction: Redaction) -> dict[str, Any]:
    """The template's values about the whole comparison, and the place of a pair in it."""
    parameters, people = redaction.parameters(report.parameters), people_of(report)
    report = replace(report, parameters=parameters)
    return {
        "standing": standing_in_words(pair, report.baseline, _place(report, pair)),
        "people": people,
        "archived": sum(record.kind is ReferenceKind.EARLIER for record in people),
        "parameters": [
            *map(redaction.parameter, roles_in_words(report)),
            *parameters_in_words(parameters, report.baseline),
        ],
        "common": common_from(report),
        "handout": has_handout(report),
        "handed_out": _handed_out(report, redaction),
        "bundle": parameters.get("bundle"),
        "comment": parameters["comment"],
        "command": command(parameters),
    }


def _handed_out(report: Report, redaction: Redaction) -> str:
    """The SHA-256 of every file that was handed out."""
    given = report.parameters.get("handed_out") or ()
    files = [(each["id"], file) for each in given for file in each["files"] if file["sha256"]]
    return "\n".join(f"{file['sha256']}  {redaction.path(id)}/{redaction.path(file['path'])}" for id, file in files)


def _side(
    letter: str, report: Report, pair: Pair, traces: Sequence[TracedPassage], redaction: Redaction, careful: bool
) -> EvidenceSide:
    id, share = (pair.a, pair.share_a) if letter == "a" else (pair.b, pair.share_b)
    [record] = [record for record in report.submissions if record.id == id]
    ends = [
        (t.marking_a(), t.place(t.passage.match.a)) if letter == "a" else (t.marking_b(), t.place(t.passage.match.b))
        for t in traces
    ]
    sheets = []
    for n, file in enumerate(_ordered(record, {place.region.file for _, place in ends}), 1):
        here = [end for end in ends if end[1].region.file == file.path]
        markings, places = [marking for marking, _ in here], [place for _, place in here]
        sheets.append(sheet_of(f"{letter}{n}", file, markings, places, redaction, careful))
    lines = sum(file.lines for file in record.files)
    problems = tuple(_problems(report, record, redaction))
    return EvidenceSide(letter, redaction.name(id), record.kind, share, record.tokens, lines, tuple(sheets), problems)


def _ordered(record: SubmissionRecord, matched: set[str]) -> list[FileRecord]:
    """The files of a submission, those with passages first, those that were not compared last."""
    return sorted(record.files, key=lambda file: (file.path not in matched, file.status is Status.SKIPPED))


def _problems(report: Report, record: SubmissionRecord, redaction: Redaction) -> list[Problem]:
    """The files of a submission that could not be read, or only in part, with paths inside the submission."""
    inside = {p.path.removeprefix(f"{record.id}/"): p.reason for p in report.problems if _is_in(p.path, record.id)}
    inside |= {file.path: file.reason for file in record.files if file.reason}
    return [
        Problem("" if path == record.id else redaction.path(path), redaction.paths(reason))
        for path, reason in inside.items()
    ]


def _is_in(path: str, id: str) -> bool:
    return path == id or path.startswith(f"{id}/")


def _place(report: Report, pair: Pair) -> int:
    """The place of a pair among all pairs by score; pairs with equal scores share the best place."""
    return 1 + int((report.ranking.score > pair.score + 1e-6).sum())


def _style(sides: Sequence[EvidenceSide]) -> str:
    """The style: the tokens of all pages, the marks of passages, evidence's own, and the head and foot of paper."""
    tokens = _TOKENS.read_text(encoding="utf-8").partition("/* Tokens */")[2].partition("/* Type */")[0]
    own = [path.read_text(encoding="utf-8") for path in _STYLES]
    return "\n".join([tokens.strip(), *own, *_running_heads(sides)]) + "\n"


def _running_heads(sides: Sequence[EvidenceSide]) -> list[str]:
    """The head and foot of each printed page: both names, the words that matter, and its number."""
    names = gettext("Evidence: %(a)s and %(b)s", **{side.letter: visible_plain(side.name) for side in sides})
    before, _, rest = gettext("Page {page} of {pages}").partition("{page}")
    between, _, after = rest.partition("{pages}")
    number = f"{_css_string(before)} counter(page) {_css_string(between)} counter(pages) {_css_string(after)}"
    boxes = {
        "top-left": _css_string(names),
        "top-right": _css_string(gettext("Confidential")),
        "bottom-left": _css_string(
            gettext("Similarity is not proof. Read the passages, and hear the students, before you judge.")
        ),
        "bottom-right": number,
    }
    told = " ".join(f"@{box} {{ content: {text}; {_RUNNING} }}" for box, text in boxes.items())
    return [f"@page {{ {told} }}", "@page :first { @top-left { content: none; } @top-right { content: none; } }"]


def _css_string(text: str) -> str:
    """A text as a string of CSS; whatever could end it, or the element that it stands in, is escaped."""
    escaped = re.sub("[^A-Za-z0-9 ]", lambda found: f"\\{ord(found[0]):x} ", text)
    return f'"{escaped}"'
