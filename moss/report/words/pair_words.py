"""The figures of a pair in words that need no knowledge of programming, each as whole sentences."""

from __future__ import annotations

from collections.abc import Sequence

from moss.messages import counted, gettext, marked, ngettext, number, percent
from moss.model import Baseline, Channel, Match, Pair, Standing
from moss.report.code.likeness import TokenPair


def others_in_words(match: Match, others: int, handout: bool) -> str:
    """Sentences on how many of the `others`, all submissions but the pair's own, have a passage too."""
    having = len(match.others)
    if not others:
        return gettext("There were no other submissions to compare with.")
    if others == 1:
        who = (
            gettext("The one other submission has it too.")
            if having
            else gettext("The one other submission does not have it.")
        )
    elif not having:
        who = gettext("None of the other %(others)s submissions has it.", others=number(others))
    else:
        who = ngettext(
            "%(having)s of the other %(others)s submissions has it too.",
            "%(having)s of the other %(others)s submissions have it too.",
            having,
            having=number(having),
            others=number(others),
        )
    return " ".join([who, gettext("It is not starter code.")]) if handout else who


def found_by(match: Match) -> str:
    """A sentence that names the channel in which a passage was found."""
    is_structure = match.channel is Channel.STRUCTURE
    return gettext("Found by its structure.") if is_structure else gettext("Found by its words.")


def sameness(match: Match, pairs: Sequence[TokenPair]) -> str:
    """A sentence on how many tokens of a passage are written alike; empty if the tokens are not known."""
    if len(pairs) != match.tokens:
        return ""
    same = sum(pair.a == pair.b for pair in pairs)
    if same == match.tokens:
        return gettext("All %(tokens)s tokens are written the same on both sides.", tokens=number(same))
    return gettext(
        "%(same)s of its %(tokens)s tokens are written the same on both sides, %(differ)s differently.",
        same=number(same),
        tokens=number(match.tokens),
        differ=number(match.tokens - same),
    )


def rarity_of(pair: Pair, others: int) -> str:
    """A sentence on how many of a pair's passages nobody else has; empty if there is nobody else."""
    alone = [match for match in pair.matches if not match.others]
    if not others or not pair.matches:
        return ""
    if len(alone) == len(pair.matches):
        return ngettext("No other submission has it.", "No other submission has any of them.", len(alone))
    if not alone:
        return gettext("Each of them is in at least one other submission too.")
    return ngettext(
        "%(alone)s of the %(passages)s, with %(tokens)s of the %(all)s tokens, is in no other submission.",
        "%(alone)s of the %(passages)s, with %(tokens)s of the %(all)s tokens, are in no other submission.",
        len(alone),
        alone=number(len(alone)),
        passages=counted(pair.matches, "passage"),
        tokens=number(sum(match.tokens for match in alone)),
        all=number(pair.tokens),
    )


def standing_in_words(pair: Pair, baseline: Baseline, place: int) -> list[str]:
    """Sentences that compare a pair's score with those of all pairs of its class; none if these are not known."""
    if not baseline.pairs:
        return []
    ranked = gettext(
        "By score it is number %(place)s of the %(pairs)s that were compared.",
        place=number(place),
        pairs=counted(baseline.pairs, "pair"),
    )
    if not baseline.is_known:
        few = gettext("These are too few to say what is ordinary.")
        same = gettext("The two are identical, and too long for that to be chance.")
        return [ranked, few, same] if pair.score > baseline.far else [ranked, few]
    if baseline.far >= 1:
        return [ranked, gettext("This class is so alike, or its submissions so short, that no score is unusual.")]
    return [
        ranked,
        gettext(
            "Half of these pairs score %(half)s or less, and ordinary ones seldom over %(limit)s.",
            half=percent(baseline.typical),
            limit=percent(baseline.limit),
        ),
        gettext(_VERDICTS[baseline.standing(pair.score)], score=percent(pair.score)),
    ]


# No chances are told here: pairs are not independent, and a committee would take a chance for a verdict.
_VERDICTS = {
    Standing.ORDINARY: marked("This pair scores %(score)s, which is ordinary here."),
    Standing.ABOVE: marked("This pair scores %(score)s, which is unusual here."),
    Standing.FAR: marked("This pair scores %(score)s, which is very unusual here."),
}
