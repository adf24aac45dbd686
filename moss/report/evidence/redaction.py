"""Names that must not be read in a piece of evidence: those of both sides if it is anonymous, else of third parties.

Texts are hidden at the last moment, character by character as they are shown. So passages, line numbers and marks are
those of the original, and no pseudonym can shift or split them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moss.anonymity import NEUTRAL, Remover, hide_in_path, in_texts, names_of, pseudonyms_for
from moss.model import EqualRun, Match, Pair, Region, Report, Role, SubmissionRecord
from moss.report.pair_words import ParameterInWords

_PLACES = {"paths": "PATH", "base": "BASE", "archive": "ARCHIVE"}


@dataclass(frozen=True, slots=True)
class Redaction:
    """What is put in the place of names; with nothing to hide, everything passes as it is."""

    ids: Mapping[str, str]  # submission to pseudonym
    texts: Remover
    paths: Remover
    strangers: Remover  # what finds the names of third parties

    def name(self, id: str) -> str:
        """What a submission is called."""
        return self.ids.get(id, id)

    def path(self, path: str) -> str:
        """A file's path."""
        return hide_in_path(path, self.paths) if self.ids else path

    def parameter(self, given: ParameterInWords) -> ParameterInWords:
        """A parameter in words."""
        return replace(given, value=self.paths(given.value))

    def characters(self, text: str) -> Sequence[str]:
        """For each character what is shown of it: a pseudonym stands where its name began, nothing where it went on."""
        found = self.texts.found_in(text) if self.ids else []
        if not found:
            return text
        shown = list(text)
        for start, end, pseudonym in found:
            shown[start:end] = [pseudonym, *[""] * (end - start - 1)]
        return shown

    def parameters(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The run's parameters; where it read its input from is left out if that would name someone."""
        told = [str(path) for name in _PLACES for path in parameters.get(name) or ()]
        hidden = dict(parameters)
        if self.ids or any(self.strangers.found_in(path) for path in told):
            hidden |= {name: [word] for name, word in _PLACES.items() if parameters.get(name)}
        return hidden | {"comment": self.texts(str(parameters.get("comment") or ""))}


def redact_others(report: Report, pair: Pair, name_others: bool) -> Redaction:
    """A redaction over third parties only, and over nobody if they may be named."""
    owners = owners_of(report, pair)
    others = [r for r in people_of(report) if r.owner not in owners and not name_others]
    nothing = Remover({})
    return Redaction({}, nothing, nothing, Remover(names_of(others, {r.owner: NEUTRAL for r in others})))


def redact_everybody(report: Report, pair: Pair) -> Redaction:
    """A redaction over everyone: the two have pseudonyms, all others are the same to the reader."""
    people, owners = people_of(report), owners_of(report, pair)
    pseudonyms = {r.owner: NEUTRAL for r in people} | pseudonyms_for(owners)
    names = names_of(people, pseudonyms)
    remover = Remover(names)
    ids = {id: pseudonyms[owner] for id, owner in zip((pair.a, pair.b), owners, strict=True)}
    return Redaction(ids, in_texts(names, people), remover, remover)


def people_of(report: Report) -> list[SubmissionRecord]:
    """All submissions that were compared."""
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


def in_order(pair: Pair, redaction: Redaction) -> Pair:
    """The pair with the first pseudonym first; as it is if there are none."""
    return flipped(pair) if redaction.name(pair.b) < redaction.name(pair.a) and redaction.ids else pair


def flipped(pair: Pair) -> Pair:
    """The same pair from the other side."""
    matches = tuple(_flipped_match(match) for match in pair.matches)
    return replace(pair, a=pair.b, b=pair.a, share_a=pair.share_b, share_b=pair.share_a, matches=matches)


def _flipped_match(match: Match) -> Match:
    first: Region = match.b
    runs = tuple(EqualRun(run.b_start, run.b_end, run.a_start, run.a_end) for run in match.runs)
    return replace(match, a=first, b=match.a, runs=runs)
