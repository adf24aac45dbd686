"""The figures of a pair in words that need no knowledge of programming, each as whole sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moss.model import Baseline, Channel, Match, Pair, Report, Role, Standing
from moss.report.likeness import TokenPair
from moss.report.page_templates import count, percent


def others_in_words(match: Match, others: int, handout: bool) -> str:
    """Who else has a passage, by number only; there are `others` submissions besides those of the two."""
    having = len(match.others)
    if not others:
        return "There were no further submissions to compare with."
    further = f"of the other {others:,} submissions" if others > 1 else "other submission"
    if not having:
        who = f"None {further} has it" if others > 1 else "The one other submission does not have it"
    else:
        who = f"{having:,} {further} {'has' if having == 1 else 'have'} it too"
    return f"{who}; it was not handed out." if handout else f"{who}."


def found_by(match: Match) -> str:
    """In which way of reading a passage was found."""
    return f"Found by its {'structure' if match.channel is Channel.STRUCTURE else 'words'}."


def sameness(match: Match, pairs: Sequence[TokenPair]) -> str:
    """How many of a passage's tokens are written the same on both sides; nothing if they cannot be told."""
    if len(pairs) != match.tokens:
        return ""
    same = sum(pair.a == pair.b for pair in pairs)
    if same == match.tokens:
        return f"All {match.tokens:,} tokens are written the same on both sides."
    differ = match.tokens - same
    return f"{same:,} of its {match.tokens:,} tokens are written the same on both sides, {differ:,} differently."


def rarity_of(pair: Pair, others: int) -> str:
    """How much of what two share nobody else has."""
    alone = [match for match in pair.matches if not match.others]
    tokens = sum(match.tokens for match in alone)
    if not others or not pair.matches:
        return ""
    if len(alone) == len(pair.matches):
        return "No other submission has any of them." if len(alone) > 1 else "No other submission has it."
    if not alone:
        return "Each of them is in at least one other submission too."
    some = f"{len(alone):,} of the {count(pair.matches, 'passage')}, with {tokens:,} of the {pair.tokens:,} tokens,"
    return f"{some} {'is' if len(alone) == 1 else 'are'} in no other submission."


def common_from(report: Report) -> int | None:
    """What more authors have than this is counted nowhere; None if there are not so many authors."""
    limit = report.parameters.get("max_matches")
    return limit if isinstance(limit, int) and limit < len(report.submissions) else None


def standing_in_words(pair: Pair, baseline: Baseline, place: int) -> list[str]:
    """How the score of a pair compares with those of all pairs of its class; nothing if that is not known."""
    if not baseline.pairs:
        return []
    ranked = f"By score it is number {place:,} of the {count(baseline.pairs, 'pair')} that were compared."
    if not baseline.is_known:
        same = ["The two are identical, and too long for that to be chance."] if pair.score > baseline.far else []
        return [ranked, "These are too few to say what is ordinary.", *same]
    if baseline.far >= 1:
        return [ranked, "So many are so alike in this class, or so short, that no score can stand out."]
    half = f"{percent(baseline.typical)} or less" if baseline.typical else "0%"
    return [
        ranked,
        f"Half of these pairs score {half}, and ordinary ones seldom over {percent(baseline.limit)}.",
        f"This pair scores {percent(pair.score)}. {_VERDICTS[baseline.standing(pair.score)]}",
    ]


# No chances are told here: pairs are not independent, and a committee would take a chance for a verdict.
_VERDICTS = {
    Standing.ORDINARY: "That is within what is ordinary here.",
    Standing.ABOVE: "That is above what is ordinary here.",
    Standing.FAR: "That is far above what is ordinary here.",
}


@dataclass(frozen=True, slots=True)
class ParameterInWords:
    """A parameter of the run, and its value in words."""

    name: str
    value: str


TOLD_APART = ("archive", "base", "bundle", "handed_out", "limits", "paths", "thresholds")
"""Parameters that are not shown as they are: what was compared is said by roles, and where it was by the command."""


def has_handout(report: Report) -> bool:
    """Whether something was handed out. Older reports say so only by their paths, or by what they mark."""
    told = report.parameters.get("handed_out")
    if told is not None:
        return bool(told)
    return bool(report.parameters.get("base")) or any(file.base for each in report.submissions for file in each.files)


def roles_in_words(report: Report) -> list[ParameterInWords]:
    """What was compared with what, by the roles that submissions had."""
    counted = Counter(record.role for record in report.submissions)
    handed_out = [f"{each['id']} ({_files(each['files'])})" for each in report.parameters.get("handed_out") or ()]
    return [
        ParameterInWords("new submissions", str(counted[Role.NEW])),
        ParameterInWords("earlier work", f"{counted[Role.ARCHIVE]} submissions" if counted[Role.ARCHIVE] else "none"),
        ParameterInWords("handed out", ", ".join(handed_out) or ("given" if has_handout(report) else "none")),
    ]


def _files(files: Sequence[Any]) -> str:
    return f"{len(files)} file{'s' * (len(files) != 1)}"


def parameters_in_words(parameters: Mapping[str, Any], baseline: Baseline) -> list[ParameterInWords]:
    """All that influenced the result, besides what was compared."""
    plain = {name: value for name, value in parameters.items() if name not in TOLD_APART}
    limits = {f"limit, {name}": value for name, value in (parameters.get("limits") or {}).items()}
    rows = [ParameterInWords(name.replace("_", " "), _value(value)) for name, value in sorted((plain | limits).items())]
    for layer in parameters.get("thresholds") or ():
        scope = "" if layer["own"] else ", all files"
        value = f"noise {layer['noise']}, guarantee {layer['guarantee']}, passage {layer['passage']} tokens"
        rows.append(ParameterInWords(f"thresholds, {layer['channel']}{scope}", value))
    ordinary = f"median {baseline.typical:.4f}, above {baseline.limit:.4f}, far above {baseline.far:.4f}"
    return [*rows, ParameterInWords("ordinary scores", ordinary)] if baseline.pairs else rows


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "left to the program" if value is None else "none"
    return f"{value:,}" if isinstance(value, int) else str(value)
