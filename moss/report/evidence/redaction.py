"""Redaction of evidence: hiding the names of everybody if it is anonymous, of everybody else in a student's copy, and
otherwise those of third parties.

Names are replaced at the last moment, as characters are written to the page. So passages, line numbers and marks are
those of the original, and no pseudonym can shift or split them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moss.anonymity import NEUTRAL, Remover, hide_in_path, in_texts, names_of, pseudonyms_for
from moss.messages import gettext
from moss.model import Commit, EqualRun, Match, Pair, ReferenceKind, Region, Report, Role, SubmissionRecord
from moss.report.words.history_words import nameless
from moss.report.words.references import kind_in_words
from moss.report.words.run_words import ParameterInWords

PLACES = {"paths": "PATH", "base": "BASE", "archive": "ARCHIVE"}


@dataclass(frozen=True, slots=True)
class Redaction:
    """Replaces names by pseudonyms in all that evidence shows; with nothing to hide, everything stays as it is."""

    ids: Mapping[str, str]  # submission to pseudonym
    texts: Remover
    paths: Remover
    strangers: Remover  # finds the names of third parties

    def name(self, id: str) -> str:
        """The name under which a submission is shown."""
        return self.ids.get(id, id)

    def path(self, path: str) -> str:
        """A file's path without names."""
        return hide_in_path(path, self.paths) if self.ids else path

    def parameter(self, given: ParameterInWords) -> ParameterInWords:
        """A parameter in words, without names."""
        return replace(given, value=self.paths(given.value))

    def commit(self, commit: Commit) -> Commit:
        """A commit without names, or, if its author is a third party, without theirs."""
        if self.ids:
            return nameless(commit)
        stranger = self.strangers.found_in(f"{commit.author} {commit.mail}")
        known = replace(commit, subject=self.strangers(commit.subject))
        return replace(known, author="another student", mail="") if stranger else known

    def characters(self, text: str) -> Sequence[str]:
        """For each character the text to show: a pseudonym at the first character of a name, nothing at the others."""
        found = self.texts.found_in(text) if self.ids else []
        if not found:
            return text
        shown = list(text)
        for start, end, pseudonym in found:
            shown[start:end] = [pseudonym, *[""] * (end - start - 1)]
        return shown

    def parameters(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The run's parameters; paths of its input are replaced by placeholders if they would name someone."""
        told = [str(path) for name in (*PLACES, "reference") for path in parameters.get(name) or ()]
        hidden = dict(parameters)
        if self.ids or any(self.strangers.found_in(path) for path in told):
            hidden |= {name: [word] for name, word in PLACES.items() if parameters.get(name)}
            kinds = dict.fromkeys(str(told).partition(":")[0] for told in parameters.get("reference") or ())
            hidden |= {"reference": [f"{kind}:REFERENCE" for kind in kinds]} if kinds else {}
        if self.ids:
            hidden |= nameless_starter_code(parameters)
        return hidden | {"comment": self.texts(str(parameters.get("comment") or ""))}


def nameless_starter_code(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The starter code among a run's parameters without its name, which may be that of a student who handed it in."""
    given = parameters.get("handed_out")
    return {"handed_out": [{**each, "id": PLACES["base"]} for each in given]} if given else {}


def redact_others(report: Report, pair: Pair, name_others: bool) -> Redaction:
    """The redaction of third parties only, or of nobody if they may be named."""
    owners = owners_of(report, pair)
    others = [r for r in people_of(report) if r.owner not in owners and not name_others]
    nothing = Remover({})
    return Redaction({}, nothing, nothing, Remover(names_of(others, {r.owner: NEUTRAL for r in others})))


def redact_everybody(report: Report, pair: Pair) -> Redaction:
    """The redaction of everybody: both sides get pseudonyms, all others one neutral word."""
    people, owners = people_of(report), owners_of(report, pair)
    pseudonyms = {r.owner: NEUTRAL for r in people} | pseudonyms_for(owners)
    names = names_of(people, pseudonyms)
    remover = Remover(names)
    ids = {id: pseudonyms[owner] for id, owner in zip((pair.a, pair.b), owners, strict=True)}
    return Redaction(ids, in_texts(names, people), remover, remover)


def redact_for(report: Report, pair: Pair, student: str) -> Redaction:
    """The redaction of everybody but the owner of a submission of the pair, also inside the texts."""
    people = people_of(report)
    other = pair.b if student == pair.a else pair.a
    [owner] = [record.owner for record in people if record.id == student]
    [kind] = [record.kind for record in people if record.id == other]
    label = gettext("another student") if kind in (None, ReferenceKind.EARLIER) else kind_in_words(kind)
    rest = [record for record in people if record.owner != owner]
    names = names_of(rest, {record.owner: NEUTRAL for record in rest})
    remover = Remover(names)
    return Redaction({other: label}, in_texts(names, people), remover, remover)


def people_of(report: Report) -> list[SubmissionRecord]:
    """The submissions that were compared, which excludes starter code."""
    return [record for record in report.submissions if record.role is not Role.BASE]


def owners_of(report: Report, pair: Pair) -> tuple[str, str]:
    """The owners of both sides."""
    owners = {record.id: record.owner for record in report.submissions}
    return owners[pair.a], owners[pair.b]


def names_table(report: Report, number: int) -> list[tuple[str, str, str]]:
    """For each side of a pair: pseudonym, submission, owner."""
    pair = report.pairs[number - 1]
    redaction, owners = redact_everybody(report, pair), owners_of(report, pair)
    return sorted((redaction.ids[id], id, owner) for id, owner in zip((pair.a, pair.b), owners, strict=True))


def in_order(pair: Pair, redaction: Redaction, first: str = "") -> Pair:
    """The pair with this submission as its first side, otherwise the alphabetically first pseudonym; unchanged if there
    are no pseudonyms."""
    if first:
        return flipped(pair) if pair.b == first else pair
    return flipped(pair) if redaction.name(pair.b) < redaction.name(pair.a) and redaction.ids else pair


def flipped(pair: Pair) -> Pair:
    """The pair with its sides exchanged."""
    matches = tuple(_flipped_match(match) for match in pair.matches)
    return replace(pair, a=pair.b, b=pair.a, share_a=pair.share_b, share_b=pair.share_a, matches=matches)


def _flipped_match(match: Match) -> Match:
    first: Region = match.b
    runs = tuple(EqualRun(run.b_start, run.b_end, run.a_start, run.a_end) for run in match.runs)
    return replace(match, a=first, b=match.a, runs=runs)
