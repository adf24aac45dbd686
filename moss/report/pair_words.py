"""The figures of a pair in words that need no knowledge of programming, each as whole sentences."""

from __future__ import annotations

from collections.abc import Sequence

from moss.model import Baseline, Channel, Match, Pair, Standing
from moss.report.likeness import TokenPair
from moss.report.page_templates import count, percent


def others_in_words(match: Match, others: int, handout: bool) -> str:
    """A sentence on how many of the `others`, all submissions but the pair's own, have a passage too."""
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
    """A sentence that names the channel in which a passage was found."""
    return f"Found by its {'structure' if match.channel is Channel.STRUCTURE else 'words'}."


def sameness(match: Match, pairs: Sequence[TokenPair]) -> str:
    """A sentence on how many tokens of a passage are written alike; empty if the tokens are not known."""
    if len(pairs) != match.tokens:
        return ""
    same = sum(pair.a == pair.b for pair in pairs)
    if same == match.tokens:
        return f"All {match.tokens:,} tokens are written the same on both sides."
    differ = match.tokens - same
    return f"{same:,} of its {match.tokens:,} tokens are written the same on both sides, {differ:,} differently."


def rarity_of(pair: Pair, others: int) -> str:
    """A sentence on how many of a pair's passages nobody else has; empty if there is nobody else."""
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


def standing_in_words(pair: Pair, baseline: Baseline, place: int) -> list[str]:
    """Sentences that compare a pair's score with those of all pairs of its class; none if these are not known."""
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
